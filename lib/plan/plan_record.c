/* SPDX-License-Identifier: MIT */
/* A plan from a run: every label that a node has is a chunk with its own place, written once. */
#include "lib/base/grow.h"
#include "lib/plan/facts.h"
#include "lib/plan/slots.h"
#include <stdlib.h>

/* A node's input stays where it is; a received or joined label goes to its place in the output, if it is wanted there
 * and its neighbours are, else to new scratch.  Where the labels of a message are not neighbours, the node packs them
 * first.  Local steps are a block of their own, the first of its node.  All steps of a node in one round need all of
 * the last round in which it had any: so the plan has the rounds of the run. */

/* A step that has no block yet. */
struct record_draft {
    struct peal_plan_step step;
    int node, peer; /* peer -1: local */
    size_t first_need, need_count;
    size_t number; /* in the plan */
};

/* The last steps of a node. */
struct record_course {
    uint32_t round; /* the last in which it had a step */
    size_t *steps;  /* drafts of that round that no local step has followed yet */
    size_t count, room;
    size_t gate;  /* the last local step; SIZE_MAX none */
    size_t alone; /* the step that those of this round need, in place of the gate; SIZE_MAX none */
    int scratch;  /* chunks in use */
};

struct recording {
    const struct facts *facts;
    struct peal_plan *plan;
    size_t grain; /* words of a chunk */
    struct slots slots, wanted;
    struct record_draft *drafts;
    size_t draft_count, draft_room;
    size_t *needs;
    size_t need_count, need_room;
    struct record_course *courses;
    bool full, foreign; /* memory ran out; a word was not a label */
};

/* ------------------------------------------------------------------ drafts */

static void
add_need(struct recording *recording, size_t on)
{
    if (!array_grow(&recording->needs, &recording->need_room, recording->need_count + 1, sizeof *recording->needs)) {
        recording->full = true;
        return;
    }
    recording->needs[recording->need_count++] = on;
    recording->drafts[recording->draft_count - 1].need_count++;
}

/* Begin a draft of a step. */
static void
draft(struct recording *recording, int node, int peer, struct peal_plan_step step)
{
    if (!array_grow(&recording->drafts, &recording->draft_room, recording->draft_count + 1,
                    sizeof *recording->drafts)) {
        recording->full = true;
        return;
    }
    recording->drafts[recording->draft_count++] =
        (struct record_draft){.step = step, .node = node, .peer = peer, .first_need = recording->need_count};
}

/* Order the node's next steps after all before them: a local step that needs all of them. */
static void
close_round(struct recording *recording, int node)
{
    struct record_course *course = &recording->courses[node];

    if (course->count == 0 || recording->full)
        return;
    draft(recording, node, -1, (struct peal_plan_step){.does = 0});
    for (size_t i = 0; i < course->count && !recording->full; i++)
        add_need(recording, course->steps[i]);
    course->gate = recording->draft_count - 1;
    course->count = 0;
}

/* Add a local step. */
static void
add_local(struct recording *recording, int node, unsigned does, struct peal_plan_place source,
          struct peal_plan_place target, int count)
{
    close_round(recording, node);
    if (recording->full)
        return;
    draft(recording, node, -1,
          (struct peal_plan_step){.does = does, .source = source, .target = target, .count = count});
    recording->courses[node].gate = recording->draft_count - 1;
}

/* Add a step that sends or receives in this round: it needs the node's steps before the round. */
static void
add_end(struct recording *recording, uint32_t round, int node, int peer, struct peal_plan_step step)
{
    struct record_course *course = &recording->courses[node];

    if (course->round != round) {
        course->alone = course->count == 1 ? course->steps[0] : SIZE_MAX;
        if (course->alone == SIZE_MAX)
            close_round(recording, node);
        course->count = 0;
        course->round = round;
    }
    if (recording->full)
        return;
    draft(recording, node, peer, step);
    if (course->alone != SIZE_MAX)
        add_need(recording, course->alone);
    else if (course->gate != SIZE_MAX)
        add_need(recording, course->gate);
    if (!array_grow(&course->steps, &course->room, course->count + 1, sizeof *course->steps))
        recording->full = true;
    else
        course->steps[course->count++] = recording->draft_count - 1;
}

/* ------------------------------------------------------------------ places */

/* Whether a label is a node's word, or a combination of such words; otherwise it is the program's own number, which no
 * result contains. */
static bool
is_data(uint64_t label)
{
    enum label_kind kind = label_kind(label);

    return kind == LABEL_WORD || kind == LABEL_SEQUENCE;
}

/* The number of labels from `at` on, a grain apart, that are neighbours on the node, each where the one before it ends;
 * 0: the first is not there. */
static size_t
neighbours(const struct recording *recording, const struct slots *slots, int node, const uint64_t *labels, size_t count)
{
    const struct slot *first = slots_find(slots, node, labels[0]);
    size_t run = first ? 1 : 0;

    for (; run > 0 && run < count; run++) {
        const struct slot *next = slots_find(slots, node, labels[run * recording->grain]);

        if (!next || next->place.buffer != first->place.buffer || next->place.chunk != first->place.chunk + (int)run)
            break;
    }
    return run;
}

/* New scratch. */
static struct peal_plan_place
scratch(struct recording *recording, int node, size_t count)
{
    struct peal_plan_place place = {PEAL_PLAN_SCRATCH, recording->courses[node].scratch};

    recording->courses[node].scratch += (int)count;
    return place;
}

/* Where `count` new chunks of a node go: into the output, if all are wanted there side by side and none has a place;
 * else new scratch. */
static struct peal_plan_place
recording_place_chunks(struct recording *recording, int node, const uint64_t *labels, size_t count)
{
    bool out = neighbours(recording, &recording->wanted, node, labels, count) == count;

    for (size_t i = 0; i < count; i++)
        out = out && !slots_find(&recording->slots, node, labels[i * recording->grain]);
    return out ? slots_find(&recording->wanted, node, labels[0])->place : scratch(recording, node, count);
}

static void
recording_put_chunks(struct recording *recording, int node, const uint64_t *labels, size_t count,
                     struct peal_plan_place place)
{
    for (size_t i = 0; i < count; i++)
        if (is_data(labels[i * recording->grain]) &&
            !slots_put(&recording->slots, node, labels[i * recording->grain],
                       (struct peal_plan_place){place.buffer, place.chunk + (int)i}))
            recording->full = true;
}

/* Copy or reduce chunks of the node that may lie apart into neighbouring ones. */
static void
gather(struct recording *recording, int node, unsigned does, const uint64_t *labels, size_t count,
       struct peal_plan_place target)
{
    for (size_t i = 0, run; i < count && !recording->foreign; i += run) {
        run = neighbours(recording, &recording->slots, node, labels + i * recording->grain, count - i);
        if (run == 0) {
            recording->foreign |= is_data(labels[i * recording->grain]);
            run = 1;
            continue;
        }
        add_local(recording, node, does, slots_find(&recording->slots, node, labels[i * recording->grain])->place,
                  (struct peal_plan_place){target.buffer, target.chunk + (int)i}, (int)run);
    }
}

/* ------------------------------------------------------------------ facts to steps */

/* Where a message is taken from: its chunks are packed where they lie apart. */
static struct peal_plan_place
find_source(struct recording *recording, const struct fact *fact)
{
    const uint64_t *labels = recording->facts->labels + fact->first;
    size_t count = fact->count / recording->grain;
    struct peal_plan_place source = {PEAL_PLAN_INPUT, 0};

    if (count == 0)
        return source;
    if (neighbours(recording, &recording->slots, fact->from, labels, count) == count)
        return slots_find(&recording->slots, fact->from, labels[0])->place;
    source = scratch(recording, fact->from, count);
    gather(recording, fact->from, PEAL_PLAN_COPY, labels, count, source);
    return source;
}

static void
take_message(struct recording *recording, const struct fact *fact, struct peal_plan_place source, bool early)
{
    const uint64_t *labels = recording->facts->labels + fact->first;
    size_t count = fact->count / recording->grain;
    struct peal_plan_place target = {PEAL_PLAN_OUTPUT, 0};

    if (count > 0)
        target = recording_place_chunks(recording, fact->node, labels, count);
    add_end(recording, fact->round, fact->from, fact->node,
            (struct peal_plan_step){.does = PEAL_PLAN_SEND,
                                    .source = source,
                                    .target = target,
                                    .count = (int)count,
                                    .round = early ? (int)fact->round : 0});
    add_end(recording, fact->round, fact->node, fact->from,
            (struct peal_plan_step){
                .does = PEAL_PLAN_RECEIVE | PEAL_PLAN_COPY, .source = source, .target = target, .count = (int)count});
    recording_put_chunks(recording, fact->node, labels, count, target);
}

/* Whether both nodes were idle in the round before the message's: then only its number keeps it from being earlier. */
static bool
is_early(const struct recording *recording, const struct fact *fact)
{
    uint32_t one = recording->courses[fact->from].round, other = recording->courses[fact->node].round;

    return one + 1 < fact->round && other + 1 < fact->round;
}

/* The messages facts[first .. last) of one round: their words were there before it. */
static void
take_round(struct recording *recording, size_t first, size_t last)
{
    struct peal_plan_place *sources = calloc(last - first, sizeof *sources);
    bool *early = calloc(last - first, sizeof *early);

    if (!sources || !early) {
        free(sources);
        free(early);
        recording->full = true;
        return;
    }
    for (size_t i = first; i < last; i++)
        early[i - first] = is_early(recording, &recording->facts->facts[i]);
    for (size_t i = first; i < last; i++)
        sources[i - first] = find_source(recording, &recording->facts->facts[i]);
    for (size_t i = first; i < last; i++)
        take_message(recording, &recording->facts->facts[i], sources[i - first], early[i - first]);
    free(sources);
    free(early);
}

/* A call of the operator: its new results, stretch by stretch. */
static void
take_call(struct recording *recording, const struct fact *fact)
{
    const uint64_t *left = recording->facts->labels + fact->first, *right = left + fact->count,
                   *result = right + fact->count;
    size_t grain = recording->grain, count = fact->count / grain;

    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && is_data(result[end * grain]) &&
                      !slots_find(&recording->slots, fact->node, result[end * grain]);)
            end++;
        if (end == i) {
            end++;
            continue;
        }
        struct peal_plan_place place = recording_place_chunks(recording, fact->node, result + i * grain, end - i);

        gather(recording, fact->node, PEAL_PLAN_COPY, left + i * grain, end - i, place);
        gather(recording, fact->node, PEAL_PLAN_REDUCE | PEAL_PLAN_COPY, right + i * grain, end - i, place);
        recording_put_chunks(recording, fact->node, result + i * grain, end - i, place);
    }
}

/* Copy words of the result that no message or call brought to their places. */
static void
fill_outputs(struct recording *recording)
{
    const struct vectors *data = &recording->facts->data;

    for (int node = 0; node < recording->plan->nodes; node++) {
        const struct row *row = &data->out[node];
        size_t count = row->words ? row->count / recording->grain : 0;

        for (size_t i = 0, run; i < count && !recording->foreign; i += run) {
            const uint64_t *labels = row->words + i * recording->grain;
            const struct slot *slot = slots_find(&recording->slots, node, labels[0]);
            bool kept;

            run = 1;
            vectors_should(data, node, i * recording->grain, &kept);
            if (kept || (slot && slot->place.buffer == PEAL_PLAN_OUTPUT && slot->place.chunk == (int)i))
                continue;
            gather(recording, node, PEAL_PLAN_COPY, labels, 1, (struct peal_plan_place){PEAL_PLAN_OUTPUT, (int)i});
        }
    }
}

static void
take_facts(struct recording *recording)
{
    const struct facts *facts = recording->facts;

    for (size_t i = 0, end; i < facts->count && !recording->full && !recording->foreign; i = end) {
        end = i + 1;
        if (facts->facts[i].from < 0) {
            take_call(recording, &facts->facts[i]);
            continue;
        }
        while (end < facts->count && facts->facts[end].from >= 0 && facts->facts[end].round == facts->facts[i].round)
            end++;
        take_round(recording, i, end);
    }
    fill_outputs(recording);
}

/* ------------------------------------------------------------------ the grain */

/* Whether labels[0 .. grain) follow one another. */
static bool
is_grain(const uint64_t *labels, size_t grain)
{
    struct leaf first = label_leaf(labels[0], 0);

    if (!is_data(labels[0]) || first.index % grain != 0)
        return false;
    for (size_t i = 1; i < grain; i++) {
        struct leaf leaf = label_leaf(labels[i], 0);

        if (label_kind(labels[i]) != label_kind(labels[0]) || label_leaves(labels[i]) != label_leaves(labels[0]) ||
            leaf.node != first.node || leaf.index != first.index + i)
            return false;
    }
    return true;
}

static bool
all_have_grain(const struct facts *facts, size_t grain)
{
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *fact = &facts->facts[i];
        size_t lists = fact->from < 0 ? 3 : 1;

        if (fact->count % grain != 0)
            return false;
        for (size_t at = 0; at < lists * fact->count; at += grain)
            if (!is_grain(facts->labels + fact->first + at, grain))
                return false;
    }
    return true;
}

/* The most words that travel together everywhere: a chunk. */
static size_t
find_grain(const struct facts *facts)
{
    for (size_t grain = facts->where.words; grain > 1; grain--)
        if (facts->where.words % grain == 0 && all_have_grain(facts, grain))
            return grain;
    return 1;
}

/* ------------------------------------------------------------------ the plan */

static bool
recording_begin(struct recording *recording)
{
    const struct peal_plan *plan = recording->plan;
    const struct vectors *data = &recording->facts->data;

    recording->courses = calloc((size_t)plan->nodes, sizeof *recording->courses);
    if (!recording->courses)
        return false;
    for (int node = 0; node < plan->nodes; node++) {
        const struct row *row = &data->out[node];
        size_t given = (size_t)plan->node[node].chunks[PEAL_PLAN_INPUT];

        recording->courses[node].gate = recording->courses[node].alone = SIZE_MAX;
        for (size_t i = 0; i < given; i++)
            if (!slots_put(&recording->slots, node, label_make(LABEL_WORD, node, i * recording->grain),
                           (struct peal_plan_place){PEAL_PLAN_INPUT, (int)i}))
                return false;
        for (size_t i = 0; row->words && i < row->count / recording->grain; i++)
            if (!slots_put(&recording->wanted, node, row->words[i * recording->grain],
                           (struct peal_plan_place){PEAL_PLAN_OUTPUT, (int)i}))
                return false;
    }
    return true;
}

/* Whether a draft belongs to the block that sends to, or receives from, `peer`; -1: the local one. */
static bool
belongs(const struct record_draft *draft, int peer, bool sends)
{
    return draft->peer == peer && (peer < 0 || sends == ((draft->step.does & PEAL_PLAN_SEND) != 0));
}

/* Make the block of the node to which the draft `like` belongs, of its drafts list[0 .. count). */
static bool
recording_add_block(struct recording *recording, const size_t *list, size_t count, size_t like, int id)
{
    const struct record_draft *first = &recording->drafts[list[like]];
    bool sends = first->step.does & PEAL_PLAN_SEND;
    int peer = first->peer;
    struct peal_plan_block block = {
        .node = first->node, .id = id, .send = sends ? peer : -1, .receive = sends ? -1 : peer};

    if (peal_plan_add_block(recording->plan, &block) == SIZE_MAX)
        return false;
    for (size_t i = like; i < count; i++) {
        struct record_draft *own = &recording->drafts[list[i]];

        if (!belongs(own, peer, sends))
            continue;
        own->number = peal_plan_add_step(recording->plan, &own->step);
        if (own->number == SIZE_MAX)
            return false;
    }
    return true;
}

/* Make a node's blocks, in the order of their first steps. */
static bool
add_node(struct recording *recording, const size_t *list, size_t count)
{
    int id = 0;

    for (size_t i = 0; i < count; i++)
        recording->drafts[list[i]].number = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        if (recording->drafts[list[i]].number == SIZE_MAX && !recording_add_block(recording, list, count, i, id++))
            return false;
    return true;
}

static bool
add_nodes(struct recording *recording)
{
    int nodes = recording->plan->nodes;
    size_t *begins = calloc((size_t)nodes + 2, sizeof *begins);
    size_t *list = calloc(recording->draft_count + 1, sizeof *list);
    bool memory = begins && list;

    for (size_t i = 0; memory && i < recording->draft_count; i++)
        begins[recording->drafts[i].node + 2]++;
    for (int node = 2; memory && node < nodes + 2; node++)
        begins[node] += begins[node - 1];
    for (size_t i = 0; memory && i < recording->draft_count; i++)
        list[begins[recording->drafts[i].node + 1]++] = i;
    for (int node = 0; memory && node < nodes; node++) {
        recording->plan->node[node].chunks[PEAL_PLAN_SCRATCH] = recording->courses[node].scratch;
        memory = add_node(recording, list + begins[node], begins[node + 1] - begins[node]);
    }
    free(begins);
    free(list);
    return memory;
}

static bool
recording_add_needs(struct recording *recording)
{
    for (size_t i = 0; i < recording->draft_count; i++) {
        const struct record_draft *draft = &recording->drafts[i];

        for (size_t j = 0; j < draft->need_count; j++) {
            size_t on = recording->needs[draft->first_need + j];

            if (!peal_plan_add_need(recording->plan, draft->number, recording->drafts[on].number))
                return false;
        }
    }
    return true;
}

static void
recording_fini(struct recording *recording)
{
    for (int node = 0; recording->courses && node < recording->plan->nodes; node++)
        free(recording->courses[node].steps);
    free(recording->courses);
    slots_fini(&recording->slots);
    slots_fini(&recording->wanted);
    free(recording->drafts);
    free(recording->needs);
}

static enum peal_status
recording_make_plan(const struct facts *facts, struct peal_plan *plan, size_t grain, struct peal_error *error)
{
    struct recording recording = {.facts = facts, .plan = plan, .grain = grain};
    bool memory = recording_begin(&recording);
    enum peal_status status = PEAL_OK;

    if (memory)
        take_facts(&recording);
    if (recording.foreign)
        status = peal_refuse(error, PEAL_USAGE, "it moves words that belong to no node: no schedule says that");
    else if (!memory || recording.full || !add_nodes(&recording) || !recording_add_needs(&recording))
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory for a schedule");
    recording_fini(&recording);
    return status;
}

struct peal_plan *
peal_plan_record(const struct peal_options *options, const struct peal_exercise *exercise, struct peal_error *error)
{
    const struct peal_form *form = peal_form_of(exercise->collective);
    struct peal_check_case where = {.nodes = options->nodes, .root = exercise->root, .words = exercise->words};
    struct peal_callee callee = {.algorithm = NULL};
    struct peal_plan *plan = NULL;
    struct facts facts;
    enum peal_status status;
    char name[200];

    if (form->out == PEAL_SIDE_NONE || form->by || form->to || exercise->sizes) {
        peal_refuse(error, PEAL_USAGE, "%s: schedules of other tools have %s", form->name,
                    exercise->sizes ? "blocks of one length" : "no such collective");
        return NULL;
    }
    if (exercise->algorithm)
        callee.algorithm = peal_algorithm_parse(exercise->collective, exercise->algorithm, &callee.parameter);
    status = facts_make(&facts, options, exercise->collective, &callee, &where, error);
    size_t grain = status == PEAL_OK && where.words > 0 ? find_grain(&facts) : 1;

    snprintf(name, sizeof name, "%s%s%.100s", form->name, exercise->algorithm ? "/" : "",
             exercise->algorithm ? exercise->algorithm : "");
    if (status == PEAL_OK && where.words == 0)
        peal_refuse(error, PEAL_USAGE, "%s of no words has no chunks", name);
    else if (status == PEAL_OK)
        plan = peal_plan_create(name, exercise->collective, options->nodes, (int)(where.words / grain), error);
    if (plan) {
        peal_plan_set_root(plan, exercise->root);
        plan->format = "peal";
        if (recording_make_plan(&facts, plan, grain, error) != PEAL_OK ||
            peal_plan_finish(plan, name, error) != PEAL_OK) {
            peal_plan_destroy(plan);
            plan = NULL;
        }
    }
    facts_fini(&facts);
    return plan;
}
