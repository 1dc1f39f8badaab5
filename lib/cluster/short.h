/* SPDX-License-Identifier: MIT */
/* The calls of the interface where nothing is out of the ordinary, from entry to end, once for each MPI: part of wire_mpi.c.
 *
 * What comes between the node's call and MPI's adds to every message's time, so it is a few compares here, and what is
 * written down is written while the message is on its way.  Whatever is not as plain as that is left to node.c: a call
 * before anything is done, by a jump to where that is seen to (..._unusual), a wait when it has taken long.
 *
 * A short message goes by MPI_Send, which asks less of MPI than MPI_Isend and a test.  That must not wait for the receive,
 * since nobody could end it when the run is a deadlock: so it is used where MPI_Isend was seen to be done with as long a
 * message to that process at once, EAGER_TIMES on end, which no transfer that waits for an answer is; and nowhere where
 * somebody has set MPI's own limits low (find_limits) or processes share cores, since it would spin when MPI is full. */
#ifndef LIB_CLUSTER_SHORT_H
#define LIB_CLUSTER_SHORT_H

#include "lib/cluster/job.h"
#include "lib/machine/requests.h"

enum { SHORT_BYTES = 256, EAGER_TIMES = 8 };

static inline struct mpi_wire *
wire_of(const struct job *job)
{
    return (struct mpi_wire *)job->wire;
}

/* Where messages of the context of the last short call go. */
static inline MPI_Comm
way_of(const struct job *job)
{
    MPI_Comm communicator;

    memcpy(&communicator, job->way.communicator, sizeof communicator);
    return communicator;
}

static inline struct peer *
peer_of(const struct job *job, int rank)
{
    return (struct peer *)job->way.peers + rank;
}

/* ------------------------------------------------------------------ what all calls do */

/* Whether nothing can be wrong with a post of one piece, and nothing is to be done but to hand it to MPI. */
static inline bool
is_plain(const struct job *job, const struct peal_node *me, const void *buf, size_t words, int peer, int tag)
{
    return me->group == job->group && me->context == job->context && (uint32_t)peer < job->group_size &&
           (uint32_t)tag <= job->most_tags && words < job->plain_words && (buf || words == 0);
}

/* Whether there is a place for a record and the name of the file is known. */
static inline bool
is_prepared(const struct job *job, const struct peal_node *me, const char *file)
{
    return job->log.count < job->ahead && (me->file ? me->file : file) == job->log.last_file;
}

/* Note the group and the context of a call, and what follows from them. */
static void
look_up(struct job *job, const struct peal_node *me)
{
    const struct context *context = &wire_of(job)->contexts[me->context];

    _Static_assert(sizeof context->communicator <= sizeof job->way.communicator, "the place is large enough");
    job->group = me->group;
    job->group_size = (uint32_t)me->group->size;
    job->context = me->context;
    job->way.peers = context->peers;
    memcpy(job->way.communicator, &context->communicator, sizeof context->communicator);
}

/* A call is not plain or not prepared for: see to it that it is, if that can be.  Calls go there at their begin and are
 * made again, so that they need not keep their words for it. */
static bool
make_plain(struct peal_node *me, const void *buf, size_t words, int peer, int tag, const char *file, int line)
{
    struct job *job = me->node->context;

    if (me->group != job->group || me->context != job->context)
        look_up(job, me);
    if (!is_plain(job, me, buf, words, peer, tag))
        return false;
    enter(me, &file, &line);
    job->general->prepare(job, file);
    return true;
}

/* The next record of the log; it is in the log when that has counted it.  It is filled before MPI is called, which costs no
 * more than keeping the words of the call elsewhere. */
static inline struct record *
begin_record(struct job *job, enum record_kind kind, int line)
{
    struct log *log = &job->log;
    struct record *record = &log->records[log->count];

    __builtin_prefetch(record + RECORDS_AHEAD, 1);
    record->kind = (uint16_t)kind;
    record->site = log->last_site;
    record->line = line;
    return record;
}

/* The same of a post and its wait. */
static inline struct record *
begin_both(struct job *job, enum record_kind kind, const struct peal_node *me, size_t words, int peer, int tag,
           int line)
{
    struct record *record = begin_record(job, kind, line);

    record->both.words = (uint32_t)words;
    record->both.peer = peer;
    record->both.tag = tag;
    record->both.context = me->context;
    record->both.ticks = 0;
    return record;
}

/* What the record of the call that is being made says, counted or not. */
static struct posting
posting_of(struct peal_node *me, const struct record *record)
{
    bool both = record->kind == LOG_SENT || record->kind == LOG_RECEIVED;

    return (struct posting){me,
                            both ? record->both.words : record->post.words,
                            both ? record->both.peer : record->post.peer,
                            both ? record->both.tag : record->post.tag,
                            me->node->file,
                            record->line};
}

static inline void
count_record(struct job *job)
{
    job->log.count++;
    job->log.posts++;
}

/* The post that was written down last is refused. */
static __attribute__((noinline)) void
refuse(struct peal_node *me)
{
    struct job *job = me->node->context;
    const struct posting letter = posting_of(me, &job->log.records[job->log.count - 1]);

    job->general->cannot_post(&letter);
}

static inline const struct general *
general_of(const struct peal_node *me)
{
    return ((const struct job *)me->node->context)->general;
}

/* ------------------------------------------------------------------ sends */

static void short_send(struct peal_node *me, const void *buf, size_t words, int dest, int tag, const char *file,
                       int line);

/* MPI_Isend was done with so long a message at once, or was not. */
static inline void
note_eager(struct peer *peer, int bytes, bool at_once)
{
    if (!at_once || bytes != peer->tried)
        peer->times = 0;
    peer->tried = (uint16_t)bytes;
    if (at_once && ++peer->times >= EAGER_TIMES && bytes >= peer->eager)
        peer->eager = (uint16_t)(bytes + 1);
}

/* Whether a message goes by MPI_Send. */
static inline bool
is_eager(const struct job *job, uint32_t bytes, int dest)
{
    return bytes <= SHORT_BYTES && bytes < peer_of(job, dest)->eager;
}

/* Post a send that is not known to be short; sets *complete when it is done at once. */
static __attribute__((noinline)) bool
post_long(const struct job *job, const struct peal_node *me, MPI_Request *request, const void *buf, int bytes, int dest,
          int tag, bool *complete)
{
    int done = 0;

    if (MPI_Isend(buf, bytes, MPI_BYTE, dest, tag, way_of(job), request) != MPI_SUCCESS)
        return false;
    /* MPICH sends to the own process when the receive is there */
    if (bytes > SHORT_BYTES || limited || job->wire->crowded || dest == me->rank)
        return true;
    if (MPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return false;
    note_eager(peer_of(job, dest), bytes, done);
    *complete = done;
    return true;
}

/* A blocking send of what is not known to be short. */
static __attribute__((noinline)) void
send_long(struct peal_node *me, const void *buf, size_t words, int dest, int tag, int line)
{
    struct job *job = me->node->context;
    const struct record *record = begin_both(job, LOG_SENT, me, words, dest, tag, line);
    int bytes = (int)((uint32_t)words * job->word_bytes), done = 0;
    enum wire_answer answer = WIRE_DONE;
    MPI_Request request;
    bool complete = false;

    if (!post_long(job, me, &request, buf, bytes, dest, tag, &complete))
        answer = WIRE_REFUSED;
    for (unsigned turn = 0; answer == WIRE_DONE && !complete && !done; turn++) {
        if (__builtin_expect(turn >= job->patience, 0))
            answer = WIRE_PENDING;
        else if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            answer = WIRE_BROKEN;
    }
    if (__builtin_expect(answer == WIRE_DONE, 1)) {
        count_record(job);
    } else {
        const struct posting letter = posting_of(me, record);

        wire_of(job)->now = answer == WIRE_REFUSED ? MPI_REQUEST_NULL : request;
        job->general->wait_for_call(true, &letter, answer);
    }
    leave(me);
}

static __attribute__((noinline)) void
send_unusual(struct peal_node *me, const void *buf, size_t words, int dest, int tag, const char *file, int line)
{
    if (make_plain(me, buf, words, dest, tag, file, line))
        short_send(me, buf, words, dest, tag, file, line);
    else
        general_of(me)->send(me, buf, words, dest, tag, file, line);
}

static void
short_send(struct peal_node *me, const void *buf, size_t words, int dest, int tag, const char *file, int line)
{
    struct job *job = me->node->context;

    if (__builtin_expect(!is_plain(job, me, buf, words, dest, tag) || !is_prepared(job, me, file), 0)) {
        send_unusual(me, buf, words, dest, tag, file, line);
        return;
    }
    enter(me, &file, &line);
    uint32_t bytes = (uint32_t)words * job->word_bytes;

    if (__builtin_expect(!is_eager(job, bytes, dest), 0)) {
        send_long(me, buf, words, dest, tag, line);
        return;
    }
    begin_both(job, LOG_SENT, me, words, dest, tag, line);
    int code = MPI_Send(buf, (int)bytes, MPI_BYTE, dest, tag, way_of(job));

    count_record(me->node->context);
    if (__builtin_expect(code != MPI_SUCCESS, 0))
        refuse(me);
    leave(me);
}

/* ------------------------------------------------------------------ receives */

/* What a plain receive asks for, on the context of the last short call. */
static inline struct wanted
wanted_of(const struct job *job, void *buf, size_t words, int source, int tag)
{
    return (struct wanted){buf, (int)((uint32_t)words * job->word_bytes), source, tag, job->context, way_of(job)};
}

/* When a wait came back.  Reading the clock takes a tenth of a short message's time, and so it is read while that is on its
 * way: before the first question and at one in four.  A short message has the time when it last was not there; one that
 * takes long to copy has the time after that. */
enum { LONG_WORDS = 128, LOOK_EVERY = 3 /* and one, a power of two */ };

static inline struct peal_message
message_of(const struct job *job, const struct record *record, uint64_t bytes)
{
    size_t words = __builtin_expect(job->word_bytes == 8, 1) ? bytes / 8 : bytes / job->word_bytes;

    return (struct peal_message){record->both.peer, record->both.tag, words};
}

/* What the record that is begun tells of has not come soon. */
static __attribute__((noinline)) struct peal_message
receive_late(struct peal_node *me, MPI_Request request, enum wire_answer answer)
{
    struct job *job = me->node->context;
    const struct posting letter = posting_of(me, &job->log.records[--job->log.count]);

    job->log.posts--;
    wire_of(job)->now = request;
    size_t bytes = job->general->wait_for_call(false, &letter, answer);

    leave(me);
    return (struct peal_message){letter.peer, letter.tag, bytes / job->word_bytes};
}

static struct peal_message short_receive(struct peal_node *me, void *buf, size_t words, int source, int tag,
                                         const char *file, int line);

static __attribute__((noinline)) struct peal_message
receive_unusual(struct peal_node *me, void *buf, size_t words, int source, int tag, const char *file, int line)
{
    return (make_plain(me, buf, words, source, tag, file, line) ? short_receive : general_of(me)->receive)(
        me, buf, words, source, tag, file, line);
}

static struct peal_message
short_receive(struct peal_node *me, void *buf, size_t words, int source, int tag, const char *file, int line)
{
    struct job *job = me->node->context;

    if (__builtin_expect(!is_plain(job, me, buf, words, source, tag) || !is_prepared(job, me, file), 0))
        return receive_unusual(me, buf, words, source, tag, file, line);
    enter(me, &file, &line);
    struct record *record = begin_both(job, LOG_RECEIVED, me, words, source, tag, line);
    unsigned look = words < LONG_WORDS ? LOOK_EVERY : UINT_MAX;
    struct kept *kept;
    MPI_Request request;
    MPI_Status status;
    int64_t looked = 0;
    int done = 0;

    count_record(job); /* receive_late takes it back */
    if (__builtin_expect(
            !begin_receive(&wire_of(job)->keeping, &kept, wanted_of(job, buf, words, source, tag), &request), 0))
        return receive_late(me, MPI_REQUEST_NULL, WIRE_REFUSED);
    if (look == LOOK_EVERY)
        looked = ticks_now();
    for (unsigned turn = 1;; turn++) {
        int code = MPI_Test(&request, &done, &status);

        if (__builtin_expect(code != MPI_SUCCESS, 0)) {
            lose(kept);
            return receive_late(me, request, explain(code, &status));
        }
        if (done)
            break;
        if (__builtin_expect(turn >= job->patience, 0))
            return receive_late(me, request, WIRE_PENDING);
        if ((turn & look) == 0)
            looked = ticks_now();
    }
    give_back(kept, &request);
    int64_t ticks = (looked ? looked : ticks_now()) - job->began_ticks;

    record->both.ticks = ticks;
    if (__builtin_expect(ticks > job->look_ticks, 0))
        job->general->look_around(job);
    leave(me);
    return message_of(job, record, (uint64_t)count_of(&status));
}

/* ------------------------------------------------------------------ posts, and a wait for all of them */

/* Make the few that are open requests of their own, for another post; without requests for new ones it is refused. */
static __attribute__((noinline)) void
clear_places(struct job *job, struct peal_node *me, size_t words, int peer, int tag)
{
    const struct posting letter = {me, words, peer, tag, me->node->file, me->node->line};

    job->general->settle(me->node);
    if (job->few.places[0].id == 0)
        job->general->cannot_post(&letter);
}

/* Another place among the few is taken by a post on this view. */
static inline int
take_place(struct job *job, struct peal_node *me, size_t words, int peer, int tag)
{
    struct few *few = &job->few;

    if (__builtin_expect(few->count > 0, 0)) {
        if (few->view == me && few->count < WIRE_MOST_AT_ONCE && few->post + (uint32_t)few->count == job->log.posts)
            return few->count;
        clear_places(job, me, words, peer, tag);
    }
    few->view = me;
    few->post = job->log.posts;
    return 0;
}

/* Post what is plain; gives its place among the few. */
static inline struct few_place *
post_plain(struct peal_node *me, enum request_kind kind, void *data, size_t words, int peer, int tag, int line)
{
    struct job *job = me->node->context;
    struct mpi_wire *wire = wire_of(job);
    struct few *few = &job->few;
    int bytes = (int)((uint32_t)words * job->word_bytes), i = take_place(job, me, words, peer, tag);
    struct record *record = begin_record(job, kind == REQUEST_SEND ? LOG_SEND : LOG_RECEIVE, line);
    bool complete = false, posted;

    record->post.words = words;
    record->post.peer = peer;
    record->post.tag = tag;
    record->post.context = me->context;
    few->places[i].record = job->log.count++;
    job->log.posts++;
    few->count = i + 1;
    if (kind == REQUEST_RECEIVE) {
        few->receives |= 1U << i;
        few->words = (uint32_t)words;
        few->asked |= 1U << i;
        posted = begin_receive(&wire->keeping, &wire->received, wanted_of(job, data, words, peer, tag), &wire->few[i]);
    } else if (__builtin_expect(is_eager(job, (uint32_t)bytes, peer), 1)) {
        posted = MPI_Send(data, bytes, MPI_BYTE, peer, tag, way_of(job)) == MPI_SUCCESS;
    } else {
        posted = post_long(job, me, &wire->few[i], data, bytes, peer, tag, &complete);
        few->asked |= (complete ? 0U : 1U) << i;
    }
    if (__builtin_expect(!posted, 0))
        refuse(me);
    return &few->places[i];
}

/* Inside of a call of the machine's. */
static uint32_t
short_post(struct peal_node *me, enum request_kind kind, struct peal_piece piece, int peer, int tag, const char *file,
           int line)
{
    struct job *job = me->node->context;

    if (__builtin_expect(!is_plain(job, me, piece.data, piece.words, peer, tag) || !is_prepared(job, me, file), 0) &&
        !make_plain(me, piece.data, piece.words, peer, tag, file, line))
        return 0;
    return (kind == REQUEST_SEND ? post_plain(me, REQUEST_SEND, piece.data, piece.words, peer, tag, line)
                                 : post_plain(me, REQUEST_RECEIVE, piece.data, piece.words, peer, tag, line))
        ->id;
}

static inline struct peal_handle
handle_of(const struct few_place *place)
{
    return (struct peal_handle){.slot = place->id, .generation = place->generation};
}

static struct peal_handle short_post_send(struct peal_node *me, const void *buf, size_t words, int dest, int tag,
                                          const char *file, int line);

static __attribute__((noinline)) struct peal_handle
post_send_unusual(struct peal_node *me, const void *buf, size_t words, int dest, int tag, const char *file, int line)
{
    return (make_plain(me, buf, words, dest, tag, file, line) ? short_post_send : general_of(me)->post_send)(
        me, buf, words, dest, tag, file, line);
}

static struct peal_handle
short_post_send(struct peal_node *me, const void *buf, size_t words, int dest, int tag, const char *file, int line)
{
    struct job *job = me->node->context;

    if (__builtin_expect(!is_plain(job, me, buf, words, dest, tag) || !is_prepared(job, me, file), 0))
        return post_send_unusual(me, buf, words, dest, tag, file, line);
    enter(me, &file, &line);
    const struct few_place *place = post_plain(me, REQUEST_SEND, (void *)(uintptr_t)buf, words, dest, tag, line);

    leave(me);
    return handle_of(place);
}

static struct peal_handle short_post_receive(struct peal_node *me, void *buf, size_t words, int source, int tag,
                                             const char *file, int line);

static __attribute__((noinline)) struct peal_handle
post_receive_unusual(struct peal_node *me, void *buf, size_t words, int source, int tag, const char *file, int line)
{
    return (make_plain(me, buf, words, source, tag, file, line) ? short_post_receive : general_of(me)->post_receive)(
        me, buf, words, source, tag, file, line);
}

static struct peal_handle
short_post_receive(struct peal_node *me, void *buf, size_t words, int source, int tag, const char *file, int line)
{
    struct job *job = me->node->context;

    if (__builtin_expect(!is_plain(job, me, buf, words, source, tag) || !is_prepared(job, me, file), 0))
        return post_receive_unusual(me, buf, words, source, tag, file, line);
    enter(me, &file, &line);
    const struct few_place *place = post_plain(me, REQUEST_RECEIVE, buf, words, source, tag, line);

    leave(me);
    return handle_of(place);
}

/* Ask for a receive or a send, job->patience times; *looked is when nothing had come at one question of `look` + 1. */
static inline enum wire_answer
test_one(const struct job *job, MPI_Request *request, unsigned look, int64_t *looked)
{
    int done = 0;

    for (unsigned turn = 1;; turn++) {
        int code = MPI_Test(request, &done, MPI_STATUS_IGNORE);

        if (__builtin_expect(code != MPI_SUCCESS, 0))
            return explain(code, NULL);
        if (done)
            return WIRE_DONE;
        if (__builtin_expect(turn >= job->patience, 0))
            return WIRE_PENDING;
        if ((turn & look) == 0)
            *looked = ticks_now();
    }
}

enum { SENT_LATE_WORDS = 1024 };

/* The same of several.  Short sends are often done at once: they are asked for once while the message that is waited for is
 * on its way, and again when it has come; long ones only then.  A test for all of them takes longer. */
static __attribute__((noinline)) enum wire_answer
test_several(const struct job *job, unsigned look, int64_t *looked)
{
    MPI_Request *requests = wire_of(job)->few;
    uint32_t receive = job->few.receives, sends = job->few.asked & ~receive;
    enum wire_answer answer = WIRE_DONE;

    for (uint32_t left = job->few.words < SENT_LATE_WORDS ? sends : 0; left; left &= left - 1) {
        int done = 0;

        if (MPI_Test(&requests[__builtin_ctz(left)], &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return WIRE_BROKEN;
        if (done)
            sends &= ~(left & -left);
    }
    if (receive)
        answer = test_one(job, &requests[__builtin_ctz(receive)], look, looked);
    for (; sends && answer == WIRE_DONE; sends &= sends - 1)
        answer = test_one(job, &requests[__builtin_ctz(sends)], look, looked);
    return answer;
}

/* Wait for all requests of a view where they are a few plain posts, one of them a receive or none, and that does not take
 * long; otherwise it is left to be done. */
static void
short_wait_all(struct peal_node *me, const char *file, int line)
{
    struct node *node = me->node;
    struct job *job = node->context;
    struct few *few = &job->few;
    enum wire_answer answer = WIRE_DONE;
    unsigned look = few->words < LONG_WORDS ? LOOK_EVERY : UINT_MAX;
    int64_t looked = 0, ticks = 0;

    if (__builtin_expect(few->count == 0 || few->view != me || (few->receives & (few->receives - 1)) != 0 || node->open,
                         0)) {
        job->general->wait_all(me, WIRE_DONE, file, line);
        return;
    }
    enter(me, &file, &line);
    if (look == LOOK_EVERY)
        looked = ticks_now();
    if (__builtin_expect((few->asked & (few->asked - 1)) != 0, 0))
        answer = test_several(job, look, &looked);
    else if (few->asked)
        answer = test_one(job, &wire_of(job)->few[__builtin_ctz(few->asked)], look, &looked);
    if (__builtin_expect(answer != WIRE_DONE, 0)) {
        if (answer != WIRE_PENDING && few->receives)
            lose(wire_of(job)->received);
        job->general->wait_all(me, answer, file, line);
        return;
    }
    if (__builtin_expect(!is_prepared(job, me, file), 0))
        job->general->prepare(job, file);
    struct record *record = begin_record(job, LOG_CONSUME, line);

    job->log.count++;
    if (few->receives) {
        ticks = (looked ? looked : ticks_now()) - job->began_ticks;
        give_back(wire_of(job)->received, &wire_of(job)->few[__builtin_ctz(few->receives)]);
    }
    record->consume.ticks = ticks;
    record->consume.post = few->post;
    record->consume.count = (uint32_t)few->count;
    record->consume.source = record->consume.tag = CAME_AS_POSTED;
    for (int i = 0; i < few->count; i++)
        few->places[i].generation++;
    if (few->count > few->stale)
        few->stale = few->count;
    few->receives = 0;
    few->asked = 0;
    few->count = 0;
    if (__builtin_expect(ticks > job->look_ticks, 0))
        job->general->look_around(job);
    leave(me);
}

#endif
