/* SPDX-License-Identifier: MIT */
/* Makes a recorded run once more on labels, perhaps with fewer words, and notes what each node receives and
 * combines.  Its rounds must carry the same as the record's. */
#include "lib/labels/holdings_rerun.h"
#include "lib/labels/trail.h"
#include "lib/machine/machine.h"
#include "lib/record/read.h"
#include <peal/loaded.h>
#include <stdlib.h>

enum {
    FEW_PLACES = 1 << 18,  /* words of all strips together; beyond it fewer words represent a block or vector */
    MAX_PLACES = 1 << 23,  /* words of all strips, with fewer words */
    FEW_ADDENDS = 1 << 20, /* contributors of all partial sums where nodes join one after the other; likewise */
    MAX_ADDENDS = 1 << 22,
    MAX_EVENTS = 1 << 23,
    MAX_SECONDS = 30,
};

/* The run that is repeated: an operator has no argument to pass it in. */
static struct rerun *now;

/* ------------------------------------------------------------------ what to run */

static bool
too_many(const struct rerun *again, size_t words, size_t places, size_t addends)
{
    size_t nodes = (size_t)again->nodes, all;
    size_t strip = peal_collective_has_blocks(again->collective) ? words * nodes : words; /* the words of one */

    if (words > LABEL_INDICES / (peal_collective_has_blocks(again->collective) ? nodes : 1) ||
        __builtin_mul_overflow(strip, nodes, &all) || all > places)
        return true;
    return peal_collective_has_op(again->collective) && all * nodes / 2 > addends;
}

/* Choose how long the blocks or the vector are when the run is made once more: as recorded, or, where that is too long,
 * as few words as show every difference. */
static enum peal_status
choose_words(struct rerun *again, struct peal_error *error)
{
    const struct peal_record *run = again->run;
    bool blocks = peal_collective_has_blocks(again->collective);
    size_t words = blocks ? run->block_words : run->vector_words, longest = 0;
    size_t fewest = blocks ? 1 : (size_t)again->nodes * (size_t)(run->parameter > 0 ? run->parameter : 1);

    for (int i = 0; i < again->where.size_count; i++)
        longest = again->where.sizes[i] > longest ? again->where.sizes[i] : longest;
    if (again->where.sizes) {
        if (too_many(again, longest, MAX_PLACES, MAX_ADDENDS))
            return peal_refuse(error, PEAL_USAGE, "blocks of up to %zu words are more than a page can show", longest);
        again->where.words = longest;
        return longest ? PEAL_OK : peal_refuse(error, PEAL_USAGE, "there are no words in it");
    }
    if (words == 0)
        return peal_refuse(error, PEAL_USAGE, "there are no words in it");
    again->where.words = too_many(again, words, FEW_PLACES, FEW_ADDENDS) && fewest < words ? fewest : words;
    if (too_many(again, again->where.words, MAX_PLACES, MAX_ADDENDS))
        return peal_refuse(error, PEAL_USAGE, "%d nodes and %zu words are more than a page can show", again->nodes,
                           words);
    return PEAL_OK;
}

static enum peal_status
rerun_find_algorithm(struct rerun *again, struct peal_error *error)
{
    const struct peal_record *run = again->run;
    char name[300];

    if (run->parameter > 0)
        snprintf(name, sizeof name, "%.250s:%d", run->algorithm, run->parameter);
    else
        snprintf(name, sizeof name, "%.250s", run->algorithm);
    again->algorithm = peal_algorithm_parse(again->collective, name, &again->parameter);
    if (!again->algorithm && strstr(name, ".c:"))
        return peal_refuse(error, PEAL_USAGE,
                           "it ran the function %s, which is not loaded: name it with --file and --symbol", name);
    return again->algorithm ? PEAL_OK : peal_algorithm_check(again->collective, name, error);
}

static enum peal_status
rerun_prepare(struct rerun *again, struct peal_error *error)
{
    const struct peal_record *run = again->run;
    struct peal_check_case *where = &again->where;
    const struct peal_op *op = peal_op_find(run->op ? run->op : "sum");
    size_t *ranks = NULL;
    enum peal_status status;

    if (!run->collective || !peal_collective_find(run->collective, &again->collective))
        return peal_refuse(error, PEAL_USAGE, "it is a program, whose words have no known meaning");
    if (peal_form_of(again->collective)->out == PEAL_SIDE_NONE)
        return peal_refuse(error, PEAL_USAGE, "a barrier moves no words");
    if (again->nodes > LABEL_NODES)
        return peal_refuse(error, PEAL_USAGE, "%d nodes are more than a page can show", again->nodes);
    if (run->schedule.round_count == 0 && run->cost.alpha > 0)
        return peal_refuse(error, PEAL_USAGE, "its rounds were not recorded");
    if (!again->function && (status = rerun_find_algorithm(again, error)) != PEAL_OK)
        return status;
    *where = (struct peal_check_case){.nodes = again->nodes,
                                      .root = peal_collective_has_root(again->collective) ? run->root : 0,
                                      .by = run->by,
                                      .commutative = !op || op->commutative};
    status = read_numbers(run->sizes, &again->sizes, &where->size_count, error);
    where->sizes = again->sizes;
    if (status == PEAL_OK)
        status = read_numbers(run->to, &ranks, &where->to_count, error);
    if (status == PEAL_OK && ranks && !(again->to = calloc((size_t)where->to_count + 1, sizeof *again->to)))
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (int i = 0; status == PEAL_OK && i < where->to_count; i++) {
        again->to[i] = ranks[i] < (size_t)again->nodes ? (int)ranks[i] : 0;
        if (ranks[i] >= (size_t)again->nodes)
            status = peal_refuse(error, PEAL_USAGE, "rank %zu is out of range: ranks are 0 to %d", ranks[i],
                                 again->nodes - 1);
    }
    free(ranks);
    where->to = again->to;
    if (peal_form_of(again->collective)->to && !where->to)
        where->to_count = again->nodes;
    if (status == PEAL_OK && where->sizes && where->size_count == 0)
        status = peal_refuse(error, PEAL_USAGE, "it has an empty list of lengths of blocks");
    return status == PEAL_OK ? choose_words(again, error) : status;
}

/* ------------------------------------------------------------------ making the run once more */

static void
rerun_note_event(struct rerun *again, uint32_t round, int node, int from, uint64_t label)
{
    struct event *last = again->event_count ? &again->events[again->event_count - 1] : NULL;
    enum label_kind kind = label_kind(label);

    if ((kind != LABEL_WORD && kind != LABEL_SEQUENCE) || again->full)
        return;
    if (again->where.call & PEAL_CALL_TWICE && label_leaf(label, 0).node >= LABEL_EARLIER)
        return; /* the second call is followed */
    if (kind == LABEL_WORD && last && last->round == round && last->node == node && last->from == from &&
        label_kind(last->label) == LABEL_WORD && last->label + last->count == label) {
        last->count++;
        return;
    }
    if (again->event_count == MAX_EVENTS ||
        !array_grow(&again->events, &again->event_room, again->event_count + 1, sizeof *again->events)) {
        again->full = true;
        return;
    }
    again->events[again->event_count++] = (struct event){round, node, from, 1, label};
}

/* Note the words that came for one receive. */
static void
note_receive(void *arg, const struct request *receive, const struct request *send, const struct copy *copy)
{
    struct rerun *again = arg;

    for (uint64_t left = receive->words * again->word_bytes; left > 0; left -= copy->bytes, copy++)
        for (size_t at = 0; at + sizeof(uint64_t) <= copy->bytes; at += sizeof(uint64_t)) {
            uint64_t label;

            memcpy(&label, (const char *)copy->to + at, sizeof label);
            rerun_note_event(again, again->rounds, receive->node, send->node, label);
        }
}

static void
rerun_note_round(struct peal_machine *machine, void *arg)
{
    struct rerun *again = arg;

    again->word_bytes = machine->options.word_bytes;
    again->rounds += deliveries_counts(machine, again->listener.operations);
    deliveries_each(machine, note_receive, again);
}

static void
combine_and_note(const struct peal_op *op, const void *left, const void *right, void *result, size_t words)
{
    peal_combine(op, left, right, result, words);
    for (size_t i = 0; self && i < words; i++) {
        uint64_t label;

        memcpy(&label, (const char *)result + i * sizeof label, sizeof label);
        rerun_note_event(now, now->rounds, self->rank, -1, label);
    }
}

static void
noted_combine(const void *left, const void *right, void *result, size_t words)
{
    combine_and_note(&label_op, left, right, result, words);
}

static void
noted_combine_commutative(const void *left, const void *right, void *result, size_t words)
{
    combine_and_note(&label_op_commutative, left, right, result, words);
}

static const struct peal_op noted_op = {.name = "labels", .word_bytes = sizeof(uint64_t), .combine = noted_combine};
static const struct peal_op noted_op_commutative = {.name = "commutative labels",
                                                    .commutative = true,
                                                    .word_bytes = sizeof(uint64_t),
                                                    .combine = noted_combine_commutative};

static void
rerun_program(struct peal_node *me, void *arg)
{
    struct rerun *again = arg;

    vectors_call(&again->data, me, &(struct peal_callee){again->function, again->algorithm, again->parameter});
}

/* Whether the rounds carry the same as the record's, apart from the lengths of messages where the words are fewer. */
static bool
same_rounds(const struct rerun *again, const struct peal_schedule *made)
{
    const struct peal_schedule *was = &again->run->schedule;
    bool scaled = again->where.words !=
                  (peal_collective_has_blocks(again->collective) ? again->run->block_words : again->run->vector_words);

    if (was->round_count != made->round_count)
        return false;
    for (size_t i = 0; i < was->round_count; i++) {
        const struct peal_round *one = peal_schedule_round(was, i), *other = peal_schedule_round(made, i);

        if (one->count != other->count)
            return false;
        for (size_t j = 0; j < one->count; j++) {
            const struct peal_transfer *a = &was->transfers[one->first + j], *b = &made->transfers[other->first + j];

            if (a->from != b->from || a->to != b->to || (!scaled && !again->where.sizes && a->words != b->words))
                return false;
        }
    }
    return true;
}

/* Make the run.  Its labels stay until vectors_fini. */
static enum peal_status
rerun_make_run(struct rerun *again, struct peal_error *error)
{
    struct peal_options options = again->run->options;
    struct peal_machine *machine;
    enum peal_status status = vectors_begin(&again->data, again->collective, &again->where, error);

    if (status != PEAL_OK)
        return status;
    again->data.op = again->where.commutative ? &noted_op_commutative : &noted_op;
    options.word_bytes = sizeof(uint64_t);
    options.carriers = 1; /* the labels' table is for one thread at a time */
    options.wake_all = false;
    options.rounds = PEAL_ROUNDS_ALL;
    options.timeout_seconds = MAX_SECONDS;
    options.stack_bytes = 0;
    options.engine = "auto";
    machine = peal_machine_create(&options, error);
    again->listener =
        (struct round_listener){.look = rerun_note_round,
                                .arg = again,
                                .operations = calloc((size_t)again->nodes, sizeof *again->listener.operations)};
    if (!machine || !again->listener.operations) {
        peal_machine_destroy(machine);
        free(again->listener.operations);
        return machine ? peal_refuse(error, PEAL_RESOURCES, "not enough memory") : error->status;
    }
    round_listener_add(machine, &again->listener);
    now = again;
    const struct peal_failure *failure = again->algorithm
                                             ? peal_algorithm_start(again->algorithm, machine, rerun_program, again)
                                             : peal_run(machine, rerun_program, again);

    now = NULL;
    if (failure && !again->run->failure)
        status = peal_refuse(error, PEAL_USAGE, "repeated, the run fails: %.400s", failure->message);
    else if (again->full)
        status = peal_refuse(error, PEAL_USAGE, "the run moves more words than a page can show");
    else if (!same_rounds(again, peal_machine_schedule(machine)))
        status = peal_refuse(error, PEAL_USAGE, "repeated, the run has other rounds than recorded");
    peal_machine_destroy(machine);
    free(again->listener.operations);
    return status;
}

/* Whether a run's failure, as JSON, is that its time was up. */
static bool
reached_its_limit(const char *failure)
{
    const char *kind = failure ? strstr(failure, "\"kind\"") : NULL;

    return kind && strncmp(kind + 6 + strspn(kind + 6, ": "), "\"timeout\"", 9) == 0;
}

enum peal_status
rerun_make(struct rerun *again, const struct peal_record *run, const union peal_check_function *function,
           struct peal_error *error)
{
    *again = (struct rerun){.run = run, .function = function, .nodes = run->options.nodes};
    if (reached_its_limit(run->failure))
        return peal_refuse(error, PEAL_USAGE, "the run reached its time limit, and is not repeated");

    enum peal_status status = rerun_prepare(again, error);

    return status == PEAL_OK ? rerun_make_run(again, error) : status;
}

enum peal_status
rerun_follow(struct rerun *again, struct peal_machine *machine, struct vectors *data,
             const struct peal_check_case *where, struct peal_error *error)
{
    *again = (struct rerun){.collective = data->collective, .where = *where, .nodes = where->nodes, .borrowed = true};
    if (data->form->out == PEAL_SIDE_NONE)
        return peal_refuse(error, PEAL_USAGE, "a barrier moves no words");
    if (where->words == 0)
        return peal_refuse(error, PEAL_USAGE, "there are no words in it");
    again->listener =
        (struct round_listener){.look = rerun_note_round,
                                .arg = again,
                                .operations = calloc((size_t)again->nodes, sizeof *again->listener.operations)};
    if (!again->listener.operations)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    data->op = where->commutative ? &noted_op_commutative : &noted_op;
    round_listener_add(machine, &again->listener);
    now = again;
    again->followed = data;
    return PEAL_OK;
}

void
rerun_unfollow(struct rerun *again, struct peal_machine *machine)
{
    now = NULL;
    round_listener_remove(machine, &again->listener);
    free(again->listener.operations);
    again->data = *again->followed;
}

void
rerun_fini(struct rerun *again)
{
    free(again->events);
    if (again->borrowed)
        return;
    free(again->sizes);
    free(again->to);
    vectors_fini(&again->data);
}
