/* SPDX-License-Identifier: MIT */
/* See proof.h.  Clauses lie one after the other in an array: their length, then their literals.  The first two literals
 * of a clause are watched: as long as both may be true, nothing follows from it.  Literals that follow from the clauses
 * alone stay assigned; those that follow from the negation of a lemma are taken back. */
#include "lib/synthesis/proof.h"
#include "lib/base/grow.h"
#include "lib/base/map.h"
#include "lib/synthesis/sha256.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_EVERY = 16 };

struct watch {
    size_t clause; /* where it begins */
    int other;     /* one of its literals: where it is true the clause need not be looked at */
};

struct watches {
    struct watch *list;
    uint32_t count, capacity;
};

struct checker {
    int variables;
    int *clauses; /* length, literals; a negated length: deleted */
    size_t used, capacity, dead;
    struct watches *watches; /* of the clauses that watch this literal, by literal_index */
    signed char *value;      /* of a literal, by literal_index: 1 true, -1 false, 0 open */
    int *trail;              /* the literals assigned, in order */
    int assigned, followed;  /* how many; how many of them have been propagated */
    bool contradiction;      /* follows from the clauses alone */
    bool full;               /* without memory */

    struct map by_hash; /* of its literals: where a clause begins, for deletions */
    int *marks;         /* of literals, by literal_index: the comparison that marked them */
    int comparison;

    int *lemma;
    size_t lemma_count, lemma_capacity;
};

static size_t
literal_index(int literal)
{
    return literal > 0 ? 2 * (size_t)literal : 2 * (size_t)-literal + 1;
}

static bool
checker_init(struct checker *checker, int variables)
{
    size_t literals = 2 * (size_t)variables + 2;

    *checker = (struct checker){.variables = variables};
    checker->watches = calloc(literals, sizeof *checker->watches);
    checker->value = calloc(literals, 1);
    checker->trail = calloc((size_t)variables + 1, sizeof *checker->trail);
    checker->marks = calloc(literals, sizeof *checker->marks);
    return checker->watches && checker->value && checker->trail && checker->marks;
}

static void
checker_fini(struct checker *checker)
{
    for (size_t i = 0; checker->watches && i < 2 * (size_t)checker->variables + 2; i++)
        free(checker->watches[i].list);
    free(checker->watches);
    free(checker->value);
    free(checker->trail);
    free(checker->marks);
    free(checker->by_hash.places);
    free(checker->clauses);
    free(checker->lemma);
}

/* ------------------------------------------------------------------ propagation */

static void
checker_watch(struct checker *checker, int literal, size_t clause, int other)
{
    struct watches *watches = &checker->watches[literal_index(literal)];

    if (watches->count == watches->capacity) {
        uint32_t capacity = 2 * watches->capacity + 4;
        struct watch *list = realloc(watches->list, capacity * sizeof *list);

        if (list == NULL) {
            checker->full = true;
            return;
        }
        watches->list = list;
        watches->capacity = capacity;
    }
    watches->list[watches->count++] = (struct watch){clause, other};
}

static void
checker_assign(struct checker *checker, int literal)
{
    checker->value[literal_index(literal)] = 1;
    checker->value[literal_index(-literal)] = -1;
    checker->trail[checker->assigned++] = literal;
}

/* Find a literal that is not false and watch it in place of `literal`; false: all but the first are false. */
static bool
watch_another(struct checker *checker, size_t clause, int literal)
{
    int length = checker->clauses[clause], *literals = &checker->clauses[clause + 1];

    for (int i = 2; i < length; i++)
        if (checker->value[literal_index(literals[i])] >= 0) {
            literals[1] = literals[i];
            literals[i] = literal;
            checker_watch(checker, literals[1], clause, literals[0]);
            return true;
        }
    return false;
}

/* Assign the literals that follow from `literal` being false; true: a contradiction. */
static bool
checker_propagate_one(struct checker *checker, int literal)
{
    struct watches *watches = &checker->watches[literal_index(literal)];
    uint32_t kept = 0;
    bool contradiction = false;

    for (uint32_t i = 0; i < watches->count; i++) {
        struct watch at = watches->list[i];

        if (contradiction || checker->value[literal_index(at.other)] > 0) {
            watches->list[kept++] = at;
            continue;
        }
        int *literals = &checker->clauses[at.clause + 1];

        if (literals[-1] < 0)
            continue; /* deleted */
        if (literals[0] == literal) {
            literals[0] = literals[1];
            literals[1] = literal;
        }
        signed char value = checker->value[literal_index(literals[0])];

        if (value <= 0 && watch_another(checker, at.clause, literal))
            continue;
        watches->list[kept++] = (struct watch){at.clause, literals[0]};
        if (value < 0)
            contradiction = true;
        else if (value == 0)
            checker_assign(checker, literals[0]);
    }
    watches->count = kept;
    return contradiction;
}

static bool
propagate(struct checker *checker)
{
    while (checker->followed < checker->assigned)
        if (checker_propagate_one(checker, -checker->trail[checker->followed++]))
            return true;
    return false;
}

static void
checker_backtrack(struct checker *checker, int assigned)
{
    while (checker->assigned > assigned) {
        int literal = checker->trail[--checker->assigned];

        checker->value[literal_index(literal)] = checker->value[literal_index(-literal)] = 0;
    }
    checker->followed = assigned;
}

/* Whether the lemma follows. */
static bool
lemma_follows(struct checker *checker)
{
    int before = checker->assigned;
    bool follows = false;

    for (size_t i = 0; i < checker->lemma_count && !follows; i++) {
        signed char value = checker->value[literal_index(checker->lemma[i])];

        follows = value > 0;
        if (value == 0)
            checker_assign(checker, -checker->lemma[i]);
    }
    follows = follows || propagate(checker);
    checker_backtrack(checker, before);
    return follows;
}

/* ------------------------------------------------------------------ the clauses */

static size_t
clause_hash(const int *literals, size_t count)
{
    size_t sum = 0, product = 1;

    for (size_t i = 0; i < count; i++) {
        size_t place = literal_index(literals[i]);

        sum += place * (size_t)0x9E3779B97F4A7C15;
        product *= 2 * place + 1;
    }
    return (sum ^ product * 31) + count;
}

static void
list_clause(struct checker *checker, size_t clause)
{
    const int *literals = &checker->clauses[clause + 1];

    checker->full |= !map_put(&checker->by_hash, clause_hash(literals, (size_t)literals[-1]), clause);
}

/* Forget deleted clauses, and list all others again. */
static void
checker_collect(struct checker *checker)
{
    size_t to = 0;

    free(checker->by_hash.places);
    checker->by_hash = (struct map){0};
    for (size_t i = 0; i < 2 * (size_t)checker->variables + 2; i++)
        checker->watches[i].count = 0;
    for (size_t from = 0; from < checker->used;) {
        int length = checker->clauses[from];
        size_t ints = (size_t)abs(length) + 1;

        if (length > 0) {
            memmove(&checker->clauses[to], &checker->clauses[from], ints * sizeof(int));
            list_clause(checker, to);
            if (length > 1) {
                int *literals = &checker->clauses[to + 1];

                checker_watch(checker, literals[0], to, literals[1]);
                checker_watch(checker, literals[1], to, literals[0]);
            }
            to += ints;
        }
        from += ints;
    }
    checker->used = to;
    checker->dead = 0;
}

static bool
checker_reserve(struct checker *checker, size_t ints)
{
    if (checker->dead > checker->used / 2 && checker->used > 1 << 20)
        checker_collect(checker);
    checker->full = checker->full ||
                    !array_grow(&checker->clauses, &checker->capacity, checker->used + ints, sizeof *checker->clauses);
    return !checker->full;
}

/* Add a clause of the formula, or one that follows from it.  Nothing is assumed at that time. */
static void
add_clause(struct checker *checker, const int *literals, size_t count)
{
    if (count == 0)
        checker->contradiction = true;
    if (checker->contradiction || !checker_reserve(checker, count + 1))
        return;
    size_t clause = checker->used;
    int *own = &checker->clauses[clause + 1], open = 0;

    own[-1] = (int)count;
    memcpy(own, literals, count * sizeof *own);
    checker->used += count + 1;
    for (size_t i = 0; i < count && open < 2; i++) /* two that are not false, and different, come first */
        if (checker->value[literal_index(own[i])] >= 0 && (open == 0 || own[i] != own[0])) {
            int literal = own[i];

            own[i] = own[open];
            own[open++] = literal;
        }
    list_clause(checker, clause);
    if (count > 1) {
        checker_watch(checker, own[0], clause, own[1]);
        checker_watch(checker, own[1], clause, own[0]);
    }
    if (open == 0)
        checker->contradiction = true;
    else if (open == 1 && checker->value[literal_index(own[0])] == 0)
        checker_assign(checker, own[0]);
    checker->contradiction = checker->contradiction || propagate(checker);
}

static bool
same_literals(struct checker *checker, size_t clause)
{
    const int *literals = &checker->clauses[clause + 1];

    if ((size_t)literals[-1] != checker->lemma_count || literals[-1] < 0)
        return false;
    if (++checker->comparison < 0)
        checker->comparison = 1; /* marks of the first comparisons are gone by then; a stale mark only keeps a clause */
    for (size_t i = 0; i < checker->lemma_count; i++)
        checker->marks[literal_index(checker->lemma[i])] = checker->comparison;
    for (size_t i = 0; i < checker->lemma_count; i++)
        if (checker->marks[literal_index(literals[i])] != checker->comparison)
            return false;
    return true;
}

/* Delete the clause with these literals; ignore an unknown one. */
static void
delete_clause(struct checker *checker)
{
    size_t hash = clause_hash(checker->lemma, checker->lemma_count), at = 0;

    for (ptrdiff_t clause; (clause = map_next(&checker->by_hash, hash, &at)) != MAP_NONE;)
        if (same_literals(checker, (size_t)clause)) {
            checker->clauses[clause] = -checker->clauses[clause];
            checker->dead += checker->lemma_count + 1;
            return;
        }
}

/* ------------------------------------------------------------------ reading */

/* Read the literals of a lemma or a deletion; false at a bad one. */
static bool
read_literals(struct checker *checker, FILE *in)
{
    checker->lemma_count = 0;
    for (;;) {
        uint64_t number = 0;
        int byte, bits = 0;

        do {
            byte = getc(in);
            if (byte == EOF || bits > 35)
                return false;
            number |= (uint64_t)(byte & 127) << bits;
            bits += 7;
        } while (byte & 128);
        if (number == 0)
            return true;
        if (number < 2 || number / 2 > (uint64_t)checker->variables)
            return false;
        if (!array_grow(&checker->lemma, &checker->lemma_capacity, checker->lemma_count + 1, sizeof *checker->lemma)) {
            checker->full = true;
            return false;
        }
        checker->lemma[checker->lemma_count++] = number % 2 ? -(int)(number / 2) : (int)(number / 2);
    }
}

static enum peal_status
read_proof(struct checker *checker, FILE *in, const struct cnf *cnf, struct proof_report *report,
           struct peal_error *error)
{
    while (!checker->contradiction && !checker->full) {
        int kind = getc(in);
        unsigned long long number = report->lemmas + report->deletions + 1;

        if (kind == EOF)
            return peal_refuse(error, PEAL_FAILED, "the proof ends after %llu lines without the empty clause",
                               number - 1);
        if ((kind != 'a' && kind != 'd') || !read_literals(checker, in)) {
            if (checker->full)
                break;
            return peal_refuse(error, PEAL_FAILED, "line %llu of the proof is malformed", number);
        }
        if (kind == 'd') {
            report->deletions++;
            delete_clause(checker);
            continue;
        }
        report->lemmas++;
        if (!lemma_follows(checker))
            return peal_refuse(error, PEAL_FAILED, "line %llu of the proof, a lemma of %zu literals, does not follow",
                               number, checker->lemma_count);
        add_clause(checker, checker->lemma, checker->lemma_count);
        if (report->lemmas % LOOK_EVERY == 0 && cnf_is_late(cnf))
            return peal_refuse(error, PEAL_TIMEOUT, "the proof was not checked in time");
    }
    return checker->full ? peal_refuse(error, PEAL_RESOURCES, "no memory to check the proof") : PEAL_OK;
}

static void
proof_digest_file(FILE *in, char digest[65])
{
    struct sha256 sha256;
    char part[4096];
    size_t bytes;

    rewind(in);
    sha256_begin(&sha256);
    while ((bytes = fread(part, 1, sizeof part, in)) > 0)
        sha256_add(&sha256, part, bytes);
    sha256_end(&sha256, digest);
}

enum peal_status
proof_check(const struct cnf *cnf, const char *path, struct proof_report *report, struct peal_error *error)
{
    struct checker checker;
    FILE *in = fopen(path, "rb");

    *report = (struct proof_report){0};
    if (in == NULL)
        return peal_refuse(error, PEAL_USAGE, "%s: %s", path, strerror(errno));
    if (!checker_init(&checker, cnf->variables))
        checker.full = true;
    for (size_t i = 0, first = 0; i < cnf->count && !checker.full; i++)
        if (cnf->literals[i] == 0) {
            add_clause(&checker, cnf->literals + first, i - first);
            first = i + 1;
        }
    enum peal_status status = read_proof(&checker, in, cnf, report, error);

    if (status == PEAL_OK)
        proof_digest_file(in, report->digest);
    checker_fini(&checker);
    fclose(in);
    return status;
}
