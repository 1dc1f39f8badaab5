/* SPDX-License-Identifier: MIT */
/* The result of a plan, with labels in place of chunks: in one order, which is every order's where there are no
 * races. */
#include "lib/collective/layout.h"
#include "lib/labels/labels.h"
#include "lib/plan/judging.h"
#include <stdlib.h>

struct proof {
    const struct order *order;
    const struct peal_plan *plan;
    const struct peal_form *form;
    struct peal_plan_verdict *verdict;
    struct peal_layout layout; /* a chunk is a word */
    size_t *begin;             /* of each node's memory in labels */
    uint64_t *labels;
    size_t *writers; /* the last step that wrote a chunk; SIZE_MAX none */
    size_t *payload; /* of a step that sends: where its message is in messages */
    uint64_t *messages;
};

static size_t
cell(const struct proof *proof, int node, struct peal_plan_place place, int c)
{
    place.chunk += c;
    return proof->begin[node] + (size_t)peal_plan_address(proof->plan, node, place);
}

/* ------------------------------------------------------------------ before */

/* The chunks that the node has before the call. */
static size_t
chunks_given(const struct proof *proof, int node)
{
    const struct peal_form *form = proof->form;
    size_t words;

    if (form->in == PEAL_SIDE_NONE) {
        bool begins = form->begins == PEAL_BEGINS_EVERYWHERE ||
                      (form->begins == PEAL_BEGINS_AT_ROOT && node == proof->plan->root);

        return begins ? (size_t)proof->plan->chunks : 0;
    }
    words = layout_in_words(&proof->layout, form, node);
    return words == SIZE_MAX ? 0 : words;
}

static void
give_inputs(struct proof *proof)
{
    const struct peal_plan *plan = proof->plan;

    for (int node = 0; node < plan->nodes; node++) {
        size_t given = proof->verdict->known ? chunks_given(proof, node) : (size_t)plan->node[node].chunks[0];

        for (size_t i = 0; i < given; i++)
            proof->labels[cell(proof, node, (struct peal_plan_place){PEAL_PLAN_INPUT, (int)i}, 0)] =
                label_make(LABEL_WORD, node, i);
    }
}

/* ------------------------------------------------------------------ steps */

static void
note_unwritten(const struct proof *proof, size_t i, struct peal_plan_place place)
{
    struct peal_plan_finding *finding = verdict_add(proof->verdict, PEAL_PLAN_UNINITIALISED);
    int node = proof->plan->blocks[proof->plan->steps[i].block].node;
    char where[100], step[100];

    if (!finding)
        return;
    finding->node = node;
    finding->chunk = place.chunk;
    finding->step = i;
    snprintf(finding->message, sizeof finding->message, "%s is used by %s, and nothing was written there before",
             place_text(node, place, where, sizeof where), peal_plan_where(proof->plan, i, step, sizeof step));
}

/* Read a chunk. */
static uint64_t
plan_proof_read_chunk(const struct proof *proof, size_t i, struct peal_plan_place place, int c)
{
    uint64_t label = proof->labels[cell(proof, proof->plan->blocks[proof->plan->steps[i].block].node, place, c)];

    if (label == 0)
        note_unwritten(proof, i, (struct peal_plan_place){place.buffer, place.chunk + c});
    return label;
}

static uint64_t
plan_proof_join(uint64_t one, uint64_t other)
{
    return one == 0 || other == 0 ? 0 : label_join(one, other, true);
}

/* Carry out a step for one of its chunks. */
static void
carry_out_chunk(struct proof *proof, size_t i, int c)
{
    const struct peal_plan_step *step = &proof->plan->steps[i];
    int node = proof->plan->blocks[step->block].node;
    bool receives = step->does & PEAL_PLAN_RECEIVE;
    uint64_t label = 0;

    if (receives && proof->order->comes_from[i] != SIZE_MAX) {
        size_t from = proof->order->comes_from[i];

        label = c < proof->plan->steps[from].count ? proof->messages[proof->payload[from] + (size_t)c] : 0;
    } else if (!receives) {
        label = plan_proof_read_chunk(proof, i, step->source, c);
    }
    if (step->does & PEAL_PLAN_REDUCE)
        label = plan_proof_join(plan_proof_read_chunk(proof, i, receives ? step->source : step->target, c), label);
    if (step->does & PEAL_PLAN_COPY) {
        size_t at = cell(proof, node, step->target, c);

        proof->labels[at] = label;
        proof->writers[at] = i;
    }
    if (step->does & PEAL_PLAN_SEND)
        proof->messages[proof->payload[i] + (size_t)c] = label;
}

static void
plan_proof_run(struct proof *proof)
{
    for (size_t j = 0; j < proof->order->count; j++) {
        size_t i = proof->order->sequence[j];
        const struct peal_plan_step *step = &proof->plan->steps[i];

        for (int c = 0; c < step->count && step->does != 0; c++)
            carry_out_chunk(proof, i, c);
        if (step->does & PEAL_PLAN_REDUCE)
            proof->verdict->reductions += (uint64_t)step->count;
    }
}

/* ------------------------------------------------------------------ after */

static void
report_wrong(const struct proof *proof, int node, int chunk, uint64_t expected)
{
    struct peal_plan_finding *finding = verdict_add(proof->verdict, PEAL_PLAN_WRONG);
    struct peal_plan_place place = {PEAL_PLAN_OUTPUT, chunk};
    size_t at = cell(proof, node, place, 0);
    char where[100], step[100], what[300] = "";

    if (!finding)
        return;
    finding->node = node;
    finding->chunk = chunk;
    finding->step = proof->writers[at];
    if (proof->labels[at] == 0)
        snprintf(what, sizeof what, "holds nothing that a node was given");
    else
        label_explain(proof->labels[at], expected, node, (size_t)chunk, proof->form->op, what, sizeof what);
    snprintf(finding->message, sizeof finding->message, "%s %s%s%s", place_text(node, place, where, sizeof where), what,
             finding->step == SIZE_MAX ? "; no step writes it" : "; written last by ",
             finding->step == SIZE_MAX ? "" : peal_plan_where(proof->plan, finding->step, step, sizeof step));
}

/* The combination of the chunk of the nodes first .. last. */
static uint64_t
expected_label(const struct peal_origin *origin, size_t i)
{
    uint64_t label = label_make(LABEL_WORD, origin->first, origin->index + i);

    for (int node = origin->first + 1; node <= origin->last; node++)
        label = label_join(label, label_make(LABEL_WORD, node, origin->index + i), true);
    return label;
}

/* Compare a node's result, stretch by stretch.  A node's own words need not be in the output of a plan that is not in
 * place. */
static void
compare_node(struct proof *proof, int node)
{
    int chunk = 0;
    size_t words = layout_out_words(&proof->layout, proof->form, node);

    for (int part = 0; words != SIZE_MAX && part < layout_parts(&proof->layout, proof->form); part++) {
        struct peal_origin origin;

        proof->form->origin(&proof->layout, node, part, &origin);
        for (size_t i = 0; i < origin.words; i++, chunk++) {
            uint64_t label = proof->labels[cell(proof, node, (struct peal_plan_place){PEAL_PLAN_OUTPUT, chunk}, 0)];

            if (origin.kept || origin.first > origin.last)
                continue;
            uint64_t expected = expected_label(&origin, i);

            if (label != expected)
                report_wrong(proof, node, chunk, expected);
        }
    }
}

/* ------------------------------------------------------------------ all of it */

static enum peal_status
plan_proof_alloc(struct proof *proof, struct peal_error *error)
{
    const struct peal_plan *plan = proof->plan;
    size_t memory = 0, messages = 0;

    proof->begin = calloc((size_t)plan->nodes + 1, sizeof *proof->begin);
    proof->payload = calloc(plan->step_count + 1, sizeof *proof->payload);
    if (!proof->begin || !proof->payload)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for a proof");
    for (int node = 0; node < plan->nodes; node++) {
        proof->begin[node] = memory;
        if (peal_plan_memory(plan, node) >= LABEL_INDICES || plan->nodes > LABEL_NODES)
            return peal_refuse(error, PEAL_USAGE, "%d chunks on node %d: a proof takes at most %d on %d nodes",
                               peal_plan_memory(plan, node), node, LABEL_INDICES - 1, LABEL_NODES);
        memory += (size_t)peal_plan_memory(plan, node);
    }
    for (size_t i = 0; i < plan->step_count; i++) {
        proof->payload[i] = messages;
        messages += plan->steps[i].does & PEAL_PLAN_SEND ? (size_t)plan->steps[i].count : 0;
    }
    proof->labels = calloc(memory + 1, sizeof *proof->labels);
    proof->writers = malloc((memory + 1) * sizeof *proof->writers);
    proof->messages = calloc(messages + 1, sizeof *proof->messages);
    if (!proof->labels || !proof->writers || !proof->messages)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for a proof");
    memset(proof->writers, 0xFF, (memory + 1) * sizeof *proof->writers);
    return PEAL_OK;
}

enum peal_status
proof_make(const struct order *order, struct peal_plan_verdict *verdict, struct peal_error *error)
{
    const struct peal_plan *plan = order->plan;
    struct proof proof = {
        .order = order,
        .plan = plan,
        .form = peal_form_of(plan->collective),
        .verdict = verdict,
        .layout = {
            .nodes = plan->nodes, .root = plan->root, .by = 1, .to_count = plan->nodes, .words = (size_t)plan->chunks}};
    enum peal_status status = plan_proof_alloc(&proof, error);

    if (status == PEAL_OK) {
        give_inputs(&proof);
        plan_proof_run(&proof);
        for (int node = 0; node < plan->nodes && verdict->known; node++)
            compare_node(&proof, node);
        labels_end();
    }
    free(proof.begin);
    free(proof.payload);
    free(proof.labels);
    free(proof.writers);
    free(proof.messages);
    return status;
}
