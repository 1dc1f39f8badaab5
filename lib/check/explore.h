/* SPDX-License-Identifier: MIT */
/* All possible choices of the message that each receive from any source takes, one run after the other.
 *
 * While the explorer checks a machine, such a receive waits until nothing else can move.  Then the first one that has a
 * message to take, by rank and in the order of its node's posts, is looked at.  It takes its first message in this run,
 * and each other one in a separate run.  It might also take a message that is sent only once another such receive has
 * gone on.  So, if there is another one, it waits in a further run, in which it takes none of its present messages.
 *
 * Answers of tests and waits, where they are explored, are choices of the same kind: answers.h.
 *
 * Every possible matching is made exactly once, up to the order of matches that do not depend on one another;
 * peal-check(1) proves it.  Nodes that exchange messages in no run are explored separately: their choices add up
 * instead of multiplying.
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
    int levels[2]; /* levels of its last way and the one before it (see answers.h); earlier ways have level 0 */
    bool waits;    /* all ways but the first have the level of the last */
};

/* The level of one of its ways. */
static inline int
point_level(const struct point *point, int way)
{
    int before = point->waits ? 0 : point->count - 1 - way;

    return way == 0 || before > 1 ? 0 : point->levels[before];
}

/* The locks, and the memory with updates, that several nodes ask for: only their order is explored.  They are known by
 * a number that few of them share. */
enum { CONTENDED = 1024 };
struct contention {
    bool known[CONTENDED];  /* by an earlier run: requests wait for a choice */
    bool found[CONTENDED];  /* by this run */
    bool weighs[CONTENDED]; /* a request does not share it */
    int owner[CONTENDED];
    int asked[CONTENDED]; /* by one node, its rank + 1; by several -1; 0 */
};

struct asleep;  /* a message that a receive must not take */
struct refused; /* a call in the code, and how often it got "not yet" */
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
    int level;            /* of this run so far */
    bool beyond;          /* calls could have got "not yet" more often than any run tries */
    struct offer *offers; /* the messages that the first receive with any may take now, or the answers of a question */
    size_t offer_count, offer_room;
    int *choices; /* of the run: senders, PEAL_CHOICE_* */
    size_t choice_count, choice_room;
    size_t described; /* the number of choices that describe the run: the rest took the first possible sender */
    const int *given; /* instead of exploring */
    size_t given_count;
    bool replays;
    bool misfit; /* a given choice does not exist */
    bool strays; /* a choice of an earlier run no longer exists: the program behaves differently each time */
    bool fixed;  /* points and choices lie in another's memory, and do not grow */
    bool cut;    /* the run was only a prefix of runs that are made elsewhere: it proves nothing */
    bool no_memory;
    bool partial;                  /* not all answers to a question were offered */
    bool whole;                    /* the first run: all nodes count as one group */
    int *group;                    /* of nodes that exchange messages: a forest of parents */
    bool *explored, *chooses;      /* of a group, by its root: all its choices are done; of a node: it had a choice */
    int groups;                    /* their number */
    int active;                    /* the root of the group whose choices are explored */
    bool merged;                   /* the active group was joined with another one in this run */
    struct contention *contention; /* NULL: the order of locks and updates is not explored */
    choice_teller tell;            /* NULL */
    void *told_arg;
};

/* Make room for runs of up to `nodes` nodes.  errors: PEAL_RESOURCES.  explorer_fini also takes a zeroed one. */
enum peal_status explorer_init(struct explorer *explorer, int nodes, struct peal_error *error);
void explorer_fini(struct explorer *explorer);

/* Begin with a program on machines of `nodes` nodes: explore its choices; or make those of a list, borrowed until the
 * end, and the first possible ones after the list's end. */
void explorer_begin(struct explorer *explorer, int nodes);
void explorer_replay(struct explorer *explorer, int nodes, const int *choices, size_t count);

/* Call before and after each run.  explorer_next: whether another run must be made. */
void explorer_attach(struct explorer *explorer, struct peal_machine *machine);
bool explorer_next(struct explorer *explorer, const struct peal_machine *machine);

/* groups.c: join the groups of two nodes; a group's root.  After the first run it is known which nodes exchange
 * messages: whether all choices were in one group; begin with the choices of the next group that has any, if one is
 * left. */
void explorer_join(struct explorer *explorer, int one, int other);
int explorer_root(const struct explorer *explorer, int node);
bool explorer_is_one_group(struct explorer *explorer);
bool explorer_next_group(struct explorer *explorer);

/* Make it explore the answers of tests and waits, too; call before explorer_begin. */
void explorer_answer(struct explorer *explorer);

/* Whether the last run had any choice. */
bool explorer_chose(const struct explorer *explorer);
