/* SPDX-License-Identifier: MIT */
/* The critical path through a recorded call: its posts, transfers and waits in order.
 *
 * Usually all nodes begin a call at the same time c.  The clocks are then c and a constant: so it is whenever each
 * comparison of two clocks is decided in every coefficient, which does not depend on c. */
#include "lib/base/grow.h"
#include "lib/machine/score.h"
#include <stdlib.h>
#include <string.h>

static bool
times_make(struct score_times *times, size_t nodes)
{
    if (!(times->node = calloc(3 * nodes, sizeof *times->node)))
        return false;
    times->out = times->node + nodes;
    times->in = times->out + nodes;
    return true;
}

/* The clocks of a machine that has one port a node. */
static struct score_times
times_of(const struct peal_machine *machine)
{
    const struct round *round = &machine->round;

    return (struct score_times){.node = round->clocks.node,
                                .out = &round->ports.free_at[ports_row(&round->ports, 0, PORT_SEND)],
                                .in = &round->ports.free_at[ports_row(&round->ports, 0, PORT_RECEIVE)],
                                .last = round->clocks.last};
}

static void
times_copy(struct score_times *to, const struct score_times *from, size_t nodes)
{
    memcpy(to->node, from->node, nodes * sizeof *to->node);
    memcpy(to->out, from->out, nodes * sizeof *to->out);
    memcpy(to->in, from->in, nodes * sizeof *to->in);
    to->last = from->last;
}

static bool
same(const struct peal_cost *a, const struct peal_cost *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

bool
score_clocks_begin(struct score_clocks *clocks, const struct peal_machine *machine)
{
    size_t nodes = (size_t)machine->options.nodes;
    struct score_times now = times_of(machine);

    if (!times_make(&clocks->begin, nodes) || !times_make(&clocks->end, nodes) || !times_make(&clocks->gains, nodes))
        return false;
    times_copy(&clocks->begin, &now, nodes);
    return true;
}

/* The slot of a request, from 0; -1 without memory.  Requests that follow each other may have the same. */
static int32_t
slot_of(struct score_clocks *clocks, uint32_t request)
{
    if (!peal_grow_zeroed(&clocks->slots, &clocks->slots_room, (size_t)request + 1, sizeof *clocks->slots))
        return -1;
    if (!clocks->slots[request])
        clocks->slots[request] = ++clocks->slot_count;
    return clocks->slots[request] - 1;
}

static bool
add(struct score_clocks *clocks, struct score_step step)
{
    if (step.send < 0 || step.receive < 0 ||
        !grow(&clocks->steps, &clocks->steps_room, clocks->step_count + 1, sizeof *clocks->steps))
        return false;
    clocks->steps[clocks->step_count++] = step;
    return true;
}

bool
score_clocks_note(struct score_clocks *clocks, int32_t node, uint32_t request, int32_t step)
{
    return add(clocks, (struct score_step){.from = node, .send = slot_of(clocks, request), .cost = step});
}

bool
score_clocks_transfer(struct score_clocks *clocks, const struct peal_transfer *transfer, uint32_t send,
                      uint32_t receive, struct peal_cost alone)
{
    size_t last = clocks->cost_count;

    if (last == 0 || !same(&clocks->costs[last - 1], &alone, 1)) {
        if (last == INT32_MAX || !grow(&clocks->costs, &clocks->costs_room, last + 1, sizeof *clocks->costs))
            return false;
        clocks->costs[clocks->cost_count++] = alone;
    }
    return add(clocks, (struct score_step){transfer->from, transfer->to, slot_of(clocks, send),
                                           slot_of(clocks, receive), (int32_t)clocks->cost_count - 1});
}

/* The later clock; *even: false where that is not the one that is no less in every coefficient. */
static inline struct clock_lanes
latest(const struct peal_parameters *parameters, struct clock_lanes a, struct clock_lanes b, bool *even)
{
    if (even && clock_exceeds(a, b) && clock_exceeds(b, a))
        *even = false;
    return clock_latest(parameters, a, b);
}

static void
play(const struct score_clocks *clocks, const struct peal_parameters *parameters, struct score_times *times, bool *even)
{
    struct peal_cost *slots = clocks->clocks;
    struct clock_lanes last = clock_load(&times->last);

    for (size_t i = 0; i < clocks->step_count; i++) {
        const struct score_step *step = &clocks->steps[i];
        struct peal_cost *node = &times->node[step->from], *send = &slots[step->send];

        if (step->cost == SCORE_POST) {
            *send = *node;
        } else if (step->cost == SCORE_FINISH) {
            clock_store(node, latest(parameters, clock_load(node), clock_load(send), even));
        } else {
            struct peal_cost *receive = &slots[step->receive], *out = &times->out[step->from],
                             *in = &times->in[step->to];
            struct clock_lanes requests = latest(parameters, clock_load(send), clock_load(receive), even);
            struct clock_lanes ports = latest(parameters, clock_load(out), clock_load(in), even);
            struct clock_lanes end =
                clock_sum(latest(parameters, requests, ports, even), clock_load(&clocks->costs[step->cost]));

            last = latest(parameters, last, end, even);
            clock_store(send, end);
            clock_store(receive, end);
            clock_store(out, end);
            clock_store(in, end);
        }
    }
    clock_store(&times->last, last);
}

bool
score_clocks_end(struct score_clocks *clocks, const struct peal_machine *machine)
{
    size_t nodes = (size_t)machine->options.nodes;
    const struct peal_parameters *parameters = &machine->round.clocks.parameters;
    struct score_times *begin = &clocks->begin, *end = &clocks->end, now = times_of(machine);

    free(clocks->slots);
    clocks->slots = NULL;
    clocks->clocks = calloc((size_t)clocks->slot_count + 1, sizeof *clocks->clocks);
    if (!clocks->clocks)
        return false;
    play(clocks, parameters, begin, NULL);
    if (!same(begin->node, end->node, nodes) || !same(begin->out, now.out, nodes) || !same(begin->in, now.in, nodes) ||
        !same(&begin->last, &now.last, 1))
        return false;
    clocks->even = true;
    play(clocks, parameters, &clocks->gains, &clocks->even);
    free(begin->node);
    free(end->node);
    *begin = *end = (struct score_times){.node = NULL};
    return true;
}

/* Whether no clock is later than c in any coefficient, and those of the nodes are c. */
static bool
is_even(const struct score_times *times, size_t nodes, struct clock_lanes c)
{
    const struct clock_lanes cs[4] = {c, c, c, c};
    const struct peal_cost *first = &times->node[0];

    for (size_t i = 0; i < nodes; i++) {
        const struct peal_cost *node = &times->node[i], *out = &times->out[i], *in = &times->in[i];

        if (clocks_differ(cs, node, first, out, in) &&
            (!same(node, first, 1) || clock_exceeds(clock_load(out), c) || clock_exceeds(clock_load(in), c)))
            return false;
    }
    return true;
}

/* Set the clock to c and the gain; a gain of 0: it does not move. */
static inline void
gain(struct peal_cost *clock, struct clock_lanes c, const struct peal_cost *by)
{
    if (by->alpha > 0)
        clock_store(clock, clock_sum(c, clock_load(by)));
}

void
score_clocks_play(struct score_clocks *clocks, struct peal_machine *machine)
{
    size_t nodes = (size_t)machine->options.nodes;
    const struct peal_parameters *parameters = &machine->round.clocks.parameters;
    struct score_times now = times_of(machine);
    struct clock_lanes c = clock_load(&now.node[0]);

    if (clocks->even && is_even(&now, nodes, c)) {
        for (size_t i = 0; i < nodes; i++) {
            gain(&now.node[i], c, &clocks->gains.node[i]);
            gain(&now.out[i], c, &clocks->gains.out[i]);
            gain(&now.in[i], c, &clocks->gains.in[i]);
        }
        clock_store(&machine->round.clocks.last,
                    clock_latest(parameters, clock_load(&now.last), clock_sum(c, clock_load(&clocks->gains.last))));
        return;
    }
    play(clocks, parameters, &now, NULL);
    machine->round.clocks.last = now.last;
}

void
score_clocks_fini(struct score_clocks *clocks)
{
    free(clocks->steps);
    free(clocks->costs);
    free(clocks->slots);
    free(clocks->clocks);
    free(clocks->begin.node);
    free(clocks->end.node);
    free(clocks->gains.node);
    *clocks = (struct score_clocks){.steps = NULL};
}
