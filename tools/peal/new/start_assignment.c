/* SPDX-License-Identifier: MIT */
/* An assignment on a collective: the specification, handout, starter, solution and a wrong one; with MPI a driver.
 *
 * A solution is written once for both interfaces: SEND, RECV, SWAP, COPY, ADD, NEW and FREE stand for the calls of
 * each.  P is the number of nodes, r the rank, x what a node has, y its result. */
#include "new/start_assignment.h"
#include "lib/base/text.h"
#include <ctype.h>
#include <peal/form.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the collectives */

static const struct start {
    const char *body;
    const char *from, *to;      /* the mistake of the wrong one: each `from` of the body becomes `to` */
    const char *rounds, *words; /* of the solution, at most */
    const char *is;             /* in a driver for MPI: number i of node `rank` afterwards; NULL: no driver */
} starts[PEAL_COLLECTIVES] = {
    [PEAL_SCATTER] = {"for (int q = 0; r == root && q < P; q++)\n"
                      "    if (q != r)\n"
                      "        SEND(x + q * m, m, q);\n"
                      "if (r == root)\n"
                      "    COPY(y, x + r * m, m);\n"
                      "else\n"
                      "    RECV(y, m, root);\n",
                      "root", "0", "P-1", "m*(P-1)", "number(seed, root, rank * n + i)"},
    [PEAL_GATHER] = {"if (r != root)\n"
                     "    SEND(x, m, root);\n"
                     "for (int q = 0; r == root && q < P; q++)\n"
                     "    if (q == r)\n"
                     "        COPY(y + q * m, x, m);\n"
                     "    else\n"
                     "        RECV(y + q * m, m, q);\n",
                     "root", "0", "P-1", "m*(P-1)", "number(seed, i / n, i % n)"},
    [PEAL_BROADCAST] = {"int d = (r - root + P) % P; /* the rank as if the root were 0 */\n"
                        "\n"
                        "for (int mask = 1; mask < P; mask <<= 1) /* in each round twice as many have it */\n"
                        "    if (d < mask && d + mask < P)\n"
                        "        SEND(y, n, (d + mask + root) % P);\n"
                        "    else if (d >= mask && d < 2 * mask)\n"
                        "        RECV(y, n, (d - mask + root) % P);\n",
                        "root", "0", "ceil(log2(P))", "n*ceil(log2(P))", "number(seed, root, i)"},
    [PEAL_REDUCE] = {"NEW(part, n);\n"
                     "NEW(sum, n);\n"
                     "\n"
                     "if (r != root)\n"
                     "    SEND(y, n, root);\n"
                     "for (int q = 0; r == root && q < P; q++) { /* in the order of the ranks */\n"
                     "    if (q == r)\n"
                     "        COPY(part, y, n);\n"
                     "    else\n"
                     "        RECV(part, n, q);\n"
                     "    if (q == 0)\n"
                     "        COPY(sum, part, n);\n"
                     "    else\n"
                     "        ADD(sum, part, sum, n);\n"
                     "}\n"
                     "if (r == root)\n"
                     "    COPY(y, sum, n);\n"
                     "FREE(sum);\n"
                     "FREE(part);\n",
                     "root", "0", "P-1", "n*(P-1)", "sum(seed, P, i)"},
    [PEAL_ALLGATHER] = {"COPY(y + r * m, x, m);\n"
                        "for (int t = 1; t < P; t++) {\n"
                        "    int to = (r + t) % P, from = (r - t + P) % P;\n"
                        "\n"
                        "    SWAP(x, m, to, y + from * m, from);\n"
                        "}\n",
                        "y + r * m", "y", "P-1", "m*(P-1)", "number(seed, i / n, i % n)"},
    [PEAL_REDUCE_SCATTER] = {"NEW(part, m * P);\n"
                             "\n"
                             "COPY(part + r * m, x + r * m, m);\n"
                             "for (int t = 1; t < P; t++) {\n"
                             "    int to = (r + t) % P, from = (r - t + P) % P;\n"
                             "\n"
                             "    SWAP(x + to * m, m, to, part + from * m, from);\n"
                             "}\n"
                             "COPY(y, part, m);\n"
                             "for (int q = 1; q < P; q++) /* in the order of the ranks */\n"
                             "    ADD(y, part + q * m, y, m);\n"
                             "FREE(part);\n",
                             "ADD(y, part + q * m, y, m)", "ADD(part + q * m, y, y, m)", "P-1", "m*(P-1)",
                             "sum(seed, P, rank * n + i)"},
    [PEAL_ALLREDUCE] = {"NEW(part, n);\n"
                        "\n"
                        "if (r > 0)\n"
                        "    SEND(y, n, 0);\n"
                        "for (int q = 1; r == 0 && q < P; q++) { /* in the order of the ranks */\n"
                        "    RECV(part, n, q);\n"
                        "    ADD(y, part, y, n);\n"
                        "}\n"
                        "for (int q = 1; r == 0 && q < P; q++)\n"
                        "    SEND(y, n, q);\n"
                        "if (r > 0)\n"
                        "    RECV(y, n, 0);\n"
                        "FREE(part);\n",
                        "ADD(y, part, y, n)", "ADD(part, y, y, n)", "2*(P-1)", "2*n*(P-1)", "sum(seed, P, i)"},
    [PEAL_ALLTOALL] = {"COPY(y + r * m, x + r * m, m);\n"
                       "for (int t = 1; t < P; t++) {\n"
                       "    int to = (r + t) % P, from = (r - t + P) % P;\n"
                       "\n"
                       "    SWAP(x + to * m, m, to, y + from * m, from);\n"
                       "}\n",
                       "x + to * m", "x + r * m", "P-1", "m*(P-1)", "number(seed, i / n, rank * n + i % n)"},
    [PEAL_SCAN] = {"NEW(part, n);\n"
                   "\n"
                   "if (r > 0) {\n"
                   "    RECV(part, n, r - 1);\n"
                   "    ADD(part, y, y, n);\n"
                   "}\n"
                   "if (r < P - 1)\n"
                   "    SEND(y, n, r + 1);\n"
                   "FREE(part);\n",
                   "ADD(part, y, y, n)", "ADD(y, part, y, n)", "P-1", "n*(P-1)", "sum(seed, rank + 1, i)"},
    [PEAL_EXSCAN] = {"NEW(part, n);\n"
                     "NEW(next, n);\n"
                     "\n"
                     "COPY(next, y, n);\n"
                     "if (r > 0) {\n"
                     "    RECV(part, n, r - 1);\n"
                     "    COPY(y, part, n);\n"
                     "    ADD(part, next, next, n);\n"
                     "}\n"
                     "if (r < P - 1)\n"
                     "    SEND(next, n, r + 1);\n"
                     "FREE(next);\n"
                     "FREE(part);\n",
                     "ADD(part, next, next, n)", "ADD(next, part, next, n)", "P-1", "n*(P-1)", "sum(seed, rank, i)"},
    [PEAL_SHIFT] = {"int to = ((r + by) % P + P) % P, from = ((r - by) % P + P) % P;\n"
                    "\n"
                    "if (to == r)\n"
                    "    COPY(y, x, n);\n"
                    "else\n"
                    "    SWAP(x, n, to, y, from);\n",
                    "by", "1", "1", "n", NULL},
    [PEAL_MULTICAST] = {"for (int q = 0; q < P; q++) {\n"
                        "    int gets = !to && q != root; /* without a list, all get it */\n"
                        "\n"
                        "    for (int i = 0; to && i < count; i++)\n"
                        "        gets |= to[i] == q && q != root;\n"
                        "    if (gets && r == root)\n"
                        "        SEND(y, n, q);\n"
                        "    if (gets && r == q)\n"
                        "        RECV(y, n, root);\n"
                        "}\n",
                        "root", "0", "P-1", "n*(P-1)", NULL},
    [PEAL_BARRIER] = {"uint64_t nothing = 0;\n"
                      "\n"
                      "for (int q = 1; q < P; q++) /* all have come */\n"
                      "    if (r == 0)\n"
                      "        RECV(&nothing, 0, q);\n"
                      "    else if (r == q)\n"
                      "        SEND(&nothing, 0, 0);\n"
                      "for (int q = 1; q < P; q++) /* all may go */\n"
                      "    if (r == 0)\n"
                      "        SEND(&nothing, 0, q);\n"
                      "    else if (r == q)\n"
                      "        RECV(&nothing, 0, 0);\n",
                      "RECV(&nothing, 0, 0)", "(void)nothing", "2*(P-1)", "0", NULL},
};

/* ------------------------------------------------------------------ a solution in one interface */

/* What is written. */
struct making {
    const struct start_asked *asked;
    const struct peal_form *form;
    const struct start *start;
    bool blocks;     /* m words a block; else n words */
    char symbol[80]; /* my_reduce_scatter */
    char parameters[300], call[200];
    int nodes; /* of the topology; 0: there is none */
};

/* What the words of a body become; $1 is the first argument. */
static const struct spoken {
    const char *word, *peal, *mpi;
} spoken[] = {
    {"SEND", "peal_send(me, $1, $2, $3)", "MPI_Send($1, $2, MPI_DOUBLE, $3, 0, comm)"},
    {"RECV", "peal_recv(me, $1, $2, $3)", "MPI_Recv($1, $2, MPI_DOUBLE, $3, 0, comm, MPI_STATUS_IGNORE)"},
    {"SWAP", "peal_sendrecv(me, $1, $2, $3, $4, $2, $5)",
     "MPI_Sendrecv($1, $2, MPI_DOUBLE, $3, 0, $4, $2, MPI_DOUBLE, $5, 0, comm, MPI_STATUS_IGNORE)"},
    {"COPY", "memcpy($1, $2, $3 * sizeof *y)", "memcpy($1, $2, (size_t)$3 * sizeof *y)"},
    {"ADD", "op->combine($1, $2, $3, $4)", "for (int i = 0; i < $4; i++)\n    $3[i] = $1[i] + $2[i]"},
    {"NEW", "uint64_t *$1 = peal_alloc(me, $2)", "double *$1 = malloc(((size_t)$2 + 1) * sizeof *$1)"},
    {"FREE", "peal_free(me, $1)", "free($1)"},
};

/* Write a call in its own words, further lines indented by so many: `at` is behind its parenthesis.  Gives what comes
 * after it. */
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

/* Write the body as C. */
static void
write_body(FILE *out, const char *body, bool mpi)
{
    bool begins = true;
    int indent = 4;

    for (const char *at = body; *at;) {
        const struct spoken *found = NULL;
        size_t letters = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

        if (begins && *at != '\n') {
            indent = 4 + (int)strspn(at, " ");
            fputs("    ", out);
        }
        for (size_t i = 0; at[letters] == '(' && i < sizeof spoken / sizeof *spoken; i++)
            if (strlen(spoken[i].word) == letters && strncmp(spoken[i].word, at, letters) == 0)
                found = &spoken[i];
        begins = *at == '\n';
        if (found)
            at = write_spoken(out, mpi ? found->mpi : found->peal, at + letters + 1, indent);
        else
            fputc(*at++, out);
    }
}

/* The body with each `from` that is a word of its own as `to` (NULL: as it is); the caller frees it. */
static char *
change(const char *body, const char *from, const char *to)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    for (const char *at = body; out && *at;) {
        bool fresh = at == body || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        size_t length = from && fresh && strncmp(at, from, strlen(from)) == 0 ? strlen(from) : 0;

        if (length > 0 && !isalnum((unsigned char)at[length])) {
            fputs(to, out);
            at += length;
        } else {
            fputc(*at++, out);
        }
    }
    if (out)
        fclose(out);
    return text;
}

static void
write_function(FILE *out, const struct making *making, const char *from, const char *to)
{
    bool mpi = making->asked->mpi;
    const char *type = mpi ? "double" : "uint64_t";
    char *body = change(making->start->body, from, to);

    fprintf(out, "#include <%s>\n%s#include <stdlib.h>\n#include <string.h>\n\nvoid\n%s(%s)\n{\n",
            mpi ? "mpi.h" : "peal/peal.h", mpi ? "" : "#include <stdint.h>\n", making->symbol, making->parameters);
    if (mpi)
        fprintf(out, "    int P, r;\n");
    else
        fprintf(out, "    int %sr = peal_rank(me);\n", body && strchr(body, 'P') ? "P = peal_size(me), " : "");
    if (making->form->in != PEAL_SIDE_NONE)
        fprintf(out, "    const %s *x = in;\n", type);
    if (making->form->out != PEAL_SIDE_NONE)
        fprintf(out, "    %s *y = %s;\n", type, making->form->in != PEAL_SIDE_NONE ? "out" : "a");
    if (from && (strcmp(from, "root") == 0 || strcmp(from, "by") == 0))
        fprintf(out, "    (void)%s;\n", from);
    if (mpi)
        fprintf(out, "\n    MPI_Comm_size(comm, &P);\n    MPI_Comm_rank(comm, &r);\n");
    fputc('\n', out);
    write_body(out, body ? body : "", mpi);
    fprintf(out, "}\n");
    free(body);
}

/* ------------------------------------------------------------------ the files */

static const char *
verb(const struct making *making)
{
    return peal_collective_name(making->asked->collective);
}

static void
write_starter(FILE *out, const struct making *making)
{
    fprintf(out,
            "/* %s: write %s.  It compiles, and has no marks yet. */\n#include <%s>\n\nvoid\n%s(%s)\n{\n"
            "    /* %s */\n    (void)%s;\n}\n",
            making->asked->name, making->symbol, making->asked->mpi ? "mpi.h" : "peal/peal.h", making->symbol,
            making->parameters,
            making->asked->mpi ? "MPI_Comm_rank, MPI_Comm_size, MPI_Send, MPI_Recv, MPI_Sendrecv"
                               : "peal_rank(me), peal_size(me), peal_send(me, a, n, dest), peal_recv(me, a, n, source)",
            making->call);
}

static void
write_solution(FILE *out, const struct making *making)
{
    fprintf(out, "/* %s: a solution, in %s rounds at most.  It has full marks; keep it to yourself. */\n",
            making->asked->name, making->start->rounds);
    write_function(out, making, NULL, NULL);
}

/* The tests, in their order. */
enum { POWERS, ANY, ROOT, ORDER, COST, TESTS };
static const char *const test_names[TESTS] = {"powers of two", "any number of nodes", "any root", "rank order", "cost"};
static const int test_points[TESTS] = {3, 2, 2, 1, 2};

static bool
has_test(const struct making *making, int test)
{
    return test == ROOT    ? making->form->root
           : test == ORDER ? making->form->op && !making->asked->mpi
           : test == ANY   ? !making->nodes
                           : true;
}

static const char *
name_of(const struct making *making, int test)
{
    return test == POWERS && making->nodes ? "right" : test_names[test];
}

/* Whether the wrong one loses the test: its own, where the mistake has one. */
static bool
loses(const struct making *making, int test)
{
    int own = making->form->root ? ROOT : making->form->op && !making->asked->mpi ? ORDER : -1;

    return own < 0 || test == own;
}

static void
write_wrong(FILE *out, const struct making *making)
{
    bool mpi_sum = making->asked->mpi && making->form->op && !making->form->root;
    const char *from = mpi_sum ? "P" : making->start->from, *to = mpi_sum ? "(P - 1)" : making->start->to;

    fprintf(out, "/* Wrong: %s.\n *\n",
            making->form->root ? "the root is taken to be 0"
            : mpi_sum          ? "the last node is forgotten"
            : making->form->op ? "what comes from the higher rank is put on the left; it is right for a sum"
            : making->asked->collective == PEAL_BARRIER ? "nobody waits to be let go"
            : making->asked->collective == PEAL_SHIFT   ? "it shifts by 1, whatever is asked for"
                                                        : "a block is taken for another");
    for (int i = 0; i < TESTS; i++)
        if (has_test(making, i) && loses(making, i))
            fprintf(out, " *   loses    %s\n", name_of(making, i));
    fprintf(out, " */\n");
    write_function(out, making, from, to);
}

static void
write_nodes(FILE *out, const struct making *making, const char *nodes)
{
    if (making->nodes)
        fprintf(out, "nodes = %d\n", making->nodes);
    else
        fprintf(out, "nodes = %s\n", nodes);
}

static void
write_specification(FILE *out, const struct making *making)
{
    static const char *const nodes[TESTS] = {"1, 2, 4, 8", "3, 5:7", "4, 5", "4, 5", "2, 4, 8"};
    bool mpi = making->asked->mpi, data = making->form->out != PEAL_SIDE_NONE;

    fprintf(out,
            "; What is graded, and for how many points: man peal-assignment\n;\n"
            ";   peal grade %s/%s.ini %s/solution.c\n;   peal grade %s/%s.ini submissions --csv\n[assignment]\n"
            "name = %s\ntitle = A function for %s\n",
            making->asked->name, making->asked->name, making->asked->name, making->asked->name, making->asked->name,
            making->asked->name, verb(making));
    if (mpi)
        fprintf(out,
                "interface = mpi\nprogram = driver.c\nfunctions = %s\n"
                "forbid = MPI_*educe*, MPI_*cast*, MPI_*ather*, MPI_*can*, MPI_*lltoall*, MPI_*catter*\n"
                "sizes = 0, 1, P+1\narguments = {n} 0 {random}\n",
                making->symbol);
    else
        fprintf(
            out,
            "; the function is declared as this collective's call, and proved for every case that a test lists\n"
            "collective = %s\nsymbol = %s\n; Peal's own would be too easy\n"
            "forbid = peal_broadcast*, peal_scatter*, peal_gather*, peal_reduce*, peal_allgather*, peal_allreduce*,\n"
            "  peal_alltoall*, peal_scan*, peal_exscan*, peal_shift*, peal_multicast*, peal_barrier*\n",
            verb(making), making->symbol);
    if (making->form->op && !mpi)
        fprintf(out, "op = sum\n");
    if (making->nodes)
        fprintf(out, "topology = %s\n", making->asked->topology);
    for (int i = 0; i < TESTS; i++) {
        if (!has_test(making, i))
            continue;
        fprintf(out, "%s\n[test %s]\npoints = %d\n",
                i == COST ? "\n; limits are expressions in P, m, n and q = ceil(log2(P))" : "", name_of(making, i),
                test_points[i]);
        write_nodes(out, making, nodes[i]);
        if (making->form->root && !mpi && i != ROOT)
            fprintf(out, "roots = 0\n");
        if (i == ROOT && mpi)
            fprintf(out, "arguments = {n} {P-1} {random}\n");
        if (i == ORDER)
            fprintf(out, "op = affine\n");
        if (i != COST)
            continue;
        if (data)
            fprintf(out, "sizes = 1, P\n");
        fprintf(out, "ports = 1\n%smax_rounds = %s\n", mpi ? "" : "delivery = rendezvous\n", making->start->rounds);
        if (data && !making->nodes && mpi) {
            const char *words = making->start->words;
            int bytes = (int)strlen(words);

            fprintf(out, "max_words = 8*");
            for (int k = 0; k < bytes; k++) /* a program has n */
                fputc(words[k] == 'm' ? 'n' : words[k], out);
            fputc('\n', out);
        } else if (data && !making->nodes) {
            fprintf(out, "max_words = %s\n", making->start->words);
        }
    }
}

static void
write_handout(FILE *out, const struct making *making)
{
    static const char *const rights[TESTS] = {"right where P is a power of two", "right for any number of nodes",
                                              "right for any root", "right where x ⊕ y is not y ⊕ x", NULL};
    const char *name = making->asked->name;

    fprintf(out, "# A function for %s\n\nWrite in one file\n\n```c\nvoid %s(%s);\n```\n\n", verb(making),
            making->symbol, making->parameters);
    if (!making->asked->mpi)
        fprintf(out, "`peal explain %s` draws what every node has before and after.\n", verb(making));
    fprintf(out, "You may not call ready collectives.\n\n## Marks\n\n| points | test |\n|---|---|\n");
    for (int i = 0; i < TESTS; i++)
        if (has_test(making, i) && i == COST)
            fprintf(out, "| %d | at most %s rounds |\n", test_points[i], making->start->rounds);
        else if (has_test(making, i))
            fprintf(out, "| %d | %s |\n", test_points[i],
                    i == POWERS && making->nodes ? making->asked->topology : rights[i]);
    fprintf(out, "\n## Try it\n\n```sh\n");
    if (making->asked->mpi)
        fprintf(out, "pealcc --watch starter.c driver.c -o try && pealrun -n 4 --strict ./try 8 0\n");
    else if (making->nodes)
        fprintf(out, "peal check %s --file starter.c --symbol %s -p %d -t %s%s\n", verb(making), making->symbol,
                making->nodes, making->asked->topology, making->form->op ? " --op sum" : "");
    else
        fprintf(out, "peal check %s --file starter.c --symbol %s -p 1:8%s\n", verb(making), making->symbol,
                making->form->op ? " --op sum" : "");
    fprintf(out, "peal grade %s.ini starter.c\n```\n", name);
}

static void
write_driver(FILE *out, const struct making *making)
{
    const struct peal_form *form = making->form;
    bool in = form->in != PEAL_SIDE_NONE;
    enum peal_collective which = making->asked->collective;
    bool wide_in = which == PEAL_SCATTER || which == PEAL_ALLTOALL || which == PEAL_REDUCE_SCATTER;
    bool wide_out = which == PEAL_GATHER || which == PEAL_ALLGATHER || which == PEAL_ALLTOALL;

    fprintf(out,
            "/* %s: give every node numbers, call %s, and compare what comes.\n *\n"
            " *   argv[1]   n, the numbers %s\n *   argv[2]   the root\n"
            " *   argv[3]   where the numbers begin, which %s does not know; 0 without it */\n"
            "#include <mpi.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n"
            "void %s(%s);\n\n"
            "/* Number i of node `rank`: whole, so that sums are exact in any order. */\n"
            "static double\nnumber(uint32_t seed, int rank, int i)\n{\n"
            "    uint32_t x = seed + (uint32_t)rank * 0x9E3779B1u + (uint32_t)i * 0x85EBCA77u;\n\n"
            "    x = (x ^ x >> 15) * 0x2C1B3C6Du;\n    x = (x ^ x >> 12) * 0x297A2D39u;\n"
            "    return (x ^ x >> 15) %% 1000;\n}\n\n",
            making->asked->name, making->symbol, making->blocks ? "of a block" : "of a vector", making->symbol,
            making->symbol, making->parameters);
    if (form->op)
        fprintf(
            out,
            "/* The sum of the numbers i of the first nodes. */\nstatic double\nsum(uint32_t seed, int nodes, int i)\n"
            "{\n    double sum = 0;\n\n    for (int rank = 0; rank < nodes; rank++)\n"
            "        sum += number(seed, rank, i);\n    return sum;\n}\n\n");
    fprintf(
        out,
        "int\nmain(int argc, char **argv)\n{\n    int rank, P, n = argc > 1 ? atoi(argv[1]) : 1, root = argc > 2 ? "
        "atoi(argv[2]) : 0;\n    uint32_t seed = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;\n"
        "    MPI_Comm comm;\n\n    MPI_Init(&argc, &argv);\n    MPI_Comm_dup(MPI_COMM_WORLD, &comm);\n"
        "    MPI_Comm_rank(comm, &rank);\n    MPI_Comm_size(comm, &P);\n"
        "    int before = n%s, after = n%s;\n"
        "    double *in = malloc(((size_t)before + 1) * sizeof *in), *out = calloc((size_t)after + 1, sizeof *out);\n\n"
        "    for (int i = 0; i < before; i++)\n        in[i] = number(seed, rank, i);\n",
        wide_in ? " * P" : "", wide_out ? " * P" : "");
    if (in)
        fprintf(out, "    %s(in, n, %sout, comm);\n", making->symbol, form->root ? "root, " : "");
    else
        fprintf(out, "    memcpy(out, in, (size_t)n * sizeof *in);\n    %s(out, n, %scomm);\n", making->symbol,
                form->root ? "root, " : "");
    fprintf(out,
            "    for (int i = 0; %si < after; i++)\n        if (out[i] != %s) {\n"
            "            fprintf(stderr, \"node %%d has %%g at %%d\\n\", rank, out[i], i);\n"
            "            MPI_Abort(MPI_COMM_WORLD, 1);\n        }\n"
            "    (void)root;\n    free(in);\n    free(out);\n    MPI_Comm_free(&comm);\n    MPI_Finalize();\n    "
            "return 0;\n}\n",
            which == PEAL_GATHER || which == PEAL_REDUCE ? "rank == root && "
            : which == PEAL_EXSCAN                       ? "rank > 0 && "
                                                         : "",
            making->start->is);
}

/* ------------------------------------------------------------------ all of them */

/* The parameters of the function, and their names as a list to leave unused. */
static void
declare(struct making *making)
{
    const struct peal_form *form = making->form;
    bool mpi = making->asked->mpi, in = form->in != PEAL_SIDE_NONE, data = form->out != PEAL_SIDE_NONE;
    const char *words = making->blocks ? "m" : "n";

    making->parameters[0] = making->call[0] = '\0';
    if (!mpi) {
        peal_append(IN_ARRAY(making->parameters), "struct peal_node *me%s",
                    form->op ? ", const struct peal_op *op" : "");
        peal_append(IN_ARRAY(making->call), "me%s", form->op ? ", (void)op" : "");
    }
    if (data) {
        peal_append(IN_ARRAY(making->parameters), "%s%s%s%s%s%s %s", mpi ? "" : ", ", in ? "const " : "",
                    mpi ? "double *" : "void *", in ? "in" : "a", ", ", mpi ? "int" : "size_t", words);
        peal_append(IN_ARRAY(making->call), "%s%s, (void)%s", mpi ? "" : ", (void)", in ? "in" : "a", words);
    }
    if (form->root) {
        peal_append(IN_ARRAY(making->parameters), ", int root");
        peal_append(IN_ARRAY(making->call), ", (void)root");
    }
    if (form->by) {
        peal_append(IN_ARRAY(making->parameters), ", int by");
        peal_append(IN_ARRAY(making->call), ", (void)by");
    }
    if (form->to) {
        peal_append(IN_ARRAY(making->parameters), ", const int *to, int count");
        peal_append(IN_ARRAY(making->call), ", (void)to, (void)count");
    }
    if (in) {
        peal_append(IN_ARRAY(making->parameters), ", %sout", mpi ? "double *" : "void *");
        peal_append(IN_ARRAY(making->call), ", (void)out");
    }
    if (mpi) {
        peal_append(IN_ARRAY(making->parameters), ", MPI_Comm comm");
        peal_append(IN_ARRAY(making->call), ", (void)comm");
    }
}

enum peal_status
start_assignment_possible(const struct start_asked *asked, struct peal_error *error)
{
    if (!starts[asked->collective].body)
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
    struct making making = {.asked = asked,
                            .form = peal_form_of(asked->collective),
                            .start = &starts[asked->collective],
                            .blocks = peal_collective_has_blocks(asked->collective)};
    char ini[80];
    const struct {
        const char *file;
        void (*fill)(FILE *out, const struct making *making);
    } files[] = {{ini, write_specification},     {"README.md", write_handout},
                 {"starter.c", write_starter},   {"solution.c", write_solution},
                 {"wrong/first.c", write_wrong}, {"driver.c", asked->mpi ? write_driver : NULL}};
    enum peal_status status = PEAL_OK;

    making.nodes = asked->topology ? peal_topology_nodes(asked->topology) : 0;
    snprintf(ini, sizeof ini, "%s.ini", asked->name);
    snprintf(making.symbol, sizeof making.symbol, "my_%s", verb(&making));
    for (char *c = making.symbol; *c; c++)
        *c = *c == '-' ? '_' : *c;
    declare(&making);
    for (size_t i = 0; i < sizeof files / sizeof *files && status == PEAL_OK; i++) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *out = files[i].fill ? open_memstream(&text, &bytes) : NULL;

        if (!files[i].fill)
            continue;
        if (!out)
            return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        files[i].fill(out, &making);
        status = fclose(out) == 0 ? write(files[i].file, text, error)
                                  : peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        free(text);
    }
    return status;
}
