/* SPDX-License-Identifier: MIT */
/* The table of algorithms, what each of them needs, and the choice among them by cost. */
#include "catalog.h"
#include <stdio.h>
#include <string.h>

/* Of equal cost the first is chosen, and of those without a closed form too. */
static const struct peal_algorithm *const algorithms[] = {
    &scatter_binomial,
    &scatter_linear,
    &scatter_rda,
    &scatter_rda_smaller,
    &gather_binomial,
    &gather_linear,
    &gather_rda,
    &broadcast_binomial,
    &broadcast_linear,
    &broadcast_rda,
    &broadcast_scatter_allgather,
    &reduce_binomial,
    &reduce_linear,
    &allgather_ring,
    &allgather_gather_broadcast,
    &reduce_scatter_ring,
    &allreduce_reduce_broadcast,
    &allreduce_reduce_scatter_allgather,

    &alltoall_shift,
    &barrier_dissemination,
};

enum { ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };

/* ------------------------------------------------------------------ collectives */

static const struct {
    const char *name;
    bool blocks, root, op;
} collectives[PEAL_COLLECTIVES] = {
    [PEAL_SCATTER] = {.name = "scatter", .blocks = true, .root = true},
    [PEAL_GATHER] = {.name = "gather", .blocks = true, .root = true},
    [PEAL_BROADCAST] = {.name = "broadcast", .root = true},
    [PEAL_REDUCE] = {.name = "reduce", .root = true, .op = true},
    [PEAL_ALLGATHER] = {.name = "allgather", .blocks = true},
    [PEAL_ALLTOALL] = {.name = "alltoall", .blocks = true},
    [PEAL_REDUCE_SCATTER] = {.name = "reduce-scatter", .blocks = true, .op = true},
    [PEAL_ALLREDUCE] = {.name = "allreduce", .op = true},
    [PEAL_BARRIER] = {.name = "barrier"},
};

const char *
peal_collective_name(enum peal_collective collective)
{
    return collectives[collective].name;
}

bool
peal_collective_find(const char *name, enum peal_collective *collective)
{
    for (int i = 0; i < PEAL_COLLECTIVES; i++)
        if (strcmp(collectives[i].name, name) == 0) {
            *collective = (enum peal_collective)i;
            return true;
        }
    return false;
}

bool
peal_collective_has_blocks(enum peal_collective collective)
{
    return collectives[collective].blocks;
}

bool
peal_collective_has_root(enum peal_collective collective)
{
    return collectives[collective].root;
}

bool
peal_collective_has_op(enum peal_collective collective)
{
    return collectives[collective].op;
}

/* ------------------------------------------------------------------ blocks of a vector */

size_t
peal_block_begin(size_t n, int nodes, int block)
{
    size_t P = (size_t)nodes, b = (size_t)block, longer = n % P;

    return b * (n / P) + (b < longer ? b : longer);
}

size_t
peal_block_words(size_t n, int nodes, int block)
{
    return n / (size_t)nodes + ((size_t)block < n % (size_t)nodes);
}

/* ------------------------------------------------------------------ algorithms */

const struct peal_algorithm *
peal_algorithm_get(int i)
{
    return i >= 0 && i < ALGORITHMS ? algorithms[i] : NULL;
}

const struct peal_algorithm *
peal_algorithm_find(enum peal_collective collective, const char *name)
{
    for (int i = 0; i < ALGORITHMS; i++)
        if (algorithms[i]->collective == collective && strcmp(algorithms[i]->name, name) == 0)
            return algorithms[i];
    return NULL;
}

enum peal_status
catalog_refuse_name(enum peal_collective collective, const char *name, struct peal_error *error)
{
    char names[400] = "";
    size_t used = 0;

    for (int i = 0; i < ALGORITHMS; i++)
        if (algorithms[i]->collective == collective && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "",
                                     algorithms[i]->name);
    return peal_refuse(error, PEAL_USAGE, "%s has no algorithm '%s'; it has %s", peal_collective_name(collective), name,
                       names);
}

/* ------------------------------------------------------------------ requirements */

/* Whether `kind` is among the words of `kinds`. */
static bool
has_kind(const char *kinds, const char *kind)
{
    size_t length = strlen(kind);

    for (const char *word = kinds; (word = strstr(word, kind)) != NULL; word += length)
        if ((word == kinds || word[-1] == ' ') && (word[length] == ' ' || word[length] == '\0'))
            return true;
    return false;
}

static const char *
kind_of(const struct peal_situation *situation)
{
    return situation->network == NULL ? "full" : peal_network_kind(situation->network);
}

/* Write "line, ring, mesh or torus" for "line ring mesh torus". */
static char *
kinds_text(const char *kinds, char *text, size_t bytes)
{
    const char *last = strrchr(kinds, ' '); /* before the last word */
    size_t used = 0;

    for (const char *at = kinds; *at != '\0' && used + 5 < bytes; at++) {
        if (*at != ' ')
            text[used++] = *at;
        else
            used += (size_t)snprintf(text + used, bytes - used, "%s", at == last ? " or " : ", ");
    }
    text[used] = '\0';
    return text;
}

static bool
fits(const struct peal_algorithm *algorithm, const struct peal_situation *situation)
{
    const struct peal_requirements *requires = &algorithm->requires;

    return !(requires->power_of_two && (situation->nodes & (situation->nodes - 1)) != 0)
           && !(requires->commutative && situation->op != NULL && !situation->op->commutative)
           && (requires->kinds == NULL || has_kind(requires->kinds, kind_of(situation)));
}

enum peal_status
peal_algorithm_fits(const struct peal_algorithm *algorithm, const struct peal_situation *situation,
                    struct peal_error *error)
{
    const struct peal_requirements *requires = &algorithm->requires;
    const char *collective = peal_collective_name(algorithm->collective);
    char kinds[200];

    if (fits(algorithm, situation))
        return PEAL_OK;
    if (requires->power_of_two && (situation->nodes & (situation->nodes - 1)) != 0) {
        int below = 1;

        while (below <= situation->nodes / 2)
            below *= 2;
        return peal_refuse(error, PEAL_USAGE, "%s/%s needs a power of two of nodes, not %d: %d or %lld would fit",
                           collective, algorithm->name, situation->nodes, below, 2LL * below);
    }
    if (requires->commutative && situation->op != NULL && !situation->op->commutative)
        return peal_refuse(error, PEAL_USAGE, "%s/%s needs a commutative operator, as sum or max are; %s is not",
                           collective, algorithm->name, situation->op->name);
    return peal_refuse(error, PEAL_USAGE, "%s/%s needs a %s network; this %s is %s", collective, algorithm->name,
                       kinds_text(requires->kinds, kinds, sizeof kinds),
                       situation->network == NULL ? "group's" : "one",
                       situation->network == NULL ? "full" : peal_network_name(situation->network));
}

char *
peal_requirements_text(const struct peal_algorithm *algorithm, char *text, size_t bytes)
{
    const struct peal_requirements *requires = &algorithm->requires;
    char kinds[200] = "";
    bool first = !requires->power_of_two, second = !requires->commutative;

    if (requires->kinds != NULL)
        kinds_text(requires->kinds, kinds, sizeof kinds);
    snprintf(text, bytes, "%s%s%s%s%s%s", first ? "" : "P = 2^q", first || (second && kinds[0] == '\0') ? "" : "; ",
             second ? "" : "a commutative operator", second || kinds[0] == '\0' ? "" : "; ",
             kinds[0] == '\0' ? "" : "network: ", kinds);
    return text;
}

/* ------------------------------------------------------------------ the choice */

/* What the choice takes an algorithm for. */
static bool
judge(const struct peal_algorithm *algorithm, const struct peal_situation *situation, struct peal_cost *cost)
{
    return algorithm->cost(situation, cost) || (algorithm->at_most != NULL && algorithm->at_most(situation, cost));
}

/* The cheapest of those that fit here, judged in the situation `priced`; NULL when nothing is known of any. */
static const struct peal_algorithm *
cheapest(const struct peal_situation *here, const struct peal_situation *priced)
{
    const struct peal_algorithm *best = NULL;
    double best_time = 0;

    for (int i = 0; i < ALGORITHMS; i++) {
        struct peal_cost cost;

        if (algorithms[i]->collective != here->collective || !fits(algorithms[i], here)
            || !judge(algorithms[i], priced, &cost))
            continue;
        if (best == NULL || peal_cost_time(cost, here->parameters) < best_time) {
            best = algorithms[i];
            best_time = peal_cost_time(cost, here->parameters);
        }
    }
    return best;
}

/* Where nothing is known of any, compare as if messages were not eager and ports were single; then as if the network
 * were full besides. */
const struct peal_algorithm *
peal_algorithm_choose(const struct peal_situation *situation)
{
    struct peal_situation priced = *situation;
    const struct peal_algorithm *best = cheapest(situation, &priced), *first = NULL;

    if (best == NULL) {
        priced.eager = priced.half_duplex = false;
        priced.ports = 1;
        best = cheapest(situation, &priced);
    }
    if (best == NULL) {
        priced.network = NULL;
        best = cheapest(situation, &priced);
    }
    for (int i = 0; i < ALGORITHMS && best == NULL; i++) {
        if (algorithms[i]->collective != situation->collective)
            continue;
        if (first == NULL)
            first = algorithms[i];
        if (fits(algorithms[i], situation))
            best = algorithms[i];
    }
    return best != NULL ? best : first;
}
