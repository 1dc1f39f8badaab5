/* SPDX-License-Identifier: MIT */
/* Run as the processes of an MPI job: every algorithm and every application of the catalogue, on the engine mpi by all,
 * and on threads by the process of node 0, which compares the two documents to the byte but for the engine and the
 * host.
 *
 * One job does them all, since starting one takes longer than running them. */
#include <peal/tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, runs, skipped, wrong;

/* The machines on which an algorithm is tried: the first that it fits on. */
static const struct {
    const char *topology;
    int ports;
} kinds[] = {
    {"full", 1},
    {"full", 2},
    {"full", 3},
    {"line", 1},
    {"ring", 1},
    {"mesh", 1},
    {"torus", 1},
    {"hypercube", 1},
    {"ring", PEAL_PORTS_ALL},
    {"torus", PEAL_PORTS_ALL},
    {"hypercube", PEAL_PORTS_ALL},
    {"mesh", PEAL_PORTS_ALL},
    {"full", PEAL_PORTS_ALL},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Equal machines on both engines; the second in the process of node 0 only. */
struct pair {
    struct peal_machine *mpi, *threads;
    bool tried;
};

static struct pair pairs[KINDS + 1];

static struct pair *
get_pair(int kind)
{
    struct pair *pair = &pairs[kind];
    struct peal_options options;
    struct peal_error error;

    if (pair->tried)
        return pair->mpi ? pair : NULL;
    pair->tried = true;
    peal_options_init(&options);
    options.nodes = size;
    options.eager = kind == KINDS;
    options.eager_words = 2;
    options.topology = kind == KINDS ? "full" : kinds[kind].topology;
    options.ports = kind == KINDS ? 1 : kinds[kind].ports;
    if (rank == 0)
        pair->threads = peal_machine_create(&options, &error);
    options.engine = "mpi";
    pair->mpi = peal_machine_create(&options, &error);
    return pair->mpi ? pair : NULL;
}

/* The document of a run, without what may differ.  Freed by the caller. */
static char *
document(const struct peal_machine *machine, const struct peal_outcome *outcome)
{
    char *text = NULL, *at;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    struct peal_error error;

    peal_write_json(out, machine, outcome, outcome ? NULL : "application", &error);
    fclose(out);
    if ((at = strstr(text, "\"engine\": ")))
        memset(at, ' ', strcspn(at, ","));
    if ((at = strstr(text, "\"measured\": ")) || (at = strstr(text, "\"host\": ")))
        *at = '\0';
    for (char *from = at = text;; from++) { /* blanks too: the names of engines are not equally long */
        if (*from != ' ' && *from != '\n')
            *at++ = *from;
        if (!*from)
            break;
    }
    return text;
}

static void
compare(const char *what, const struct pair *pair, const struct peal_outcome *mpi, const struct peal_outcome *threads)
{
    char *a = document(pair->mpi, mpi), *b = document(pair->threads, threads);

    if (strcmp(a, b) != 0) {
        size_t at = 0;

        while (a[at] == b[at])
            at++;
        at = at > 60 ? at - 60 : 0;
        printf("%s on %d nodes: mpi and threads differ\n  mpi     %.160s\n  threads %.160s\n", what, size, a + at,
               b + at);
        wrong++;
    }
    free(a);
    free(b);
}

static void
say(const char *what, const char *engine, const char *text)
{
    printf("%s on %d nodes, %s: %s\n", what, size, engine, text);
    wrong++;
}

static void
try_algorithm(const struct peal_algorithm *algorithm, const struct pair *pair, size_t words, int root)
{
    struct peal_exercise exercise = {
        .collective = algorithm->collective, .algorithm = algorithm->name, .words = words, .root = root, .by = 1};
    struct peal_outcome outcome, expected;
    struct peal_error error;
    char what[100];
    enum peal_status status = peal_exercise(pair->mpi, &exercise, &outcome, &error);

    if (getenv("PEAL_TEST_TELL") && rank == 0)
        fprintf(stderr, "%s/%s %zu\n", peal_collective_name(algorithm->collective), algorithm->name, words);
    snprintf(what, sizeof what, "%s/%s of %zu words from %d", peal_collective_name(algorithm->collective),
             algorithm->name, words, root);
    runs++;
    if (rank != 0)
        return;
    if (status != PEAL_OK)
        say(what, "mpi", error.text);
    if (peal_exercise(pair->threads, &exercise, &expected, &error) != PEAL_OK)
        say(what, "threads", error.text);
    compare(what, pair, &outcome, &expected);
}

static void
try_algorithms(void)
{
    const struct peal_algorithm *algorithm;

    for (int i = 0; (algorithm = peal_algorithm_get(i)); i++) {
        bool fits = false;

        for (int kind = 0; kind < KINDS && !fits; kind++) {
            struct pair *pair = get_pair(kind);
            struct peal_situation situation;

            if (!pair)
                continue;
            situation = peal_situation_on(peal_machine_options(pair->mpi), peal_machine_network(pair->mpi));
            situation.collective = algorithm->collective;
            situation.words = (size_t)size;
            situation.op = peal_collective_has_op(algorithm->collective) ? PEAL_SUM_INT64 : NULL;
            fits = peal_algorithm_fits(algorithm, &situation, NULL) == PEAL_OK;
            if (fits)
                try_algorithm(algorithm, pair, (size_t)size, 0);
            if (fits && peal_collective_has_root(algorithm->collective) && size > 1) {
                situation.root = size - 1;
                situation.words = 3 * (size_t)size;
                if (peal_algorithm_fits(algorithm, &situation, NULL) == PEAL_OK)
                    try_algorithm(algorithm, pair, 3 * (size_t)size, size - 1);
            }
        }
        skipped += !fits;
    }
}

/* Sends that are complete when they are posted. */
static void
try_eager(void)
{
    static const char *const names[PEAL_COLLECTIVES] = {[PEAL_SCATTER] = "linear",
                                                        [PEAL_ALLTOALL] = "linear",
                                                        [PEAL_BROADCAST] = "binomial",
                                                        [PEAL_ALLGATHER] = "ring"};
    struct pair *pair = get_pair(KINDS);

    for (int i = 0; pair && i < PEAL_COLLECTIVES; i++)
        if (names[i])
            for (size_t words = 0; words < 4; words += 2)
                try_algorithm(peal_algorithm_find((enum peal_collective)i, names[i]), pair, words, 0);
}

static void
try_applications(void)
{
    const struct peal_application *application;

    for (int i = 0; (application = peal_application_get(i)); i++) {
        bool fits = false;

        for (int kind = 0; kind < KINDS && !fits; kind++) {
            struct pair *pair = get_pair(kind);
            struct peal_problem problem;
            struct peal_application_outcome outcome, expected;
            struct peal_error error;

            if (!pair)
                continue;
            for (size_t n = 16; n <= 48 && !fits; n += 8) {
                peal_problem_init(&problem, application, pair->mpi);
                problem.n = n;
                fits = !application->fits || application->fits(&problem, &error) == PEAL_OK;
            }
            if (!fits)
                continue;
            enum peal_status status = peal_application_run(pair->mpi, application, &problem, &outcome, &error);

            runs++;
            if (rank != 0)
                break;
            if (status != PEAL_OK)
                say(application->name, "mpi", error.text);
            if (peal_application_run(pair->threads, application, &problem, &expected, &error) != PEAL_OK)
                say(application->name, "threads", error.text);
            compare(application->name, pair, NULL, NULL);
        }
        skipped += !fits;
    }
}

int
main(void)
{
    struct peal_error error;

    if (peal_mpi_begin(&rank, &size, &error) != PEAL_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    try_algorithms();
    try_eager();
    try_applications();
    for (int kind = 0; kind <= KINDS; kind++) {
        peal_machine_destroy(pairs[kind].mpi);
        peal_machine_destroy(pairs[kind].threads);
    }
    if (rank == 0)
        printf("%d nodes on %s: %d runs, %d do not fit, %d wrong\n", size, peal_mpi_library(), runs, skipped, wrong);
    peal_mpi_end();
    return wrong > 0 || runs < 50;
}
