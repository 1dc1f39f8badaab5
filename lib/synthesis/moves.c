/* SPDX-License-Identifier: MIT */
/* Turns a solution into an ordered list of moves without waste, and verifies any list by carrying it out. */
#include "lib/synthesis/encode.h"
#include <stdlib.h>
#include <string.h>

static int
compare_moves(const void *a, const void *b)
{
    const struct peal_move *x = a, *y = b;
    const int one[] = {x->step, x->from, x->to, x->message, x->chunk},
              other[] = {y->step, y->from, y->to, y->message, y->chunk};

    for (int i = 0; i < 5; i++)
        if (one[i] != other[i])
            return one[i] < other[i] ? -1 : 1;
    return 0;
}

/* By step, from, to, message, chunk. */
static void
moves_sort(struct peal_move *moves, size_t count)
{
    if (count > 0)
        qsort(moves, count, sizeof *moves, compare_moves);
}

void
moves_reverse(struct peal_move *moves, size_t count)
{
    int last = 0;

    for (size_t i = 0; i < count; i++)
        last = moves[i].step > last ? moves[i].step : last;
    for (size_t i = 0; i < count; i++) {
        struct peal_move move = moves[i];

        moves[i] = (struct peal_move){last - move.step, move.to, move.from, move.message, move.chunk};
    }
    moves_sort(moves, count);
}

/* ------------------------------------------------------------------ reading */

/* Drop the useless moves: those to nodes that neither want the chunk nor pass it on, and all but the first to a node.
 * Goes from the last step to the first. */
static size_t
drop_useless(const struct problem *problem, struct peal_move *moves, size_t count)
{
    size_t cells = (size_t)problem->chunk_count * (size_t)problem->nodes, kept = 0;
    bool *needed = calloc(2 * cells, sizeof *needed), *arrived = needed ? needed + cells : NULL;

    if (needed == NULL)
        return count; /* it is a schedule even so */
    for (size_t i = 0; i < count; i++) {
        size_t cell = (size_t)moves[i].chunk * (size_t)problem->nodes + (size_t)moves[i].to;

        if (arrived[cell])
            moves[i].step = -1;
        arrived[cell] = true;
    }
    for (size_t i = count; i-- > 0;) {
        const struct peal_move *move = &moves[i];
        size_t row = (size_t)move->chunk * (size_t)problem->nodes;

        if (move->step < 0)
            continue;
        if (needed[row + (size_t)move->to] || problem->chunks[move->chunk].wanted >> move->to & 1)
            needed[row + (size_t)move->from] = true;
        else
            moves[i].step = -1;
    }
    for (size_t i = 0; i < count; i++)
        if (moves[i].step >= 0)
            moves[kept++] = moves[i];
    free(needed);
    return kept;
}

/* Give the chunks of a link to as many messages as it has wires, as equally as can be. */
static void
split_messages(const struct problem *problem, struct peal_move *moves, size_t count)
{
    for (size_t first = 0, end; first < count; first = end) {
        int capacity = (int)peal_network_capacity(problem->asked.network, moves[first].from, moves[first].to);

        for (end = first; end < count && moves[end].step == moves[first].step && moves[end].from == moves[first].from &&
                          moves[end].to == moves[first].to;
             end++)
            moves[end].message = (int)(end - first) % capacity;
    }
}

/* Number the steps and the messages of each pair from 0, without gaps. */
static void
close_gaps(struct peal_move *moves, size_t count)
{
    int step = -1, was = -1;

    for (size_t i = 0; i < count; i++) {
        if (moves[i].step != was)
            step++;
        was = moves[i].step;
        moves[i].step = step;
    }
    for (size_t i = 0; i < count;) {
        int message = -1, before = -1;
        size_t first = i;

        for (; i < count && moves[i].step == moves[first].step && moves[i].from == moves[first].from &&
               moves[i].to == moves[first].to;
             i++) {
            if (moves[i].message != before)
                message++;
            before = moves[i].message;
            moves[i].message = message;
        }
    }
}

bool
moves_read(const struct problem *problem, const struct encoding *encoding, const bool *truth, struct peal_move **moves,
           size_t *count)
{
    size_t most = (size_t)problem->asked.steps * (size_t)problem->message_count * (size_t)problem->chunk_count,
           used = 0;

    *moves = NULL;
    *count = 0;
    for (size_t i = 0; i < most; i++)
        used += truth[encoding->sends + (int)i];
    struct peal_move *list = malloc((used + 1) * sizeof *list);

    if (list == NULL)
        return false;
    used = 0;
    for (int step = 1; step <= problem->asked.steps; step++)
        for (int m = 0; m < problem->message_count; m++)
            for (int chunk = 0; chunk < problem->chunk_count; chunk++)
                if (truth[encoding_sends(encoding, problem, chunk, m, step)])
                    list[used++] = (struct peal_move){step - 1, problem->messages[m].from, problem->messages[m].to,
                                                      problem->messages[m].copy, chunk};
    moves_sort(list, used);
    used = drop_useless(problem, list, used);
    if (problem->split && !problem->asked.half_duplex)
        split_messages(problem, list, used);
    moves_sort(list, used);
    close_gaps(list, used);
    *moves = list;
    *count = used;
    return true;
}

/* ------------------------------------------------------------------ verifying */

/* The totals of one step's moves. */
struct moves_tally {
    const struct problem *problem;
    int *sent, *received;       /* messages of each node */
    int *left, *reached;        /* messages of each link at the sender; at the receiver */
    int *on_link, *link_chunks; /* messages, chunks */
    bool *has, *arrives;        /* chunk·P + node; those of this step */
};

static int
moves_find_message(const struct problem *problem, const struct peal_move *move)
{
    for (int m = 0; m < problem->message_count; m++)
        if (problem->messages[m].from == move->from && problem->messages[m].to == move->to)
            return m;
    return -1;
}

static bool
same_message(const struct peal_move *one, const struct peal_move *other)
{
    return one->from == other->from && one->to == other->to && one->message == other->message;
}

static enum peal_status
tally_message(struct moves_tally *tally, const struct peal_move *moves, size_t count, struct peal_error *error)
{
    const struct problem *problem = tally->problem;
    int m = moves_find_message(problem, moves), P = problem->nodes;

    if (m < 0)
        return peal_refuse(error, PEAL_FAILED, "step %d: %d -> %d: no message goes from one to the other",
                           moves->step + 1, moves->from, moves->to);
    const struct problem_message *message = &problem->messages[m];

    tally->sent[message->from]++;
    tally->received[message->to]++;
    tally->left[message->first]++;
    tally->reached[message->last]++;
    for (int i = 0; i < message->route_count; i++) {
        tally->on_link[problem->route[message->route + i]]++;
        tally->link_chunks[problem->route[message->route + i]] += (int)count;
    }
    for (size_t i = 0; i < count; i++) {
        if (moves[i].chunk < 0 || moves[i].chunk >= problem->chunk_count)
            return peal_refuse(error, PEAL_FAILED, "step %d: chunk %d is out of range: chunks are 0 to %d",
                               moves->step + 1, moves[i].chunk, problem->chunk_count - 1);
        if (!tally->has[moves[i].chunk * P + moves[i].from])
            return peal_refuse(error, PEAL_FAILED, "step %d: node %d sends chunk %d, which it does not have",
                               moves->step + 1, moves[i].from, moves[i].chunk);
        tally->arrives[moves[i].chunk * P + moves[i].to] = true;
    }
    return PEAL_OK;
}

static enum peal_status
check_wires(const struct moves_tally *tally, int step, struct peal_error *error)
{
    const struct problem *problem = tally->problem;

    for (int i = 0; i < problem->link_count; i++) {
        int reverse = problem->asked.half_duplex ? problem->links[i].reverse : -1;
        int left = tally->left[i] + (reverse >= 0 ? tally->reached[reverse] : 0);
        int reached = tally->reached[i] + (reverse >= 0 ? tally->left[reverse] : 0);

        if (left > problem->links[i].capacity || reached > problem->links[i].capacity)
            return peal_refuse(error, PEAL_FAILED, "step %d: more messages on link %d -> %d than its %d wires",
                               step + 1, problem->links[i].from, problem->links[i].to, problem->links[i].capacity);
    }
    return PEAL_OK;
}

static enum peal_status
check_ports(const struct moves_tally *tally, int step, struct peal_error *error)
{
    const struct problem *problem = tally->problem;
    int ports = problem->asked.ports;

    if (ports == PEAL_PORTS_ALL)
        return check_wires(tally, step, error);
    for (int node = 0; node < problem->nodes; node++) {
        int sent = tally->sent[node], received = tally->received[node];

        if (sent > ports || received > ports || (problem->asked.half_duplex && sent + received > ports))
            return peal_refuse(error, PEAL_FAILED, "step %d: node %d sends %d and receives %d messages with %d port%s",
                               step + 1, node, sent, received, ports, ports == 1 ? "" : "s");
    }
    return PEAL_OK;
}

static int
moves_link_share(int load, int capacity)
{
    return (load + capacity - 1) / capacity;
}

/* The chunks that a message of the step is charged. */
static int
moves_charge(const struct moves_tally *tally, const struct peal_move *move, int chunks)
{
    const struct problem *problem = tally->problem;
    const struct problem_message *message = &problem->messages[moves_find_message(problem, move)];
    int most = 0;

    for (int i = 0; i < message->route_count; i++) {
        int link = problem->route[message->route + i], capacity = problem->links[link].capacity;
        int charge = problem->asked.congestion == PEAL_VOLUME
                         ? moves_link_share(tally->link_chunks[link], capacity)
                         : chunks * moves_link_share(tally->on_link[link], capacity);

        most = charge > most ? charge : most;
    }
    return most;
}

static size_t
message_end(const struct peal_move *moves, size_t first, size_t end)
{
    size_t i = first;

    while (i < end && same_message(&moves[i], &moves[first]))
        i++;
    return i;
}

/* Carry out the moves of one step; adds its rounds. */
static enum peal_status
make_step(struct moves_tally *tally, const struct peal_move *moves, size_t count, int *rounds, struct peal_error *error)
{
    const struct problem *problem = tally->problem;
    size_t cells = (size_t)problem->chunk_count * (size_t)problem->nodes;
    int most = 0;

    memset(tally->sent, 0, ((size_t)problem->nodes * 2 + (size_t)problem->link_count * 4) * sizeof(int));
    memset(tally->arrives, 0, cells * sizeof(bool));
    for (size_t first = 0, end; first < count; first = end) {
        end = message_end(moves, first, count);
        if (tally_message(tally, moves + first, end - first, error) != PEAL_OK)
            return PEAL_FAILED;
    }
    if (check_ports(tally, moves->step, error) != PEAL_OK)
        return PEAL_FAILED;
    for (size_t first = 0, end; first < count; first = end) {
        end = message_end(moves, first, count);
        int charge = moves_charge(tally, &moves[first], (int)(end - first));

        most = charge > most ? charge : most;
    }
    for (size_t i = 0; i < cells; i++)
        tally->has[i] = tally->has[i] || tally->arrives[i];
    *rounds += most;
    return PEAL_OK;
}

static enum peal_status
check_wanted(const struct moves_tally *tally, struct peal_error *error)
{
    const struct problem *problem = tally->problem;

    for (int chunk = 0; chunk < problem->chunk_count; chunk++)
        for (int node = 0; node < problem->nodes; node++)
            if (problem->chunks[chunk].wanted >> node & 1 && !tally->has[chunk * problem->nodes + node])
                return peal_refuse(error, PEAL_FAILED, "chunk %d never reaches node %d", chunk, node);
    return PEAL_OK;
}

enum peal_status
moves_verify(const struct problem *problem, const struct peal_move *moves, size_t count, int *steps, int *rounds,
             struct peal_error *error)
{
    size_t cells = (size_t)problem->chunk_count * (size_t)problem->nodes;
    size_t nodes = (size_t)problem->nodes, links = (size_t)problem->link_count;
    int *numbers = calloc(2 * nodes + 4 * links + 1, sizeof *numbers);
    bool *flags = calloc(2 * cells + 1, sizeof *flags);
    struct moves_tally tally = {.problem = problem, .sent = numbers, .has = flags};
    enum peal_status status = PEAL_OK;

    *steps = *rounds = 0;
    if (numbers == NULL || flags == NULL) {
        free(numbers);
        free(flags);
        return peal_refuse(error, PEAL_RESOURCES, "no memory to verify a schedule");
    }
    tally.received = tally.sent + nodes;
    tally.left = tally.received + nodes;
    tally.reached = tally.left + links;
    tally.on_link = tally.reached + links;
    tally.link_chunks = tally.on_link + links;
    tally.arrives = flags + cells;
    for (int chunk = 0; chunk < problem->chunk_count; chunk++)
        flags[chunk * problem->nodes + problem->chunks[chunk].source] = true;
    for (size_t first = 0, end; first < count && status == PEAL_OK; first = end) {
        for (end = first; end < count && moves[end].step == moves[first].step;)
            end++;
        status = make_step(&tally, moves + first, end - first, rounds, error);
        ++*steps;
    }
    if (status == PEAL_OK)
        status = check_wanted(&tally, error);
    free(numbers);
    free(flags);
    return status;
}
