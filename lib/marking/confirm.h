/* SPDX-License-Identifier: MIT */
/* A function that was proved, run once more with each node in a process of its own.
 *
 * The nodes of a proof share the memory of one process, which no check of single accesses can defend.  So a mark is
 * confirmed where they share nothing: each node is a sandboxed process whose only channel is a socket to the
 * coordinator.  The coordinator makes every post of a node on a machine of its own, carries the messages, and compares
 * results and charge.  The data are random; a node's data are known only to that node and the coordinator.
 *
 * Who guarantees what to whom:
 *
 *   the parent  Ends the coordinator at the deadline, whatever that does.  It reads findings of a fixed size; a list
 *               without its end confirms nothing.
 *   the coordinator   Trusts no node's process, where the submission may have replaced any code.  It accepts a message
 *               only if its kind is known, its lengths are within the limits, and its posts and groups exist.  Any
 *               other message, or silence until the deadline of the run, ends the run.  Rounds, costs and the
 *               expected results are computed by the coordinator's own code.
 *   to a node   It gets its own random words, and what the coordinator's machine delivers to it.  No node gets its
 *               words before all processes have loaded the program and can open nothing more (CONFIRM_READY,
 *               sandbox_is_shut).
 *   in time     The coordinator reads one node's socket at a time, in the order of its machine: except for the
 *               deadline, the speed of the processes changes nothing.  Posts have no answer.  A node sends a post
 *               before its next message, so the coordinator gets its acts in order.
 *   two runs    Each case is run twice with different words.  A node's acts (peers, tags, rounds, groups) must be
 *               equal in both (for a program, where that is asked for): otherwise they could carry words that are not
 *               charged.  They are compared as digests at a key drawn after the processes were started, so no node
 *               knows it.
 *   the end     A node's process ends when the coordinator closes its socket, or ends. */
#pragma once

#include "lib/check/confirmation.h"
#include "lib/check/runner.h"
#include "lib/child/child.h"

/* ------------------------------------------------------------------ confirm.c and confirm_node.c */

/* A message from a node's process to the coordinator; its contents, if any, follow. */
struct confirm_message {
    enum confirm_what {
        CONFIRM_READY,   /* it has loaded the program: its first message */
        CONFIRM_POST,    /* as a struct peal_post; for a send `words` words follow, a receive takes at most that many */
        CONFIRM_WAIT,    /* for `number` posts, whose numbers follow; answered for each */
        CONFIRM_ASK,     /* for `number` posts, as `ask` of struct remote, with `tag` as enough; answered for each */
        CONFIRM_PROBE,   /* at once; answered */
        CONFIRM_REST,    /* a round; answered */
        CONFIRM_COMPUTE, /* `words` operations */
        CONFIRM_CLOCK,   /* answered */
        CONFIRM_RANDOM,  /* answered by CONFIRM_RANDOMS words: the next numbers of the node's own */
        CONFIRM_PRINT,   /* `words` bytes follow */
        CONFIRM_SPLIT,   /* `peer` the color, `tag` the key; answered by the members of the group */
        CONFIRM_MEET, /* of `peer` nodes, whose ranks follow (-1: all), then `words` bytes; `tag`: in a group; answered
                          * by what all bring */
        CONFIRM_FAIL, /* `number` the kind; a message of `words` bytes follows */
        CONFIRM_END /* the elements of the node's result follow, `words` of them; its last `number` draws are unused */
    } what;
    int peer, tag;
    uint32_t context, number;
    uint64_t words, note;
    uint8_t kind, mode; /* of a post: enum peal_post_kind, enum peal_send_mode */
    uint8_t collective; /* that posts it: enum peal_collective */
    bool lenient;
};

/* The coordinator's answer: to a wait, or to a question that brought a message, whose words follow. */
struct confirm_answer {
    bool complete;
    int source, tag;
    uint64_t words, delivered, note;
    double clock;
    uint32_t context; /* of the group of a split or a meeting; that of a split has `source` members, whose world
                       * ranks follow, and `tag` is the rank in it */
};

/* An order from the coordinator to a node's process: the next run.  The node's random words, its data, follow: the
 * system draws each on its own, so that nothing shorter determines them. */
struct confirm_order {
    int number; /* of the run */
    uint64_t words;
};

/* A run: its check, its case, and the cases of the check. */
struct confirm_run {
    int task;
    struct peal_check_case where;
};

enum { CONFIRM_MAX_WORDS = 1 << 22, CONFIRM_MAX_POSTS = 1 << 10, CONFIRM_MAX_NODES = 1 << 10, CONFIRM_RANDOMS = 256 };

/* confirm_node.c: read all bytes; false at the end, after an error, or when the time is over (0: no limit).  Write all
 * of both buffers, likewise. */
bool confirm_read(int socket, void *bytes, size_t count, double deadline);
bool confirm_write(int socket, const void *head, size_t head_bytes, const void *more, size_t bytes, double deadline);

/* ------------------------------------------------------------------ confirm.c and confirm_serve.c */

/* A post that a node's process made. */
struct judged_post {
    struct peal_handle handle;
    char *words;
    bool receive;
};

/* A node, as the coordinator sees it. */
struct node_process {
    struct child child;
    struct judged_post *posts;
    size_t post_count, post_room;
    struct peal_node *
        *groups; /* by context / 2: the program's view and the collectives'; NULL: it is not in the group */
    size_t group_room;
    uint64_t *drawn, *row; /* of this run: its random words, its result */
    size_t drawn_count, drawn_room, row_words;
    /* Digests of what it did in this run and in the last one, without its data.  For a program lengths and notes have
     * digests of their own. */
    uint64_t acts, acts_before, lengths, lengths_before, notes, notes_before;
    size_t printed;      /* bytes */
    bool ready;          /* its program is loaded, and it can open nothing more */
    bool entered, waits; /* in this run: it has its order to begin; it waits for other nodes */
};

struct coordinator {
    const struct confirm_task *tasks;
    const struct unit *unit;
    const struct confirm_run *runs;
    int run_count, process_count;
    struct node_process *processes;
    uint64_t key;     /* of the digests: drawn after the nodes' processes were forked, so that they have no copy */
    uint64_t shared;  /* bytes that a node's process shares with the coordinator's */
    bool program;     /* judges a whole program: there are no tasks, runs or runner */
    bool mpi;         /* the program is one for MPI */
    uint64_t refused; /* collectives, as of struct peal_check, of this run */
    struct runner runner;
    struct peal_machine *machine; /* of this run and the other run of its case */
    int number;                   /* of this run */
    double deadline;              /* of this run */
    double last;
    int idle_rounds; /* of a barrier: the most rounds in a row without a message before a late node enters */
};

/* confirm.c: start the process of each node, which calls `node` with its rank and its socket; end them.  Whether the
 * nodes did the same in the run before, of the same case with other data: then what they send, to whom, when and with
 * which tags carries nothing that is not charged.  Forget the run. */
bool confirm_start(struct coordinator *coordinator, void (*node)(void *arg, int rank, int socket), void *arg);
void confirm_end(struct coordinator *coordinator);
bool confirm_acts_are_the_same(const struct coordinator *coordinator, int nodes, char text[300]);
void confirm_clear(struct node_process *process);

/* confirm.c: run the coordinator in a process of its own, until the deadline of peal_spent_seconds; its report is
 * *text, which the caller frees.  errors: PEAL_RESOURCES, with CONFIRM_ENDS_EARLY if it reports nothing */
enum peal_status confirm_coordinate(struct coordinator *coordinator, int (*be)(void *coordinator, struct child *child),
                                    double deadline, char **text, size_t *bytes, struct peal_error *error);
#define CONFIRM_ENDS_EARLY "it could not be run in separate processes"

/* confirm_digest.c: add the node's message, and the contents that follow it, to the digests of what it does. */
void confirm_note_message(const struct coordinator *coordinator, struct node_process *process,
                          const struct confirm_message *message);
void confirm_note(const struct coordinator *coordinator, struct node_process *process, const void *bytes, size_t count);

/* confirm_serve.c: draw further random words for the node.  False: the system gives none. */
bool confirm_draw(struct node_process *process, size_t count);

/* The program of a node of the coordinator's machine: have the node's process begin, and do what it asks for.  `arg`
 * is the coordinator. */
void confirm_serve(struct peal_node *me, void *arg);

/* Begin to be the process of node `rank`, in its sandbox, on the engine that asks the coordinator.  `prints`: the
 * coordinator gets what the node prints, and draws its random numbers. */
void confirm_enter(int rank, int socket, bool mpi, bool prints);

/* The program is loaded: open nothing more, and report that to the coordinator.  Wait for the order to make the next
 * run; false: there is none.  End a run that failed, or one of a program. */
void confirm_ready(void);
bool confirm_next(struct confirm_order *order);
void confirm_fail(enum peal_failure_kind kind, const char *text);
void confirm_leave(void);

/* Be the process of node `rank`, in its sandbox, until the coordinator closes the socket; does not return. */
void confirm_be_node(void *coordinator, int rank, int socket);
