/* SPDX-License-Identifier: MIT */
/* The runs of a check, the smallest first: nodes, then separate buffers before those in place, then sizes, then
 * roots, then machines. */
#pragma once

#include "lib/check/ways.h"

enum { MAX_SIZES = 16, MAX_SETS = 4, MAX_NETWORKS = 23, MAX_PORTS = 6 };

/* The sizes of one number of nodes: m or n, and for a collective of blocks also lists of lengths. */
struct size {
    size_t words;
    const size_t *sizes; /* NULL: all of `words` */
    int size_count;
    unsigned names; /* bits: see sizes.h */
    bool again;     /* only for calls in other ways than once */
};

/* The sends and receives of a node in a round. */
struct port_kind {
    int count; /* or PEAL_PORTS_ALL */
    bool half_duplex;
};

/* The cases that are run on a network. */
enum network_role {
    NETWORK_DEFAULT, /* everything */
    /* where every link is a port and links are shared, for an algorithm that does not ask for it */
    NETWORK_SHARED,
    NETWORK_CHARGED /* one way to send, every second size: the charge, or refusal, on another kind of machine */
};

struct network {
    const char *topology;
    enum peal_switching switching;
    bool noncombining;
    enum network_role role;
};

/* All cases of one number of nodes are the combinations of these. */
struct cases {
    int nodes;
    struct size sizes[MAX_SIZES];
    int size_count;
    int called[CALLED_SIZES]; /* by enum called_size: the number in `sizes`; -1: none */
    int *turns;               /* roots, or distances, or nodes that are late */
    int turn_count;
    const int *sets[MAX_SETS]; /* of a multicast */
    int set_counts[MAX_SETS];
    int set_count;
    int *set_memory;
    struct network networks[MAX_NETWORKS];
    int network_count;
    struct port_kind ports[MAX_PORTS];
    int port_count;
    bool commutative[2];
    int op_count;
    bool in_place[2];
    int place_count;
};

enum { DELIVERIES = 3 };

enum { MAX_AGAIN = 5 }; /* the most nodes with which a function is called in other ways than once */

/* What was run, shared with the parent. */
struct run_tally {
    uint64_t kinds[PEAL_KINDS][PEAL_KINDS]; /* runs that were of both kinds */
    bool called[PEAL_CALLS][MAX_AGAIN + 1]; /* by way, whether this many nodes called in it; 0: more nodes */
    struct named {
        /* how many of the requested numbers of nodes above 1 had a size of each name, and how many had any */
        int numbers[32], all, last[32], last_of_all;
        unsigned of_one; /* names of sizes with P = 1 */
    } once, again;       /* of calls in other ways */
};

/* List the cases of `nodes` nodes.  owner: borrows the check; cases_fini frees.  errors: PEAL_RESOURCES */
enum peal_status cases_init(struct cases *cases, const struct peal_check *check, int nodes, struct peal_error *error);
void cases_fini(struct cases *cases);

/* Make what findings of the check refer to, so that it has the same address in a child that is forked later. */
void cases_prepare(const struct peal_check *check);

/* Whether a finding in this case is only a warning: in place, where that was not asked for, in a single call.  A
 * function that is right there must be right in place in all ways. */
bool cases_tolerated(const struct peal_check *check, const struct peal_check_case *where);

/* Numbers of nodes for which only some cases are run, ascending; 0 after the last. */
extern const int cases_beyond[];

/* The nodes of the machine of a case: those that call, and in a case of a group one that does not. */
int cases_machine_nodes(const struct peal_check_case *where);

/* Whether there are too many words for labels: such a case is run on lengths alone, with memory that holds nothing. */
bool cases_unstored(const struct peal_check_case *where);

/* Write that such a case was not decided, which is not a fault. */
void cases_say_undecided(size_t words, enum peal_failure_kind kind, char text[200]);

/* The words of such a case, with 2 nodes, that every function is run with, one of these; 0: the check has none. */
extern const size_t cases_far_words[2];
size_t cases_far(const struct peal_check *check);

/* Whether the i-th case is run in this way of calling.  In ways other than once, and on machines with more nodes than
 * the case, only on the first network. */
bool cases_is_called(const struct cases *cases, const struct peal_check *check, size_t i, const struct called_way *way);

/* Whether a case is among those that are asked for, and makes sense. */
bool cases_fits(const struct peal_check *check, const struct peal_check_case *where);

/* The first of the two calls of a case, which may have another root and other sizes. */
struct peal_check_case cases_earlier(const struct peal_check *check, const struct peal_check_case *where);

/* The i-th case with separate buffers. */
size_t cases_separate(const struct cases *cases, const struct peal_check *check, size_t i);

/* Count the runs of a case that were completed. */
void cases_count_runs(struct run_tally *tally, const struct cases *cases, const struct peal_check *check,
                      const struct peal_check_case *where, uint64_t runs);

/* The seconds of one run: fewer once another one was too late (`hurried`, or NULL). */
double cases_seconds(const struct peal_check *check, const _Atomic bool *hurried);

/* The most nodes that a run of the check has. */
int cases_most(const struct peal_check *check);

/* Whether this number of nodes is among those that are checked. */
bool cases_wanted(const struct peal_check *check, int nodes);

/* The number of ways to deliver. */
int cases_deliveries(const struct peal_check *check);

/* The number of cases, if all fit; the i-th of them, 0 the smallest. */
size_t cases_count(const struct cases *cases, const struct peal_check *check);
struct peal_check_case cases_get(const struct cases *cases, const struct peal_check *check, size_t i);

/* Whether the i-th is on a network, or charged in a way, that was not asked for. */
bool cases_is_extra(const struct cases *cases, const struct peal_check *check, size_t i);

/* Whether the i-th is left out: by its network's role; or, if it was not asked for, because a receive from any source
 * had a choice (`chose`), which takes many runs of each case. */
bool cases_needless(const struct cases *cases, const struct peal_check *check, size_t i, bool chose);

/* Write the options of `peal check` that run exactly this case, "-p 5 -r 3 -m 4 --ports 1 --delivery rendezvous". */
char *cases_text(const struct peal_check *check, const struct peal_check_case *where, char *text, size_t bytes);

/* The least size below `words` words that is larger than all smaller sizes that are run anyway. */
size_t cases_below(const struct cases *cases, size_t words);
