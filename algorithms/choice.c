/* SPDX-License-Identifier: MIT */
/* A choice asks the closed form of every algorithm, and the best number of pieces of some, which takes some microseconds;
 * among a million nodes that are seconds.  So the last few are kept for the whole process.  What is kept is found by
 * everything that a choice depends on, the network by what it is called, so nothing ever goes stale. */
#include "choice.h"
#include <stdatomic.h>
#include <string.h>

enum { KEPT = 16, NAME_BYTES = 48 };

/* All that a choice depends on. */
struct key {
    char name[NAME_BYTES], network[NAME_BYTES], routing[NAME_BYTES];
    enum peal_collective collective;
    int nodes, root, by, ports;
    const struct peal_op *op;
    size_t words, eager_words;
    double parameters[4];
    enum peal_switching switching;
    enum peal_congestion congestion;
    bool commutative, unequal, half_duplex, noncombining, eager;
};

static struct {
    atomic_flag busy;
    size_t next;
    struct {
        struct key key;
        struct choice choice;
    } kept[KEPT];
} memory = {.busy = ATOMIC_FLAG_INIT};

static bool
same_prices(const double *a, const double *b)
{
    for (int i = 0; i < 4; i++)
        if (a[i] < b[i] || a[i] > b[i])
            return false;
    return true;
}

static bool
same_key(const struct key *a, const struct key *b)
{
    return a->collective == b->collective && a->words == b->words && a->nodes == b->nodes && a->root == b->root
           && a->by == b->by && a->ports == b->ports && a->op == b->op && a->commutative == b->commutative
           && a->eager_words == b->eager_words && a->switching == b->switching && a->congestion == b->congestion
           && a->unequal == b->unequal && a->half_duplex == b->half_duplex && a->noncombining == b->noncombining
           && a->eager == b->eager && same_prices(a->parameters, b->parameters) && strcmp(a->name, b->name) == 0
           && strcmp(a->network, b->network) == 0 && strcmp(a->routing, b->routing) == 0;
}

/* Copy a name that is not too long. */
static bool
copy_name(char *to, const char *name)
{
    size_t length = strlen(name);

    if (length >= NAME_BYTES)
        return false;
    memcpy(to, name, length);
    return true;
}

/* Make the key; false when the choice cannot be kept: a multicast depends on its list, a file may change. */
static bool
make_key(struct key *key, const struct peal_situation *situation, const char *name)
{
    const struct peal_network *network = situation->network;

    memset(key, 0, sizeof *key);
    if (situation->collective == PEAL_MULTICAST || (name != NULL && !copy_name(key->name, name)))
        return false;
    if (network != NULL && (strcmp(peal_network_kind(network), "file") == 0
                            || !copy_name(key->network, peal_network_name(network))
                            || !copy_name(key->routing, peal_network_routing(network))))
        return false;
    key->collective = situation->collective;
    key->nodes = situation->nodes;
    key->root = situation->root;
    key->by = situation->by;
    key->ports = situation->ports;
    key->op = situation->op;
    key->commutative = situation->op != NULL && situation->op->commutative;
    key->words = situation->words;
    key->eager_words = situation->eager_words;
    key->parameters[0] = situation->parameters.alpha;
    key->parameters[1] = situation->parameters.beta;
    key->parameters[2] = situation->parameters.hop;
    key->parameters[3] = situation->parameters.tau;
    key->switching = situation->switching;
    key->congestion = situation->congestion;
    key->unequal = situation->unequal;
    key->half_duplex = situation->half_duplex;
    key->noncombining = situation->noncombining;
    key->eager = situation->eager;
    return true;
}

/* Nobody waits for the memory: who finds it busy does without. */
static bool
enter_memory(void)
{
    /* acquire: what the last one wrote before it left is seen */
    return !atomic_flag_test_and_set_explicit(&memory.busy, memory_order_acquire);
}

static void
leave_memory(void)
{
    /* release: the licence for the next to read and write the memory */
    atomic_flag_clear_explicit(&memory.busy, memory_order_release);
}

static bool
recall(const struct key *key, struct choice *choice)
{
    bool found = false;

    if (!enter_memory())
        return false;
    for (size_t i = 0; i < KEPT && !found; i++)
        if (memory.kept[i].choice.algorithm != NULL && same_key(&memory.kept[i].key, key)) {
            *choice = memory.kept[i].choice;
            found = true;
        }
    leave_memory();
    return found;
}

static void
keep(const struct key *key, const struct choice *choice)
{
    if (!enter_memory())
        return;
    memory.kept[memory.next].key = *key;
    memory.kept[memory.next].choice = *choice;
    memory.next = (memory.next + 1) % KEPT;
    leave_memory();
}

bool
choice_make(struct choice *choice, const struct peal_situation *situation, const char *name)
{
    struct peal_situation asked = *situation;
    struct key key;
    bool lasting = make_key(&key, situation, name);

    if (lasting && recall(&key, choice))
        return true;
    choice->parameter = 0;
    choice->algorithm = name == NULL ? peal_algorithm_choose(situation)
                                     : peal_algorithm_parse(situation->collective, name, &asked.parameter);
    if (choice->algorithm == NULL || peal_algorithm_fits(choice->algorithm, situation, NULL) != PEAL_OK)
        return false;
    choice->parameter = peal_algorithm_parameter(choice->algorithm, &asked);
    if (lasting)
        keep(&key, choice);
    return true;
}
