/* SPDX-License-Identifier: MIT */
/* The calls of a node program: posts, waits, and what a node knows of itself. */
#include "lib/base/plural.h"
#include "lib/machine/requests.h"
#include <stdlib.h>
#include <string.h>

/* What the program is told now depends on when it asked. */
static void
note_asking(struct peal_machine *machine)
{
    if (!atomic_load_explicit(&machine->asks_time, memory_order_relaxed))
        atomic_store_explicit(&machine->asks_time, true, memory_order_relaxed);
}

/* ------------------------------------------------------------------ who am I */

int
peal_rank(const struct peal_node *me)
{
    return me->rank;
}

int
peal_size(const struct peal_node *me)
{
    return me->group->size;
}

/* Called by programs that were compiled in spite of the warning. */
void
peal_elements_of_1_byte(void)
{
}

void
peal_elements_of_2_bytes(void)
{
}

void
peal_elements_of_4_bytes(void)
{
}

size_t
peal_word_bytes(const struct peal_node *me)
{
    return me->node->machine->options.word_bytes;
}

int
peal_world_rank(const struct peal_node *me)
{
    return me->node->rank;
}

bool
peal_is_world(const struct peal_node *me)
{
    return me->group == &me->node->machine->world;
}

int
peal_rank_in_world(const struct peal_node *me, int rank)
{
    return me->group->members ? me->group->members[rank] : rank;
}

const struct peal_network *
peal_node_network(const struct peal_node *me)
{
    return me->node->machine->network;
}

const struct peal_options *
peal_node_options(const struct peal_node *me)
{
    return &me->node->machine->options;
}

struct peal_node *
peal_self(void)
{
    return self ? &self->world : NULL;
}

/* ------------------------------------------------------------------ posts */

static const char *
verb(enum request_kind kind)
{
    return kind == REQUEST_SEND ? "send to" : "receive from";
}

static __attribute__((noinline)) void
check_post(struct peal_node *me, enum request_kind kind, const struct peal_piece *pieces, int count, int peer, int tag,
           const char *file, int line)
{
    size_t limit = me->node->machine->words_limit, words = 0;

    if ((peer < 0 || peer >= me->group->size) && !(kind == REQUEST_RECEIVE && peer == PEAL_ANY_SOURCE))
        node_fail(me, PEAL_BAD_RANK, file, line, "cannot %s node %d: ranks are 0 to %d", verb(kind), peer,
                  me->group->size - 1);
    if (peer == PEAL_ANY_SOURCE)
        atomic_store_explicit(&me->node->machine->any_source, true, memory_order_relaxed);
    if (tag < 0 && !(kind == REQUEST_RECEIVE && tag == PEAL_ANY_TAG))
        node_fail(me, PEAL_BAD_REQUEST, file, line, "cannot %s node %d with tag %d: tags are 0 and above", verb(kind),
                  peer, tag);
    if (count < 0)
        node_fail(me, PEAL_BAD_SIZE, file, line, "cannot %s node %d a list of %d pieces", verb(kind), peer, count);
    for (int i = 0; i < count; i++) {
        if (pieces[i].words > limit - words)
            node_fail(me, PEAL_BAD_SIZE, file, line, "cannot %s node %d %zu words: %zu words of %zu bytes are the most",
                      verb(kind), peer, pieces[i].words, limit, peal_word_bytes(me));
        if (pieces[i].words > 0 && !pieces[i].data)
            node_fail(me, PEAL_BAD_SIZE, file, line, "cannot %s node %d %zu word%s at a null pointer", verb(kind), peer,
                      pieces[i].words, plural(pieces[i].words));
        words += pieces[i].words;
    }
    if (kind == REQUEST_SEND && me->packet > 0 && words > me->packet && me->node->machine->options.noncombining)
        node_fail(me, PEAL_NONCOMBINING, file, line,
                  "a message of %zu word%s to node %d bundles packets of %zu: this machine does not combine", words,
                  plural(words), peer, me->packet);
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

/* Keep the pieces until the request is consumed; an eager message keeps its words. */
static __attribute__((noinline)) bool
keep_pieces(struct request *request, const struct peal_piece *pieces, int count, size_t word_bytes)
{
    request->data = count > 0 ? pieces[0].data : NULL;
    request->piece_count = 1;
    if (request->flags & REQUEST_EAGER) {
        char *copy = malloc(request->words * word_bytes);

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
        memcpy(own, pieces, (size_t)count * sizeof *own);
        request->pieces = own;
        request->flags |= REQUEST_PIECES;
        request->piece_count = (uint32_t)count;
    }
    return true;
}

/* Hang a request on the end of a list of its node's. */
static inline void
hang(struct request *requests, uint32_t *first, uint32_t *last, uint32_t id)
{
    if (*first)
        requests[*last].next = id;
    else
        *first = id;
    *last = id;
}

/* Say in a fresh request what is posted, but for its pieces. */
static inline void
fill(struct request *request, struct peal_node *me, size_t words, int peer, int tag, const char *file, int line)
{
    struct round *round = &me->node->machine->round;

    request->round = round->number;
    request->words = words;
    request->peer = peer;
    request->rank = me->rank;
    request->tag = tag;
    request->context = me->context;
    request->line = line;
    request->clock = round->clocks.node[me->node->rank];
    request->view = me;
    request->file = file;
}

/* Give the request to the round. */
static inline void
hand_over(struct round_node *boxes, struct request *requests, enum request_kind kind, uint32_t id)
{
    if (kind == REQUEST_SEND) {
        requests[id].sequence = boxes->sequence++;
        hang(requests, &boxes->posted, &boxes->posted_last, id);
    } else {
        hang(requests, &boxes->receives, &boxes->receives_last, id);
        boxes->received = true;
    }
}

/* Post whatever it is, or fail. */
static __attribute__((noinline)) uint32_t
post_pieces(struct peal_node *me, enum request_kind kind, const struct peal_piece *pieces, int count, int peer, int tag,
            const char *file, int line)
{
    struct node *node = me->node;
    struct peal_machine *machine = node->machine;
    struct round_node *boxes = &machine->round.node[node->rank];
    size_t words = 0;

    check_post(me, kind, pieces, count, peer, tag, file, line);
    for (int i = 0; i < count; i++)
        words += pieces[i].words;
    wait_for_place(node, boxes, kind);

    uint32_t id = request_new(node, kind);

    if (!id)
        node_fail(me, PEAL_OUT_OF_MEMORY, file, line, "%zu requests are open, and there is room for no more",
                  machine->request_limit);
    struct request *request = &machine->requests[id];

    fill(request, me, words, peer == PEAL_ANY_SOURCE ? peer : peal_rank_in_world(me, peer), tag, file, line);
    if (machine->memory_hooks)
        machine->memory_hooks->posted(node, id, pieces, count);
    if (kind == REQUEST_SEND && machine->options.eager && words <= machine->options.eager_words)
        request->flags |= REQUEST_EAGER | REQUEST_COMPLETE;
    if (!keep_pieces(request, pieces, count, machine->options.word_bytes)) {
        request->flags = 0;
        node_fail(me, PEAL_OUT_OF_MEMORY, file, line, "no memory for a message of %zu words", words);
    }
    if (machine->remote)
        machine->remote->posted(node, id, peer);
    else
        hand_over(boxes, machine->requests, kind, id);
    return id;
}

/* Whether nothing is wrong with the post, and it needs no look at the list of a machine's other limits (plain_posts). */
static inline bool
is_plain(const struct peal_node *me, struct peal_piece piece, int peer, int tag)
{
    return (unsigned)peer < (unsigned)me->group->size && tag >= 0 && piece.words <= me->node->machine->words_limit &&
           (piece.data || piece.words == 0);
}

/* Post one piece.  Most posts have a peer with a number, a place in the box, no limit but the machine's, and a slot that
 * was used before: nothing can go wrong with them. */
static inline uint32_t
post(struct peal_node *me, enum request_kind kind, struct peal_piece piece, int peer, int tag, const char *file,
     int line)
{
    struct node *node = me->node;
    struct peal_machine *machine = node->machine;

    struct round_node *boxes = &machine->round.node[node->rank];
    int32_t *used = kind == REQUEST_SEND ? &boxes->outbox : &boxes->mailbox;

    if (!is_plain(me, piece, peer, tag) || !machine->plain_posts || *used >= machine->round.mailbox ||
        !node->carrier->free_request)
        return post_pieces(me, kind, &piece, 1, peer, tag, file, line);
    ++*used;

    uint32_t id = request_new(node, kind);
    struct request *request = &machine->requests[id];

    fill(request, me, piece.words, peal_rank_in_world(me, peer), tag, file, line);
    request->data = piece.data;
    request->piece_count = 1;
    if (__builtin_expect(machine->remote != NULL, 0))
        machine->remote->posted(node, id, peer);
    else
        hand_over(boxes, machine->requests, kind, id);
    return id;
}

static struct peal_handle
handle_of(struct peal_node *me, uint32_t id)
{
    return (struct peal_handle){.slot = id, .generation = me->node->machine->requests[id].generation};
}

struct peal_handle
peal_sendv_async_at(struct peal_node *me, const struct peal_piece *pieces, int count, int dest, int tag,
                    const char *file, int line)
{
    enter(me, &file, &line);
    struct peal_handle handle = handle_of(me, post_pieces(me, REQUEST_SEND, pieces, count, dest, tag, file, line));
    leave(me);
    return handle;
}

struct peal_handle
peal_recvv_async_at(struct peal_node *me, const struct peal_piece *pieces, int count, int source, int tag,
                    const char *file, int line)
{
    enter(me, &file, &line);
    struct peal_handle handle = handle_of(me, post_pieces(me, REQUEST_RECEIVE, pieces, count, source, tag, file, line));
    leave(me);
    return handle;
}

/* The machine only reads what it sends: the const is given up for the one type of piece that both ways share. */
static struct peal_piece
piece_to_send(const void *buf, size_t words)
{
    return (struct peal_piece){.data = (void *)(uintptr_t)buf, .words = words};
}

static inline struct peal_handle
post_once(struct peal_node *me, enum request_kind kind, struct peal_piece piece, int peer, int tag, const char *file,
          int line)
{
    enter(me, &file, &line);
    struct peal_handle handle = handle_of(me, post(me, kind, piece, peer, tag, file, line));
    leave(me);
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

/* ------------------------------------------------------------------ waits */

static uint32_t
request_of(struct peal_node *me, struct peal_handle handle, const char *file, int line)
{
    struct peal_machine *machine = me->node->machine;

    if (handle.slot == 0 || handle.slot >= atomic_load_explicit(&machine->requests_used, memory_order_relaxed))
        node_fail(me, PEAL_BAD_REQUEST, file, line, "this is not a handle that a post gave");
    const struct request *request = &machine->requests[handle.slot];

    if (request->generation != handle.generation || request->kind == REQUEST_FREE)
        node_fail(me, PEAL_BAD_REQUEST, file, line, "this handle was waited for before: a handle is good for one wait");
    if (request->node != me->node->rank)
        node_fail(me, PEAL_BAD_REQUEST, file, line, "this handle belongs to node %d", request->node);
    return handle.slot;
}

/* The request is complete: move the node's clock on, and give its slot back. */
static inline struct peal_message
finish(struct node *node, uint32_t id)
{
    struct request *request = &node->machine->requests[id];
    struct clocks *clocks = &node->machine->round.clocks;
    struct peal_message message = {request->rank, request->tag, request->words};

    if (node->machine->memory_hooks)
        node->machine->memory_hooks->finished(node, id);
    if (node->machine->remote)
        node->machine->remote->consumed(node, id);
    else if (!(request->flags & REQUEST_EAGER)) /* an eager send was complete at its post */
        clock_advance(&clocks->parameters, &clocks->node[node->rank], clock_load(&request->clock));
    request_consume(node, id);
    return message;
}

/* The node is about to wait for the request: count it, if it is not complete. */
static inline void
await(const struct node *node, struct request *request)
{
    if (request->flags & REQUEST_COMPLETE)
        return;
    request->flags |= REQUEST_AWAITED;
    node->machine->round.node[node->rank].waiting++;
}

/* Wait until no request is awaited any more. */
static inline void
wait_for_awaited(struct node *node)
{
    if (node->machine->round.node[node->rank].waiting > 0)
        node_park(node, NODE_WAITS);
}

static struct peal_message
wait_for(struct node *node, uint32_t id)
{
    await(node, &node->machine->requests[id]);
    wait_for_awaited(node);
    return finish(node, id);
}

void
peal_wait_all_at(struct peal_node *me, const char *file, int line)
{
    struct node *node = me->node;
    struct request *requests = node->machine->requests;
    uint32_t next;

    enter(me, &file, &line);
    for (uint32_t id = node->open; id; id = requests[id].open_next)
        if (requests[id].view == me)
            await(node, &requests[id]);
    wait_for_awaited(node);
    for (uint32_t id = node->open; id; id = next) {
        next = requests[id].open_next;
        if (requests[id].view == me)
            finish(node, id);
    }
    leave(me);
}

struct peal_message
peal_wait_at(struct peal_node *me, struct peal_handle handle, const char *file, int line)
{
    enter(me, &file, &line);
    struct peal_message message = wait_for(me->node, request_of(me, handle, file, line));
    leave(me);
    return message;
}

bool
peal_test_at(struct peal_node *me, struct peal_handle handle, struct peal_message *message, const char *file, int line)
{
    struct request *requests = me->node->machine->requests;
    struct peal_message got;

    enter(me, &file, &line);
    note_asking(me->node->machine);
    uint32_t id = request_of(me, handle, file, line);

    if (me->node->machine->remote)
        me->node->machine->remote->test(me->node, id);
    else if (!(requests[id].flags & REQUEST_COMPLETE))
        node_park(me->node, NODE_TESTS);
    bool complete = requests[id].flags & REQUEST_COMPLETE;

    if (complete) {
        got = finish(me->node, id);
        if (message)
            *message = got;
    }
    leave(me);
    return complete;
}

void
peal_next_round_at(struct peal_node *me, const char *file, int line)
{
    enter(me, &file, &line);
    node_park(me->node, NODE_RESTS);
    leave(me);
}

/* ------------------------------------------------------------------ blocking calls */

/* One side of a blocking call. */
struct side {
    struct peal_piece piece;
    int peer, tag;
};

/* Whether the call can go the short way: the node has no other requests, so its boxes and lists are empty, and nothing can
 * go wrong with what it posts. */
static inline bool
goes_short(const struct peal_node *me, const struct side *send, const struct side *receive)
{
    const struct node *node = me->node;

    return node->machine->short_calls && node->open == 0 &&
           (!send || is_plain(me, send->piece, send->peer, send->tag)) &&
           (!receive || is_plain(me, receive->piece, receive->peer, receive->tag));
}

/* Fill in a request that its node awaits from the start; `other` is behind it in the node's list. */
static inline void
fill_blocking(struct request *request, struct peal_node *me, enum request_kind kind, const struct side *side,
              uint32_t other)
{
    request->round = me->node->machine->round.number;
    request->words = side->piece.words;
    request->data = side->piece.data;
    request->sequence = request->next = 0;
    request->node = me->node->rank;
    request->peer = peal_rank_in_world(me, side->peer);
    request->rank = me->rank;
    request->tag = side->tag;
    request->context = me->context;
    request->open_next = other;
    request->flags = REQUEST_AWAITED | REQUEST_BLOCKING;
    request->kind = (uint8_t)kind;
}

/* Post what there is of the two, wait for it and consume it: post, await, wait_for_awaited and finish in one, for a call
 * that goes_short.  The node's clock stands still while it is parked, and no transfer ends before it started: so its clock
 * is the latest end, and that of a port's last transfer is since when the port is free.  Inlined for each of the three
 * calls.  false: there are no slots for requests, nothing was done. */
static inline __attribute__((always_inline)) bool
exchange(struct peal_node *me, const struct side *send, const struct side *receive, struct peal_message *message)
{
    struct node *node = me->node;
    struct round *round = &node->machine->round;
    struct request *requests = round->requests;
    struct round_node *boxes = &round->node[node->rank];
    uint32_t first = node->carrier->free_request, second = send && receive ? requests[first].next : first;

    if (!first || !second) /* number 0 is all zero */
        return false;
    node->carrier->free_request = requests[second].next;
    node->open = first;
    node->open_last = second;
    if (send) {
        fill_blocking(&requests[first], me, REQUEST_SEND, send, receive ? second : 0);
        boxes->posted = boxes->posted_last = first;
        boxes->sequence = 1;
        boxes->outbox = 1;
    }
    if (receive) {
        fill_blocking(&requests[second], me, REQUEST_RECEIVE, receive, 0);
        boxes->receives = boxes->receives_last = second;
        boxes->received = true;
        boxes->mailbox = 1;
    }
    boxes->waiting = send && receive ? 2 : 1;
    node_park(node, NODE_WAITS);

    const struct peal_cost *send_end = &round->ports.free_at[ports_row(&round->ports, node->rank, PORT_SEND)];
    const struct peal_cost *receive_end = &round->ports.free_at[ports_row(&round->ports, node->rank, PORT_RECEIVE)];
    struct clock_lanes end = clock_load(receive ? receive_end : send_end);

    if (send && receive)
        end = clock_latest(&round->clocks.parameters, end, clock_load(send_end));
    clock_store(&round->clocks.node[node->rank], end);
    if (receive)
        *message = (struct peal_message){requests[second].rank, requests[second].tag, requests[second].words};
    node->open = node->open_last = 0;
    requests[first].kind = requests[second].kind = REQUEST_FREE;
    requests[second].next = node->carrier->free_request;
    if (send && receive)
        requests[first].next = second;
    node->carrier->free_request = first;
    return true;
}

void
peal_send_at(struct peal_node *me, const void *buf, size_t words, int dest, int tag, const char *file, int line)
{
    const struct side send = {piece_to_send(buf, words), dest, tag};

    enter(me, &file, &line);
    if (!goes_short(me, &send, NULL) || !exchange(me, &send, NULL, NULL))
        wait_for(me->node, post(me, REQUEST_SEND, send.piece, dest, tag, file, line));
    leave(me);
}

struct peal_message
peal_recv_at(struct peal_node *me, void *buf, size_t words, int source, int tag, const char *file, int line)
{
    const struct side receive = {{buf, words}, source, tag};
    struct peal_message message;

    enter(me, &file, &line);
    if (!goes_short(me, NULL, &receive) || !exchange(me, NULL, &receive, &message))
        message = wait_for(me->node, post(me, REQUEST_RECEIVE, receive.piece, source, tag, file, line));
    leave(me);
    return message;
}

/* Post both and wait, whatever they are. */
static __attribute__((noinline)) struct peal_message
exchange_any(struct peal_node *me, struct side out, struct side in, const char *file, int line)
{
    struct node *node = me->node;
    struct request *requests = node->machine->requests;
    uint32_t send = post(me, REQUEST_SEND, out.piece, out.peer, out.tag, file, line);
    uint32_t receive = post(me, REQUEST_RECEIVE, in.piece, in.peer, in.tag, file, line);

    await(node, &requests[send]);
    await(node, &requests[receive]);
    wait_for_awaited(node);
    finish(node, send);
    return finish(node, receive);
}

struct peal_message
peal_sendrecv_at(struct peal_node *me, const void *out, size_t out_words, int dest, int out_tag, void *in,
                 size_t in_words, int source, int in_tag, const char *file, int line)
{
    const struct side send = {piece_to_send(out, out_words), dest, out_tag}, receive = {{in, in_words}, source, in_tag};
    struct peal_message message;

    enter(me, &file, &line);
    if (!goes_short(me, &send, &receive) || !exchange(me, &send, &receive, &message))
        message = exchange_any(me, send, receive, file, line);
    leave(me);
    return message;
}

/* ------------------------------------------------------------------ time, chance, ends */

void
peal_compute_at(struct peal_node *me, int64_t operations, const char *file, int line)
{
    struct node *node = me->node;
    int64_t *tau = &node->machine->round.clocks.node[node->rank].tau;

    enter(me, &file, &line);
    if (operations < 0)
        node_fail(me, PEAL_BAD_SIZE, file, line, "cannot compute %lld operations", (long long)operations);
    if (operations >= INT64_MAX - *tau || operations >= INT64_MAX - node->operations) /* INT64_MAX: not counted */
        node_fail(me, PEAL_BAD_SIZE, file, line, "%lld more operations are too large to count", (long long)operations);
    node->operations += operations;
    *tau += operations;
    if (node->machine->remote)
        node->machine->remote->computed(node, operations);
    leave(me);
}

double
peal_clock(struct peal_node *me)
{
    struct peal_machine *machine = me->node->machine;

    note_asking(machine);
    if (machine->remote)
        return machine->remote->clock(me->node);
    return peal_cost_time(machine->round.cost, machine->options.parameters) +
           machine->options.parameters.tau * (double)me->node->operations;
}

uint64_t
peal_random(struct peal_node *me)
{
    /* SplitMix64 (Steele, Lea, Flood 2014) */
    uint64_t x = me->node->random += UINT64_C(0x9E3779B97F4A7C15);

    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

void
peal_abort_at(struct peal_node *me, const char *text, const char *file, int line)
{
    char plain[800]; /* a message is one line, whatever the program says, and nothing a terminal obeys */
    size_t length = 0;

    enter(me, &file, &line);
    for (; text && text[length] && length < sizeof plain - 1; length++)
        plain[length] = (unsigned char)text[length] < ' ' || text[length] == 0x7F ? ' ' : text[length];
    plain[length] = '\0';
    node_fail(me, PEAL_CRASH, file, line, "node %d aborted: %s", me->node->rank, plain);
}

void
peal_exit(struct peal_node *me)
{
    me->node->inside = true;
    siglongjmp(*me->node->entry, EXIT_DONE);
}

/* ------------------------------------------------------------------ collectives */

void
peal_packet(struct peal_node *me, size_t words)
{
    if (me->node->machine->options.noncombining) /* nobody else asks */
        me->packet = words;
}

void
peal_set_parameter(struct peal_node *me, int parameter)
{
    me->parameter = parameter;
}

int
peal_parameter(const struct peal_node *me)
{
    return me->parameter;
}
