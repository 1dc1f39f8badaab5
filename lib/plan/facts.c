/* SPDX-License-Identifier: MIT */
/* Runs a collective on labels and lists each message and each call of its operator.  One run at a time in a process:
 * the operator finds the list by a static variable. */
#include "lib/plan/facts.h"
#include "lib/labels/trail.h"
#include "lib/machine/machine.h"
#include <peal/loaded.h>
#include <stdlib.h>

enum { MAX_LABELS = 1 << 24, MAX_SECONDS = 60 };

/* The run under way: an operator has no argument for it. */
static struct facts *now;

/* Make room for `more` labels and a fact. */
static bool
facts_reserve(struct facts *facts, size_t more)
{
    return array_grow(&facts->facts, &facts->room, facts->count + 1, sizeof *facts->facts) &&
           facts->label_count + more <= MAX_LABELS &&
           array_grow(&facts->labels, &facts->label_room, facts->label_count + more, sizeof *facts->labels);
}

static void
add_labels(struct facts *facts, const void *words, size_t count)
{
    memcpy(facts->labels + facts->label_count, words, count * sizeof *facts->labels);
    facts->label_count += count;
}

/* Note one message. */
static void
facts_note_message(void *arg, const struct request *receive, const struct request *send, const struct copy *copy)
{
    struct facts *facts = arg;
    size_t words = (size_t)receive->words;

    if (facts->full || !facts_reserve(facts, words)) {
        facts->full = true;
        return;
    }
    facts->facts[facts->count++] = (struct fact){facts->rounds, receive->node, send->node, facts->label_count, words};
    for (size_t left = words * sizeof(uint64_t); left > 0; left -= copy->bytes, copy++)
        add_labels(facts, copy->to, copy->bytes / sizeof(uint64_t));
}

static void
facts_note_round(struct peal_machine *machine, void *arg)
{
    struct facts *facts = arg;

    facts->rounds += machine->round.transfer_count > 0;
    deliveries_each(machine, facts_note_message, facts);
}

static void
facts_combine(const void *left, const void *right, void *result, size_t words)
{
    bool room = self && !now->full && facts_reserve(now, 3 * words);

    if (self && room) {
        now->facts[now->count++] = (struct fact){now->rounds, self->rank, -1, now->label_count, words};
        add_labels(now, left, words); /* before the result, which may overwrite them */
        add_labels(now, right, words);
    }
    peal_combine(&label_op_commutative, left, right, result, words);
    if (self && room)
        add_labels(now, result, words);
    else
        now->full = true;
}

static const struct peal_op noted_op = {
    .name = "noted labels", .commutative = true, .word_bytes = sizeof(uint64_t), .combine = facts_combine};

struct fact_call {
    const struct facts *facts;
    const struct peal_callee *callee;
};

static void
facts_program(struct peal_node *me, void *arg)
{
    const struct fact_call *call = arg;

    vectors_call(&call->facts->data, me, call->callee);
}

static enum peal_status
refuse_many(struct peal_error *error)
{
    return peal_refuse(error, PEAL_USAGE, "the run moves too many words: a schedule has chunks, so take fewer (-m 1)");
}

static enum peal_status
facts_run(struct facts *facts, struct peal_machine *machine, const struct peal_callee *callee, struct peal_error *error)
{
    struct round_listener listener = {.look = facts_note_round, .arg = facts};
    struct fact_call call = {facts, callee};
    const struct peal_failure *failure;
    struct peal_finding finding;

    round_listener_add(machine, &listener);
    now = facts;
    failure = callee->algorithm ? peal_algorithm_start(callee->algorithm, machine, facts_program, &call)
                                : peal_run(machine, facts_program, &call);
    now = NULL;
    round_listener_remove(machine, &listener);
    if (failure)
        return peal_refuse(error, PEAL_USAGE, "the run fails: %.600s", failure->message);
    if (facts->full)
        return refuse_many(error);
    if (!vectors_check(&facts->data, &finding))
        return peal_refuse(error, PEAL_USAGE, "the run is wrong: %.600s", finding.message);
    return PEAL_OK;
}

enum peal_status
facts_make(struct facts *facts, const struct peal_options *options, enum peal_collective collective,
           const struct peal_callee *callee, const struct peal_check_case *where, struct peal_error *error)
{
    struct peal_options own = *options;
    struct peal_machine *machine;
    enum peal_status status;

    *facts = (struct facts){.where = *where};
    facts->where.commutative = true;
    if (where->words > (size_t)(MAX_LABELS / where->nodes))
        return refuse_many(error);
    status = vectors_begin(&facts->data, collective, &facts->where, error);
    if (status != PEAL_OK)
        return status;
    facts->data.op = &noted_op;
    own.word_bytes = sizeof(uint64_t);
    own.carriers = 1; /* the labels' table is for one thread at a time */
    own.wake_all = false;
    own.rounds = PEAL_ROUNDS_NONE;
    own.timeout_seconds = MAX_SECONDS;
    own.engine = "auto";
    machine = peal_machine_create(&own, error);
    if (!machine)
        return error->status;
    status = facts_run(facts, machine, callee, error);
    peal_machine_destroy(machine);
    return status;
}

void
facts_fini(struct facts *facts)
{
    vectors_fini(&facts->data);
    free(facts->facts);
    free(facts->labels);
    *facts = (struct facts){.count = 0};
}
