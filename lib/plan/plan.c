/* SPDX-License-Identifier: MIT */
/* Plans as data: building one, and checking its numbers. */
#include "lib/plan/plan.h"
#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "lib/plan/judging.h"
#include <peal/form.h>
#include <stdlib.h>

enum {
    MAX_NODES = 1 << 12, /* the most that labels can tell apart */
    MAX_CHUNKS = 1 << 20,
};

/* ------------------------------------------------------------------ building */

/* The chunks of one side of the collective; 0 where a node has no buffer there. */
static int
side_chunks(const struct peal_plan *plan, enum peal_side side, int rank)
{
    if (side == PEAL_SIDE_NONE || (side == PEAL_SIDE_ROOT_BLOCKS && rank != plan->root))
        return 0;
    return side == PEAL_SIDE_BLOCK || side == PEAL_SIDE_VECTOR ? plan->chunks : plan->chunks * plan->nodes;
}

void
peal_plan_set_root(struct peal_plan *plan, int root)
{
    const struct peal_form *form = peal_form_of(plan->collective);

    plan->root = root;
    for (int rank = 0; rank < plan->nodes; rank++) {
        int *own = plan->node[rank].chunks;

        own[PEAL_PLAN_OUTPUT] = side_chunks(plan, form->out, rank);
        own[PEAL_PLAN_INPUT] = form->in == PEAL_SIDE_NONE ? own[PEAL_PLAN_OUTPUT] : side_chunks(plan, form->in, rank);
    }
}

struct peal_plan *
peal_plan_create(const char *name, enum peal_collective collective, int nodes, int chunks, struct peal_error *error)
{
    struct peal_plan *plan;

    if (nodes < 1 || nodes > MAX_NODES) {
        peal_refuse(error, PEAL_USAGE, "%d nodes: a schedule has 1 to %d", nodes, MAX_NODES);
        return NULL;
    }
    if (chunks < 0 || chunks > MAX_CHUNKS / nodes) {
        peal_refuse(error, PEAL_USAGE, "%d chunks: a schedule for %d nodes has at most %d", chunks, nodes,
                    MAX_CHUNKS / nodes);
        return NULL;
    }
    plan = calloc(1, sizeof *plan);
    if (plan) {
        *plan = (struct peal_plan){.name = strdup(name),
                                   .kind = strdup(peal_form_of(collective)->name),
                                   .format = "",
                                   .collective = collective,
                                   .nodes = nodes,
                                   .chunks = chunks,
                                   .node = calloc((size_t)nodes, sizeof *plan->node)};
    }
    if (!plan || !plan->name || !plan->kind || !plan->node) {
        peal_plan_destroy(plan);
        peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        return NULL;
    }
    peal_plan_set_root(plan, 0);
    return plan;
}

void
peal_plan_destroy(struct peal_plan *plan)
{
    if (!plan)
        return;
    free(plan->name);
    free(plan->file);
    free(plan->kind);
    free(plan->node);
    free(plan->blocks);
    free(plan->steps);
    free(plan->needs);
    free(plan->wanted);
    free(plan);
}

size_t
peal_plan_add_block(struct peal_plan *plan, const struct peal_plan_block *block)
{
    if (!array_grow(&plan->blocks, &plan->block_room, plan->block_count + 1, sizeof *plan->blocks))
        return SIZE_MAX;
    struct peal_plan_block *own = &plan->blocks[plan->block_count];

    *own = *block;
    own->first = plan->step_count;
    own->count = 0;
    return plan->block_count++;
}

size_t
peal_plan_add_step(struct peal_plan *plan, const struct peal_plan_step *step)
{
    if (!array_grow(&plan->steps, &plan->step_room, plan->step_count + 1, sizeof *plan->steps))
        return SIZE_MAX;
    struct peal_plan_step *own = &plan->steps[plan->step_count];

    *own = *step;
    own->block = (int)plan->block_count - 1;
    own->needs = 0;
    own->need_count = 0;
    plan->blocks[plan->block_count - 1].count++;
    return plan->step_count++;
}

bool
peal_plan_add_need(struct peal_plan *plan, size_t step, size_t on)
{
    if (!array_grow(&plan->wanted, &plan->wanted_room, plan->wanted_count + 1, sizeof *plan->wanted))
        return false;
    plan->wanted[plan->wanted_count++] = (struct peal_plan_need){step, on};
    return true;
}

/* ------------------------------------------------------------------ places */

/* In place, the chunk of the larger of input and output at which the smaller begins; -1: they are apart.  *inner is the
 * smaller one. */
static int
inner_begin(const struct peal_plan *plan, int node, enum peal_plan_buffer *inner)
{
    const struct peal_form *form = peal_form_of(plan->collective);
    bool at = !form->root || node == plan->root;

    *inner = PEAL_PLAN_OUTPUT;
    if (!plan->in_place || plan->collective == PEAL_COLLECTIVES)
        return -1;
    if (form->in == PEAL_SIDE_NONE || form->in == PEAL_SIDE_PAIRS)
        return 0;
    if (form->in == form->out) /* a shift: two blocks */
        return -1;
    if (form->in == PEAL_SIDE_BLOCK)
        *inner = PEAL_PLAN_INPUT;
    return at ? node * plan->chunks : -1;
}

int
peal_plan_address(const struct peal_plan *plan, int node, struct peal_plan_place place)
{
    const int *chunks = plan->node[node].chunks;
    enum peal_plan_buffer inner;
    int begin = inner_begin(plan, node, &inner),
        outside = place.buffer == PEAL_PLAN_INPUT ? 0 : chunks[PEAL_PLAN_INPUT];

    if (place.buffer == PEAL_PLAN_SCRATCH)
        outside += chunks[PEAL_PLAN_OUTPUT];
    if (begin < 0 || place.buffer != inner)
        return outside + place.chunk;
    if (inner == PEAL_PLAN_INPUT)
        return place.chunk < plan->chunks ? chunks[PEAL_PLAN_INPUT] + begin + place.chunk : place.chunk;
    return begin + place.chunk < chunks[PEAL_PLAN_INPUT] ? begin + place.chunk : outside + place.chunk;
}

int
peal_plan_memory(const struct peal_plan *plan, int node)
{
    const int *chunks = plan->node[node].chunks;

    return chunks[PEAL_PLAN_INPUT] + chunks[PEAL_PLAN_OUTPUT] + chunks[PEAL_PLAN_SCRATCH];
}

char *
peal_plan_where(const struct peal_plan *plan, size_t step, char *text, size_t bytes)
{
    const struct peal_plan_step *own = &plan->steps[step];
    const struct peal_plan_block *block = &plan->blocks[own->block];
    struct peal_text out = empty_text(text, bytes);

    peal_append(out, "node %d", block->node);
    if (!plan->bare)
        peal_append(out, ", block %d, step %zu", block->id, step - block->first);
    if (own->line > 0)
        peal_append(out, " (line %d)", own->line);
    return text;
}

/* ------------------------------------------------------------------ finishing */

struct checking {
    const struct peal_plan *plan;
    const char *file;
    struct peal_error *error;
};

static enum peal_status plan_refuse(const struct checking *c, int line, const char *format, ...) PEAL_PRINTF(3, 4);

/* Refuse a plan, naming its file and line. */
static enum peal_status
plan_refuse(const struct checking *c, int line, const char *format, ...)
{
    char what[500];

    WRITE_ARGUMENTS(what, format);
    if (line > 0)
        return peal_refuse(c->error, PEAL_USAGE, "%s, line %d: %s", c->file, line, what);
    return peal_refuse(c->error, PEAL_USAGE, "%s: %s", c->file, what);
}

static enum peal_status
check_place(const struct checking *c, const struct peal_plan_step *step, const char *which,
            struct peal_plan_place place)
{
    static const char *const names[] = {"input", "output", "scratch"};
    int node = c->plan->blocks[step->block].node, has = c->plan->node[node].chunks[place.buffer];

    if (place.chunk >= 0 && step->count <= has && place.chunk <= has - step->count)
        return PEAL_OK;
    return plan_refuse(c, step->line, "the %s is chunk %d and %d in all: the %s of node %d has chunks 0 to %d", which,
                       place.chunk, step->count, names[place.buffer], node, has - 1);
}

static enum peal_status
check_step(const struct checking *c, const struct peal_plan_step *step)
{
    const struct peal_plan_block *block = &c->plan->blocks[step->block];
    bool receives = step->does & PEAL_PLAN_RECEIVE, reduces = step->does & PEAL_PLAN_REDUCE;
    bool copies = step->does & PEAL_PLAN_COPY, sends = step->does & PEAL_PLAN_SEND;
    enum peal_status status = PEAL_OK;

    if (step->count < 0)
        return plan_refuse(c, step->line, "a step of %d chunks: expected 0 or more", step->count);
    if (sends && block->send < 0)
        return plan_refuse(c, step->line, "the step sends, and its block has no node to send to");
    if (receives && block->receive < 0)
        return plan_refuse(c, step->line, "the step receives, and its block has no node to receive from");
    if (c->plan->bare)
        return PEAL_OK;
    if (step->count > 0 && (reduces || (!receives && (sends || copies))))
        status = check_place(c, step, "source", step->source);
    if (status == PEAL_OK && step->count > 0 && copies)
        status = check_place(c, step, "target", step->target);
    return status;
}

static enum peal_status
check_block(const struct checking *c, const struct peal_plan_block *block)
{
    int most = c->plan->nodes - 1;

    if (block->node < 0 || block->node > most)
        return plan_refuse(c, block->line, "node %d is out of range: nodes are 0 to %d", block->node, most);
    if (block->send < -1 || block->send > most)
        return plan_refuse(c, block->line, "block %d sends to node %d: nodes are 0 to %d", block->id, block->send,
                           most);
    if (block->receive < -1 || block->receive > most)
        return plan_refuse(c, block->line, "block %d receives from node %d: nodes are 0 to %d", block->id,
                           block->receive, most);
    if (block->channel < 0)
        return plan_refuse(c, block->line, "channel %d of block %d: expected 0 or more", block->channel, block->id);
    return PEAL_OK;
}

static enum peal_status
plan_check_all(const struct checking *c)
{
    const struct peal_plan *plan = c->plan;

    for (size_t i = 0; i < plan->block_count; i++)
        if (check_block(c, &plan->blocks[i]) != PEAL_OK)
            return c->error->status;
    for (size_t i = 0; i < plan->step_count; i++)
        if (check_step(c, &plan->steps[i]) != PEAL_OK)
            return c->error->status;
    for (size_t i = 0; i < plan->wanted_count; i++) {
        const struct peal_plan_step *step = &plan->steps[plan->wanted[i].step], *on = &plan->steps[plan->wanted[i].on];

        if (plan->blocks[step->block].node != plan->blocks[on->block].node)
            return plan_refuse(c, step->line, "the step needs one of another node");
    }
    return PEAL_OK;
}

/* Bring the blocks into the order of the nodes, and the steps into that of the blocks.  steps[i] gives the new number
 * of step i; false without memory. */
static bool
sort_blocks(struct peal_plan *plan, size_t *numbers)
{
    struct peal_plan_block *blocks = calloc(plan->block_count + 1, sizeof *blocks);
    struct peal_plan_step *steps = calloc(plan->step_count + 1, sizeof *steps);
    int *begin = calloc((size_t)plan->nodes + 1, sizeof *begin);
    size_t at = 0;

    if (!blocks || !steps || !begin) {
        free(blocks);
        free(steps);
        free(begin);
        return false;
    }
    for (size_t i = 0; i < plan->block_count; i++)
        begin[plan->blocks[i].node + 1]++;
    for (int i = 0; i < plan->nodes; i++) {
        plan->node[i].first = begin[i];
        plan->node[i].count = begin[i + 1];
        begin[i + 1] += begin[i];
    }
    for (size_t i = 0; i < plan->block_count; i++)
        blocks[begin[plan->blocks[i].node]++] = plan->blocks[i];
    for (size_t i = 0; i < plan->block_count; i++) {
        size_t first = blocks[i].first;

        blocks[i].first = at;
        for (size_t j = 0; j < blocks[i].count; j++, at++) {
            numbers[first + j] = at;
            steps[at] = plan->steps[first + j];
            steps[at].block = (int)i;
        }
    }
    free(plan->blocks);
    free(plan->steps);
    free(begin);
    plan->blocks = blocks;
    plan->steps = steps;
    plan->block_room = plan->block_count + 1;
    plan->step_room = plan->step_count + 1;
    return true;
}

/* List every step's needs after one another, with the new numbers. */
static bool
list_needs(struct peal_plan *plan, const size_t *numbers)
{
    size_t *needs = calloc(plan->wanted_count + 1, sizeof *needs), at = 0;

    if (!needs)
        return false;
    for (size_t i = 0; i < plan->wanted_count; i++)
        plan->steps[numbers[plan->wanted[i].step]].need_count++;
    for (size_t i = 0; i < plan->step_count; i++) {
        plan->steps[i].needs = at;
        at += (size_t)plan->steps[i].need_count;
        plan->steps[i].need_count = 0;
    }
    for (size_t i = 0; i < plan->wanted_count; i++) {
        struct peal_plan_step *step = &plan->steps[numbers[plan->wanted[i].step]];

        needs[step->needs + (size_t)step->need_count++] = numbers[plan->wanted[i].on];
    }
    plan->needs = needs;
    plan->need_count = plan->wanted_count;
    free(plan->wanted);
    plan->wanted = NULL;
    plan->wanted_count = plan->wanted_room = 0;
    return true;
}

enum peal_status
peal_plan_finish(struct peal_plan *plan, const char *file, struct peal_error *error)
{
    struct peal_error ignored;
    const struct checking c = {plan, file, error ? error : &ignored};
    enum peal_status status = plan_check_all(&c);
    size_t *numbers;
    bool memory;

    if (status != PEAL_OK)
        return status;
    numbers = calloc(plan->step_count + 1, sizeof *numbers);
    plan->file = strdup(file);
    memory = numbers && plan->file && sort_blocks(plan, numbers) && list_needs(plan, numbers);
    free(numbers);
    return memory ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "not enough memory for a schedule");
}

/* ------------------------------------------------------------------ findings */

static const struct {
    const char *name;
    enum peal_severity severity;
} kinds[PEAL_PLAN_KINDS] = {
    [PEAL_PLAN_DEADLOCK] = {"deadlock", PEAL_SEVERITY_ERROR},
    [PEAL_PLAN_UNBUFFERED] = {"deadlock-if-unbuffered", PEAL_SEVERITY_WARNING},
    [PEAL_PLAN_UNMATCHED] = {"unmatched-message", PEAL_SEVERITY_ERROR},
    [PEAL_PLAN_LENGTH] = {"truncation", PEAL_SEVERITY_ERROR},
    [PEAL_PLAN_RACE] = {"race", PEAL_SEVERITY_ERROR},
    [PEAL_PLAN_WRONG] = {"wrong-result", PEAL_SEVERITY_ERROR},
    [PEAL_PLAN_UNINITIALISED] = {"uninitialised-send", PEAL_SEVERITY_WARNING},
    [PEAL_PLAN_NOT_A_LINK] = {"not-a-link", PEAL_SEVERITY_ERROR},
};

const char *
peal_plan_kind_name(enum peal_plan_kind kind)
{
    return kinds[kind].name;
}

enum peal_severity
peal_plan_severity(enum peal_plan_kind kind)
{
    return kinds[kind].severity;
}

struct peal_plan_finding *
verdict_add(struct peal_plan_verdict *verdict, enum peal_plan_kind kind)
{
    for (int i = 0; i < verdict->finding_count; i++)
        if (verdict->findings[i].kind == kind) {
            verdict->findings[i].times++;
            return NULL;
        }
    struct peal_plan_finding *finding = &verdict->findings[verdict->finding_count++];

    *finding = (struct peal_plan_finding){
        .kind = kind, .times = 1, .node = -1, .chunk = -1, .step = SIZE_MAX, .other = SIZE_MAX};
    return finding;
}

char *
place_text(int node, struct peal_plan_place place, char *text, size_t bytes)
{
    static const char *const names[] = {"input", "output", "scratch"};

    snprintf(text, bytes, "chunk %d of the %s of node %d", place.chunk, names[place.buffer], node);
    return text;
}
