/* SPDX-License-Identifier: MIT */
/* Makes one round of a machine out of its stages, by the common way in one pass or the general one.  No other thread
 * may touch the requests meanwhile. */
#include "lib/network/network.h"
#include "lib/round/match.h"
#include <stdlib.h>

enum peal_status
round_init(struct round *round, const struct peal_options *options, const struct peal_network *network,
           struct request *requests, struct request_extra *extras, struct peal_error *error)
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
        .extras = extras,
        .one_port = options->ports == 1 && !options->half_duplex && !options->eager,
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
    free(round->settled);
    free(round->released);
    free(round->taken);
    free(round->accesses);
    free(round->replies);
    access_forget(round, true);
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
    round->access_count = 0;
    round->accessed = false;
    atomic_store_explicit(&round->cancels, false, memory_order_relaxed);
    round->pending = round->holes = round->unmatched = round->celled = round->cell_count = round->cells_done = 0;
    access_forget(round, false);
    ports_reset(&round->ports);
    recorder_clear(&round->recorder);
    round->course.rounds = 0;
}

/* ------------------------------------------------------------------ charge */

static void
note_charge(struct round *round, struct peal_cost charge)
{
    round->charge = charge;
    if (round->transfer_count == 0 && charge.tau == 0)
        return;
    round->cost = peal_cost_add(round->cost, charge);
    course_add(&round->course, round->transfers, round->transfer_count, charge, round->cost);
}

bool
round_keep(struct round *round)
{
    return round->keep == PEAL_ROUNDS_NONE || (round->transfer_count == 0 && round->charge.tau == 0) ||
           recorder_round(&round->recorder, round->transfer_count, round->charge);
}

/* The common round in one pass, as far as that goes; the general path from there on. */
static enum round_status
match_and_admit(struct round *round, const int32_t *active, size_t count, struct round_failure *failure)
{
    size_t done = 0;

    if (round->one_port && round->unmatched + round->pending == 0 &&
        !round_direct(round, active, count, &done, failure))
        return ROUND_NO_MEMORY;
    if (done == count && count > 0)
        return failure->request ? ROUND_FAILED : ROUND_MADE;

    enum round_status status = round_match(round, active + done, count - done, failure);

    return status == ROUND_MADE && !round_admit(round) ? ROUND_NO_MEMORY : status;
}

enum round_status
round_make(struct round *round, const int32_t *active, size_t count, int64_t operations, struct round_failure *failure)
{
    struct peal_cost cost = {0};

    *failure = (struct round_failure){0};
    round->complete_count = round->released_count = round->taken_count = round->copy_count = round->transfer_count = 0;
    round->settled_count = round->reply_count = 0;

    enum round_status status = match_and_admit(round, active, count, failure);

    if (status == ROUND_MADE && atomic_load_explicit(&round->cancels, memory_order_relaxed) &&
        !round_cancel(round, active, count))
        status = ROUND_NO_MEMORY;
    if (status != ROUND_MADE) {
        round->transfer_count = 0;
        return status;
    }
    if (!charge_round(&round->charger, round->transfers, round->transfer_count, &cost) || !round_deliver(round))
        return ROUND_NO_MEMORY;
    cost.tau = operations;
    note_charge(round, cost);
    round->number++;
    return ROUND_MADE;
}

void
round_close(struct round *round, int64_t operations)
{
    round->complete_count = round->released_count = round->copy_count = round->transfer_count = 0;
    note_charge(round, (struct peal_cost){.tau = operations});
}
