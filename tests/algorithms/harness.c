/* SPDX-License-Identifier: MIT */
/* Runs collectives for the tests of algorithms, on machines that are kept and used again, and prices their
 * schedules. */
#include "harness.h"
#include "lib/machine/machine.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct peal_options
options_for(int nodes, const char *topology)
{
    struct peal_options options;

    peal_options_init(&options);
    options.nodes = nodes;
    options.topology = topology;
    options.engine = peal_fibers_built() ? "fibers" : "threads";
    options.carriers = 1;
    return options;
}

/* The machines of the last performances that have ended well: to make one is dearer than most runs on it.  As many as
 * there are networks of a number of nodes, nearly, on which an algorithm runs in turn. */
static struct {
    struct peal_machine *machine; /* NULL: none */
    char asked_for[300];
} spares[40];

enum { SPARES = sizeof spares / sizeof spares[0] };

static void
make_machine(struct performance *performance, const struct peal_options *options)
{
    int length = snprintf(performance->asked_for, sizeof performance->asked_for,
                          "%d %s %s %d %d %d %d %d %g %g %g %g %d %zu %d %zu %llu %s %d %d %zu %g %d %d %d",
                          options->nodes, options->topology, options->routing != NULL ? options->routing : "-",
                          options->ports, options->half_duplex, options->noncombining, (int)options->switching,
                          (int)options->congestion, options->parameters.alpha, options->parameters.beta,
                          options->parameters.hop, options->parameters.tau, options->eager, options->eager_words,
                          options->mailbox, options->word_bytes, (unsigned long long)options->seed, options->engine,
                          options->carriers, options->wake_all, options->stack_bytes, options->timeout_seconds,
                          (int)options->rounds, options->tag_output, options->output);

    cr_assert_lt((size_t)length, sizeof performance->asked_for);
    for (int i = 0; i < SPARES && performance->machine == NULL; i++)
        if (spares[i].machine != NULL && strcmp(spares[i].asked_for, performance->asked_for) == 0) {
            performance->machine = spares[i].machine;
            spares[i].machine = NULL;
        }
    if (performance->machine != NULL)
        return;
    performance->machine = peal_machine_create(options, &performance->error);
    cr_assert_not_null(performance->machine, "%s", performance->error.text);
    performance->machine->keeps_contexts = true; /* to start threads is dearer than most runs, too */
    performance->machine->runs_here = options->carriers == 1;
}

void
perform(struct performance *performance, const struct peal_options *options, const char *collective,
        const char *algorithm, size_t words, int root, const struct peal_op *op)
{
    struct peal_exercise exercise = {.algorithm = algorithm, .words = words, .root = root, .op = op};
    const struct peal_schedule *schedule;

    memset(performance, 0, sizeof *performance);
    cr_assert(peal_collective_find(collective, &exercise.collective), "%s", collective);
    make_machine(performance, options);
    performance->status = peal_exercise(performance->machine, &exercise, &performance->outcome, &performance->error);
    schedule = peal_machine_schedule(performance->machine);
    performance->schedule = expanded(schedule);
}

void
perform_on(struct performance *performance, const char *topology, int nodes, const char *collective,
           const char *algorithm, size_t words, int root, int ports)
{
    struct peal_options options = options_for(nodes, topology);

    options.ports = ports;
    perform(performance, &options, collective, algorithm, words, root, NULL);
    cr_assert_eq(performance->status, PEAL_OK, "%s/%s P=%d words=%zu root=%d on %s: %s", collective, algorithm, nodes,
                 words, root, topology, performance->error.text);
    cr_expect(performance->outcome.verified);
    cr_expect_eq(performance->outcome.nodes_correct, nodes);
}

/* LeakSanitizer does not look into a machine's own pages, and would take what a spare refers to for lost. */
static void
spares_destroy(void)
{
    for (int i = 0; i < SPARES; i++)
        peal_machine_destroy(spares[i].machine);
}

void
performance_fini(struct performance *performance)
{
    static int oldest; /* of the spares */
    static bool kept;

    if (!kept)
        kept = atexit(spares_destroy) == 0;
    expanded_fini(&performance->schedule);
    if (performance->status != PEAL_OK) {
        peal_machine_destroy(performance->machine);
        return;
    }
    peal_machine_destroy(spares[oldest].machine);
    spares[oldest].machine = performance->machine;
    strcpy(spares[oldest].asked_for, performance->asked_for);
    oldest = (oldest + 1) % SPARES;
}

struct peal_cost
price_on(struct performance *performance, const char *topology, enum peal_switching switching)
{
    struct peal_error error = {0};
    struct peal_network *network = peal_network_create(topology, performance->outcome.situation.nodes, NULL, &error);
    struct peal_pricing pricing = {.network = network, .switching = switching};
    struct peal_cost total = {0};

    cr_assert_not_null(network, "%s", error.text);
    cr_assert_eq(peal_price(&pricing, &performance->schedule, &total, &error), PEAL_OK, "%s", error.text);
    peal_network_destroy(network);
    return total;
}

bool
round_is(const struct performance *performance, size_t round, const char *transfers)
{
    const struct peal_schedule *schedule = &performance->schedule;
    const struct peal_round *it = &schedule->rounds[round];
    size_t named = 0;

    if (round >= schedule->round_count)
        return false;
    for (const char *next = transfers; *next != '\0'; named++) {
        int from, to, length;
        unsigned long words;
        bool found = false;

        cr_assert_eq(sscanf(next, "%d>%d:%lu%n", &from, &to, &words, &length), 3, "%s", next);
        for (size_t i = it->first; i < it->first + it->count; i++) {
            const struct peal_transfer *transfer = &schedule->transfers[i];
            found = found || (transfer->from == from && transfer->to == to && transfer->words == words);
        }
        if (!found)
            return false;
        next += length;
        next += *next == ' ';
    }
    return named == it->count;
}

/* full, line, ring, a hypercube if there is one, and all grids of two dimensions and of three, open and closed; of more
 * than 65 nodes those of three only in one order of their extents. */
const char *
network_of(int nodes, int i)
{
    static char name[64];
    static const char *const simple[] = {"full", "line", "ring"};

    if (i < 3)
        return simple[i];
    i -= 3;
    if (nodes == 8 && i < 2)
        return i == 0 ? "dgx1" : "dgx-a100";
    i -= nodes == 8 ? 2 : 0;
    if ((nodes & (nodes - 1)) == 0 && i-- == 0)
        return "hypercube";
    for (int a = 1; a <= nodes; a++) {
        if (nodes % a != 0)
            continue;
        for (int b = 1; b <= nodes / a; b++) {
            int c = nodes / a / b;

            if (nodes / a % b != 0 || (c > 1 && (a == 1 || b == 1)))
                continue; /* three dimensions only when all are longer than 1 */
            if (c > 1 && nodes > 65 && (a > b || b > c))
                continue;
            for (int closed = 0; closed < 2; closed++) {
                if (i-- > 0)
                    continue;
                if (c == 1)
                    snprintf(name, sizeof name, "%s:%dx%d", closed ? "torus" : "mesh", a, b);
                else
                    snprintf(name, sizeof name, "%s:%dx%dx%d", closed ? "torus" : "mesh", a, b, c);
                return name;
            }
        }
    }
    return NULL;
}

const struct peal_algorithm *
algorithm_from(int *i)
{
    const char *wanted = getenv("PEAL_TEST_ALGORITHM");
    const struct peal_algorithm *algorithm;
    char name[80];

    for (; (algorithm = peal_algorithm_get(*i)) != NULL; (*i)++) {
        snprintf(name, sizeof name, "%s/%s", peal_collective_name(algorithm->collective), algorithm->name);
        if (wanted == NULL || strncmp(name, wanted, strlen(wanted)) == 0)
            return algorithm;
    }
    return NULL;
}

bool
has_kind(const char *kinds, const char *topology)
{
    size_t length = strcspn(topology, ":");
    char kind[20] = "";

    memcpy(kind, topology, length);
    return kinds == NULL || strstr(kinds, kind) != NULL;
}

bool
fits_on(const struct peal_algorithm *algorithm, const char *topology, int nodes, size_t words, int ports)
{
    struct peal_error error = {0};
    struct peal_network *network = peal_network_create(topology, nodes, NULL, &error);
    struct peal_situation situation = {.collective = algorithm->collective,
                                       .nodes = nodes,
                                       .words = words,
                                       .network = network,
                                       .ports = ports,
                                       .op = PEAL_SUM_INT64};
    bool fits;

    cr_assert_not_null(network, "%s", error.text);
    fits = peal_algorithm_fits(algorithm, &situation, NULL) == PEAL_OK;
    peal_network_destroy(network);
    return fits;
}

int
ports_for(const struct peal_algorithm *algorithm)
{
    return algorithm->needs.ports != 0 ? algorithm->needs.ports : 1;
}
