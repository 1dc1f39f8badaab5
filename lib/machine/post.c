/* SPDX-License-Identifier: MIT */
/* Posts: the requests that a node's calls pass to the next round. */
#include "lib/machine/post.h"
#include "lib/base/text.h"
#include "lib/machine/failure.h"
#include "lib/machine/rules.h"
#include <peal/hints.h>

static const char *
verb(enum request_kind kind)
{
    static const char *const verbs[] = {
        [REQUEST_SEND] = "send to",  [REQUEST_RECEIVE] = "receive from",        [REQUEST_PUT] = "put to",
        [REQUEST_GET] = "get from",  [REQUEST_UPDATE] = "update the memory of", [REQUEST_LOCK] = "lock",
        [REQUEST_UNLOCK] = "unlock",
    };

    return verbs[kind];
}

void
peal_advise_partner(struct peal_node *me, int peer, bool sends, const char *instead)
{
    int size = me->group->size, rank = me->rank, nodes = me->node->machine->options.nodes;

    if (rank == 0 && peer < 0 && -peer < size)
        peal_advise(me, PEAL_HINT(partner_of_first), -peer, size, size, -peer, size, instead);
    else if (peer < 0 && -(int64_t)peer <= size)
        peal_advise(me, PEAL_HINT(partner_below), instead, size);
    else if (peer == size && rank == size - 1)
        peal_advise(me, PEAL_HINT(partner_of_last), rank, size, size,
                    strstr(instead, "MPI_") ? ", or name MPI_PROC_NULL" : "", size);
    else if (size < nodes && peer >= 0 && peer < nodes)
        peal_advise(me, PEAL_HINT(partner_of_world), peer, size, size - 1);
    else if (peer >= 0 && peer <= 2 * size)
        peal_advise(me, PEAL_HINT(partner_beyond), size - 1, size, size, peer);
    else
        peal_advise(me, PEAL_HINT(partner_far), size - 1, rank);
    me->node->bad_partner = (struct bad_partner){me->group, instead, rank, peer, sends};
}

/* No node has this rank: end the run. */
static __attribute__((noinline, cold)) void
refuse_rank(struct peal_node *me, enum request_kind kind, int peer)
{
    peal_advise_partner(me, peer, kind != REQUEST_RECEIVE && kind != REQUEST_GET, "leave the call out");
    node_fail(me, PEAL_BAD_RANK, "cannot %s node %d: ranks are 0 to %d", verb(kind), peer, me->group->size - 1);
}

/* Check the arguments; gives the words of all pieces. */
static __attribute__((noinline)) size_t
check_post(struct peal_node *me, enum request_kind kind, const struct peal_piece *pieces, int count, int peer, int tag)
{
    size_t limit = me->words_limit, words = 0;

    if ((peer < 0 || peer >= me->group->size) && !(kind == REQUEST_RECEIVE && peer == PEAL_ANY_SOURCE))
        refuse_rank(me, kind, peer);
    if (tag < 0 && !(kind == REQUEST_RECEIVE && tag == PEAL_ANY_TAG))
        node_fail(me, PEAL_BAD_REQUEST, "cannot %s node %d with tag %d: tags are 0 and above", verb(kind), peer, tag);
    if (count < 0)
        node_fail(me, PEAL_BAD_SIZE, "cannot %s node %d a list of %d pieces", verb(kind), peer, count);
    for (int i = 0; i < count; i++) {
        if (pieces[i].words > limit - words) {
            node_advise_length(me, pieces[i].words);
            node_fail(me, PEAL_BAD_SIZE, "cannot %s node %d %zu words: %zu words of %zu bytes are the most", verb(kind),
                      peer, pieces[i].words, limit, peal_word_bytes(me));
        }
        if (pieces[i].words > 0 && !pieces[i].data)
            node_fail(me, PEAL_BAD_SIZE, "cannot %s node %d %zu %s%s at a null pointer", verb(kind), peer,
                      pieces[i].words, machine_unit(me->node->machine), plural(pieces[i].words));
        words += pieces[i].words;
    }
    if (kind == REQUEST_SEND && me->packet > 0 && words > me->packet && me->node->machine->options.noncombining) {
        peal_advise(me, PEAL_HINT(packet_by_packet), (unsigned long long)((words + me->packet - 1) / me->packet));
        node_fail(me, PEAL_NONCOMBINING,
                  "a message of %zu word%s to node %d bundles packets of %zu: this machine does not combine", words,
                  plural(words), peer, (size_t)me->packet);
    }
    return words;
}

/* Wait for a place in the box of this kind. */
static inline void
wait_for_place(struct node *node, struct round_node *boxes, enum request_kind kind)
{
    struct round *round = &node->machine->round;
    int32_t *used = kind == REQUEST_SEND ? &boxes->outbox : &boxes->mailbox;

    while (*used >= round->mailbox) {
        node->blocked_box = (uint8_t)kind;
        node_park(node, NODE_POSTS);
    }
    ++*used;
}

/* Keep the pieces until the request is consumed, in words of the machine; a message that is kept keeps its words. */
static __attribute__((noinline)) bool
keep_pieces(struct request *request, const struct peal_node *me, const struct peal_piece *pieces, int count)
{
    size_t word_bytes = peal_word_bytes(me);

    request->data = count > 0 ? pieces[0].data : NULL;
    request->piece_count = 1;
    if (request->flags & REQUEST_KEPT) {
        char *copy = malloc((size_t)(request->words / me->scale) * word_bytes);

        if (!copy && request->words > 0)
            return false;
        request->data = copy;
        for (int i = 0; i < count; i++) {
            if (pieces[i].words > 0)
                memcpy(copy, pieces[i].data, pieces[i].words * word_bytes);
            copy += pieces[i].words * word_bytes;
        }
    } else if (count > 1) {
        struct peal_piece *own = malloc((size_t)count * sizeof *own);

        if (!own)
            return false;
        for (int i = 0; i < count; i++)
            own[i] = (struct peal_piece){pieces[i].data, pieces[i].words * me->scale};
        request->pieces = own;
        request->flags |= REQUEST_PIECES;
        request->piece_count = (uint32_t)count;
    }
    return true;
}

/* The flags of a send from its post on: an eager or buffered one is complete. */
static uint16_t
flags_of(const struct peal_machine *machine, enum request_kind kind, uint64_t words, enum peal_send_mode mode)
{
    if (kind != REQUEST_SEND || mode == PEAL_SYNCHRONOUS)
        return 0;
    if (machine->options.eager && words <= machine->options.eager_words)
        return REQUEST_EAGER | REQUEST_KEPT | REQUEST_COMPLETE;
    return mode == PEAL_BUFFERED ? REQUEST_KEPT | REQUEST_COMPLETE : 0;
}

/* From now on a message may outlive its node. */
static void
note_kept(struct peal_machine *machine)
{
    if (!atomic_load_explicit(&machine->keeps, memory_order_relaxed))
        atomic_store_explicit(&machine->keeps, true, memory_order_relaxed);
}

__attribute__((noinline)) uint32_t
post_pieces(struct peal_node *me, enum request_kind kind, const struct peal_piece *pieces, int count, int peer, int tag,
            enum peal_send_mode mode)
{
    struct node *node = me->node;
    struct peal_machine *machine = node->machine;
    struct round_node *boxes = &machine->round.node[node->rank];
    size_t words = check_post(me, kind, pieces, count, peer, tag);

    wait_for_place(node, boxes, kind);

    uint32_t id = request_take(me, kind);
    struct request *request = &machine->requests[id];

    request_fill(request, me, words * me->scale, rank_in_world(me, peer), tag);
    if (machine->memory_hooks)
        machine->memory_hooks->posted(node, id, pieces, count, peal_word_bytes(me));
    request->flags |= flags_of(machine, kind, request->words, mode);
    if (request->flags & REQUEST_KEPT)
        note_kept(machine);
    if (!keep_pieces(request, me, pieces, count)) {
        request->flags = 0;
        node_fail(me, PEAL_OUT_OF_MEMORY, "no memory for a message of %zu words", words);
    }
    if (mode == PEAL_BUFFERED) {
        node->buffered++;
        node->buffered_words += request->words;
    }
    if (machine->remote)
        machine->remote->posted(node, id, peer);
    else
        hand_over(boxes, machine->requests, kind, id);
    return id;
}

/* ------------------------------------------------------------------ the calls */

static struct peal_handle
post_list(struct peal_node *me, enum request_kind kind, const struct peal_piece *pieces, int count, int peer, int tag,
          const char *file, int line)
{
    call_enter(me, file, line);
    struct peal_handle handle = request_handle(me, post_pieces(me, kind, pieces, count, peer, tag, PEAL_STANDARD));
    call_leave(me);
    return handle;
}

struct peal_handle
peal_sendv_async_at(struct peal_node *me, const struct peal_piece *pieces, int count, int dest, int tag,
                    const char *file, int line)
{
    return post_list(me, REQUEST_SEND, pieces, count, dest, tag, file, line);
}

struct peal_handle
peal_recvv_async_at(struct peal_node *me, const struct peal_piece *pieces, int count, int source, int tag,
                    const char *file, int line)
{
    return post_list(me, REQUEST_RECEIVE, pieces, count, source, tag, file, line);
}

static inline struct peal_handle
post_once(struct peal_node *me, enum request_kind kind, struct peal_piece piece, int peer, int tag, const char *file,
          int line)
{
    call_enter(me, file, line);
    struct peal_handle handle = request_handle(me, post_one(me, kind, piece, peer, tag));
    call_leave(me);
    return handle;
}

struct peal_handle
peal_send_async_at(struct peal_node *me, const void *buf, size_t words, int dest, int tag, const char *file, int line)
{
    return post_once(me, REQUEST_SEND, piece_to_send(buf, words), dest, tag, file, line);
}

struct peal_handle
peal_recv_async_at(struct peal_node *me, void *buf, size_t words, int source, int tag, const char *file, int line)
{
    return post_once(me, REQUEST_RECEIVE, (struct peal_piece){buf, words}, source, tag, file, line);
}

/* ------------------------------------------------------------------ posts with all arguments */

void
post_refuse(struct peal_node *me, const char *call)
{
    node_fail(me, PEAL_BAD_REQUEST, "%s is not supported on the engine mpi", call);
}

/* Keep the pieces, and after them the access to the peer's memory, in one allocation.  NULL without memory. */
static struct access *
keep_access(struct request *request, const struct peal_node *me, const struct peal_post *post, size_t words)
{
    size_t count = post->piece_count > 0 ? (size_t)post->piece_count : 1;
    struct peal_piece *pieces = calloc(1, count * sizeof *pieces + sizeof(struct access));

    if (!pieces)
        return NULL;
    struct access *access = (struct access *)(void *)(pieces + count);

    for (int i = 0; i < post->piece_count; i++)
        pieces[i] = (struct peal_piece){post->pieces[i].data, post->pieces[i].words * me->scale};
    *access = (struct access){.memory = post->remote.memory,
                              .result = post->remote.result,
                              .closure = post->remote.closure,
                              .apply = post->remote.apply,
                              .count = words,
                              .result_words = post->remote.result_words * me->scale};
    request->pieces = pieces;
    request->piece_count = (uint32_t)count;
    request->flags |= REQUEST_PIECES;
    return access;
}

static size_t
check_access(struct peal_node *me, enum request_kind kind, const struct peal_post *post)
{
    const struct peal_remote *remote = &post->remote;
    size_t words = check_post(me, kind, post->pieces, post->piece_count, post->peer, post->tag);

    if (me->node->machine->memory_hooks &&
        me->node->machine->options.word_bytes > 1) /* MPI's functions manage their own buffers */
        node_fail(me, PEAL_BAD_REQUEST, "one-sided messages are not supported where memory is watched");
    if (kind == REQUEST_UPDATE && !remote->apply)
        node_fail(me, PEAL_BAD_REQUEST, "cannot %s node %d without a function to apply", verb(kind), post->peer);
    if (remote->apply && post->piece_count > 1)
        node_fail(me, PEAL_BAD_REQUEST, "cannot %s node %d %d pieces with a function to apply: expected one",
                  verb(kind), post->peer, post->piece_count);
    if (!remote->apply && !remote->memory && words > 0)
        node_fail(me, PEAL_BAD_SIZE, "cannot %s node %d %zu word%s with its memory at a null pointer", verb(kind),
                  post->peer, words, plural(words));
    if (remote->result_words > me->words_limit)
        node_fail(me, PEAL_BAD_SIZE, "cannot %s node %d with a result of %zu words: expected at most %zu", verb(kind),
                  post->peer, remote->result_words, me->words_limit);
    if (remote->result_words > 0 && !remote->result)
        node_fail(me, PEAL_BAD_SIZE, "cannot %s node %d with a result of %zu word%s at a null pointer", verb(kind),
                  post->peer, remote->result_words, plural(remote->result_words));
    return words;
}

/* Post a one-sided request. */
static uint32_t
post_access(struct peal_node *me, const struct peal_post *given)
{
    struct peal_machine *machine = me->node->machine;
    struct round_node *boxes = &machine->round.node[me->node->rank];
    enum request_kind kind = REQUEST_PUT + (given->kind - PEAL_POST_PUT);
    struct peal_post post = *given;
    uint32_t lock = 0;

    atomic_store_explicit(&machine->accesses, true, memory_order_relaxed); /* seen when the phase is over */
    if (kind == REQUEST_LOCK || kind == REQUEST_UNLOCK) {
        post.piece_count = 0;
        post.remote = (struct peal_remote){0};
    }
    if (kind == REQUEST_UNLOCK) {
        lock = request_by_handle(me, post.message);
        if (machine->requests[lock].kind != REQUEST_LOCK || !(machine->requests[lock].flags & REQUEST_CONSUMED))
            node_fail(me, PEAL_BAD_REQUEST, "this is not a lock that a wait gave");
        post.peer = me->rank;
        post.tag = 0;
    }
    post_refuse_apart(me, "a one-sided message");
    size_t words = check_access(me, kind, &post);

    wait_for_place(me->node, boxes, REQUEST_SEND);
    uint32_t id = request_take(me, kind);
    struct request *request = &machine->requests[id];
    struct request_extra *extra = &machine->extras[id];

    request_fill(request, me, words * me->scale, lock ? machine->requests[lock].peer : rank_in_world(me, post.peer),
                 lock ? machine->requests[lock].tag : post.tag);
    *extra = (struct request_extra){.message = lock, .shared = post.shared, .combines = post.combines};
    extra->access = keep_access(request, me, &post, words);
    if (!extra->access)
        node_fail(me, PEAL_OUT_OF_MEMORY, "no memory for a one-sided message of %zu words", words);
    request->flags |= REQUEST_MATCHED | REQUEST_EXTRA;
    extra->note = (uint64_t)request->context << 32 | (uint32_t)request->tag;
    request->context = REQUEST_ONE_SIDED;
    if (lock) {
        machine->requests[lock].flags |= REQUEST_TAKEN;
        machine->requests[lock].generation++; /* it can be unlocked only once */
    }
    hand_over(boxes, machine->requests, REQUEST_SEND, id);
    return id;
}

/* Post a probe: it is in the list of receives, and takes no place in the box. */
static uint32_t
post_probe(struct peal_node *me, const struct peal_post *post)
{
    struct peal_machine *machine = me->node->machine;
    struct round_node *boxes = &machine->round.node[me->node->rank];
    enum request_kind kind = post->kind == PEAL_POST_PROBE ? REQUEST_PROBE : REQUEST_MATCHED_PROBE;

    if (kind == REQUEST_MATCHED_PROBE)
        post_refuse_apart(me, "a matched probe");
    check_post(me, REQUEST_RECEIVE, NULL, 0, post->peer, post->tag);
    uint32_t id = request_take(me, kind);
    struct request *request = &machine->requests[id];

    request_fill(request, me, 0, rank_in_world(me, post->peer), post->tag);
    request->context |= REQUEST_APART;
    request->data = NULL;
    request->piece_count = 1;
    request->flags = REQUEST_EXTRA;
    machine->extras[id] = (struct request_extra){.note = 0};
    if (machine->remote) {
        machine->remote->posted(me->node, id, post->peer);
        return id;
    }
    hand_over(boxes, machine->requests, REQUEST_RECEIVE, id);
    boxes->probes++;
    return id;
}

/* Post a receive of the message that a matched probe has found. */
static uint32_t
post_for_message(struct peal_node *me, const struct peal_post *post)
{
    struct peal_machine *machine = me->node->machine;
    uint32_t probe = request_by_handle(me, post->message);

    if (post->kind != PEAL_POST_RECEIVE || machine->requests[probe].kind != REQUEST_MATCHED_PROBE ||
        !(machine->requests[probe].flags & REQUEST_CONSUMED))
        node_fail(me, PEAL_BAD_REQUEST, "this is not a message that a matched probe gave for a receive");
    uint32_t id = post_pieces(me, REQUEST_RECEIVE, post->pieces, post->piece_count, me->rank, 0, PEAL_STANDARD);
    uint32_t send = machine->extras[probe].message;
    struct request *request = &machine->requests[id];

    request->context |= REQUEST_APART;
    request->peer = machine->requests[send].node;
    request->tag = machine->requests[send].tag;
    request->flags |= REQUEST_EXTRA;
    fill_extra(&machine->extras[id], post);
    machine->extras[id].message = send;
    machine->requests[send].partner = id;
    machine->round.node[me->node->rank].probes++;
    request_consume(me->node, probe);
    return id;
}

/* Make the next round check whether its receive was posted. */
static void
note_ready(struct node *node, uint32_t id)
{
    node->machine->extras[id].next_ready = node->ready;
    node->ready = id;
    atomic_store_explicit(&node->machine->readies, true, memory_order_relaxed);
}

uint32_t
post_all(struct peal_node *me, const struct peal_post *post)
{
    enum request_kind kind = post->kind == PEAL_POST_SEND ? REQUEST_SEND : REQUEST_RECEIVE;
    struct peal_machine *machine = me->node->machine;
    uint32_t id;

    if (post->kind == PEAL_POST_PROBE || post->kind == PEAL_POST_MATCHED_PROBE)
        return post_probe(me, post);
    if (post->kind >= PEAL_POST_PUT)
        return post_access(me, post);
    if (post->message.slot)
        return post_for_message(me, post);
    if (post->piece_count == 1 && post->mode == PEAL_STANDARD)
        id = post_one(me, kind, post->pieces[0], post->peer, post->tag);
    else
        id = post_pieces(me, kind, post->pieces, post->piece_count, post->peer, post->tag, post->mode);
    machine->requests[id].flags |= REQUEST_EXTRA;
    fill_extra(&machine->extras[id], post);
    if (kind == REQUEST_SEND && post->mode == PEAL_READY)
        note_ready(me->node, id);
    return id;
}

struct peal_handle
peal_post_at(struct peal_node *me, const struct peal_post *post, const char *file, int line)
{
    call_enter(me, file, line);
    post_refuse_remote(me, "peal_post");
    struct peal_handle handle = request_handle(me, post_all(me, post));
    call_leave(me);
    return handle;
}

/* Inlined for each kind. */
static inline __attribute__((always_inline)) bool
post_short(struct peal_node *me, enum request_kind kind, const struct peal_short_post *post, struct peal_handle *handle)
{
    if (!is_sure(me, kind, post->piece, post->peer, post->tag) || me->node->machine->remote)
        return false;
    *handle = request_handle(me, post_noted(me, kind, post));
    return true;
}

bool
peal_post_short_at(struct peal_node *me, enum peal_post_kind kind, const struct peal_short_post *post,
                   struct peal_handle *handle, const char *file, int line)
{
    bool posted;

    call_enter(me, file, line);
    if (kind == PEAL_POST_SEND)
        posted = post_short(me, REQUEST_SEND, post, handle);
    else
        posted = post_short(me, REQUEST_RECEIVE, post, handle);
    call_leave(me);
    return posted;
}

bool
peal_redirect_at(struct peal_node *me, struct peal_handle handle, const struct peal_piece *pieces, int count,
                 const char *file, int line)
{
    call_enter(me, file, line);
    post_refuse_remote(me, "peal_redirect");
    struct request *request = &me->node->machine->requests[request_by_handle(me, handle)];
    bool complete = request->flags & REQUEST_COMPLETE;
    size_t words = 0;

    if (request->kind != REQUEST_RECEIVE)
        node_fail(me, PEAL_BAD_REQUEST, "peal_redirect expects a receive, got a %s", request_verb(request));
    for (int i = 0; i < count; i++)
        words += pieces[i].words;
    if (!complete && words * me->scale != request->words)
        node_fail(me, PEAL_BAD_SIZE, "peal_redirect expects pieces of %zu words, got %zu",
                  (size_t)request->words / me->scale, words);
    if (!complete) {
        if (request->flags & REQUEST_PIECES)
            free(request->pieces);
        request->flags &= (uint16_t)~REQUEST_PIECES;
        if (!keep_pieces(request, me, pieces, count))
            node_fail(me, PEAL_OUT_OF_MEMORY, "no memory for a list of %d pieces", count);
    }
    call_leave(me);
    return !complete;
}

int
peal_buffered_at(struct peal_node *me, size_t *words, const char *file, int line)
{
    call_enter(me, file, line);
    *words = (size_t)me->node->buffered_words / me->scale;
    call_leave(me);
    return me->node->buffered;
}
