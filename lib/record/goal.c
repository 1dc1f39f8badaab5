/* SPDX-License-Identifier: MIT */
/* LogGOPSim's GOAL, as text: the sends and receives of each rank, and their dependencies. */
#include "lib/record/goal.h"
#include "lib/base/grow.h"
#include "lib/record/trace_formats.h"
#include <inttypes.h>
#include <math.h>
#include <peal/trace.h>
#include <stdlib.h>

/* All that a rank does in one round requires all that it did in its last active round.  So a simulator with times of
 * its own may run ahead of our rounds, but never out of their order.  Messages of a round have the round's number as
 * their tag.  What a node computes before a round is a `calc` of that many units of the model's time; for a recorded
 * run only the most that any node computed is known, so nothing is written.  The text goes rank by rank, so the
 * transfers are kept until the end, two steps of 24 bytes each.
 *
 *   source   T. Hoefler, T. Schneider, A. Lumsdaine: LogGOPSim, LSAP 2010, and its reader, src/LogGOPSim/txt2bin.re in
 *            spcl/LogGOPSim: num_ranks N; rank R { label: send|recv Sb to|from R tag T; label: calc T; a requires b
 *            } */

/* One action of a rank: it sends, receives or computes. */
struct goal_step {
    uint64_t amount; /* bytes, or units of time */
    uint32_t round;
    int32_t rank, peer; /* peer -1: computes */
    bool sends;
};

struct goal {
    struct goal_step *steps; /* in the order of the rounds */
    size_t count, room;
};

static enum peal_status
goal_begin(const struct trace_run *run, void **own, struct peal_error *error)
{
    (void)run;
    *own = calloc(1, sizeof(struct goal));
    return *own ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "not enough memory for a schedule");
}

static bool
goal_add_step(struct goal *goal, struct goal_step step)
{
    if (!array_grow(&goal->steps, &goal->room, goal->count + 1, sizeof *goal->steps))
        return false;
    goal->steps[goal->count++] = step;
    return true;
}

static enum peal_status
goal_add_round(const struct trace_run *run, void *own, const struct trace_round *round, struct peal_error *error)
{
    struct goal *goal = own;
    uint32_t number = (uint32_t)round->number;
    bool memory = true;

    for (size_t i = 0; memory && i < round->ran_count; i++) {
        double time = (double)round->operations[round->ran[i]] * run->parameters.tau;

        if (time >= 1)
            memory = goal_add_step(
                goal, (struct goal_step){.amount = time < 0x1p63 ? (uint64_t)llrint(time) : UINT64_C(1) << 63,
                                         .round = number,
                                         .rank = round->ran[i],
                                         .peer = -1});
    }
    for (size_t i = 0; memory && i < round->count; i++) {
        const struct peal_transfer *transfer = &round->transfers[i];
        uint64_t bytes;

        if (__builtin_mul_overflow(transfer->words, (uint64_t)run->word_bytes, &bytes))
            return peal_refuse(error, PEAL_USAGE, "a message of %" PRIu64 " words has too many bytes for GOAL",
                               transfer->words);
        memory = goal_add_step(goal, (struct goal_step){bytes, number, transfer->from, transfer->to, true}) &&
                 goal_add_step(goal, (struct goal_step){bytes, number, transfer->to, transfer->from, false});
    }
    return memory ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "not enough memory for a schedule");
}

/* One step on a line, and on further lines its requirements: the labels of `needed` steps before `first`. */
static void
goal_put_step(FILE *out, const struct goal_step *step, size_t label, size_t first, size_t needed)
{
    if (step->peer < 0)
        fprintf(out, "l%zu: calc %" PRIu64 "\n", label, step->amount);
    else
        fprintf(out, "l%zu: %s %" PRIu64 "b %s %" PRId32 " tag %" PRIu32 "\n", label, step->sends ? "send" : "recv",
                step->amount, step->sends ? "to" : "from", step->peer, step->round);
    for (size_t i = first - needed; i < first; i++)
        fprintf(out, "l%zu requires l%zu\n", label, i);
}

/* Write one rank; `mine` has the places of its steps among all steps. */
static void
put_rank(FILE *out, int rank, const struct goal *goal, const size_t *mine, size_t count)
{
    size_t label = 1, needed = 0; /* the last group has the labels label - needed .. label - 1 */

    fprintf(out, "\nrank %d {\n", rank);
    if (count == 0)
        fputs("l1: calc 0\n", out);
    for (size_t i = 0, end; i < count; i = end) {
        const struct goal_step *first = &goal->steps[mine[i]];
        size_t group = label;

        /* Operations come before the transfers of their round, as a separate group. */
        for (end = i + 1; end < count; end++) {
            const struct goal_step *next = &goal->steps[mine[end]];

            if (next->round != first->round || (first->peer < 0) != (next->peer < 0))
                break;
        }
        /* If many steps require many, the lines would be their product; a step between them makes that their sum. */
        if (needed > 1 && end - i > 1) {
            goal_put_step(out, &(struct goal_step){.peer = -1}, label++, group, needed);
            needed = 1;
            group = label;
        }
        for (size_t j = i; j < end; j++)
            goal_put_step(out, &goal->steps[mine[j]], label++, group, needed);
        needed = label - group;
    }
    fputs("}\n", out);
}

static enum peal_status
goal_put_all(const struct trace_run *run, const struct goal *goal, const struct trace_end *end,
             struct peal_error *error)
{
    size_t nodes = (size_t)run->nodes;
    size_t *begins = calloc(nodes + 2, sizeof *begins), *places = calloc(goal->count + 1, sizeof *places);

    if (!begins || !places) {
        free(begins);
        free(places);
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for a schedule of %zu steps", goal->count);
    }
    for (size_t i = 0; i < goal->count; i++)
        begins[goal->steps[i].rank + 2]++;
    for (size_t rank = 2; rank <= nodes; rank++)
        begins[rank] += begins[rank - 1];
    for (size_t i = 0; i < goal->count; i++)
        places[begins[goal->steps[i].rank + 1]++] = i;
    fprintf(run->out, "num_ranks %d\n\n// ", run->nodes);
    for (const char *c = end->name; *c; c++)
        fputc((unsigned char)*c < ' ' ? '?' : *c, run->out);
    fprintf(run->out, " on %s, %s %s\n%s\n", end->options->topology, "peal", peal_version(), GOAL_ROUNDS);
    for (int rank = 0; rank < run->nodes; rank++)
        put_rank(run->out, rank, goal, places + begins[rank], begins[rank + 1] - begins[rank]);
    free(begins);
    free(places);
    return PEAL_OK;
}

static enum peal_status
goal_end(const struct trace_run *run, void *own, const struct trace_end *end, struct peal_error *error)
{
    struct goal *goal = own;
    enum peal_status status = goal && end ? goal_put_all(run, goal, end, error) : PEAL_OK;

    if (goal)
        free(goal->steps);
    free(goal);
    return status;
}

const struct trace_format trace_goal = {
    .name = "goal",
    .summary = "LogGOPSim's schedule as text: the sends and receives of each rank, and their order",
    .begin = goal_begin,
    .round = goal_add_round,
    .end = goal_end,
};
