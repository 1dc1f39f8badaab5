/* SPDX-License-Identifier: MIT */
/* The critical path through a recorded call: its posts, transfers and waits in order.
 *
 * Usually all nodes begin a call at the same time c.  The clocks are then c and a constant: so it is whenever each
 * comparison of two clocks is decided in every coefficient, which does not depend on c. */
#include "lib/base/grow.h"
#include "lib/machine/score.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_REQUESTS = 1 << 20 };

/* The clocks of a machine that has one port a node. */
static struct score_times
times_of(struct peal_machine *machine)
{
    struct round *round = &machine->round;

    return (struct score_times){.node = round->clocks.node,
                                .out = &round->ports.free_at[ports_row(&round->ports, 0, PORT_SEND)],
                                .in = &round->ports.free_at[ports_row(&round->ports, 0, PORT_RECEIVE)],
                                .last = &round->clocks.last};
}

static bool
same(const struct peal_cost *a, const struct peal_cost *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

bool
score_clocks_begin(struct score_clocks *clocks, struct peal_machine *machine)
{
    size_t nodes = (size_t)machine->options.nodes, bytes = nodes * sizeof *clocks->times.node;
    struct score_times *times = &clocks->times, now = times_of(machine);

    clocks->parameters = machine->round.clocks.parameters;
    if (!(times->node = malloc(3 * bytes + sizeof *times->node)))
        return false;
    times->out = times->node + nodes;
    times->in = times->out + nodes;
    times->last = times->in + nodes;
    memcpy(times->node, now.node, bytes);
    memcpy(times->out, now.out, bytes);
    memcpy(times->in, now.in, bytes);
    *times->last = *now.last;
    return true;
}

/* ------------------------------------------------------------------ steps */

/* The later clock; *even: false where that is not the one that is no less in every coefficient. */
static inline struct clock_lanes
latest(const struct score_clocks *clocks, struct clock_lanes a, struct clock_lanes b, bool *even)
{
    if (even && clock_exceeds(a, b) && clock_exceeds(b, a))
        *even = false;
    return clock_latest(&clocks->parameters, a, b);
}

static inline void
perform(const struct score_clocks *clocks, const struct score_step *step, const struct score_times *times, bool *even)
{
    struct peal_cost *node = &times->node[step->from], *send = &clocks->requests[step->send];

    if (step->cost == SCORE_POST) {
        *send = *node;
    } else if (step->cost == SCORE_FINISH) {
        clock_store(node, latest(clocks, clock_load(node), clock_load(send), even));
    } else {
        struct peal_cost *receive = &clocks->requests[step->receive], *out = &times->out[step->from],
                         *in = &times->in[step->to];
        struct clock_lanes requests = latest(clocks, clock_load(send), clock_load(receive), even);
        struct clock_lanes ports = latest(clocks, clock_load(out), clock_load(in), even);
        struct clock_lanes end =
            clock_sum(latest(clocks, requests, ports, even), clock_load(&clocks->costs[step->cost]));

        clock_store(times->last, latest(clocks, clock_load(times->last), end, even));
        clock_store(send, end);
        clock_store(receive, end);
        clock_store(out, end);
        clock_store(in, end);
    }
}

static void
perform_all(const struct score_clocks *clocks, const struct score_times *times, bool *even)
{
    for (size_t i = 0; i < clocks->step_count; i++)
        perform(clocks, &clocks->steps[i], times, even);
}

/* ------------------------------------------------------------------ recording */

static bool
add(struct score_clocks *clocks, struct score_step step)
{
    size_t requests = 1 + (size_t)(step.send > step.receive ? step.send : step.receive);

    if (requests > MAX_REQUESTS ||
        !peal_grow_zeroed(&clocks->requests, &clocks->requests_room, requests, sizeof *clocks->requests) ||
        !grow(&clocks->steps, &clocks->steps_room, clocks->step_count + 1, sizeof step))
        return false;
    clocks->steps[clocks->step_count++] = step;
    perform(clocks, &step, &clocks->times, NULL);
    return true;
}

bool
score_clocks_note(struct score_clocks *clocks, int32_t node, uint32_t request, int32_t step)
{
    return add(clocks, (struct score_step){.from = node, .send = request, .cost = step});
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
    return add(clocks,
               (struct score_step){transfer->from, transfer->to, send, receive, (int32_t)clocks->cost_count - 1});
}

bool
score_clocks_left(const struct score_clocks *clocks, const struct peal_machine *machine, int node)
{
    return same(&clocks->times.node[node], &machine->round.clocks.node[node], 1);
}

bool
score_clocks_end(struct score_clocks *clocks, struct peal_machine *machine)
{
    size_t nodes = (size_t)machine->options.nodes;
    const struct score_times *times = &clocks->times, now = times_of(machine);

    if (!same(times->out, now.out, nodes) || !same(times->in, now.in, nodes) || !same(times->last, now.last, 1))
        return false;
    memset(times->node, 0, (3 * nodes + 1) * sizeof *times->node);
    clocks->even = true;
    perform_all(clocks, times, &clocks->even);
    return true;
}

/* ------------------------------------------------------------------ playing */

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

/* Set the clocks to c and the gains; a gain of 0: it does not move. */
static void
gain(struct peal_cost *clock, struct clock_lanes c, const struct peal_cost *by, size_t nodes)
{
    for (size_t i = 0; i < nodes; i++)
        if (by[i].alpha > 0)
            clock_store(&clock[i], clock_sum(c, clock_load(&by[i])));
}

void
score_clocks_play(const struct score_clocks *clocks, struct peal_machine *machine)
{
    size_t nodes = (size_t)machine->options.nodes;
    const struct score_times *gains = &clocks->times, now = times_of(machine);
    struct clock_lanes c = clock_load(&now.node[0]);

    if (!clocks->even || !is_even(&now, nodes, c)) {
        perform_all(clocks, &now, NULL);
        return;
    }
    gain(now.node, c, gains->node, nodes);
    gain(now.out, c, gains->out, nodes);
    gain(now.in, c, gains->in, nodes);
    clock_store(now.last,
                clock_latest(&clocks->parameters, clock_load(now.last), clock_sum(c, clock_load(gains->last))));
}

void
score_clocks_fini(struct score_clocks *clocks)
{
    free(clocks->steps);
    free(clocks->costs);
    free(clocks->requests);
    free(clocks->times.node);
    *clocks = (struct score_clocks){.steps = NULL};
}
