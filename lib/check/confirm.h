/* SPDX-License-Identifier: MIT */
/* A function that was proved, run once more with each node in a process of its own.
 *
 * The nodes of a proof share the memory of one process, which no check of single accesses can defend.  So a mark is
 * confirmed where they share nothing: each node is a sandboxed process that has a socket to the judge, and no other
 * way out.  The judge makes every post of a node on a machine of its own, carries the messages, and compares
 * results and charge.  The data are random, and each node's are known to it and to the judge alone. */
#pragma once

#include "lib/sandbox/unit.h"
#include <peal/check.h>

/* A check whose verdict is right so far.  A function that is not confirmed gets a finding in the verdict. */
struct confirm_task {
    const struct peal_check *check;
    struct peal_verdict *verdict;
};

/* Confirm checks of one unit, by at most `seconds`; 0: no limit.
 *
 *   blocks   for some dozen runs of each
 *   thread   no other thread may run in the process: it forks
 *   errors   PEAL_RESOURCES */
enum peal_status confirm(const struct confirm_task *tasks, int count, const struct unit *unit, double seconds,
                         struct peal_error *error);

/* ------------------------------------------------------------------ private: confirm.c and confirm_node.c */

#include "lib/check/runner.h"

/* What a node's process tells the judge; what it has to say beyond follows. */
struct confirm_message {
    enum confirm_what {
        CONFIRM_POST,    /* as a struct peal_post; of a send `words` words follow, a receive is of at most so many */
        CONFIRM_WAIT,    /* for `number` posts, whose numbers follow; answered for each */
        CONFIRM_ASK,     /* for `number` posts, as struct remote has it with `tag` enough; answered for each */
        CONFIRM_PROBE,   /* at once; answered */
        CONFIRM_REST,    /* a round; answered */
        CONFIRM_COMPUTE, /* `words` operations */
        CONFIRM_CLOCK,   /* answered */
        CONFIRM_SPLIT,   /* `peer` the color, `tag` the key; answered by who is in the group */
        CONFIRM_MEET, /* of `peer` nodes, whose ranks follow (-1: all), then `words` bytes; `tag`: in a group; answered
                          * by what all bring */
        CONFIRM_FAIL, /* `number` the kind; a message of `words` bytes follows */
        CONFIRM_END   /* the elements of the node's result follow, `words` of them */
    } what;
    int peer, tag;
    uint32_t context, number;
    uint64_t words, note;
    uint8_t kind, mode; /* of a post: enum peal_post_kind, enum peal_send_mode */
    bool lenient;
};

/* The judge's answer: to a wait, or to a question that brought a message, whose words follow. */
struct confirm_answer {
    bool complete;
    int source, tag;
    uint64_t words, delivered, note;
    double clock;
    uint32_t context; /* of the group of a split or a meeting; of a split that has `source` members, whose world ranks
                       * follow, and `tag` is the rank in it */
};

/* What the judge tells a node's process: the next run. */
struct confirm_order {
    int number; /* of the run */
    uint64_t key;
};

/* A run: its check, its case, and the cases that it is one of. */
struct confirm_run {
    int task;
    struct peal_check_case where;
};

enum { CONFIRM_MAX_WORDS = 1 << 22, CONFIRM_MAX_POSTS = 1 << 10, CONFIRM_MAX_NODES = 1 << 10 };

/* confirm_node.c: read all bytes; false at the end, after an error, or when the time is over (0: there is no end).
 * Write all of both. */
bool confirm_read(int socket, void *bytes, size_t count, double end);
bool confirm_write(int socket, const void *head, size_t head_bytes, const void *more, size_t bytes);

/* ------------------------------------------------------------------ private: confirm.c and confirm_serve.c */

/* A post that a node's process made. */
struct judged_post {
    struct peal_handle handle;
    char *words;
    bool receive;
};

/* A node, as the judge sees it. */
struct seat {
    pid_t process;
    int socket;
    struct judged_post *posts;
    size_t post_count, post_room;
    struct peal_node *
        *groups; /* by context / 2: the program's view and the collectives'; NULL: it is not in the group */
    size_t group_room;
    uint64_t key, *row; /* of this run: its data, its result */
    size_t row_words;
    uint64_t acts, acts_before; /* a digest of what it did in this run, but for its data, and in the last one */
    bool entered, waits;        /* in this run: it was told to begin; it waits for other nodes */
};

struct judge {
    const struct confirm_task *tasks;
    const struct confirm_run *runs;
    int run_count, seat_count;
    struct seat *seats;
    struct runner runner;
    struct peal_machine *machine; /* of this run, and of the other one of its case */
    int number;                   /* of this run */
    double end;                   /* of this run */
    double last;
    int idle_rounds; /* of a barrier: so many on end without a message, at most, until a node that comes late enters */
};

/* The program of a node of the judge's machine: have the node's process begin, and do what it asks for.  `arg` is the
 * judge. */
void confirm_serve(struct peal_node *me, void *arg);

/* Be the process of node `rank`, in its sandbox, until the judge closes the socket. */
_Noreturn void confirm_be_node(const struct confirm_task *tasks, const struct confirm_run *runs,
                               const struct unit *unit, int most_nodes, int rank, int socket);
