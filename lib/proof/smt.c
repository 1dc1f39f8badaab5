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

enum { CASES = 500, EFFORT = 60000000, LITTLE = 20000 };

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
    bool is_z3 = strcmp(s->program, "z3") == 0;
    char text[200];
    int ends[2], from, wrong;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        smt_give_up(s, "does not start", strerror(errno));
        return;
    }
    wrong = peal_spawn(is_z3 ? z3 : cvc5, (const int[]){ends[1], PEAL_SPAWN_PIPE, PEAL_SPAWN_NOTHING}, &p->id, &from);
    close(ends[1]);
    p->to = ends[0];
    if (wrong != 0 || !(p->from = fdopen(from, "r"))) {
        smt_give_up(s, "does not start", strerror(wrong ? wrong : errno));
        return;
    }
    snprintf(text, sizeof text, "(set-option :produce-models true)\n%s",
             is_z3                   ? ""
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
        free(p->defined);
    }
    free(s->cases);
    free(s->answers.places);
}

/* ------------------------------------------------------------------ terms as text */

struct writing {
    struct smt *s;
    struct smt_process *p;
    FILE *out;
    bool bits;
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

/* Define a term, after those that it is made of. */
static void
smt_define(struct writing *w, term a)
{
    struct terms *t = w->s->terms;
    const struct term_node *n = term_at(t, a);

    if (n->count == 0 || w->p->defined[a])
        return;
    for (int i = 0; i < n->count; i++)
        smt_define(w, (term)t->parts[n->parts + (size_t)i].of);
    fprintf(w->out, "(define-fun t%d () ", a);
    if (n->kind >= TERM_FALSE)
        fputs("Bool ", w->out);
    else if (w->bits)
        fprintf(w->out, "(_ BitVec %d) ", t->width);
    else
        fputs("Int ", w->out);
    write_term(w, a);
    fputs(")\n", w->out);
    w->p->defined[a] = true;
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
    if (first) {
        smt_define(w, w->s->given);
        fputs("(assert ", w->out);
        write_name(w, w->s->given);
        fputs(")\n", w->out);
    }
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

/* Read "((v0 5)\n (v1 (- 3)) ...)" or "v0\n#x0000000005\nv1\n...\n"; *spent: the limit of work was reached before the
 * last value, and an error is in its place. */
static bool
read_case(struct smt *s, struct smt_process *p, int64_t *values, bool *spent)
{
    const int spare = 64 - s->terms->width;
    int c, variable;
    char number[TERM_WIDTH + 8];

    for (int i = 0; i < s->terms->variables; i++) {
        int64_t sign = 1, value;

        while ((c = fgetc(p->from)) != 'v' && c != '"')
            if (c == EOF)
                return false;
        if (c == '"') { /* an error in place of all values */
            *spent = true;
            break;
        }
        if (fscanf(p->from, "%d", &variable) != 1 || variable != i)
            return false;
        while ((c = fgetc(p->from)) == ' ' || c == '(' || c == '-' || c == '\n')
            if (c == '-')
                sign = -1;
        ungetc(c, p->from);
        if (c == 'e') { /* an error in place of this one */
            *spent = true;
            while ((c = fgetc(p->from)) != '\n' && c != EOF)
                ;
            ungetc(c, p->from);
            continue;
        }
        if (fscanf(p->from, "%47[#xb0-9a-f]", number) != 1)
            return false;
        if (number[0] == '#')
            value = (int64_t)strtoull(number + 2, NULL, number[1] == 'b' ? 2 : 16) << spare >> spare;
        else
            value = strtoll(number, NULL, 10);
        values[i] = sign * value;
    }
    while ((c = fgetc(p->from)) != '\n' && c != EOF)
        ;
    return c == '\n';
}

/* Ask for the values of all variables, in one piece: each piece wakes the solver.  z3 takes longer for get-value than
 * for most questions. */
static void
write_wish(struct smt *s, struct smt_process *p, bool is_z3)
{
    char text[60 + 60 * TERM_VARIABLES];
    struct peal_text to = empty_text(text, sizeof text);

    peal_append(to, is_z3 ? "" : "(get-value (");
    for (int i = 0; i < s->terms->variables; i++)
        if (is_z3)
            peal_append(to, "(echo \"v%d\")(eval v%d :completion true)\n", i, i);
        else
            peal_append(to, "v%d ", i);
    peal_append(to, is_z3 ? "" : "))\n");
    smt_write(s, p, text, strlen(text));
}

/* Ask a process.  Without an answer: SMT_UNKNOWN. */
static enum smt_answer
smt_ask(struct smt *s, enum smt_logic logic, term truth, int effort)
{
    struct smt_process *p = &s->process[logic];
    bool is_z3 = strcmp(s->program, "z3") == 0;
    char *text = NULL, line[200];
    size_t bytes = 0;
    int64_t values[TERM_VARIABLES] = {0};
    enum smt_answer answer = SMT_UNKNOWN;
    bool spent = false;
    struct writing w = {.s = s, .p = p, .bits = logic == SMT_BITS};

    if (p->id == 0)
        smt_start(s, logic);
    if (s->error.status != PEAL_OK || !peal_grow_zeroed(&p->defined, &p->capacity, s->terms->count, sizeof(bool)) ||
        !(w.out = open_memstream(&text, &bytes)))
        return SMT_UNKNOWN;
    if (p->asked)
        fputs("(pop 1)\n", w.out);
    smt_declare(&w);
    smt_define(&w, truth);
    if (is_z3)
        fprintf(w.out, "(set-option :rlimit %d)\n", effort);
    fputs("(push 1)\n(assert ", w.out);
    write_name(&w, truth);
    fputs(is_z3 && w.bits ? ")\n(check-sat-using qfbv)\n" : ")\n(check-sat)\n", w.out);
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
        write_wish(s, p, is_z3);
        if (!read_case(s, p, values, &spent))
            smt_give_up(s, "gives an example that cannot be read", "");
        else if (!spent && smt_is_case(s, truth, values)) {
            answer = SMT_YES;
            keep_case(s);
        }
    } else if (strcmp(line, "unknown") != 0 && strncmp(line, "timeout", 7) != 0) {
        smt_give_up(s, "does not understand a question", line);
    }
    return answer;
}

bool
smt_has_case(struct smt *s, term truth)
{
    for (size_t i = s->case_count; i > 0; i--)
        if (term_value(s->terms, truth, s->cases[i - 1]) == 1) {
            memcpy(s->found, s->cases[i - 1], sizeof s->found);
            return true;
        }
    return false;
}

/* Whether no process needs to be asked: *answer. */
static bool
smt_is_known(struct smt *s, term truth, enum smt_answer *answer)
{
    ptrdiff_t known;

    *answer = term_is(s->terms, truth, TERM_FALSE) ? SMT_NO : SMT_UNKNOWN;
    if (s->error.status != PEAL_OK || s->terms->no_memory)
        *answer = SMT_UNKNOWN;
    else if (*answer == SMT_UNKNOWN && (known = map_find(&s->answers, (uint64_t)truth)) != MAP_NONE)
        *answer = (enum smt_answer)known;
    else if (*answer == SMT_UNKNOWN && smt_has_case(s, truth))
        *answer = SMT_YES;
    else
        return *answer != SMT_UNKNOWN;
    return true;
}

bool
smt_is_never(struct smt *s, term truth)
{
    const uint64_t tried = (uint64_t)truth | UINT64_C(1) << 32;
    enum smt_answer answer;

    if (smt_is_known(s, truth, &answer))
        return answer == SMT_NO;
    if (term_at(s->terms, truth)->bits || strcmp(s->program, "z3") != 0 || map_find(&s->answers, tried) != MAP_NONE)
        return false;
    answer = smt_ask(s, SMT_INTEGERS, truth, LITTLE);
    map_put(&s->answers, answer == SMT_NO ? (uint64_t)truth : tried, (size_t)answer);
    return answer == SMT_NO;
}

enum smt_answer
smt_possible(struct smt *s, term truth)
{
    const struct term_node *n = term_at(s->terms, truth);
    enum smt_answer answer;

    if (smt_is_known(s, truth, &answer))
        return answer;
    /* vectors of bits where there are rests of powers of two, but first a little work with integers, which answers
     * most; else integers; the other one where that is too hard */
    const bool bits_first = (n->bits || (s->bits && n->divides)) && !n->wide;

    if (bits_first && !n->bits && strcmp(s->program, "z3") == 0)
        answer = smt_ask(s, SMT_INTEGERS, truth, LITTLE);
    if (answer == SMT_UNKNOWN && bits_first)
        answer = smt_ask(s, SMT_BITS, truth, EFFORT);
    if (answer == SMT_UNKNOWN && !n->bits)
        answer = smt_ask(s, SMT_INTEGERS, truth, EFFORT);
    if (answer == SMT_UNKNOWN && !n->wide && !bits_first)
        answer = smt_ask(s, SMT_BITS, truth, EFFORT);
    if (answer != SMT_YES)
        map_put(&s->answers, (uint64_t)truth, (size_t)answer);
    return answer;
}
