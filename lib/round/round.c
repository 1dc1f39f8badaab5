/* SPDX-License-Identifier: MIT */
#include "lib/network/network.h"
#include "lib/round/deliver.h"
#include "lib/round/match.h"
#include <stdlib.h>
#include <string.h>

bool
grow_more(void *array, size_t *capacity, size_t count, size_t element_bytes)
{
    size_t wanted = *capacity * 2 > count ? *capacity * 2 : count;
    void *old, *new;

    if (wanted < 16)
        wanted = 16;
    memcpy(&old, array, sizeof old);
    new = reallocarray(old, wanted, element_bytes);
    if (!new)
        return false;
    memcpy(array, &new, sizeof new);
    *capacity = wanted;
    return true;
}

enum peal_status
round_init(struct round *round, const struct peal_options *options, const struct peal_network *network,
           struct request *requests, struct peal_error *error)
{
    size_t nodes = (size_t)options->nodes;

    *round = (struct round){
        .nodes = options->nodes,
        .mailbox = options->mailbox,
        .word_bytes = options->word_bytes,
        .seed = options->seed,
        .keep = options->rounds,
        .eager = options->eager,
        .network = network,
        .pricing = {network, options->switching, options->congestion},
        .requests = requests,
        .plain = options->ports == 1 && !options->half_duplex && !options->eager,
        .any_waits = options->seed != 0,
        .clocks.parameters = options->parameters,
    };
    round->node = aligned_alloc(_Alignof(struct round_node), nodes * sizeof *round->node);
    round->clocks.node = calloc(nodes, sizeof *round->clocks.node);
    enum peal_status status = PEAL_OK;

    if (!round->node || !round->clocks.node)
        status = peal_refuse(error, PEAL_RESOURCES, "no memory for a machine of %d nodes", options->nodes);
    if (status == PEAL_OK)
        status = charger_init(&round->charger, &round->pricing, error);
    if (status == PEAL_OK)
        status = ports_init(&round->ports, options, network, error);
    if (status != PEAL_OK)
        round_fini(round);
    else
        round_reset(round);
    return status;
}

void
round_fini(struct round *round)
{
    charger_fini(&round->charger);
    ports_fini(&round->ports);
    recorder_fini(&round->recorder);
    free(round->node);
    free(round->clocks.node);
    free(round->order);
    free(round->cells);
    free(round->idle);
    free(round->sends);
    free(round->by_level);
    free(round->levels);
    free(round->late);
    free(round->touched);
    free(round->admitted);
    if (round->keep == PEAL_ROUNDS_NONE)
        free(round->transfers);
    free(round->copies);
    free(round->complete);
    free(round->released);
    free(round->taken);
    free(round->table);
    *round = (struct round){0};
}

void
round_hold(struct round *round, bool hold)
{
    round->hold = hold;
    round->any_waits = hold || round->seed != 0;
}

void
round_reset(struct round *round)
{
    memset(round->node, 0, (size_t)round->nodes * sizeof *round->node);
    memset(round->clocks.node, 0, (size_t)round->nodes * sizeof *round->clocks.node);
    round->clocks.last = round->cost = (struct peal_cost){0};
    round->number = 0;
    round->chosen.receive = 0;
    round->pending = round->holes = round->unmatched = round->celled = round->cell_count = 0;
    ports_reset(&round->ports);
    recorder_clear(&round->recorder);
}

/* ------------------------------------------------------------------ deliver */

bool
list_pieces(struct round *round, const struct request *receive, const struct request *send)
{
    struct peal_piece one_from = {send->data, send->words}, one_to = {receive->data, receive->words};
    const struct peal_piece *from = send->flags & REQUEST_PIECES ? send->pieces : &one_from;
    const struct peal_piece *to = receive->flags & REQUEST_PIECES ? receive->pieces : &one_to;
    size_t from_done = 0, to_done = 0; /* words of the piece at hand */
    uint64_t left = send->words;

    while (left > 0) {
        while (from->words == from_done)
            from++, from_done = 0;
        while (to->words == to_done)
            to++, to_done = 0;
        size_t words = from->words - from_done;

        if (words > to->words - to_done)
            words = to->words - to_done;
        if (words > left)
            words = left;
        if (!list_copy(round, (char *)to->data + to_done * round->word_bytes,
                       (const char *)from->data + from_done * round->word_bytes, words))
            return false;
        from_done += words;
        to_done += words;
        left -= words;
    }
    return true;
}

/* A request is complete; its node may go on when it was the last one awaited. */
static inline void
complete(struct round *round, struct request *request)
{
    unsigned flags = request->flags;

    request->flags = (uint16_t)((flags | REQUEST_COMPLETE) & ~(unsigned)REQUEST_AWAITED);
    if ((flags & REQUEST_AWAITED) && --round->node[request->node].waiting == 0)
        round->released[round->released_count++] = request->node;
}

/* The receive has its message, which ended then: say what came, give back its place. */
static inline bool
complete_receive(struct round *round, struct request *receive, struct request *send, struct clock_lanes end)
{
    if (!list_copies(round, receive, send))
        return false;
    receive->words = send->words;
    receive->rank = send->rank;
    receive->tag = send->tag;
    clock_store(&receive->clock, end);
    complete(round, receive);
    round->node[receive->node].mailbox--;
    if (send->flags & REQUEST_EAGER) {
        if (!grow(&round->taken, &round->taken_capacity, round->taken_count + 1, sizeof *round->taken))
            return false;
        send->flags |= REQUEST_TAKEN;
        round->taken[round->taken_count++] = receive->partner;
    }
    return true;
}

/* What the transfer costs by itself. */
static inline struct clock_lanes
cost_alone(struct round *round, uint64_t words, uint32_t hops)
{
    if (round->alone.words != words || round->alone.hops != hops || !round->alone.known) {
        round->alone.words = words;
        round->alone.hops = hops;
        round->alone.known = true;
        round->alone.cost = charge_alone(&round->pricing, words, hops);
    }
    return clock_load(&round->alone.cost);
}

/* When the transfer ends if each starts as soon as its two nodes and its ports allow.  receive: NULL when it is carried
 * ahead. */
static inline struct clock_lanes
path_end(struct round *round, const struct request *send, const struct request *receive,
         const struct peal_transfer *transfer)
{
    const struct peal_parameters *parameters = &round->clocks.parameters;
    struct ports *ports = &round->ports;
    struct clock_lanes end = clock_load(&send->clock);
    struct peal_cost *places[2];

    if (ports->places == 1) {
        places[0] = &ports->free_at[ports_row(ports, transfer->from, PORT_SEND)];
        places[1] = &ports->free_at[ports_row(ports, transfer->to, PORT_RECEIVE)];
    } else {
        ports_clocks(ports, parameters, transfer->from, transfer->to, places);
    }
    if (receive)
        end = clock_latest(parameters, end, clock_load(&receive->clock));
    end = clock_latest(parameters, end, clock_load(places[0]));
    end = clock_latest(parameters, end, clock_load(places[1]));
    end = clock_sum(end, cost_alone(round, transfer->words, transfer->hops));
    clock_store(places[0], end);
    clock_store(places[1], end);
    clock_advance(parameters, &round->clocks.last, end);
    return end;
}

static PREFETCHING void
prefetch_request(const struct request *request)
{
    __builtin_prefetch(request, 1);
    __builtin_prefetch(&request->clock, 1);
}

/* The same for a message that was carried before. */
static bool
complete_carried(struct round *round, struct request *receive)
{
    struct request *send = &round->requests[receive->partner];

    return complete_receive(round, receive, send, clock_load(&send->clock));
}

/* Ask for the requests of the transfers to come. */
static PREFETCHING void
prefetch_transfer(const struct round *round, size_t i, size_t count)
{
    if (i + 2 * ROUND_AHEAD >= count)
        return;
    prefetch_request(&round->requests[round->admitted[i + 2 * ROUND_AHEAD]]);
    prefetch_request(&round->requests[round->requests[round->admitted[i + ROUND_AHEAD]].partner]);
}

void
delivery_compute(struct round *round, struct delivery *delivery, const struct peal_transfer *transfer,
                 const struct peal_cost *const clocks[4])
{
    const struct peal_parameters *parameters = &round->clocks.parameters;
    struct clock_lanes sent = clock_load(clocks[0]), received = clock_load(clocks[1]);
    struct clock_lanes send_free = clock_load(clocks[2]), receive_free = clock_load(clocks[3]);
    struct clock_lanes start = clock_latest(parameters, clock_latest(parameters, sent, received),
                                            clock_latest(parameters, send_free, receive_free));

    delivery->words = transfer->words;
    delivery->hops = transfer->hops;
    delivery->before[0] = sent;
    delivery->before[1] = received;
    delivery->before[2] = send_free;
    delivery->before[3] = receive_free;
    delivery->end = clock_sum(start, cost_alone(round, transfer->words, transfer->hops));
    delivery->last = clock_latest(parameters, delivery->last, delivery->end);
}

/* The transfers of a plain round, but for those that direct.c has delivered. */
static bool
deliver_plain(struct round *round)
{
    struct delivery delivery = delivery_of(round);
    size_t count = round->transfer_count;

    for (size_t i = round->delivered; i < count; i++) {
        struct request *send = &round->requests[round->admitted[i]];

        prefetch_transfer(round, i, count);
        if (!deliver_one(round, &delivery, &round->transfers[i], send, &round->requests[send->partner]))
            return false;
    }
    delivery_end(round, &delivery);
    return true;
}

static bool
deliver_any(struct round *round)
{
    for (size_t i = 0; i < round->transfer_count; i++) {
        struct request *send = &round->requests[round->admitted[i]];

        prefetch_transfer(round, i, round->transfer_count);
        struct request *receive = send->flags & REQUEST_MATCHED ? &round->requests[send->partner] : NULL;
        struct clock_lanes end = path_end(round, send, receive, &round->transfers[i]);

        clock_store(&send->clock, end);
        round->node[round->transfers[i].from].outbox--;
        if (!(send->flags & REQUEST_EAGER))
            complete(round, send);
        if (!receive)
            send->flags |= REQUEST_CARRIED;
        else if (!complete_receive(round, receive, send, end))
            return false;
    }
    return true;
}

static bool
deliver(struct round *round)
{
    if (!grow(&round->released, &round->released_capacity, round->complete_count + round->transfer_count * 2,
              sizeof *round->released) ||
        !grow(&round->copies, &round->copies_capacity, round->transfer_count, sizeof *round->copies))
        return false;
    for (size_t i = 0; i < round->complete_count; i++)
        if (!complete_carried(round, &round->requests[round->complete[i]]))
            return false;
    return round->plain ? deliver_plain(round) : deliver_any(round);
}

void
round_delivered(struct round *round)
{
    size_t kept = 0;

    for (size_t i = 0; i < round->taken_count; i++) {
        struct request *send = &round->requests[round->taken[i]];

        free(send->data);
        send->data = NULL;
        if (send->flags & REQUEST_CONSUMED)
            round->taken[kept++] = round->taken[i];
    }
    round->taken_count = kept;
}

/* ------------------------------------------------------------------ charge */

static bool
record(struct round *round, struct peal_cost charge)
{
    round->cost = peal_cost_add(round->cost, charge);
    if (round->keep == PEAL_ROUNDS_NONE)
        return true;
    if (!recorder_round(&round->recorder, round->transfer_count)) /* they lie there already */
        return false;
    round->recorder.schedule.rounds[round->recorder.schedule.round_count - 1].charge = charge;
    return true;
}

/* The common round in one pass, as far as that goes; the general way from there on. */
static enum round_status
match_and_admit(struct round *round, const int32_t *active, size_t count, struct round_failure *failure)
{
    size_t done = 0;

    if (round->plain && round->unmatched + round->pending == 0 && !round_direct(round, active, count, &done, failure))
        return ROUND_NO_MEMORY;
    if (done == count && count > 0)
        return failure->request ? ROUND_FAILED : ROUND_MADE;

    enum round_status status = round_match(round, active + done, count - done, failure);

    return status == ROUND_MADE && !round_admit(round) ? ROUND_NO_MEMORY : status;
}

enum round_status
round_make(struct round *round, const int32_t *active, size_t count, int64_t operations, struct round_failure *failure)
{
    struct peal_cost charge = {0};

    *failure = (struct round_failure){0};
    round->complete_count = round->released_count = round->taken_count = round->copy_count = round->transfer_count = 0;
    round->delivered = 0;

    enum round_status status = match_and_admit(round, active, count, failure);

    if (status != ROUND_MADE) {
        direct_unmake(round);
        return status;
    }
    if (!charge_round(&round->charger, round->transfers, round->transfer_count, &charge) || !deliver(round))
        return ROUND_NO_MEMORY;
    charge.tau = operations;
    if ((round->transfer_count > 0 || operations > 0) && !record(round, charge))
        return ROUND_NO_MEMORY;
    round->number++;
    return ROUND_MADE;
}

bool
round_close(struct round *round, int64_t operations)
{
    round->complete_count = round->released_count = round->copy_count = round->transfer_count = 0;
    return operations == 0 || record(round, (struct peal_cost){.tau = operations});
}
