/* SPDX-License-Identifier: MIT */
/* A schedule as a plan: for each pair of nodes and each direction a block, whose steps follow one another.  A send of a
 * chunk needs the step that wrote it; a step that writes a chunk needs all that read or wrote it before. */
#include "lib/base/grow.h"
#include "lib/synthesis/synthesis.h"
#include <stdlib.h>

/* A step that has no place in a block yet. */
struct plan_entry {
    int node, send, receive, channel; /* its block: peers, -1 none */
    int first, count;                 /* chunks, as they are numbered in moves */
    bool writes;
    struct peal_plan_step step;
    size_t number; /* in the plan */
};

struct plan_draft {
    const struct peal_synthesis *asked;
    const struct peal_synthesized *result;
    struct peal_plan *plan;
    int nodes, chunks; /* chunks of a block */
    bool *changed;     /* chunk·P + node: of a reduction, whether another node's chunk was combined with it */
    int all;           /* chunks */
    struct plan_entry *entries;
    size_t count, capacity;
};

static struct peal_plan_place
at(enum peal_plan_buffer buffer, int chunk)
{
    return (struct peal_plan_place){buffer, chunk};
}

/* Where a node has a chunk of blocks: its own in or out, or scratch in passing. */
static struct peal_plan_place
place_of_block(const struct plan_draft *draft, int node, int chunk)
{
    int P = draft->nodes, C = draft->chunks, block = chunk / C, j = chunk % C, root = draft->asked->root;

    switch ((int)draft->asked->collective) {
    case PEAL_SCATTER:
        if (node == root)
            return at(PEAL_PLAN_INPUT, chunk);
        return block == node ? at(PEAL_PLAN_OUTPUT, j) : at(PEAL_PLAN_SCRATCH, chunk);
    case PEAL_GATHER:
        if (node == root)
            return at(PEAL_PLAN_OUTPUT, chunk);
        return block == node ? at(PEAL_PLAN_INPUT, j) : at(PEAL_PLAN_SCRATCH, chunk);
    default: /* an all-to-all */
        if (block / P == node)
            return at(PEAL_PLAN_INPUT, block % P * C + j);
        return block % P == node ? at(PEAL_PLAN_OUTPUT, block / P * C + j) : at(PEAL_PLAN_SCRATCH, chunk);
    }
}

/* Where a node has a chunk; `after`: after something was combined with it. */
static struct peal_plan_place
plan_draft_place(const struct plan_draft *draft, int node, int chunk, bool after)
{
    switch ((int)draft->asked->collective) {
    case PEAL_BROADCAST:
    case PEAL_ALLREDUCE:
    case PEAL_ALLGATHER:
        return at(PEAL_PLAN_OUTPUT, chunk);
    case PEAL_REDUCE:
        return at(after && node != draft->asked->root ? PEAL_PLAN_SCRATCH : PEAL_PLAN_OUTPUT, chunk);
    case PEAL_REDUCE_SCATTER:
        return at(PEAL_PLAN_INPUT, chunk);
    default:
        return place_of_block(draft, node, chunk);
    }
}

static bool
plan_draft_follows(struct peal_plan_place a, struct peal_plan_place b)
{
    return a.buffer == b.buffer && a.chunk + 1 == b.chunk;
}

static bool
add_entry(struct plan_draft *draft, struct plan_entry entry)
{
    if (!array_grow(&draft->entries, &draft->capacity, draft->count + 1, sizeof *draft->entries))
        return false;
    draft->entries[draft->count++] = entry;
    return true;
}

/* The places that a move takes its chunk from and puts it. */
struct ends {
    struct peal_plan_place from, own, to; /* own: what a reduction combines it with */
    bool combines;
};

static struct ends
ends_of(const struct plan_draft *draft, const struct peal_move *move)
{
    int P = draft->nodes, half = draft->result->steps / 2;
    bool combines = peal_collective_has_op(draft->asked->collective) &&
                    (draft->asked->collective != PEAL_ALLREDUCE || move->step < half);

    return (struct ends){plan_draft_place(draft, move->from, move->chunk, draft->changed[move->chunk * P + move->from]),
                         plan_draft_place(draft, move->to, move->chunk, draft->changed[move->chunk * P + move->to]),
                         plan_draft_place(draft, move->to, move->chunk, combines), combines};
}

/* The moves from `first` on that are one step: neighbouring chunks of one message at both ends. */
static size_t
plan_draft_run_length(const struct plan_draft *draft, size_t first)
{
    const struct peal_move *moves = draft->result->moves;
    size_t i = first + 1;

    for (; i < draft->result->move_count && moves[i].step == moves[first].step && moves[i].from == moves[first].from &&
           moves[i].to == moves[first].to && moves[i].message == moves[first].message && i - first < 64;
         i++) {
        struct ends before = ends_of(draft, &moves[i - 1]), now = ends_of(draft, &moves[i]);

        if (moves[i].chunk != moves[i - 1].chunk + 1 || !plan_draft_follows(before.from, now.from) ||
            !plan_draft_follows(before.own, now.own) || !plan_draft_follows(before.to, now.to))
            break;
    }
    return i - first;
}

/* Add the sends (or receives) of the moves first .. end - 1, which are one step. */
static bool
add_moves(struct plan_draft *draft, size_t first, size_t end, bool receives)
{
    const struct peal_move *moves = draft->result->moves;

    for (size_t i = first, count; i < end; i += count) {
        struct ends ends = ends_of(draft, &moves[i]);
        struct plan_entry entry = {.node = receives ? moves[i].to : moves[i].from,
                                   .send = receives ? -1 : moves[i].to,
                                   .receive = receives ? moves[i].from : -1,
                                   .channel = moves[i].message,
                                   .first = moves[i].chunk,
                                   .writes = receives};

        count = plan_draft_run_length(draft, i);
        entry.count = (int)count;
        entry.step = (struct peal_plan_step){.does = PEAL_PLAN_SEND, .source = ends.from, .count = (int)count};
        if (receives)
            entry.step = (struct peal_plan_step){.does = PEAL_PLAN_RECEIVE | PEAL_PLAN_COPY |
                                                         (ends.combines ? PEAL_PLAN_REDUCE : 0u),
                                                 .source = ends.combines ? ends.own : ends.to,
                                                 .target = ends.to,
                                                 .count = (int)count};
        if (!add_entry(draft, entry))
            return false;
    }
    return true;
}

/* A node's own block that goes from its in to its out. */
static bool
plan_draft_copy_own(struct plan_draft *draft)
{
    enum peal_collective collective = draft->asked->collective;
    int C = draft->chunks, P = draft->nodes;

    for (int node = 0; node < P; node++) {
        bool copies = collective == PEAL_ALLTOALL ||
                      ((collective == PEAL_SCATTER || collective == PEAL_GATHER) && node == draft->asked->root);
        bool whole = collective == PEAL_GATHER, block = collective == PEAL_SCATTER;
        struct peal_plan_step step = {.does = PEAL_PLAN_COPY,
                                      .source = at(PEAL_PLAN_INPUT, whole ? 0 : node * C),
                                      .target = at(PEAL_PLAN_OUTPUT, block ? 0 : node * C),
                                      .count = C};

        /* for chunks without a move: nothing needs this step */
        if (copies &&
            !add_entry(draft,
                       (struct plan_entry){.node = node, .send = -1, .receive = -1, .first = draft->all, .step = step}))
            return false;
    }
    return true;
}

static bool
add_steps(struct plan_draft *draft)
{
    const struct peal_move *moves = draft->result->moves;
    bool memory = plan_draft_copy_own(draft);

    for (size_t first = 0, end; first < draft->result->move_count && memory; first = end) {
        for (end = first; end < draft->result->move_count && moves[end].step == moves[first].step;)
            end++;
        memory = add_moves(draft, first, end, false) && add_moves(draft, first, end, true);
        for (size_t i = first; i < end; i++)
            if (ends_of(draft, &moves[i]).combines)
                draft->changed[moves[i].chunk * draft->nodes + moves[i].to] = true;
    }
    return memory;
}

static int
plan_draft_compare(const void *a, const void *b)
{
    const struct plan_entry *x = *(const struct plan_entry *const *)a, *y = *(const struct plan_entry *const *)b;
    const int one[] = {x->node, x->send, x->receive, x->channel}, other[] = {y->node, y->send, y->receive, y->channel};

    for (int i = 0; i < 4; i++)
        if (one[i] != other[i])
            return one[i] < other[i] ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Divide the entries among blocks. */
static bool
plan_draft_add_blocks(struct plan_draft *draft)
{
    struct plan_entry **order = malloc((draft->count + 1) * sizeof *order);
    bool memory = order;
    int id = 0;

    for (size_t i = 0; i < draft->count && memory; i++)
        order[i] = &draft->entries[i];
    if (memory)
        qsort(order, draft->count, sizeof *order, plan_draft_compare);
    for (size_t i = 0; i < draft->count && memory; i++) {
        struct plan_entry *entry = order[i], *before = i > 0 ? order[i - 1] : NULL;

        id = before && before->node == entry->node ? id : 0;
        if (!before || before->node != entry->node || before->send != entry->send ||
            before->receive != entry->receive || before->channel != entry->channel)
            memory = peal_plan_add_block(draft->plan, &(struct peal_plan_block){.node = entry->node,
                                                                                .id = id++,
                                                                                .send = entry->send,
                                                                                .receive = entry->receive,
                                                                                .channel = entry->channel}) != SIZE_MAX;
        entry->number = memory ? peal_plan_add_step(draft->plan, &entry->step) : SIZE_MAX;
        memory = memory && entry->number != SIZE_MAX;
    }
    free(order);
    return memory;
}

static bool
has_chunk(const struct plan_entry *entry, int chunk)
{
    return chunk >= entry->first && chunk < entry->first + entry->count;
}

/* Add the needs of entry i for one chunk: back to the step that wrote it last. */
static bool
add_needs_of(struct plan_draft *draft, size_t i, int chunk, size_t *needed)
{
    const struct plan_entry *entry = &draft->entries[i];

    for (size_t j = i; j-- > 0;) {
        const struct plan_entry *other = &draft->entries[j];

        if (other->node != entry->node || !has_chunk(other, chunk) || !(entry->writes || other->writes))
            continue;
        bool same = other->send == entry->send && other->receive == entry->receive && other->channel == entry->channel;

        if (needed[j] != i + 1 && !same && !peal_plan_add_need(draft->plan, entry->number, other->number))
            return false;
        needed[j] = i + 1;
        if (other->writes)
            break;
    }
    return true;
}

static bool
plan_draft_add_needs(struct plan_draft *draft)
{
    size_t *needed = calloc(draft->count + 1, sizeof *needed);
    bool memory = needed;

    for (size_t i = 0; i < draft->count && memory; i++)
        for (int chunk = draft->entries[i].first; chunk < draft->entries[i].first + draft->entries[i].count && memory;
             chunk++)
            memory = add_needs_of(draft, i, chunk, needed);
    free(needed);
    return memory;
}

struct peal_plan *
peal_synthesis_plan(const struct peal_synthesis *asked, const struct peal_synthesized *result, struct peal_error *error)
{
    int P = peal_network_nodes(asked->network), C = asked->chunks;
    bool reduce = asked->collective == PEAL_REDUCE, pairs = asked->collective == PEAL_ALLTOALL;
    struct plan_draft draft = {.asked = asked, .result = result, .nodes = P, .chunks = C};
    char name[100];

    if (result->verdict != PEAL_SYNTHESIS_HERE) {
        peal_refuse(error, PEAL_USAGE, "there is no schedule to write");
        return NULL;
    }
    draft.all = C * (asked->collective == PEAL_BROADCAST || reduce ? 1 : pairs ? P * P : P);
    snprintf(name, sizeof name, "%s in %d steps and %d rounds", peal_collective_name(asked->collective), result->steps,
             result->rounds);
    draft.plan = peal_plan_create(name, asked->collective, P, asked->collective == PEAL_ALLREDUCE ? P * C : C, error);
    if (draft.plan == NULL)
        return NULL;
    if (peal_collective_has_root(
            asked->collective)) { /* the plan was made with the root 0: only the root has all blocks */
        struct peal_plan_node first = draft.plan->node[0];

        draft.plan->node[0] = draft.plan->node[asked->root];
        draft.plan->node[asked->root] = first;
        draft.plan->root = asked->root;
    }
    draft.plan->in_place = asked->collective != PEAL_SCATTER && asked->collective != PEAL_GATHER && !pairs;
    for (int node = 0; node < P && (!draft.plan->in_place || reduce); node++)
        draft.plan->node[node].chunks[PEAL_PLAN_SCRATCH] = draft.all;
    draft.changed = calloc((size_t)draft.all * (size_t)P + 1, sizeof *draft.changed);
    bool memory = draft.changed && add_steps(&draft) && plan_draft_add_blocks(&draft) && plan_draft_add_needs(&draft);

    free(draft.changed);
    free(draft.entries);
    if (!memory)
        peal_refuse(error, PEAL_RESOURCES, "no memory for the plan");
    if (!memory || peal_plan_finish(draft.plan, "synthesis", error) != PEAL_OK) {
        peal_plan_destroy(draft.plan);
        return NULL;
    }
    return draft.plan;
}
