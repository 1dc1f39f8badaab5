/* SPDX-License-Identifier: MIT */
/* Writes the clauses of a search's formula: how chunks move, what ports allow, what rounds charge. */
#include "lib/synthesis/encode.h"
#include <stdlib.h>

/* Shared by the functions below: lists with room for all literals of one step. */
struct encoder {
    const struct problem *problem;
    struct encoding *encoding;
    struct cnf *cnf;
    int *list, *sum;
    int *takes; /* takes(s, a) is takes[(s-1)·R + a-1] */
};

static int
encoding_has(const struct encoding *encoding, const struct problem *problem, int chunk, int node, int step)
{
    return encoding->has + ((step - 1) * problem->chunk_count + chunk) * problem->nodes + node;
}

int
encoding_sends(const struct encoding *encoding, const struct problem *problem, int chunk, int message, int step)
{
    return encoding->sends + ((step - 1) * problem->message_count + message) * problem->chunk_count + chunk;
}

static int
encoder_has(const struct encoder *encoder, int chunk, int node, int step)
{
    return encoding_has(encoder->encoding, encoder->problem, chunk, node, step);
}

static int
encoder_sends(const struct encoder *encoder, int chunk, int message, int step)
{
    return encoding_sends(encoder->encoding, encoder->problem, chunk, message, step);
}

static int
used(const struct encoder *encoder, int message, int step)
{
    return encoder->encoding->used + (step - 1) * encoder->problem->message_count + message;
}

/* ------------------------------------------------------------------ chunks move */

static void
encode_sending(const struct encoder *encoder, int chunk, int m, int step)
{
    const struct problem_message *message = &encoder->problem->messages[m];
    int source = encoder->problem->chunks[chunk].source, send = encoder_sends(encoder, chunk, m, step);

    CNF_ADD(encoder->cnf, -send, used(encoder, m, step));
    if (message->to == source || (step == 1 && message->from != source)) {
        CNF_ADD(encoder->cnf, -send);
        return;
    }
    if (message->from != source)
        CNF_ADD(encoder->cnf, -send, encoder_has(encoder, chunk, message->from, step - 1));
    if (step > 1)
        CNF_ADD(encoder->cnf, -send, -encoder_has(encoder, chunk, message->to, step - 1));
}

static void
encode_having(const struct encoder *encoder, int chunk, int node, int step)
{
    const struct problem *problem = encoder->problem;
    const struct chunk *of = &problem->chunks[chunk];
    int here = encoder_has(encoder, chunk, node, step);
    size_t count = 0;

    if (node == of->source) {
        CNF_ADD(encoder->cnf, here);
        return;
    }
    encoder->list[count++] = -here;
    if (step > 1) {
        CNF_ADD(encoder->cnf, -encoder_has(encoder, chunk, node, step - 1), here);
        encoder->list[count++] = encoder_has(encoder, chunk, node, step - 1);
    }
    for (int m = 0; m < problem->message_count; m++)
        if (problem->messages[m].to == node)
            encoder->list[count++] = encoder_sends(encoder, chunk, m, step);
    cnf_add(encoder->cnf, encoder->list, count);
    if (step == problem->asked.steps && of->wanted >> node & 1)
        CNF_ADD(encoder->cnf, here);
}

static void
encode_chunks(const struct encoder *encoder, int step)
{
    const struct problem *problem = encoder->problem;

    for (int chunk = 0; chunk < problem->chunk_count; chunk++) {
        for (int m = 0; m < problem->message_count; m++)
            encode_sending(encoder, chunk, m, step);
        for (int node = 0; node < problem->nodes; node++)
            encode_having(encoder, chunk, node, step);
    }
}

/* ------------------------------------------------------------------ ports */

/* The link whose wires a message takes at one of its ends; in half duplex both directions are one. */
static int
wire_at(const struct problem *problem, int link)
{
    int reverse = problem->asked.half_duplex ? problem->links[link].reverse : -1;

    return reverse >= 0 && reverse < link ? reverse : link;
}

/* List used(m, step) of the messages that leave (out) or reach (in) a node, by one link only unless it is -1. */
static size_t
list_used(const struct encoder *encoder, int step, int node, bool out, bool in, int link)
{
    const struct problem *problem = encoder->problem;
    size_t count = 0;

    for (int m = 0; m < problem->message_count; m++) {
        const struct problem_message *message = &problem->messages[m];
        bool leaves = out && message->from == node && (link < 0 || wire_at(problem, message->first) == link);
        bool arrives = in && message->to == node && (link < 0 || wire_at(problem, message->last) == link);

        if (leaves || arrives)
            encoder->list[count++] = used(encoder, m, step);
    }
    return count;
}

static void
limit_used(const struct encoder *encoder, int step, int node, int link, int most)
{
    bool half = encoder->problem->asked.half_duplex;
    size_t count = list_used(encoder, step, node, true, half, link);

    cnf_at_most(encoder->cnf, encoder->list, count, most);
    if (!half) {
        count = list_used(encoder, step, node, false, true, link);
        cnf_at_most(encoder->cnf, encoder->list, count, most);
    }
}

static void
encode_ports(const struct encoder *encoder, int step)
{
    const struct problem *problem = encoder->problem;

    if (problem->split && !problem->asked.half_duplex)
        return; /* one list of chunks per link, which become as many messages as it has wires */
    for (int node = 0; node < problem->nodes; node++) {
        if (problem->asked.ports != PEAL_PORTS_ALL) {
            limit_used(encoder, step, node, -1, problem->asked.ports);
            continue;
        }
        for (int link = 0; link < problem->link_count; link++)
            if (wire_at(problem, link) == link)
                limit_used(encoder, step, node, link, problem->links[link].capacity);
    }
}

/* ------------------------------------------------------------------ charges */

/* When all these literals (at most two) are true, the step takes at least `rounds`. */
static void
encoder_require_rounds(const struct encoder *encoder, int step, int rounds, int one, int other)
{
    int R = encoder->problem->asked.rounds, list[3] = {-one}, count = 1;

    if (other != 0)
        list[count++] = -other;
    if (rounds <= R)
        list[count++] = encoder->takes[(step - 1) * R + rounds - 1];
    cnf_add(encoder->cnf, list, (size_t)count);
}

static bool
goes_over(const struct problem *problem, int m, int link)
{
    const struct problem_message *message = &problem->messages[m];

    for (int i = 0; i < message->route_count; i++)
        if (problem->route[message->route + i] == link)
            return true;
    return false;
}

/* Chunks are spread over the wires of a link. */
static void
encode_link_chunks(const struct encoder *encoder, int link, int step)
{
    const struct problem *problem = encoder->problem;
    int capacity = problem->links[link].capacity, limit = problem->asked.rounds * capacity + 1;
    size_t count = 0;

    for (int m = 0; m < problem->message_count; m++)
        for (int chunk = 0; goes_over(problem, m, link) && chunk < problem->chunk_count; chunk++)
            if (problem->messages[m].to != problem->chunks[chunk].source)
                encoder->list[count++] = encoder_sends(encoder, chunk, m, step);
    int digits = cnf_count(encoder->cnf, encoder->list, count, limit, encoder->sum);

    for (int i = 0; i < digits; i += capacity)
        encoder_require_rounds(encoder, step, i / capacity + 1, encoder->sum[i], 0);
}

/* The digits of the number of chunks of message m, into encoder->sum. */
static int
count_chunks(const struct encoder *encoder, int m, int step)
{
    const struct problem *problem = encoder->problem;
    size_t count = 0;

    for (int chunk = 0; chunk < problem->chunk_count; chunk++)
        if (problem->messages[m].to != problem->chunks[chunk].source)
            encoder->list[count++] = encoder_sends(encoder, chunk, m, step);
    return cnf_count(encoder->cnf, encoder->list, count, problem->asked.rounds + 1, encoder->sum);
}

/* A message is charged its chunks times the share of messages on the busiest of its links.  shares[link·(M+1) + i]: the
 * literal that is true if more than i messages are on the link. */
static void
encode_message_charge(const struct encoder *encoder, int m, int step, const int *shares)
{
    const struct problem *problem = encoder->problem;
    const struct problem_message *message = &problem->messages[m];
    int digits = count_chunks(encoder, m, step), each = problem->message_count + 1;

    for (int a = 0; a < digits; a++) {
        encoder_require_rounds(encoder, step, a + 1, encoder->sum[a], 0);
        for (int i = 0; i < message->route_count; i++) {
            int link = problem->route[message->route + i], capacity = problem->links[link].capacity;
            const int *on_link = &shares[(size_t)link * (size_t)each];

            for (int more = capacity; more < problem->message_count && on_link[more] != 0; more += capacity)
                encoder_require_rounds(encoder, step, (a + 1) * (more / capacity + 1), encoder->sum[a], on_link[more]);
        }
    }
}

static void
encode_messages(const struct encoder *encoder, int step)
{
    const struct problem *problem = encoder->problem;
    size_t each = (size_t)problem->message_count + 1;
    int *shares = calloc((size_t)problem->link_count * each, sizeof *shares);

    if (shares == NULL) {
        encoder->cnf->full = true;
        return;
    }
    for (int link = 0; link < problem->link_count; link++) {
        size_t count = 0;
        bool private = true; /* at most one message goes over the link */

        for (int m = 0; m < problem->message_count; m++)
            if (goes_over(problem, m, link)) {
                private = private && count == 0;
                encoder->list[count++] = used(encoder, m, step);
            }
        if (!private)
            cnf_count(encoder->cnf, encoder->list, count, (int)count, shares + (size_t)link * each);
    }
    for (int m = 0; m < problem->message_count; m++)
        encode_message_charge(encoder, m, step, shares);
    free(shares);
}

static void
encode_charges(const struct encoder *encoder)
{
    const struct problem *problem = encoder->problem;
    int R = problem->asked.rounds, S = problem->asked.steps, digits = R;

    for (int step = 1; step <= S && !encoder->cnf->full; step++) {
        for (int a = 1; a < R; a++)
            CNF_ADD(encoder->cnf, -encoder->takes[(step - 1) * R + a], encoder->takes[(step - 1) * R + a - 1]);
        if (!problem->spread)
            encode_messages(encoder, step);
        for (int link = 0; link < problem->link_count && problem->spread; link++)
            encode_link_chunks(encoder, link, step);
    }
    for (int a = 0; a < R; a++)
        encoder->list[a] = encoder->takes[a];
    for (int step = 2; step <= S && !encoder->cnf->full; step++) {
        digits = cnf_sum(encoder->cnf, encoder->list, digits, encoder->takes + (step - 1) * R, R, R + 1, encoder->sum);
        for (int a = 0; a < digits; a++)
            encoder->list[a] = encoder->sum[a];
        if (digits > R)
            CNF_ADD(encoder->cnf, -encoder->list[R]);
        digits = digits > R ? R : digits;
    }
}

/* ------------------------------------------------------------------ symmetries */

static void
order_chunks(const struct encoder *encoder)
{
    const struct problem *problem = encoder->problem;

    for (int chunk = 0; chunk + 1 < problem->chunk_count; chunk++) {
        uint64_t wanted = problem->chunks[chunk].wanted;

        if ((chunk + 1) % problem->asked.chunks == 0 || wanted == 0)
            continue;
        for (int step = 1; step < problem->asked.steps; step++)
            CNF_ADD(encoder->cnf, -encoder_has(encoder, chunk + 1, __builtin_ctzll(wanted), step),
                    encoder_has(encoder, chunk, __builtin_ctzll(wanted), step));
    }
}

static void
choose_first_message(const struct encoder *encoder)
{
    const struct problem *problem = encoder->problem;
    int *classes = problem_pair_classes(problem);
    size_t count = 0;

    encoder->cnf->full = encoder->cnf->full || classes == NULL;
    for (int m = 0; m < problem->message_count && !encoder->cnf->full; m++) {
        int pair = problem->messages[m].from * problem->nodes + problem->messages[m].to;

        if (classes[pair] == pair)
            encoder->list[count++] = used(encoder, m, 1);
    }
    if (count > 0)
        cnf_add(encoder->cnf, encoder->list, count);
    /* used is true only for messages with chunks: otherwise the clause would say nothing */
    for (int m = 0; m < problem->message_count && count > 0; m++) {
        size_t literals = 0;

        encoder->list[literals++] = -used(encoder, m, 1);
        for (int chunk = 0; chunk < problem->chunk_count; chunk++)
            encoder->list[literals++] = encoder_sends(encoder, chunk, m, 1);
        cnf_add(encoder->cnf, encoder->list, literals);
    }
    free(classes);
}

static void
keep_to_one_way(const struct encoder *encoder)
{
    const struct problem *problem = encoder->problem;

    for (int chunk = 0; chunk < problem->chunk_count && !encoder->cnf->full; chunk++)
        for (int node = 0; node < problem->nodes; node++) {
            size_t count = 0;

            for (int step = 1; step <= problem->asked.steps; step++)
                for (int m = 0; m < problem->message_count; m++)
                    if (problem->messages[m].from == node)
                        encoder->list[count++] = encoder_sends(encoder, chunk, m, step);
            cnf_at_most_one(encoder->cnf, encoder->list, count);
        }
}

bool
encode(const struct problem *problem, const struct deadline *deadline, struct encoding *encoding)
{
    size_t steps = (size_t)problem->asked.steps, chunks = (size_t)problem->chunk_count;
    size_t messages = (size_t)problem->message_count, rounds = (size_t)problem->asked.rounds;
    size_t longest = 2 * steps * messages * (chunks > 1 ? chunks : 1) + 4 * rounds + 16;
    struct encoder encoder = {.problem = problem, .encoding = encoding, .cnf = &encoding->cnf};
    bool one_way = problem->primal == PEAL_SCATTER || problem->primal == PEAL_ALLTOALL;

    *encoding = (struct encoding){.cnf = {.deadline = deadline}};
    encoder.list = malloc(longest * sizeof *encoder.list);
    encoder.sum = calloc(longest, sizeof *encoder.sum);
    encoder.takes = calloc(steps * rounds + 1, sizeof *encoder.takes);
    encoding->cnf.full = !encoder.list || !encoder.sum || !encoder.takes;
    if (!encoding->cnf.full) {
        encoding->has = cnf_variables(&encoding->cnf, steps * chunks * (size_t)problem->nodes);
        encoding->sends = cnf_variables(&encoding->cnf, steps * messages * chunks);
        encoding->used = cnf_variables(&encoding->cnf, steps * messages);
        int takes = cnf_variables(&encoding->cnf, steps * rounds);

        for (size_t i = 0; i < steps * rounds; i++)
            encoder.takes[i] = takes + (int)i;
        for (int step = 1; step <= problem->asked.steps && !encoding->cnf.full; step++) {
            encode_chunks(&encoder, step);
            encode_ports(&encoder, step);
        }
        if (rounds != PEAL_SYNTHESIS_ANY)
            encode_charges(&encoder);
        if (!problem->asked.unpruned) {
            order_chunks(&encoder);
            choose_first_message(&encoder);
            if (one_way)
                keep_to_one_way(&encoder);
        }
    }
    free(encoder.list);
    free(encoder.sum);
    free(encoder.takes);
    return !encoding->cnf.full;
}
