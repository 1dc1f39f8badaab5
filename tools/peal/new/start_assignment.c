/* SPDX-License-Identifier: MIT */
/* An assignment on a collective: the specification, handout, starter, solution and a wrong solution; with MPI a driver.
 * Their texts are the templates beside this file.  A solution is written once for both interfaces. */
#include "new/start_assignment.h"
#include "lib/base/text.h"
#include <ctype.h>
#include <stdlib.h>

/* The data of each collective, beside the body of its solution (bodies.c.in). */
static const struct start {
    const char *from, *to;      /* the mistake of the wrong solution: each `from` of the body becomes `to` */
    const char *rounds, *words; /* of the solution, at most */
    const char *is;             /* in a driver for MPI: number i of node `rank` afterwards; NULL: no driver */
} starts[PEAL_COLLECTIVES] = {
    [PEAL_SCATTER] = {"root", "0", "P-1", "m*(P-1)", "number(seed, root, rank * n + i)"},
    [PEAL_GATHER] = {"root", "0", "P-1", "m*(P-1)", "number(seed, i / n, i % n)"},
    [PEAL_BROADCAST] = {"root", "0", "ceil(log2(P))", "n*ceil(log2(P))", "number(seed, root, i)"},
    [PEAL_REDUCE] = {"root", "0", "P-1", "n*(P-1)", "sum(seed, P, i)"},
    [PEAL_ALLGATHER] = {"y + r * m", "y", "P-1", "m*(P-1)", "number(seed, i / n, i % n)"},
    [PEAL_REDUCE_SCATTER] = {"ADD(y, part + q * m, y, m)", "ADD(part + q * m, y, y, m)", "P-1", "m*(P-1)",
                             "sum(seed, P, rank * n + i)"},
    [PEAL_ALLREDUCE] = {"ADD(y, part, y, n)", "ADD(part, y, y, n)", "2*(P-1)", "2*n*(P-1)", "sum(seed, P, i)"},
    [PEAL_ALLTOALL] = {"x + to * m", "x + r * m", "P-1", "m*(P-1)", "number(seed, i / n, rank * n + i % n)"},
    [PEAL_SCAN] = {"ADD(part, y, y, n)", "ADD(y, part, y, n)", "P-1", "n*(P-1)", "sum(seed, rank + 1, i)"},
    [PEAL_EXSCAN] = {"ADD(part, next, next, n)", "ADD(next, part, next, n)", "P-1", "n*(P-1)", "sum(seed, rank, i)"},
    [PEAL_SHIFT] = {"by", "1", "1", "n", NULL},
    [PEAL_MULTICAST] = {"root", "0", "P-1", "n*(P-1)", NULL},
    [PEAL_BARRIER] = {"RECV(&nothing, 0, 0)", "(void)nothing", "2*(P-1)", "0", NULL},
};

/* ------------------------------------------------------------------ a solution in one interface */

/* The replacements of a body's words; $1 is the first argument. */
static const struct word_replacement {
    const char *word, *peal, *mpi;
} word_replacements[] = {
    {"SEND", "peal_send(me, $1, $2, $3)", "MPI_Send($1, $2, MPI_DOUBLE, $3, 0, comm)"},
    {"RECV", "peal_recv(me, $1, $2, $3)", "MPI_Recv($1, $2, MPI_DOUBLE, $3, 0, comm, MPI_STATUS_IGNORE)"},
    {"SWAP", "peal_sendrecv(me, $1, $2, $3, $4, $2, $5)",
     "MPI_Sendrecv($1, $2, MPI_DOUBLE, $3, 0, $4, $2, MPI_DOUBLE, $5, 0, comm, MPI_STATUS_IGNORE)"},
    {"COPY", "memcpy($1, $2, $3 * sizeof *y)", "memcpy($1, $2, (size_t)$3 * sizeof *y)"},
    {"ADD", "op->combine($1, $2, $3, $4)", "for (int i = 0; i < $4; i++)\n    $3[i] = $1[i] + $2[i]"},
    {"NEW", "uint64_t *$1 = peal_alloc(me, $2)", "double *$1 = malloc(((size_t)$2 + 1) * sizeof *$1)"},
    {"FREE", "peal_free(me, $1)", "free($1)"},
};

/* Write a call in the interface's words, further lines indented by `indent`: `at` is after its opening parenthesis.
 * Gives what comes after the call. */
static const char *
write_spoken(FILE *out, const char *form, const char *at, int indent)
{
    const char *arguments[5];
    size_t lengths[5];
    int count = 0, depth = 0;

    arguments[0] = at;
    for (; depth > 0 || *at != ')'; at++) {
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        if (depth == 0 && *at == ',') {
            lengths[count] = (size_t)(at - arguments[count]);
            arguments[++count] = at + 2;
        }
    }
    lengths[count] = (size_t)(at - arguments[count]);
    for (; *form; form++)
        if (*form == '$') {
            int which = *++form - '1';
            bool sum = form[1] == '[' && memchr(arguments[which], ' ', lengths[which]);

            fprintf(out, "%s%.*s%s", sum ? "(" : "", (int)lengths[which], arguments[which], sum ? ")" : "");
        } else if (*form == '\n') {
            fprintf(out, "\n%*s", indent, "");
        } else {
            fputc(*form, out);
        }
    return at + 1;
}

/* Write the body as C, without its last line break. */
static void
write_body(FILE *out, const char *body, bool mpi)
{
    bool begins = true;
    int indent = 4;

    for (const char *at = body; at[0] && at[1];) {
        const struct word_replacement *found = NULL;
        size_t letters = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

        if (begins && *at != '\n') {
            indent = 4 + (int)strspn(at, " ");
            fputs("    ", out);
        }
        for (size_t i = 0; at[letters] == '(' && i < sizeof word_replacements / sizeof *word_replacements; i++)
            if (strlen(word_replacements[i].word) == letters && strncmp(word_replacements[i].word, at, letters) == 0)
                found = &word_replacements[i];
        begins = *at == '\n';
        if (found)
            at = write_spoken(out, mpi ? found->mpi : found->peal, at + letters + 1, indent);
        else
            fputc(*at++, out);
    }
}

/* The body of the collective's solution, up to its last line break. */
static const char *
find_body(const char *collective, size_t *bytes)
{
    const char *at = new_bodies;
    size_t length = strlen(collective);

    do
        at = strstr(at, "=== ") + 4;
    while (strncmp(at, collective, length) != 0 || at[length] != '\n');
    *bytes = (size_t)(strstr(at, "\n===") - at) - length;
    return at + length + 1;
}

/* The solution's body as C, with each `from` that is a whole word replaced by `to` (NULL: unchanged).  *size: it reads
 * P. NULL without memory.  owner: the caller frees it */
static char *
make_body(const char *collective, bool mpi, const char *from, const char *to, bool *size)
{
    char *changed = NULL, *text = NULL;
    size_t bytes = 0, length;
    const char *body = find_body(collective, &length);
    FILE *out = open_memstream(&changed, &bytes);

    for (const char *at = body; out && at < body + length;) {
        bool fresh = at == body || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        size_t letters = from && fresh && strncmp(at, from, strlen(from)) == 0 ? strlen(from) : 0;

        if (letters > 0 && !isalnum((unsigned char)at[letters])) {
            fputs(to, out);
            at += letters;
        } else {
            fputc(*at++, out);
        }
    }
    if (out && fclose(out) == 0 && (out = open_memstream(&text, &bytes))) {
        *size = strchr(changed, 'P') != NULL;
        write_body(out, changed, mpi);
        fclose(out);
    }
    free(changed);
    return text;
}

/* ------------------------------------------------------------------ the files */

/* The parameters of the function, and a statement that leaves each of them unused. */
static void
start_declare_parameters(const struct start_asked *asked, const struct peal_form *form, char parameters[300],
                         char unused[300])
{
    struct peal_text declared = empty_text(parameters, 300), ignored = empty_text(unused, 300);
    bool mpi = asked->mpi, in = form->in != PEAL_SIDE_NONE;
    const char *words = peal_collective_has_blocks(asked->collective) ? "m" : "n";

    if (!mpi)
        peal_append(declared, "struct peal_node *me%s", form->op ? ", const struct peal_op *op" : "");
    if (form->out != PEAL_SIDE_NONE)
        peal_append(declared, "%s%s%s%s, %s %s", mpi ? "" : ", ", in ? "const " : "", mpi ? "double *" : "void *",
                    in ? "in" : "a", mpi ? "int" : "size_t", words);
    peal_append(declared, "%s%s%s", form->root ? ", int root" : "", form->by ? ", int by" : "",
                form->to ? ", const int *to, int count" : "");
    if (in)
        peal_append(declared, ", %sout", mpi ? "double *" : "void *");
    if (mpi)
        peal_append(declared, ", MPI_Comm comm");
    for (const char *at = parameters; *at; at += *at == ',') {
        const char *name = at += strcspn(at, ",");

        while (isalnum((unsigned char)name[-1]))
            name--;
        peal_append(ignored, "%s(void)%.*s", *unused ? ", " : "", (int)(at - name), name);
    }
}

/* What is wrong in the wrong solution. */
static const char *
mistake(const struct start_asked *asked, const struct peal_form *form)
{
    return form->root               ? "the root is taken to be 0"
           : form->op && asked->mpi ? "the last node is forgotten"
           : form->op               ? "what comes from the higher rank is put on the left; it is right for a sum"
           : asked->collective == PEAL_BARRIER ? "no node waits until it is released"
           : asked->collective == PEAL_SHIFT   ? "it shifts by 1, whatever is asked for"
                                               : "a block is taken for another";
}

/* The most words of a solution; a program for MPI has n numbers of 8 bytes. */
static void
limit_words(const struct start *start, bool mpi, char text[80])
{
    snprintf(text, 80, "%s%s", mpi ? "8*" : "", start->words);
    for (char *c = text; mpi && *c; c++)
        *c = *c == 'm' ? 'n' : *c;
}

enum peal_status
start_assignment_possible(const struct start_asked *asked, struct peal_error *error)
{
    if (!starts[asked->collective].rounds)
        return peal_refuse(error, PEAL_USAGE, "no assignment on %s: write one as assignments/README.md says",
                           peal_collective_name(asked->collective));
    if (asked->mpi && !starts[asked->collective].is)
        return peal_refuse(error, PEAL_USAGE, "no driver for MPI can check %s: leave out --mpi",
                           peal_collective_name(asked->collective));
    if (asked->topology && peal_topology_nodes(asked->topology) < 1)
        return peal_refuse(error, PEAL_USAGE, "expected a topology with its numbers, as in torus:3x3, got '%s'",
                           asked->topology);
    return PEAL_OK;
}

enum peal_status
start_assignment(const struct start_asked *asked, start_write *write, struct peal_error *error)
{
    const struct peal_form *form = peal_form_of(asked->collective);
    const struct start *start = &starts[asked->collective];
    enum peal_collective which = asked->collective;
    const char *collective = peal_collective_name(which);
    bool mpi = asked->mpi, sums = mpi && form->op && !form->root, reads_size[2] = {false};
    bool wide_in = which == PEAL_SCATTER || which == PEAL_ALLTOALL || which == PEAL_REDUCE_SCATTER;
    bool wide_out = which == PEAL_GATHER || which == PEAL_ALLGATHER || which == PEAL_ALLTOALL;
    const char *from = sums ? "P" : start->from, *to = sums ? "(P - 1)" : start->to;
    char *right = make_body(collective, mpi, NULL, NULL, &reads_size[0]);
    char *wrong = make_body(collective, mpi, from, to, &reads_size[1]);
    char symbol[80], parameters[300], unused[300], nodes[16] = "", words[80], ini[80];
    struct template_word list[] = {
        {"BODY", NULL}, /* of each file, as are the next two */
        {"SIZE", NULL},
        {"WRONG", NULL},
        {"NAME", asked->name},
        {"COLLECTIVE", collective},
        {"SYMBOL", symbol},
        {"PARAMETERS", parameters},
        {"UNUSED", unused},
        {"TYPE", mpi ? "double" : "uint64_t"},
        {"MPI", mpi ? "mpi" : ""},
        {"TOPOLOGY", asked->topology ? asked->topology : ""},
        {"NODES", nodes},
        {"IN", form->in != PEAL_SIDE_NONE ? "in" : ""},
        {"OUT", form->out != PEAL_SIDE_NONE ? "out" : ""},
        {"ROOT", form->root ? "root" : ""},
        {"ORDER", form->op && !mpi ? "order" : ""},
        {"SUM", form->op ? " --op sum" : ""},
        {"FIXED", strcmp(from, "root") == 0 || strcmp(from, "by") == 0 ? from : ""},
        {"ROUNDS", start->rounds},
        {"WORDS", words},
        {"PART", peal_collective_has_blocks(which) ? "block" : "vector"},
        {"BEFORE", wide_in ? " * P" : ""},
        {"AFTER", wide_out ? " * P" : ""},
        {"WHERE", which == PEAL_GATHER || which == PEAL_REDUCE ? "rank == root && "
                  : which == PEAL_EXSCAN                       ? "rank > 0 && "
                                                               : ""},
        {"IS", start->is ? start->is : ""},
        {NULL, NULL},
    };
    enum peal_status status = right && wrong ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "not enough memory");

    snprintf(symbol, sizeof symbol, "my_%s", collective);
    text_replace(symbol, '-', '_');
    snprintf(ini, sizeof ini, "%s.ini", asked->name);
    if (asked->topology)
        snprintf(nodes, sizeof nodes, "%d", peal_topology_nodes(asked->topology));
    start_declare_parameters(asked, form, parameters, unused);
    limit_words(start, mpi, words);
    const struct {
        const char *file, *text;
        bool wrong;
    } files[] = {{ini, new_assignment, false},          {"README.md", new_handout, false},
                 {"starter.c", new_starter, false},     {"solution.c", new_solution, false},
                 {"wrong/first.c", new_solution, true}, {mpi ? "driver.c" : NULL, new_driver, false}};

    for (size_t i = 0; i < sizeof files / sizeof *files && files[i].file && status == PEAL_OK; i++) {
        list[0].text = files[i].wrong ? wrong : right;
        list[1].text = reads_size[files[i].wrong] ? "P" : "";
        list[2].text = files[i].wrong ? mistake(asked, form) : "";
        status = write(files[i].file, files[i].text, list, error);
    }
    free(right);
    free(wrong);
    return status;
}
