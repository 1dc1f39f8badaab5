/* SPDX-License-Identifier: MIT */
/* A recorded run in which collectives take other algorithms.
 *
 * The messages of a call leave their rounds, and those of the other algorithm, from a run of its own, take their place
 * from the first of these rounds on.  Calls whose rounds overlap are replaced together: those with a node in common one
 * after the other, the rest at the same time. */
#include "lib/record/replace.h"
#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "lib/cost/schedule.h"
#include "lib/record/record.h"
#include <stdlib.h>

/* A run of an algorithm: its rounds serve all calls that are alike. */
struct algorithm_run {
    const struct peal_collective_call *call; /* the first of them */
    struct peal_record *run;                 /* NULL: it does not fit */
};

struct replacing {
    const struct peal_record *from;
    struct peal_record *to;
    const struct replacement *choice;
    struct replaced *replaced;
    struct recorder recorder;
    struct algorithm_run *runs;
    size_t run_count;
    struct peal_error *error;
};

/* One call of a cluster. */
struct replaced_call {
    const struct peal_collective_call *call;
    const struct peal_schedule *rounds; /* of the other algorithm */
    const char *algorithm;
    size_t start;    /* from the cluster's first round on */
    uint32_t caller; /* of its messages, from 1; 0: none yet */
};

/* ------------------------------------------------------------------ the other algorithm */

/* Add bytes: associative and commutative, for words of any size. */
static void
add_bytes(const void *left, const void *right, void *result, size_t words, void *closure)
{
    const unsigned char *a = left, *b = right;
    unsigned char *c = result;

    for (size_t i = 0; i < words * *(const size_t *)closure; i++)
        c[i] = (unsigned char)(a[i] + b[i]);
}

static struct peal_record *
run_alone(struct replacing *r, const struct peal_collective_call *call, enum peal_collective collective,
          const char *algorithm, struct peal_error *error)
{
    struct peal_options options = r->from->options;
    size_t word_bytes = options.word_bytes * call->scale;
    struct peal_op op = {.name = "sum",
                         .commutative = !call->ordered,
                         .word_bytes = word_bytes,
                         .combine_with = add_bytes,
                         .closure = &word_bytes};
    struct peal_exercise exercise = {.collective = collective, .algorithm = algorithm, .op = &op};
    struct peal_outcome outcome;
    struct peal_record *record = NULL;

    options.nodes = call->nodes;
    if (call->members) {
        options.topology = "full";
        options.routing = NULL;
    }
    options.engine = "fibers";
    options.word_bytes = word_bytes;
    options.rounds = PEAL_ROUNDS_ALL;
    options.timeout_seconds = 0;
    exercise.nodes = call->nodes;
    exercise.words = call->words;
    exercise.root = peal_collective_has_root(collective) ? call->root : 0;
    exercise.by = call->by;
    struct peal_machine *machine = peal_machine_create(&options, error);

    if (machine && peal_exercise(machine, &exercise, &outcome, error) == PEAL_OK)
        record = peal_record_take(machine, &outcome, NULL, error);
    peal_machine_destroy(machine);
    return record;
}

static bool
replace_calls_are_equal(const struct peal_collective_call *a, const struct peal_collective_call *b)
{
    return strcmp(a->collective, b->collective) == 0 && a->words == b->words && a->scale == b->scale &&
           a->root == b->root && a->by == b->by && a->ordered == b->ordered && a->nodes == b->nodes &&
           !a->members == !b->members;
}

/* The rounds that the call takes now; NULL: it stays as it is. */
static const struct peal_schedule *
find_rounds(struct replacing *r, const struct peal_collective_call *call, const char **algorithm)
{
    enum peal_collective collective;
    struct peal_error why;

    if (!peal_collective_find(call->collective, &collective) || !(*algorithm = r->choice->algorithms[collective]))
        return NULL;
    if (call->unequal) {
        r->replaced->kept++;
        snprintf(r->replaced->why, sizeof r->replaced->why, "the lengths of its blocks are not recorded");
        return NULL;
    }
    for (size_t i = 0; i < r->run_count; i++)
        if (replace_calls_are_equal(r->runs[i].call, call)) {
            r->replaced->kept += !r->runs[i].run;
            return r->runs[i].run ? &r->runs[i].run->schedule : NULL;
        }
    if (!grow_by_one(&r->runs, r->run_count, sizeof *r->runs)) {
        peal_refuse(r->error, PEAL_RESOURCES, "not enough memory");
        return NULL;
    }
    struct algorithm_run *run = &r->runs[r->run_count++];

    *run = (struct algorithm_run){call, run_alone(r, call, collective, *algorithm, &why)};
    if (!run->run) {
        r->replaced->kept++;
        snprintf(r->replaced->why, sizeof r->replaced->why, "%.190s", why.text);
    }
    return run->run ? &run->run->schedule : NULL;
}

/* ------------------------------------------------------------------ calls of the program */

/* The number of the same call of the program by another algorithm; 0 without memory. */
static uint32_t
call_by(struct replacing *r, uint32_t number, const char *algorithm)
{
    struct peal_callers *callers = &r->to->callers;
    struct peal_caller *list = (struct peal_caller *)(uintptr_t)callers->callers, old;

    if (number == 0)
        return 0;
    old = list[number - 1];
    for (size_t i = 0; i < callers->count; i++)
        if (same_text(list[i].algorithm, algorithm) && list[i].line == old.line && same_text(list[i].file, old.file) &&
            same_text(list[i].call, old.call))
            return (uint32_t)i + 1;
    if (!array_grow(&callers->callers, &(size_t){callers->count}, callers->count + 1, sizeof *list))
        return 0;
    list = (struct peal_caller *)(uintptr_t)callers->callers;
    list[callers->count] = (struct peal_caller){old.call ? strdup(old.call) : NULL, strdup(algorithm),
                                                old.file ? strdup(old.file) : NULL, old.line, NULL};
    return (uint32_t)++callers->count;
}

static bool
has_member(const struct peal_collective_call *call, int rank)
{
    for (int i = 0; call->members && i < call->nodes; i++)
        if (call->members[i] == rank)
            return true;
    return !call->members;
}

static bool
replace_calls_overlap(const struct peal_collective_call *a, const struct peal_collective_call *b)
{
    for (int i = 0; a->members && i < a->nodes; i++)
        if (has_member(b, a->members[i]))
            return true;
    return !a->members;
}

/* The call whose message this is; NULL: of none of these. */
static struct replaced_call *
lane_of(const struct replacing *r, struct replaced_call *lanes, size_t count, size_t round,
        const struct peal_transfer *transfer)
{
    uint32_t number = transfer->calls[0];
    const struct peal_caller *caller = number ? &r->from->callers.callers[number - 1] : NULL;

    for (size_t i = 0; caller && caller->algorithm && i < count; i++) {
        const struct peal_collective_call *call = lanes[i].call;

        if (round >= call->first && round <= call->last && strcmp(caller->algorithm, call->algorithm) == 0 &&
            has_member(call, transfer->from) && has_member(call, transfer->to))
            return &lanes[i];
    }
    return NULL;
}

/* ------------------------------------------------------------------ rounds */

/* Write round `at` of the cluster that begins with round `first` and has recorded rounds up to `last`. */
static bool
write_round(struct replacing *r, struct replaced_call *lanes, size_t count, size_t first, size_t last, size_t at)
{
    const struct peal_schedule *was = &r->from->schedule;
    const struct peal_round *old = first + at <= last ? peal_schedule_round(was, first + at) : NULL;
    size_t room = old ? old->count : 0, used = 0;

    for (size_t i = 0; i < count; i++)
        if (at >= lanes[i].start && at - lanes[i].start < lanes[i].rounds->round_count)
            room += peal_schedule_round(lanes[i].rounds, at - lanes[i].start)->count;
    struct peal_transfer *transfers = recorder_room(&r->recorder, room);

    if (!transfers)
        return false;
    for (size_t i = 0; old && i < old->count; i++)
        if (!lane_of(r, lanes, count, first + at, &was->transfers[old->first + i]))
            transfers[used++] = was->transfers[old->first + i];
    for (size_t i = 0; i < count; i++) {
        const struct replaced_call *lane = &lanes[i];

        if (at < lane->start || at - lane->start >= lane->rounds->round_count)
            continue;
        const struct peal_round *made = peal_schedule_round(lane->rounds, at - lane->start);

        for (size_t j = 0; j < made->count; j++) {
            struct peal_transfer one = lane->rounds->transfers[made->first + j];

            one.words *= lane->call->scale;
            if (lane->call->members) {
                one.from = lane->call->members[one.from];
                one.to = lane->call->members[one.to];
            }
            one.calls[0] = one.calls[1] = lane->caller;
            transfers[used++] = one;
        }
    }
    struct peal_cost charge = {.tau = old ? old->charge.tau : 0};

    return (used == 0 && charge.tau == 0) || recorder_round(&r->recorder, used, charge);
}

/* Place the calls of a cluster, and name the calls that its messages belong to. */
static size_t
place_lanes(struct replacing *r, struct replaced_call *lanes, size_t count, size_t first, size_t last)
{
    const struct peal_schedule *was = &r->from->schedule;
    size_t end = last - first + 1;

    for (size_t round = first; round <= last; round++) {
        const struct peal_round *old = peal_schedule_round(was, round);

        for (size_t i = 0; i < old->count; i++) {
            struct replaced_call *lane = lane_of(r, lanes, count, round, &was->transfers[old->first + i]);

            if (lane && !lane->caller)
                lane->caller = call_by(r, was->transfers[old->first + i].calls[0], lane->algorithm);
        }
    }
    for (size_t i = 0; i < count; i++) {
        lanes[i].start = lanes[i].call->first - first;
        for (size_t j = 0; j < i; j++) {
            size_t after = lanes[j].start + lanes[j].rounds->round_count;

            if (after > lanes[i].start && replace_calls_overlap(lanes[i].call, lanes[j].call))
                lanes[i].start = after;
        }
        if (lanes[i].start + lanes[i].rounds->round_count > end)
            end = lanes[i].start + lanes[i].rounds->round_count;
    }
    return end;
}

static bool
copy_round(struct replacing *r, size_t i)
{
    return write_round(r, NULL, 0, i, i, 0);
}

static bool
replace_write_all(struct replacing *r, struct replaced_call *lanes)
{
    const struct peal_collective_calls *calls = &r->from->collectives;
    size_t round = 0;

    for (size_t next = 0; next < calls->count;) {
        size_t count = 0, first = 0, last = 0;

        for (; next < calls->count && (count == 0 || calls->calls[next].first <= last); next++) {
            const struct peal_collective_call *call = &calls->calls[next];
            const char *algorithm = NULL;
            const struct peal_schedule *rounds = find_rounds(r, call, &algorithm);

            if (r->error->status != PEAL_OK)
                return false;
            if (!rounds)
                continue;
            if (count == 0)
                first = call->first > round ? call->first : round;
            last = count > 0 && last > call->last ? last : call->last;
            lanes[count++] = (struct replaced_call){.call = call, .rounds = rounds, .algorithm = algorithm};
        }
        if (count == 0)
            break;
        r->replaced->calls += count;
        while (round < first)
            if (!copy_round(r, round++))
                return false;
        size_t end = place_lanes(r, lanes, count, first, last);

        for (size_t at = 0; at < end; at++)
            if (!write_round(r, lanes, count, first, last, at))
                return false;
        round = last + 1;
    }
    while (round < r->from->schedule.round_count)
        if (!copy_round(r, round++))
            return false;
    return true;
}

struct peal_record *
peal_record_replace(const struct peal_record *record, const struct replacement *choice, struct replaced *replaced,
                    struct peal_error *error)
{
    struct replaced_call *lanes = calloc(record->collectives.count + 1, sizeof *lanes);
    struct replacing r = {
        .from = record, .to = record_copy(record), .choice = choice, .replaced = replaced, .error = error};
    *replaced = (struct replaced){.calls = 0};
    *error = (struct peal_error){PEAL_OK, ""};
    const struct peal_pricing pricing = {
        peal_network_create(record->options.topology, record->options.nodes, record->options.routing, error),
        record->options.switching, record->options.congestion};

    if (pricing.network && (!lanes || !r.to || (!replace_write_all(&r, lanes) && error->status == PEAL_OK)))
        peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (error->status == PEAL_OK) {
        free(r.to->schedule.order);
        free(r.to->schedule.rounds);
        free(r.to->schedule.transfers);
        r.to->schedule = recorder_end(&r.recorder);
        r.to->has_critical_path = false;
        r.to->critical_path = (struct peal_cost){0};
        collectives_fini(&r.to->collectives); /* they lie in other rounds now */
        peal_price(&pricing, &r.to->schedule, &r.to->cost, error);
    }
    recorder_fini(&r.recorder);
    for (size_t i = 0; i < r.run_count; i++)
        peal_record_destroy(r.runs[i].run);
    free(r.runs);
    free(lanes);
    peal_network_destroy((struct peal_network *)(uintptr_t)pricing.network);
    if (error->status == PEAL_OK)
        return r.to;
    peal_record_destroy(r.to);
    return NULL;
}
