/* SPDX-License-Identifier: MIT */
/* A choice asks the closed form of every algorithm, and the best number of pieces of some, which takes some microseconds;
 * among a million nodes that are seconds.  So the last few are kept for the whole process.  What is kept is found by
 * everything that a choice depends on, the network by what it is called, so nothing ever goes stale. */
#include "choice.h"
#include <peal/form.h>
#include <stdatomic.h>
#include <string.h>

enum { KEPT = 16, NAME_BYTES = 48 };

/* A choice, and all that it depended on: the situation but for its pointers, which are names here. */
struct kept {
    char name[NAME_BYTES], network[NAME_BYTES], routing[NAME_BYTES];
    struct peal_situation situation;
    bool commutative;
    struct choice choice;
};

static struct {
    atomic_flag busy;
    size_t next;
    struct kept kept[KEPT];
} memory = {.busy = ATOMIC_FLAG_INIT};

static bool
same_prices(struct peal_parameters a, struct peal_parameters b)
{
    return a.alpha <= b.alpha && a.alpha >= b.alpha && a.beta <= b.beta && a.beta >= b.beta && a.hop <= b.hop
           && a.hop >= b.hop && a.tau <= b.tau && a.tau >= b.tau;
}

static bool
is_commutative(const struct peal_situation *situation)
{
    return situation->op != NULL && situation->op->commutative;
}

static bool
is_on(const struct kept *kept, const struct peal_network *network)
{
    return network == NULL ? kept->network[0] == '\0'
                           : strcmp(kept->network, peal_network_name(network)) == 0
                                 && strcmp(kept->routing, peal_network_routing(network)) == 0;
}

/* Whether this is what the kept choice depended on.  The situation is compared where it lies: a copy would touch more of
 * the stack, of which a million nodes have a million. */
static bool
is_asked(const struct kept *kept, const struct peal_situation *b, const char *name)
{
    const struct peal_situation *a = &kept->situation;

    return a->collective == b->collective && a->words == b->words && a->nodes == b->nodes && a->root == b->root
           && a->by == b->by && a->ports == b->ports && a->op == b->op && kept->commutative == is_commutative(b)
           && a->eager_words == b->eager_words && a->switching == b->switching && a->congestion == b->congestion
           && a->unequal == b->unequal && a->half_duplex == b->half_duplex && a->noncombining == b->noncombining
           && a->eager == b->eager && same_prices(a->parameters, b->parameters)
           && strcmp(kept->name, name != NULL ? name : "") == 0 && is_on(kept, b->network);
}

/* Copy a name that is not too long. */
static bool
copy_name(char *to, const char *name)
{
    size_t length = strlen(name);

    if (length >= NAME_BYTES)
        return false;
    memcpy(to, name, length + 1);
    return true;
}

/* Note all that the choice depends on; false when it cannot be kept: a multicast depends on its list, a file may change. */
static bool
note(struct kept *kept, const struct peal_situation *situation, const char *name, const struct choice *choice)
{
    const struct peal_network *network = situation->network;

    *kept = (struct kept){.situation = *situation, .commutative = is_commutative(situation), .choice = *choice};
    if (peal_form_of(situation->collective)->to || (name != NULL && !copy_name(kept->name, name)))
        return false;
    return network == NULL
           || (strcmp(peal_network_kind(network), "file") != 0 && copy_name(kept->network, peal_network_name(network))
               && copy_name(kept->routing, peal_network_routing(network)));
}

/* No thread waits for the kept choices: a thread that finds them busy chooses anew. */
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
recall(const struct peal_situation *situation, const char *name, struct choice *choice)
{
    bool found = false;

    if (!enter_memory())
        return false;
    for (size_t i = 0; i < KEPT && !found; i++)
        if (memory.kept[i].choice.algorithm != NULL && is_asked(&memory.kept[i], situation, name)) {
            *choice = memory.kept[i].choice;
            found = true;
        }
    leave_memory();
    return found;
}

static void
keep(const struct kept *kept)
{
    if (!enter_memory())
        return;
    memory.kept[memory.next] = *kept;
    memory.next = (memory.next + 1) % KEPT;
    leave_memory();
}

/* Not inlined: it needs more of the stack than a choice that is remembered. */
__attribute__((noinline)) static bool
find(struct choice *choice, const struct peal_situation *situation, const char *name)
{
    struct peal_situation asked = *situation;
    struct kept kept;

    choice->parameter = 0;
    choice->algorithm = name == NULL ? peal_algorithm_choose(situation)
                                     : peal_algorithm_parse(situation->collective, name, &asked.parameter);
    if (choice->algorithm == NULL || choice->algorithm->loaded != NULL || peal_algorithm_fits(choice->algorithm, situation, NULL) != PEAL_OK)
        return false;
    choice->parameter = peal_algorithm_parameter(choice->algorithm, &asked);
    if (note(&kept, situation, name, choice))
        keep(&kept);
    return true;
}

bool
choice_make(struct choice *choice, const struct peal_situation *situation, const char *name)
{
    return recall(situation, name, choice) || find(choice, situation, name);
}
