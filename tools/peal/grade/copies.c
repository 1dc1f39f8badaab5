/* SPDX-License-Identifier: MIT */
/* Compares submissions by their runs of TOKENS tokens: Schleimer, Wilkerson, Aiken, "Winnowing", SIGMOD 2003, sections
 * 2 and 5, without the selection of runs, which files of this size do not need. */
#include "grade/copies.h"
#include "lib/base/grow.h"
#include "lib/base/in_fortran.h"
#include "write/files.h"
#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

enum {
    TOKENS = 12,            /* of a run */
    MAX_BYTES = 1 << 20,    /* read of a file */
    MAX_RUNS = 20000,       /* of a file */
    MAX_SUBMISSIONS = 1000, /* of a class */
    MIN_RUNS = 24,          /* that are a submission's own; with fewer it is not compared */
    ALIKE_PERCENT = 60,     /* from here on two submissions are reported */
    SAME_PERCENT = 90,      /* from here on two right answers count as one when common runs are removed */
    MIN_ANSWERS = 3,        /* different right answers that are needed to remove common runs */
    STARTER = -1
};

/* ------------------------------------------------------------------ runs of tokens */

struct run {
    uint64_t hash;
    int file; /* of the marks, or STARTER */
    int first_line, last_line;
};

struct runs {
    struct run *list;
    size_t count, capacity;
};

static int
copies_compare_runs(const void *a, const void *b)
{
    const struct run *one = a, *other = b;

    if (one->hash != other->hash)
        return one->hash < other->hash ? -1 : 1;
    return one->file != other->file ? (one->file > other->file) - (one->file < other->file)
                                    : one->first_line - other->first_line;
}

/* A text that is read token by token. */
struct tokens {
    const char *at;
    int line;
    bool fortran, python;
};

/* Whether students do not choose the name: a keyword, or a name of Peal's or MPI's. */
static bool
is_fixed(const char *name, size_t length)
{
    static const char *const words[] = {
        "if",     "else",   "for",     "while",  "do",   "return", "break", "continue",   "switch", "case", "goto",
        "sizeof", "static", "const",   "struct", "void", "int",    "long",  "double",     "float",  "char", "size_t",
        "call",   "end",    "integer", "real",   "then", "enddo",  "endif", "subroutine", "program"};

    if (strncasecmp(name, "peal_", 5) == 0 || strncasecmp(name, "MPI_", 4) == 0)
        return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncasecmp(name, words[i], length) == 0)
            return true;
    return false;
}

/* Skip blanks, comments and lines of the preprocessor. */
static void
copies_skip_blanks(struct tokens *tokens)
{
    for (; *tokens->at; tokens->at++) {
        const bool c = !tokens->fortran && !tokens->python;
        const bool comment = tokens->fortran ? *tokens->at == '!' : c && strncmp(tokens->at, "//", 2) == 0;

        if (c && strncmp(tokens->at, "/*", 2) == 0) {
            for (tokens->at += 2; *tokens->at && strncmp(tokens->at, "*/", 2) != 0; tokens->at++)
                tokens->line += *tokens->at == '\n';
            tokens->at += *tokens->at != '\0';
        } else if (comment || *tokens->at == '#') {
            tokens->at += strcspn(tokens->at, "\n");
        } else if (!isspace((unsigned char)*tokens->at)) {
            return;
        }
        if (!*tokens->at)
            return;
        tokens->line += *tokens->at == '\n';
    }
}

/* A hash of what was hashed before and the next number. */
static uint64_t
mix(uint64_t hash, uint64_t next)
{
    return digest_bytes(&next, sizeof next, hash);
}

/* Whether there is a token, and what it is: names that students choose are alike, as are numbers, and texts. */
static bool
read_token(struct tokens *tokens, uint64_t *token)
{
    copies_skip_blanks(tokens);
    const char *start = tokens->at;

    if (isalpha((unsigned char)*start) || *start == '_') {
        while (isalnum((unsigned char)*tokens->at) || *tokens->at == '_')
            tokens->at++;
        *token = 'a';
        if (is_fixed(start, (size_t)(tokens->at - start)))
            for (; start < tokens->at; start++)
                *token = mix(*token, (uint64_t)tolower((unsigned char)*start));
    } else if (isdigit((unsigned char)*start)) {
        while (isalnum((unsigned char)*tokens->at) || *tokens->at == '.')
            tokens->at++;
        *token = '0';
    } else if (*start == '"' || *start == '\'') {
        for (tokens->at++; *tokens->at && *tokens->at != *start && *tokens->at != '\n'; tokens->at++)
            tokens->at += *tokens->at == '\\' && tokens->at[1] && tokens->at[1] != '\n';
        tokens->at += *tokens->at == *start;
        *token = '"';
    } else {
        *token = (unsigned char)*start;
        tokens->at += *start != '\0';
    }
    return *start != '\0';
}

static enum peal_status
add_file(struct runs *runs, const char *path, int file, struct peal_error *error)
{
    uint64_t last[TOKENS];
    int lines[TOKENS], added = 0;
    size_t count;
    bool more;
    void *bytes;
    enum peal_status status = file_read_most(path, MAX_BYTES, &bytes, &count, &more, error);

    if (status != PEAL_OK)
        return status;
    struct tokens tokens = {
        .at = bytes, .line = 1, .fortran = peal_is_fortran(path), .python = text_has_ending(path, ".py")};

    for (int i = 0; added < MAX_RUNS && read_token(&tokens, &last[i % TOKENS]); i++) {
        uint64_t hash = DIGEST_NOTHING;

        lines[i % TOKENS] = tokens.line;
        if (i < TOKENS - 1)
            continue;
        for (int k = 1; k <= TOKENS; k++)
            hash = mix(hash, last[(i + k) % TOKENS]);
        if (!array_grow(&runs->list, &runs->capacity, runs->count + 1, sizeof *runs->list)) {
            status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
            break;
        }
        runs->list[runs->count++] = (struct run){hash, file, lines[(i + 1) % TOKENS], tokens.line};
        added++;
    }
    free(bytes);
    return status;
}

/* ------------------------------------------------------------------ what files share */

/* A class that is compared. */
struct class_compared {
    const struct marks *marks;
    struct runs runs;
    int *own;         /* one per submission: its different runs */
    int *shared;      /* one per pair, in both orders */
    int *group;       /* one per submission: the first of its group */
    uint64_t starter; /* its digest */
};

/* The end of the runs from `i` on that share one hash. */
static size_t
copies_end_of(const struct runs *runs, size_t i)
{
    size_t end = i + 1;

    while (end < runs->count && runs->list[end].hash == runs->list[i].hash)
        end++;
    return end;
}

static void
count_shared(struct class_compared *all)
{
    const size_t n = (size_t)all->marks->count;
    const struct run *list = all->runs.list;

    memset(all->own, 0, n * sizeof *all->own);
    memset(all->shared, 0, n * n * sizeof *all->shared);
    for (size_t i = 0, end; i < all->runs.count; i = end) {
        end = copies_end_of(&all->runs, i);
        for (size_t j = i; j < end; j++) {
            if (j > i && list[j].file == list[j - 1].file)
                continue;
            all->own[list[j].file]++;
            for (size_t k = i; k < j; k++)
                if (k == i || list[k].file != list[k - 1].file) {
                    all->shared[(size_t)list[j].file * n + (size_t)list[k].file]++;
                    all->shared[(size_t)list[k].file * n + (size_t)list[j].file]++;
                }
        }
    }
}

/* The percentage of the runs of the submission with fewer that the other one has, too. */
static int
percent_of(const struct class_compared *all, int a, int b)
{
    const int less = all->own[a] < all->own[b] ? all->own[a] : all->own[b];
    const struct marking *one = &all->marks->markings[a], *other = &all->marks->markings[b];

    if (one->digest == other->digest && one->digest != all->starter)
        return 100;
    return less < MIN_RUNS ? 0 : (int)(100L * all->shared[(size_t)a * (size_t)all->marks->count + (size_t)b] / less);
}

static bool
copies_is_compared(const struct marking *marking)
{
    return marking->refused.status == PEAL_OK && !marking->submission->nothing;
}

/* Whether two submissions are compared: not those of one student, nor one file that students submitted together. */
static bool
are_compared(const struct class_compared *all, int a, int b)
{
    const struct marking *one = &all->marks->markings[a], *other = &all->marks->markings[b];

    return copies_is_compared(one) && copies_is_compared(other) && strcmp(one->file, other->file) != 0 &&
           (!one->submission->student || one->submission->student != other->submission->student);
}

/* Group the submissions that are alike by at least `percent`; with `right_only` only those that are right. */
static void
make_groups(struct class_compared *all, int percent, bool right_only)
{
    const struct marks *marks = all->marks;
    const double most = marks->assignment->points;

    for (int i = 0; i < marks->count; i++)
        all->group[i] = i;
    for (int i = 0; i < marks->count; i++)
        for (int j = 0; j < i; j++) {
            const int from = all->group[i], to = all->group[j];

            if (from == to || !are_compared(all, i, j) || percent_of(all, i, j) < percent ||
                (right_only && (marks->markings[i].points < most || marks->markings[j].points < most)))
                continue;
            for (int k = 0; k < marks->count; k++)
                if (all->group[k] == from || all->group[k] == to)
                    all->group[k] = from < to ? from : to;
        }
}

/* Remove the runs of the starter, and, unless `answers`, the number of groups of right answers, is 0, those that more
 * than half of these groups have. */
static void
remove_common(struct class_compared *all, int answers)
{
    struct runs *runs = &all->runs;
    size_t kept = 0;
    bool *seen = calloc((size_t)all->marks->count, sizeof *seen);

    for (size_t i = 0, end; i < runs->count; i = end) {
        int have = 0;

        end = copies_end_of(runs, i);
        for (size_t j = i; seen && answers > 0 && j < end; j++) {
            const int file = runs->list[j].file;

            if (all->marks->markings[file].points < all->marks->assignment->points || seen[all->group[file]])
                continue;
            seen[all->group[file]] = true;
            have++;
        }
        for (size_t j = i; seen && answers > 0 && j < end; j++)
            seen[all->group[runs->list[j].file]] = false;
        if (runs->list[i].file == STARTER || (answers > 0 && 2 * have > answers))
            continue;
        memmove(&runs->list[kept], &runs->list[i], (end - i) * sizeof *runs->list);
        kept += end - i;
    }
    runs->count = kept;
    free(seen);
}

/* How many groups the right answers are in. */
static int
count_answers(const struct class_compared *all)
{
    int answers = 0;

    for (int i = 0; i < all->marks->count; i++) {
        const struct marking *marking = &all->marks->markings[i];

        answers +=
            all->group[i] == i && copies_is_compared(marking) && marking->points >= all->marks->assignment->points;
    }
    return answers;
}

/* ------------------------------------------------------------------ groups */

/* Note the lines of runs that files of one group share. */
static void
note_lines(const struct class_compared *all, struct copied *places)
{
    const struct run *list = all->runs.list;

    for (size_t i = 0, end; i < all->runs.count; i = end) {
        end = copies_end_of(&all->runs, i);
        for (size_t j = i; j < end; j++)
            for (size_t k = i; k < end; k++) {
                struct copied *place = &places[list[j].file];

                if (list[j].file == list[k].file || all->group[list[j].file] != all->group[list[k].file])
                    continue;
                if (place->last_line == 0 || list[j].first_line < place->first_line)
                    place->first_line = list[j].first_line;
                if (list[j].last_line > place->last_line)
                    place->last_line = list[j].last_line;
                break;
            }
    }
}

/* Add the group that begins with the submission `first`, if it has two members. */
static enum peal_status
add_group(struct copies *copies, const struct class_compared *all, const struct copied *places, int first,
          struct peal_error *error)
{
    struct copy_group group = {.least_percent = 100};
    bool good = true;

    for (int i = first; i < all->marks->count && good; i++)
        if (all->group[i] == first) {
            for (int k = 0; k < group.count; k++) {
                const int percent =
                    are_compared(all, i, group.copies[k].number) ? percent_of(all, i, group.copies[k].number) : 0;

                if (percent >= ALIKE_PERCENT && percent < group.least_percent)
                    group.least_percent = percent;
                if (percent > group.most_percent)
                    group.most_percent = percent;
            }
            good = grow_by_one(&group.copies, (size_t)group.count, sizeof *group.copies);
            if (good) {
                group.copies[group.count] = places[i];
                group.copies[group.count++].number = i;
            }
        }
    good = good && (group.count < 2 || grow_by_one(&copies->groups, (size_t)copies->count, sizeof *copies->groups));
    if (good && group.count > 1)
        copies->groups[copies->count++] = group;
    else
        free(group.copies);
    return good ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "not enough memory");
}

static int
compare_groups(const void *a, const void *b)
{
    const struct copy_group *one = a, *other = b;

    return one->most_percent != other->most_percent ? other->most_percent - one->most_percent
                                                    : one->copies[0].number - other->copies[0].number;
}

static enum peal_status
copies_find_groups(struct copies *copies, struct class_compared *all, struct peal_error *error)
{
    const size_t n = (size_t)all->marks->count;
    struct copied *places = calloc(n, sizeof *places);
    enum peal_status status = places ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "not enough memory");

    if (places)
        note_lines(all, places);
    for (int i = 0; i < (int)n && status == PEAL_OK; i++)
        if (all->group[i] == i)
            status = add_group(copies, all, places, i, error);
    if (copies->count > 1)
        qsort(copies->groups, (size_t)copies->count, sizeof *copies->groups, compare_groups);
    free(places);
    return status;
}

/* ------------------------------------------------------------------ the whole */

static enum peal_status
compare_all(struct copies *copies, struct class_compared *all, struct peal_error *error)
{
    const struct marks *marks = all->marks;
    enum peal_status status = PEAL_OK;

    if (marks->assignment->starter) {
        all->starter = digest_file(marks->assignment->starter, DIGEST_NOTHING);
        status = add_file(&all->runs, marks->assignment->starter, STARTER, error);
    }
    for (int i = 0; i < marks->count && status == PEAL_OK; i++)
        if (copies_is_compared(&marks->markings[i])) {
            struct peal_error ignored; /* it has gone since, or is empty */

            if (add_file(&all->runs, marks->markings[i].file, i, &ignored) == PEAL_RESOURCES)
                status = peal_refuse(error, PEAL_RESOURCES, "%s", ignored.text);
        }
    if (status != PEAL_OK)
        return status;
    if (all->runs.count > 0)
        qsort(all->runs.list, all->runs.count, sizeof *all->runs.list, copies_compare_runs);
    remove_common(all, 0);
    count_shared(all);
    make_groups(all, SAME_PERCENT, true);
    const int answers = count_answers(all);

    copies->beside_starter = marks->assignment->starter != NULL;
    copies->beside_answers = answers >= MIN_ANSWERS;
    if (copies->beside_answers) {
        remove_common(all, answers);
        count_shared(all);
    }
    make_groups(all, ALIKE_PERCENT, false);
    return copies_find_groups(copies, all, error);
}

enum peal_status
copies_find(struct copies *copies, const struct marks *marks, struct peal_error *error)
{
    const size_t n = (size_t)marks->count;
    struct class_compared all = {.marks = marks};
    enum peal_status status;

    *copies = (struct copies){.count = 0};
    if (n < 2)
        return PEAL_OK;
    if (n > MAX_SUBMISSIONS) {
        fprintf(stderr, "peal: note: copies are looked for among at most %d submissions\n", MAX_SUBMISSIONS);
        return PEAL_OK;
    }
    all.own = calloc(n, sizeof *all.own);
    all.shared = calloc(n * n, sizeof *all.shared);
    all.group = calloc(n, sizeof *all.group);
    status = all.own && all.shared && all.group ? compare_all(copies, &all, error)
                                                : peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    free(all.runs.list);
    free(all.own);
    free(all.shared);
    free(all.group);
    return status;
}

void
copies_free(struct copies *copies)
{
    for (int i = 0; i < copies->count; i++)
        free(copies->groups[i].copies);
    free(copies->groups);
    *copies = (struct copies){.count = 0};
}
