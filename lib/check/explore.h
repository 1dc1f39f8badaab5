/* SPDX-License-Identifier: MIT */
/* All possible choices of the message that each receive from any source takes, one run after the other.
 *
 * While the explorer checks a machine, such a receive waits until nothing else can move.  Then the first one that has a
 * message to take, by rank and in the order of its node's posts, is looked at.  It takes its first message in this run,
 * and each other one in a separate run.  The message that it takes could be one that is only sent once another such
 * receive has gone on: so, if there is another one, it also waits in a separate run, in which it takes none of its
 * present messages.
 *
 * Where answers of tests and waits are explored, too, these are choices of the same kind: answers.h.
 *
 * Every possible way to match is made exactly once, up to the order in which matches are made that do not depend on one
 * another; peal-check(1) proves it.  Nodes that exchange messages in no run are explored apart: their choices add up,
 * and do not multiply.
 *
 *   thread   the one that makes the rounds, and between runs the one that runs the machine */
#pragma once

#include "lib/machine/hooks.h"
#include "lib/round/round.h"
#include <peal/check.h>

/* A choice that is explored: `taken` of `count` ways. */
struct point {
    int count, taken;
    uint32_t at;   /* the number of the run's choices before it */
    int levels[2]; /* of its last way, and of the one before (see answers.h): those before them have 0 */
    bool waits;    /* each way but the first has the level of the last */
};

/* The level of one of its ways. */
static inline int
point_level(const struct point *point, int way)
{
    int before = point->waits ? 0 : point->count - 1 - way;

    return way == 0 || before > 1 ? 0 : point->levels[before];
}

/* Which locks, and which memory of updates, several nodes ask for: only of these the order is explored.  They are known
 * by a number, which few share. */
enum { CONTENDED = 1024 };
struct contention {
    bool known[CONTENDED];  /* by an earlier run: requests wait for a choice */
    bool found[CONTENDED];  /* by this run */
    bool weighs[CONTENDED]; /* a request does not share it */
    int owner[CONTENDED];
    int asked[CONTENDED]; /* by one node, its rank + 1; by several -1; 0 */
};

struct asleep;  /* a message that a receive is not to take */
struct refused; /* a call in the code, and how often it has said "not yet" */
struct explorer;

/* One way to go on: a message for a receive, or an answer to a node's question (answers.h). */
struct offer {
    struct round_option option; /* of a message */
    int node;
    int choice; /* the sender; PEAL_CHOICE_* */
    bool answers;
    int level;
    bool waits; /* for another answer, while other tests say "not yet": the choice is the node's own rank */
};

/* Called when a choice is made among offers like this one. */
typedef void (*choice_teller)(struct explorer *explorer, struct peal_machine *machine, const struct offer *offer,
                              int choice);

struct explorer {
    struct match_chooser chooser; /* first: what the machine calls */
    struct round_listener listener;
    int nodes;
    struct point *points; /* of the run: those that are made again come first */
    size_t point_count, point_room, depth;
    struct asleep *asleep;
    size_t asleep_count, asleep_room;
    struct refused *refused;
    size_t refused_count, refused_room;
    int level;   /* of this run so far */
    bool beyond; /* calls could have said "not yet" more often than any run tries */
    struct offer
        *offers; /* what the first receive that has something to take may take now, or the answers of a question */
    size_t offer_count, offer_room;
    int *choices; /* of the run: senders, PEAL_CHOICE_* */
    size_t choice_count, choice_room;
    size_t described; /* the number of choices that describe the run: the rest took the first possible sender */
    const int *given; /* instead of exploring */
    size_t given_count;
    bool replays;
    bool misfit; /* a given choice does not exist */
    bool strays; /* a choice of an earlier run does not exist any more: the program is not the same each time */
    bool fixed;  /* points and choices lie in memory of another's, and do not grow */
    bool cut;    /* the run was only a prefix of runs that are made elsewhere: it proves nothing */
    bool no_memory;
    bool partial;                  /* not all answers to a question were offered */
    bool whole;                    /* the first run: all nodes count as one group */
    int *group;                    /* of nodes that exchange messages: a forest of parents */
    bool *explored, *chooses;      /* of a group, by its root: all its choices are done; of a node: it had a choice */
    int groups;                    /* their number */
    int active;                    /* the root of the group whose choices are explored */
    bool merged;                   /* it was joined with another one in this run */
    struct contention *contention; /* NULL: the order of locks and updates is not explored */
    choice_teller tell;            /* NULL */
    void *told_arg;
};

/* Make room for runs of up to `nodes` nodes.  errors: PEAL_RESOURCES.  explorer_fini also takes a zeroed one. */
enum peal_status explorer_init(struct explorer *explorer, int nodes, struct peal_error *error);
void explorer_fini(struct explorer *explorer);

/* Begin with a program on machines of `nodes` nodes: explore its choices; or make just those of a list, borrowed until
 * the end, and the first one wherever the list has come to its end. */
void explorer_begin(struct explorer *explorer, int nodes);
void explorer_replay(struct explorer *explorer, int nodes, const int *choices, size_t count);

/* Call before and after each run.  explorer_next: whether another run is to be made. */
void explorer_attach(struct explorer *explorer, struct peal_machine *machine);
bool explorer_next(struct explorer *explorer, const struct peal_machine *machine);

/* The parts of explorer_next, for those who keep the points themselves (orders.c): join the groups of two nodes; a
 * group's root; the first run is over, and all choices were those of one group; begin with the next group that has
 * choices. */
void explorer_join(struct explorer *explorer, int one, int other);
int explorer_root(const struct explorer *explorer, int node);
bool explorer_is_one_group(struct explorer *explorer);
bool explorer_next_group(struct explorer *explorer);

/* Have it explore the answers of tests and waits, too: before explorer_begin. */
void explorer_answer(struct explorer *explorer);

/* Whether the last run had any choice. */
bool explorer_chose(const struct explorer *explorer);
