/* SPDX-License-Identifier: MIT */
/* Writes terms, each once, as SMT-LIB text to a solver that waits for questions, and reads its answers.  A
 * counterexample is evaluated before it is believed. */
#include "lib/proof/smt.h"
#include "lib/base/grow.h"
#include "lib/base/process.h"
#include "lib/base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CASES = 500 };

static const char *const programs[] = {"z3", "cvc5", NULL};

static void
smt_give_up(struct smt *s, const char *what, const char *detail)
{
    if (s->error.status == PEAL_OK)
        peal_refuse(&s->error, PEAL_RESOURCES, "the solver %s %s%s%s", s->program, what, detail[0] ? ": " : "", detail);
}

/* ------------------------------------------------------------------ the process */

enum peal_status
smt_find(const char *program, char version[VERSION_TEXT], struct peal_error *error)
{
    static const char *const least[] = {"4.8.12", "1.0.3"}; /* the oldest versions that are tested */

    if (!names_have(programs, program))
        return peal_refuse(error, PEAL_USAGE, "unknown solver '%s': expected z3 or cvc5", program);
    return version_find(program, least[strcmp(program, programs[0]) != 0], version, error);
}

static bool
is_z3(const struct smt *s)
{
    return strcmp(s->program, "z3") == 0;
}

static void
smt_write(struct smt *s, struct smt_process *p, const char *text, size_t bytes)
{
    if (s->error.status == PEAL_OK && !peal_write_whole(p->to, text, bytes))
        smt_give_up(s, "cannot be written to", "");
}

static void
smt_start(struct smt *s, enum smt_logic logic)
{
    static char *const z3[] = {"z3", "-in", "-smt2", NULL};
    static char *const cvc5[] = {"cvc5", "--incremental", "--lang=smt2", "--rlimit-per=30000000", NULL};
    struct smt_process *p = &s->process[logic];
    char text[200];
    int ends[2], from, wrong;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        smt_give_up(s, "does not start", strerror(errno));
        return;
    }
    wrong =
        peal_spawn(is_z3(s) ? z3 : cvc5, (const int[]){ends[1], PEAL_SPAWN_PIPE, PEAL_SPAWN_NOTHING}, &p->id, &from);
    close(ends[1]);
    p->to = ends[0];
    if (wrong != 0 || !(p->from = fdopen(from, "r"))) {
        smt_give_up(s, "does not start", strerror(wrong ? wrong : errno));
        return;
    }
    snprintf(text, sizeof text, "(set-option :produce-models true)\n%s",
             is_z3(s)                ? ""
             : logic == SMT_INTEGERS ? "(set-logic QF_LIA)\n"
                                     : "(set-logic QF_BV)\n");
    smt_write(s, p, text, strlen(text));
}

void
smt_fini(struct smt *s)
{
    for (int i = 0; i < SMT_LOGICS; i++) {
        struct smt_process *p = &s->process[i];

        if (p->id > 0) {
            close(p->to); /* the end of its questions ends it */
            if (p->from)
                fclose(p->from);
            kill(p->id, SIGKILL);
            peal_spawn_wait(p->id, 0);
        }
    }
    free(s->cases);
    free(s->tried);
    free(s->named);
}

/* ------------------------------------------------------------------ terms as text */

struct writing {
    struct smt *s;
    struct smt_process *p;
    FILE *out;
    bool bits;
    int lets;
};

static void
smt_write_number(const struct writing *w, int64_t number)
{
    const int width = w->s->terms->width;

    if (w->bits)
        fprintf(w->out, "(_ bv%" PRIu64 " %d)", (uint64_t)number & ((UINT64_C(1) << width) - 1), width);
    else if (number < 0)
        fprintf(w->out, "(- %" PRId64 ")", -number);
    else
        fprintf(w->out, "%" PRId64, number);
}

static void
write_name(const struct writing *w, term a)
{
    const struct term_node *n = term_at(w->s->terms, a);

    if (n->kind == TERM_NUMBER)
        smt_write_number(w, n->number);
    else if (n->kind == TERM_TRUE || n->kind == TERM_FALSE)
        fputs(n->kind == TERM_TRUE ? "true" : "false", w->out);
    else if (n->kind == TERM_VARIABLE)
        fprintf(w->out, "v%" PRId64, n->number);
    else
        fprintf(w->out, "t%d", a);
}

static void
write_operation(const struct writing *w, const char *operation, term a, term b)
{
    fprintf(w->out, "(%s ", operation);
    write_name(w, a);
    fputc(' ', w->out);
    if (b)
        write_name(w, b);
    fputc(')', w->out);
}

static void
write_sum(const struct writing *w, const struct term_node *n, const struct term_part *parts)
{
    fprintf(w->out, w->bits ? "(bvadd " : "(+ ");
    smt_write_number(w, n->number);
    for (int i = 0; i < n->count; i++) {
        fprintf(w->out, w->bits ? " (bvmul " : " (* ");
        smt_write_number(w, parts[i].factor);
        fputc(' ', w->out);
        write_name(w, (term)parts[i].of);
        fputc(')', w->out);
    }
    fputc(')', w->out);
}

/* A quotient by a number: as bits, only by a power of two. */
static void
write_divided(const struct writing *w, const struct term_node *n, term part)
{
    bool quotient = n->kind == TERM_QUOTIENT;

    if (w->bits)
        fprintf(w->out, quotient ? "(bvashr " : "(bvand ");
    else
        fprintf(w->out, quotient ? "(div " : "(mod ");
    write_name(w, part);
    fputc(' ', w->out);
    smt_write_number(w, !w->bits ? n->number : quotient ? __builtin_ctzll((uint64_t)n->number) : n->number - 1);
    fputc(')', w->out);
}

static void
write_turn(const struct writing *w, term part)
{
    struct terms *t = w->s->terms;
    const char *plus = w->bits ? "bvadd" : "+", *minus = w->bits ? "bvsub" : "-", *less = w->bits ? "bvslt" : "<";

    fprintf(w->out, "(let ((s (%s ", plus);
    write_name(w, part);
    fputc(' ', w->out);
    write_name(w, t->root);
    fprintf(w->out, "))) (ite (%s s ", less);
    write_name(w, t->P);
    fprintf(w->out, ") s (%s s ", minus);
    write_name(w, t->P);
    fputs(")))", w->out);
}

static void
write_term(const struct writing *w, term a)
{
    const struct term_node *n = term_at(w->s->terms, a);
    const struct term_part *p = term_parts(w->s->terms, a);
    static const char *const bits[] = {[TERM_AND] = "bvand", [TERM_OR] = "bvor", [TERM_XOR] = "bvxor"};
    term part[3] = {0};

    for (int i = 0; i < 3 && i < n->count; i++)
        part[i] = (term)p[i].of;
    switch ((int)n->kind) {
    case TERM_SUM:
        write_sum(w, n, p);
        return;
    case TERM_QUOTIENT:
    case TERM_REST:
        write_divided(w, n, part[0]);
        return;
    case TERM_AND:
    case TERM_OR:
    case TERM_XOR:
        write_operation(w, bits[n->kind], part[0], part[1]);
        return;
    case TERM_IF:
        fputs("(ite ", w->out);
        write_name(w, part[0]);
        fputc(' ', w->out);
        write_name(w, part[1]);
        fputc(' ', w->out);
        write_name(w, part[2]);
        fputc(')', w->out);
        return;
    case TERM_TURN:
        write_turn(w, part[0]);
        return;
    case TERM_UP_TO_0:
    case TERM_IS_0:
        fprintf(w->out, "(%s ", n->kind == TERM_IS_0 ? "=" : w->bits ? "bvsle" : "<=");
        write_name(w, part[0]);
        fputc(' ', w->out);
        smt_write_number(w, 0);
        fputc(')', w->out);
        return;
    case TERM_NOT:
        write_operation(w, "not", part[0], 0);
        return;
    case TERM_ALL:
    case TERM_ANY:
        fputs(n->kind == TERM_ALL ? "(and" : "(or", w->out);
        for (int i = 0; i < n->count; i++) {
            fputc(' ', w->out);
            write_name(w, (term)p[i].of);
        }
        fputc(')', w->out);
        return;
    default:
        return;
    }
}

/* Name a term in `let`, after those that it is made of.  z3 takes time for a definition that grows with the text in
 * which nothing is named. */
static void
smt_let(struct writing *w, term a)
{
    const struct terms *t = w->s->terms;
    const struct term_node *n = term_at(t, a);

    if (n->count == 0 || w->s->named[a] == w->s->assertions)
        return;
    for (int i = 0; i < n->count; i++)
        smt_let(w, (term)t->parts[n->parts + (size_t)i].of);
    fprintf(w->out, "(let ((t%d ", a);
    write_term(w, a);
    fputs("))\n", w->out);
    w->s->named[a] = w->s->assertions;
    w->lets++;
}

static void
smt_assert(struct writing *w, term a)
{
    w->s->assertions++;
    fputs("(assert\n", w->out);
    smt_let(w, a);
    write_name(w, a);
    for (; w->lets > 0; w->lets--)
        fputc(')', w->out);
    fputs(")\n", w->out);
}

/* Declare the variables that are new, within their bounds; the first time also assert what is given. */
static void
smt_declare(struct writing *w)
{
    struct terms *t = w->s->terms;
    bool first = w->p->declared == 0;
    const int64_t most = (INT64_C(1) << (t->width - 1)) - 1;

    for (; w->p->declared < t->variables; w->p->declared++) {
        term v = t->variable[w->p->declared];
        const struct term_node *n = term_at(t, v);
        const char *up_to = w->bits ? "bvsle" : "<=";

        fprintf(w->out, "(declare-fun v%d () ", w->p->declared);
        if (w->bits)
            fprintf(w->out, "(_ BitVec %d)", t->width);
        else
            fputs("Int", w->out);
        fprintf(w->out, ")\n(assert (%s ", up_to);
        smt_write_number(w, n->low);
        fprintf(w->out, " v%d))\n(assert (%s v%d ", w->p->declared, up_to, w->p->declared);
        smt_write_number(w, !w->bits || n->high < most ? n->high : most); /* if it is wider, no question contains it */
        fputs("))\n", w->out);
    }
    if (first)
        smt_assert(w, w->s->given);
}

/* ------------------------------------------------------------------ questions */

/* It is checked here, not believed. */
bool
smt_is_case(struct smt *s, term truth, const int64_t *values)
{
    if (term_value(s->terms, s->given, values) != 1 || term_value(s->terms, truth, values) != 1)
        return false;
    memcpy(s->found, values, sizeof s->found);
    return true;
}

static void
keep_case(struct smt *s)
{
    if (s->case_count < CASES && array_grow(&s->cases, &s->case_capacity, s->case_count + 1, sizeof *s->cases))
        memcpy(s->cases[s->case_count++], s->found, sizeof s->found);
}

/* Read "((v0 5)\n (v1 (- 3)) ...)", or "#x0000000005" in place of 5. */
static bool
read_case(struct smt *s, struct smt_process *p, int64_t *values)
{
    const int spare = 64 - s->terms->width;
    char minus[8], number[TERM_WIDTH + 8];

    for (int i = 0; i < s->terms->variables; i++) {
        int variable;

        minus[0] = '\0';
        if (fscanf(p->from, " %*[(v]%d%7[ (-]%47[#xb0-9a-f]%*[)]", &variable, minus, number) != 3 || variable != i)
            return false;
        if (number[0] == '#')
            values[i] = (int64_t)strtoull(number + 2, NULL, number[1] == 'b' ? 2 : 16) << spare >> spare;
        else
            values[i] = strchr(minus, '-') ? -strtoll(number, NULL, 10) : strtoll(number, NULL, 10);
    }
    return fgetc(p->from) == '\n';
}

/* Ask for the values of all variables, in one piece: each piece wakes the solver. */
static void
write_wish(struct smt *s, struct smt_process *p)
{
    char text[60 + 10 * TERM_VARIABLES];
    struct peal_text to = empty_text(text, sizeof text);

    peal_append(to, "%s(get-value (", is_z3(s) ? "(set-option :rlimit 0)" : "");
    for (int i = 0; i < s->terms->variables; i++)
        peal_append(to, "v%d ", i);
    peal_append(to, "))\n");
    smt_write(s, p, text, strlen(text));
}

/* Ask a process.  Without an answer: SMT_UNKNOWN. */
static enum smt_answer
smt_question(struct smt *s, enum smt_logic logic, term truth, int limit)
{
    struct smt_process *p = &s->process[logic];
    char *text = NULL, line[200];
    size_t bytes = 0;
    int64_t values[TERM_VARIABLES] = {0};
    enum smt_answer answer = SMT_UNKNOWN;
    struct writing w = {.s = s, .p = p, .bits = logic == SMT_BITS};

    if (p->id == 0)
        smt_start(s, logic);
    if (s->error.status != PEAL_OK || !peal_grow_zeroed(&s->named, &s->named_capacity, s->terms->count, sizeof(int)) ||
        !(w.out = open_memstream(&text, &bytes)))
        return SMT_UNKNOWN;
    if (is_z3(s))
        fputs("(set-option :rlimit 0)\n", w.out);
    if (p->asked)
        fputs("(pop 1)\n", w.out);
    smt_declare(&w);
    fputs("(push 1)\n", w.out);
    smt_assert(&w, truth);
    if (is_z3(s))
        fprintf(w.out, "(set-option :rlimit %d)\n", limit);
    fputs(is_z3(s) && w.bits ? "(check-sat-using qfbv)\n" : "(check-sat)\n", w.out);
    fclose(w.out);
    smt_write(s, p, text, bytes);
    free(text);
    if (s->error.status != PEAL_OK)
        return SMT_UNKNOWN;
    s->asked++;
    p->asked = true;
    if (!fgets(line, sizeof line, p->from)) {
        smt_give_up(s, "ended without an answer", "");
        return SMT_UNKNOWN;
    }
    line[strcspn(line, "\n")] = '\0';
    if (strcmp(line, "unsat") == 0) {
        answer = SMT_NO;
    } else if (strcmp(line, "sat") == 0) {
        write_wish(s, p);
        if (!read_case(s, p, values))
            smt_give_up(s, "gives an example that cannot be read", "");
        else if (smt_is_case(s, truth, values)) {
            answer = SMT_YES;
            keep_case(s);
        }
    } else if (strcmp(line, "unknown") != 0 && strncmp(line, "timeout", 7) != 0) {
        smt_give_up(s, "does not understand a question", line);
    }
    return answer;
}

/* Begin with cases of few and many nodes, of the first and last ranks, and others: most of what is wrong is wrong in
 * one of them, so that no process needs to be asked. */
static void
smt_sample(struct smt *s)
{
    enum { SAMPLES = 60, TIMES = 1000 };
    struct terms *t = s->terms;
    uint64_t random = 0;

    for (uint64_t time = 0; time < TIMES && s->case_count < SAMPLES; time++) {
        int64_t values[TERM_VARIABLES] = {0}, most = INT64_MAX;

        for (int i = 0; i < t->variables; i++) {
            const struct term_node *n = term_at(t, t->variable[i]);
            const int64_t high = n->high < most ? n->high : most, width = high - n->low + 1;

            random = map_mix(random, time);
            const int64_t some[] = {n->low, high, n->low + (int64_t)(random % 4) % width,
                                    n->low + (int64_t)(random >> 20) % width};

            values[i] = some[random >> 10 & 3];
            if (t->variable[i] == t->P)
                most = values[i] - 1; /* of ranks and blocks */
        }
        if (smt_is_case(s, s->given, values))
            keep_case(s);
    }
}

/* Whether one of the cases that are known makes it true. */
static bool
smt_has_case(struct smt *s, term truth)
{
    if (s->case_count == 0)
        smt_sample(s);
    for (size_t i = s->case_count; i > 0; i--)
        if (term_value(s->terms, truth, s->cases[i - 1]) == 1) {
            memcpy(s->found, s->cases[i - 1], sizeof s->found);
            return true;
        }
    return false;
}

enum smt_answer
smt_ask(struct smt *s, term truth, enum smt_effort effort)
{
    enum { NEVER = SMT_MUCH + 1 };
    static const int limits[] = {[SMT_LITTLE] = 20000, [SMT_SOME] = 4000000, [SMT_MUCH] = 60000000};
    const struct term_node *n = term_at(s->terms, truth);
    enum smt_answer answer = SMT_UNKNOWN;

    if (term_is(s->terms, truth, TERM_FALSE))
        return SMT_NO;
    if (s->error.status != PEAL_OK || s->terms->no_memory ||
        !peal_grow_zeroed(&s->tried, &s->tried_capacity, s->terms->count, 1))
        return SMT_UNKNOWN;
    if (s->tried[truth] == NEVER)
        return SMT_NO;
    if (smt_has_case(s, truth))
        return SMT_YES;
    if (s->tried[truth] >= effort)
        return SMT_UNKNOWN;
    /* vectors of bits where there are rests of powers of two, but first a little work with integers, which answers
     * most; else integers; the other one where that is too hard */
    const bool bits_first = (n->bits || (s->bits && n->divides)) && !n->wide;

    if (is_z3(s) && !n->bits && s->tried[truth] < SMT_LITTLE && (effort == SMT_LITTLE || bits_first))
        answer = smt_question(s, SMT_INTEGERS, truth, limits[SMT_LITTLE]);
    for (int i = 0; i < SMT_LOGICS && answer == SMT_UNKNOWN && effort > SMT_LITTLE; i++) {
        const enum smt_logic logic = (i == 0) == bits_first ? SMT_BITS : SMT_INTEGERS;

        if (logic == SMT_BITS ? !n->wide : !n->bits)
            answer = smt_question(s, logic, truth, limits[effort]);
    }
    s->tried[truth] = answer == SMT_NO ? NEVER : (unsigned char)effort;
    return answer;
}
