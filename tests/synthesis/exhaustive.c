/* SPDX-License-Identifier: MIT */
/* The formulas are right: their answers are those of a search that tries everything.
 *
 * The search knows nothing of the encoder: a state is the chunks that each node holds, a step any set of messages that
 * the ports allow, charged by peal_price.  least[state] is the least number of rounds after each number of steps. */
#include "lib/synthesis/synthesis.h"
#include <criterion/criterion.h>
#include <peal/tools.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BITS = 14, MAX_ROUNDS = 12 };

struct trial {
    struct peal_synthesis asked;
    int nodes, chunks;         /* chunks in all */
    uint32_t wanted;           /* bits chunk·P + node */
    unsigned char *now, *next; /* the least rounds of each state; 255 none */
    /* the step that is put together */
    struct peal_transfer transfers[8];
    size_t count;
    uint32_t from_state, gained;
    int rounds;
    int sent[8], received[8];
};

static uint32_t
bit(const struct trial *trial, int chunk, int node)
{
    return UINT32_C(1) << (chunk * trial->nodes + node);
}

/* The rounds that the step takes, by the library's pricing. */
static int
price(struct trial *trial)
{
    struct peal_transfer transfers[8];
    struct peal_round round = {.count = trial->count};
    size_t count = (size_t)trial->count;
    struct peal_schedule schedule = {1, count, &(uint32_t){0}, 1, count, &round, transfers};
    struct peal_pricing pricing = {.network = trial->asked.network, .congestion = trial->asked.congestion};
    struct peal_cost total;
    struct peal_error error;

    memcpy(transfers, trial->transfers, sizeof transfers);
    cr_assert_eq(peal_price(&pricing, &schedule, &total, &error), PEAL_OK, "%s", error.text);
    return (int)total.beta;
}

static void
end_step(struct trial *trial)
{
    uint32_t state = trial->from_state | trial->gained;
    int rounds = trial->rounds + price(trial);

    if (rounds < trial->next[state])
        trial->next[state] = (unsigned char)rounds;
}

/* Let node `node` and those after it send, to `to` or a later node. */
static void
try_senders(struct trial *trial, int node, int to)
{
    const struct peal_synthesis *asked = &trial->asked;

    if (to == trial->nodes) {
        node++;
        to = 0;
    }
    if (node == trial->nodes) {
        end_step(trial);
        return;
    }
    try_senders(trial, node, to + 1);
    int sent = trial->sent[node], received = trial->received[to];

    if (node == to || (asked->neighbours && peal_network_distance(asked->network, node, to) != 1) ||
        sent >= asked->ports || received >= asked->ports)
        return;
    if (asked->half_duplex &&
        (sent + trial->received[node] >= asked->ports || received + trial->sent[to] >= asked->ports))
        return;
    uint32_t useful = 0, gained = trial->gained;

    for (int chunk = 0; chunk < trial->chunks; chunk++)
        if ((trial->from_state & bit(trial, chunk, node)) && !(trial->from_state & bit(trial, chunk, to)))
            useful |= UINT32_C(1) << chunk;
    trial->sent[node]++;
    trial->received[to]++;
    for (uint32_t set = useful; set != 0; set = (set - 1) & useful) {
        trial->gained = gained;
        for (int chunk = 0; chunk < trial->chunks; chunk++)
            if (set >> chunk & 1)
                trial->gained |= bit(trial, chunk, to);
        trial->transfers[trial->count++] =
            (struct peal_transfer){.from = node, .to = to, .words = (uint64_t)__builtin_popcount(set)};
        try_senders(trial, node, to + 1);
        trial->count--;
    }
    trial->sent[node]--;
    trial->received[to]--;
    trial->gained = gained;
}

static uint32_t
begin_state(struct trial *trial)
{
    int P = trial->nodes, each = trial->asked.chunks;
    uint32_t state = 0;

    trial->wanted = 0;
    for (int chunk = 0; chunk < trial->chunks; chunk++)
        switch ((int)trial->asked.collective) {
        case PEAL_BROADCAST:
            state |= bit(trial, chunk, trial->asked.root);
            for (int node = 0; node < P; node++)
                trial->wanted |= bit(trial, chunk, node);
            break;
        case PEAL_SCATTER:
            state |= bit(trial, chunk, trial->asked.root);
            trial->wanted |= bit(trial, chunk, chunk / each);
            break;
        default:
            state |= bit(trial, chunk, chunk / each);
            for (int node = 0; node < P; node++)
                trial->wanted |= bit(trial, chunk, node);
        }
    return state;
}

/* The least rounds in `steps` steps; 255: it cannot be done. */
static void
search_all(struct trial *trial, int steps, int least[])
{
    size_t states = (size_t)1 << (trial->chunks * trial->nodes);

    trial->now = malloc(states);
    trial->next = malloc(states);
    memset(trial->now, 255, states);
    trial->now[begin_state(trial)] = 0;
    for (int step = 1; step <= steps; step++) {
        memcpy(trial->next, trial->now, states);
        for (size_t state = 0; state < states; state++)
            if (trial->now[state] <= MAX_ROUNDS) {
                trial->from_state = (uint32_t)state;
                trial->rounds = trial->now[state];
                trial->gained = 0;
                try_senders(trial, 0, 0);
            }
        memcpy(trial->now, trial->next, states);
        least[step] = 255;
        for (size_t state = 0; state < states; state++)
            if ((state & trial->wanted) == trial->wanted && trial->now[state] < least[step])
                least[step] = trial->now[state];
    }
    free(trial->now);
    free(trial->next);
}

static enum peal_synthesis_verdict
ask(struct peal_synthesis asked, int steps, int rounds, bool plain)
{
    struct peal_synthesis_effort effort = {0};
    struct peal_synthesized result;
    struct peal_error error;

    asked.steps = steps;
    asked.rounds = rounds;
    asked.unpruned = plain;
    cr_assert_eq(peal_synthesize(&asked, &effort, &result, &error), PEAL_OK, "%s", error.text);
    enum peal_synthesis_verdict verdict = result.verdict;

    if (verdict == PEAL_SYNTHESIS_HERE) /* it has verified the moves */
        cr_expect(result.steps <= steps && (rounds == PEAL_SYNTHESIS_ANY || result.rounds <= rounds));
    peal_synthesized_fini(&result);
    return verdict;
}

static bool
is_none(enum peal_synthesis_verdict verdict)
{
    return verdict == PEAL_SYNTHESIS_CUT || verdict == PEAL_SYNTHESIS_PROOF;
}

struct scene {
    enum peal_collective collective;
    const char *topology;
    int nodes, chunks, ports, steps;
    bool half_duplex, neighbours;
    enum peal_congestion congestion;
};

static const struct scene scenes[] = {
    {PEAL_BROADCAST, "full", 4, 1, 1, 3, false, false, PEAL_COUNT},
    {PEAL_BROADCAST, "full", 4, 2, 1, 3, false, false, PEAL_COUNT},
    {PEAL_BROADCAST, "line", 4, 2, 1, 3, false, false, PEAL_COUNT},
    {PEAL_BROADCAST, "ring", 4, 2, 2, 2, false, false, PEAL_COUNT},
    {PEAL_BROADCAST, "star", 4, 2, 1, 3, true, false, PEAL_VOLUME},
    {PEAL_BROADCAST, "line", 4, 2, 1, 4, true, true, PEAL_COUNT},
    {PEAL_SCATTER, "full", 3, 2, 1, 3, false, false, PEAL_COUNT},
    {PEAL_SCATTER, "line", 3, 2, 1, 3, false, false, PEAL_COUNT},
    {PEAL_SCATTER, "line", 3, 2, 2, 2, false, false, PEAL_VOLUME},
    {PEAL_SCATTER, "line", 3, 1, 1, 3, true, true, PEAL_COUNT},
    {PEAL_ALLGATHER, "full", 3, 1, 1, 3, false, false, PEAL_COUNT},
    {PEAL_ALLGATHER, "line", 3, 1, 1, 3, false, false, PEAL_COUNT},
    {PEAL_ALLGATHER, "line", 3, 1, 2, 2, false, false, PEAL_COUNT},
    {PEAL_ALLGATHER, "full", 3, 1, 1, 3, true, false, PEAL_COUNT},
    {PEAL_ALLGATHER, "star", 3, 1, 1, 4, false, true, PEAL_COUNT},
};

Test(synthesis, answers_are_those_of_trying_everything, .timeout = 300)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        const struct scene *scene = &scenes[i];
        struct peal_error error;
        struct peal_network *network = peal_network_create(scene->topology, scene->nodes, NULL, &error);
        struct peal_synthesis asked = {.collective = scene->collective,
                                       .network = network,
                                       .ports = scene->ports,
                                       .half_duplex = scene->half_duplex,
                                       .congestion = scene->congestion,
                                       .neighbours = scene->neighbours,
                                       .chunks = scene->chunks,
                                       .root = scene->nodes > 3 ? 1 : 0};
        struct trial trial = {.asked = asked,
                              .nodes = scene->nodes,
                              .chunks = scene->chunks * (scene->collective == PEAL_BROADCAST ? 1 : scene->nodes)};
        int least[8];

        cr_assert_leq(trial.chunks * trial.nodes, 20);
        search_all(&trial, scene->steps, least);
        for (int steps = 1; steps <= scene->steps; steps++)
            for (int plain = 0; plain < 2; plain++) {
                bool none = is_none(ask(asked, steps, PEAL_SYNTHESIS_ANY, plain));

                cr_expect_eq(none, least[steps] == 255, "scene %zu, %d steps, plain %d", i, steps, plain);
                if (least[steps] == 255)
                    continue;
                cr_expect_eq(ask(asked, steps, least[steps], plain), PEAL_SYNTHESIS_HERE,
                             "scene %zu, %d steps, %d rounds, plain %d", i, steps, least[steps], plain);
                cr_expect(least[steps] == 1 || is_none(ask(asked, steps, least[steps] - 1, plain)),
                          "scene %zu, %d steps, %d rounds, plain %d", i, steps, least[steps] - 1, plain);
            }
        peal_network_destroy(network);
    }
}
