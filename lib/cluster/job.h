/* SPDX-License-Identifier: MIT */
/* The engine whose nodes are the processes of an MPI job.
 *
 *   plug.c     finds the library of the MPI that the job runs under, and begins it
 *   engine.c   a machine of that job: its runs, from the first barrier to the agreement on how they ended
 *   cluster_node.c     the replacement of posts and parks: messages go out at once, waits poll for them
 *   log.c      the record of this process's node: posts, waits, splits, collectives, computing, printing
 *   cluster_watch.c    node 0 asks the others for their logs when nothing moves, and at the end
 *   replay.c   the logs as a node program on a machine of this process, which charges them and finds failures */
#pragma once

#include "lib/cluster/wire.h"
#include "lib/machine/carrier.h"
#include <peal/author.h>
#include <peal/observe.h>

/* ------------------------------------------------------------------ plug.c */

/* The library that this process has begun, and all its processes; NULL before. */
extern const struct wire_kind *plugged;
extern struct wire *world_wire;
extern const void *world_communicator; /* the caller's; NULL: all processes */

/* ------------------------------------------------------------------ log.c */

enum record_kind {
    LOG_SEND,
    LOG_RECEIVE,
    LOG_SENT, /* a post and its wait in one record */
    LOG_RECEIVED,
    LOG_CONSUME, /* a wait for a post came back, or a test succeeded */
    LOG_TEST,    /* consecutive failed tests of one post */
    LOG_REST,
    LOG_SPLIT,
    LOG_CALL, /* of a collective: see peal_declare_call */
    LOG_COMPUTE,
    LOG_PRINT,
    LOG_FAIL,
    LOG_END,
};

/* One action of a node. */
struct record {
    uint16_t kind;
    uint16_t site; /* the file of the call: log.sites[site] */
    int32_t line;
    union {
        struct {
            int32_t peer, tag; /* peer as the group ranks it, or PEAL_ANY_SOURCE */
            uint32_t context;
            uint32_t words; /* the lower half */
            union {
                uint32_t more_words; /* the upper half, of LOG_SEND and LOG_RECEIVE; of the other two it is 0 */
                int64_t ticks;       /* of LOG_SENT and LOG_RECEIVED, as of consume */
            };
        } post;
        struct {
            int64_t ticks;       /* since the run began; of a send 0 */
            uint32_t post;       /* its number among the node's posts */
            int32_t source, tag; /* of what came */
        } consume;
        struct {
            uint64_t count;
            uint32_t post;
        } test; /* and LOG_REST, without post */
        struct {
            uint32_t context, made; /* made 0: PEAL_NO_COLOR */
            int32_t color, key;
        } split;
        struct {
            uint64_t words, kind; /* struct call_kind: where it begins in log.text */
            uint32_t context;
            int32_t root;
        } call;
        int64_t operations;
        struct {
            uint64_t begin, count; /* of log.text */
            uint8_t failure;       /* LOG_FAIL: enum peal_failure_kind */
        } text;
    };
};

/* The part of a LOG_CALL that most calls share with others of the node: it is written once. */
struct call_kind {
    uint64_t list;
    int32_t by, parameter;
    uint16_t collective, algorithm, op; /* log.sites; 0: NULL */
    bool sized, blocks, rooted, shifts, unequal;
};

enum { RECENT_KINDS = 8 };
/* How many records ahead a cache line of the log is fetched: it arrives in time for short messages, and is still there
 * after long ones, which pass through the same cache. */
enum { RECORDS_AHEAD = 4 };
enum node_end { NODE_GOES_ON, NODE_IS_IDLE, NODE_HAS_ENDED, NODE_HAS_FAILED };

/* What goes to node 0 with each part of a log. */
struct log_state {
    uint64_t epoch;      /* grows whenever the node goes on after it waited */
    int end;             /* enum node_end */
    int state;           /* NODE_IS_IDLE: enum node_state */
    int site, line;      /* of its last call */
    struct record split; /* NODE_SPLITS: its arguments */
    double ticks_a_second;
    int64_t ended_ticks; /* since the run began */
    uint64_t question;   /* the last one that was answered */
    bool last;           /* no more will come */
};

/* The record of one node, and its state. */
struct log {
    struct record *records;
    size_t count, capacity;
    const void *last_file; /* for finding its site again */
    uint32_t posts;
    uint16_t last_site;
    int site_count;
    size_t site_room;
    char **sites; /* site 0 is NULL */
    char *text;
    size_t text_bytes, text_capacity;

    struct log_state now;
    uint32_t *awaited; /* NODE_WAITS: posts */
    uint32_t awaited_count;
    size_t awaited_capacity;

    /* of the node's own process */
    struct {
        struct peal_call call; /* its words and root have no meaning */
        uint64_t kind;
    } recent[RECENT_KINDS]; /* kinds of calls, for finding them again */
    unsigned kinds;
    size_t sent, text_sent; /* to node 0 already */
    size_t printed;         /* of node 0's process: bytes that the node prints, as far as its records are known */
};

void log_clear(struct log *log);
/* Clear it, but keep some memory for the next run. */
void log_reset(struct log *log);
/* Without memory the process ends. */
void log_enlarge(struct log *log);
uint16_t log_find_site(struct log *log, const char *file);

static inline uint16_t
log_site(struct log *log, const char *file)
{
    if (!file)
        return 0;
    return __builtin_expect(file == log->last_file, 1) ? log->last_site : log_find_site(log, file);
}

/* A new record of this kind, at this call; never NULL. */
static inline struct record *
log_add(struct log *log, enum record_kind kind, const char *file, int line)
{
    if (__builtin_expect(log->count == log->capacity, 0))
        log_enlarge(log);
    struct record *record = &log->records[log->count];

    __builtin_prefetch(record + RECORDS_AHEAD, 1);
    record->kind = (uint16_t)kind;
    record->site = log_site(log, file);
    record->line = line;
    log->count++;
    return record;
}

/* Where the kind of this call begins in log->text. */
uint64_t log_kind(struct log *log, const struct peal_call *call);
void log_text(struct log *log, struct record *record, const void *bytes, size_t count);
/* What has been added since the last call, as bytes that log_read understands, with the state; the caller frees
 * them. */
char *log_write(struct log *log, uint64_t question, bool last, size_t *bytes);
/* Add bytes of log_write to *log; false without memory, or if they make no sense. */
bool log_read(struct log *log, const char *bytes, size_t count);

/* ------------------------------------------------------------------ a machine's job */

enum control_kind { CONTROL_IDLE = 1, CONTROL_ASK, CONTROL_LOG, CONTROL_STOP, CONTROL_PRINTED };

/* The end of a run, for all processes. */
struct job_verdict {
    PEAL_EMBED(peal_fault, fault, PEAL_FAULT);
    int failed;
    struct peal_cost cost;
    struct peal_cost critical_path;
    uint64_t rounds;
};

/* Memory that the nodes write: see peal_machine_share. */
struct job_share {
    char *memory, *before;
    size_t bytes;
    struct job_share *next;
};

struct job {
    struct wire *wire;
    int64_t began_ticks;
    int64_t look_ticks; /* the time from which control messages are looked for */
    struct log log;     /* this process's */
    unsigned parks;

    struct peal_machine *machine;
    int64_t began;
    int64_t looked; /* when control messages were last looked for, and idle_since, in nanoseconds */
    int64_t idle_since;
    uint64_t reported; /* the last epoch reported to node 0 */
    bool unsaid;       /* the node has printed, and node 0 does not know */
    bool over;         /* it has ended: the next part of its log is the last */
    bool stopped;      /* by node 0 */
    bool expired;      /* the time is up; nodes know from machine->stopping */
    uint32_t *early;   /* eager sends that MPI has not completed yet */
    uint32_t early_count;
    size_t early_capacity;
    char **packed; /* by request: the bytes of a message of many pieces */
    size_t packed_count;
    struct job_share *shares;

    /* node 0's */
    struct log *logs;
    uint64_t question; /* the last one */
    int64_t asked;     /* when */
    bool open;         /* not all have answered the question */
    bool news;         /* since the last question */
    uint64_t quiet;    /* the sum of all epochs when the last question was answered */
    bool suspected;    /* the replay found a failure then */
    bool printed;      /* some process has, since the last question */
    int64_t pause;     /* between two questions for what was printed, in nanoseconds */
    struct peal_machine *replay;
    int output;            /* a file in memory: what the last replay printed; -1: none */
    size_t sure;           /* bytes of it that longer logs will not change */
    size_t shown;          /* bytes of it that are on the screen */
    double *round_seconds; /* of the last run: when each round's last wait came back, then how long it took */
    size_t round_count;    /* at least; more are 0 */
    double *samples;       /* one run after another: its whole time, then its rounds' */
    size_t sample_rounds;
    int sample_count;
    size_t sample_room;
    struct peal_measured measured;
    struct peal_spread *spreads;
};

static inline struct job *
job_of(const struct node *node)
{
    return node->context;
}

/* ------------------------------------------------------------------ cluster_node.c */

void node_posted(struct node *node, uint32_t id, int peer);
void node_waits(struct node *node, enum node_state state);
void node_consumed(struct node *node, uint32_t id);
bool node_tests(struct node *node, uint32_t id);
void node_computed(struct node *node, int64_t operations);
double node_clock(struct node *node);
void node_prints(struct node *node, const void *bytes, size_t count);
void node_calls(struct peal_node *me, const struct peal_call *call, const char *file, int line);
bool node_splits(struct node *node, struct split_call *call);
/* Release all requests of the node: its sends arrive or are discarded. */
void node_let_go(struct job *job, struct node *node);

/* ------------------------------------------------------------------ cluster_watch.c */

/* Called now and then while a node waits, and after its end until the run is over. */
void watch_look(struct job *job, bool at_once);
/* The node has ended: report to node 0. */
void watch_ended(struct job *job);

/* ------------------------------------------------------------------ replay.c */

enum replay_outcome { REPLAY_WELL, REPLAY_FAILED, REPLAY_SHORT };

/* Run the logs on job->replay.  REPLAY_SHORT: a node would have done more than its log has.  `whole`: the run is over;
 * `late`: the time is up, and a log that is short is a timeout.  What the nodes print is kept for replay_show. */
enum replay_outcome replay(struct job *job, bool whole, bool late);
/* Show new output of the last replay: all of it, or the part that is final. */
void replay_show(struct job *job, bool whole);
