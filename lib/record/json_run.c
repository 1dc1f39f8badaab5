/* SPDX-License-Identifier: MIT */
/* The document "peal/run/1": a run, or a record of one, as JSON, written round by round. */
#include "lib/cost/arithmetic.h"
#include "lib/machine/callers.h"
#include "lib/machine/values.h"
#include "lib/record/json_found.h"
#include "lib/record/record.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ what was run, on what */

enum { DEFAULT_WORD_BYTES = 8 };

/* What was run: a collective with its sizes, or a program. */
static void
write_subject(struct peal_json *json, const struct peal_record *run)
{
    const char *also = run->known ? run->known->also : NULL;

    peal_json_put(
        json, PEAL_STRING("collective", run->collective), PEAL_STRING("algorithm", run->algorithm),
        PEAL_WHERE(also, PEAL_STRING("alias", also)),
        PEAL_WHERE(!run->collective, PEAL_STRING("program", run->program)), PEAL_INT("nodes", run->options.nodes),
        PEAL_UINT_IF("block_words", run->has_block_words, run->block_words),
        PEAL_UINT_IF("vector_words", run->has_vector_words, run->vector_words), PEAL_BREAK,
        PEAL_INT_IF("root", run->has_root, run->root),
        PEAL_WHERE(run->options.word_bytes != DEFAULT_WORD_BYTES, PEAL_UINT("word_bytes", run->options.word_bytes)),
        PEAL_WHERE(run->parameter > 0, PEAL_INT("parameter", run->parameter)),
        PEAL_WHERE(run->op, PEAL_STRING("op", run->op)), PEAL_WHERE(run->by, PEAL_INT("by", run->by)),
        PEAL_WHERE(run->to, PEAL_BREAK), PEAL_WHERE(run->to, PEAL_TEXT("to", run->to)),
        PEAL_WHERE(run->sizes, PEAL_BREAK), PEAL_WHERE(run->sizes, PEAL_TEXT("sizes", run->sizes)));
}

/* ------------------------------------------------------------------ costs and rounds */

/* Write transfers, each with the two numbers of its calls where there are `calls`. */
static void
write_transfers(struct peal_json *json, const struct peal_transfer *transfers, bool calls, size_t count)
{
    peal_json_put(json, PEAL_OPEN(NULL, '['));
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            peal_json_put(json, PEAL_BREAK);
        peal_json_put(json, PEAL_OPEN(NULL, '{'), PEAL_INT("from", transfers[i].from), PEAL_INT("to", transfers[i].to),
                      PEAL_UINT("words", transfers[i].words), PEAL_UINT("hops", transfers[i].hops),
                      PEAL_UINT("k", transfers[i].k));
        if (calls) { /* from 0; null where it is not known */
            const uint32_t *call = transfers[i].calls;

            peal_json_put(json, PEAL_OPEN("calls", '['), PEAL_INT_IF(NULL, call[0] > 0, (int)call[0] - 1),
                          PEAL_INT_IF(NULL, call[1] > 0, (int)call[1] - 1), PEAL_CLOSE(']'));
        }
        peal_json_put(json, PEAL_CLOSE('}'));
    }
    peal_json_put(json, PEAL_CLOSE(']'));
}

/* Write how many transfers there are, their words, and the largest k. */
static void
write_summary(struct peal_json *json, const struct peal_transfer *transfers, size_t count)
{
    uint64_t words = 0;
    uint32_t k = 0;

    for (size_t i = 0; i < count; i++) {
        words = saturating_sum(words, transfers[i].words);
        k = transfers[i].k > k ? transfers[i].k : k;
    }
    peal_json_put(json, PEAL_UINT(NULL, count),
                  PEAL_UINT_IF("words", words < UINT64_MAX /* else too large to count */, words), PEAL_UINT("k", k));
}

/* What posted the transfers: their "calls" are indices into this list. */
static void
write_callers(struct peal_json *json, const struct peal_callers *callers)
{
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN("calls", '['));
    for (size_t i = 0; i < callers->count; i++) {
        const struct peal_caller *caller = &callers->callers[i];

        peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_STRING("call", caller->call),
                      PEAL_WHERE(caller->algorithm, PEAL_STRING("algorithm", caller->algorithm)),
                      PEAL_STRING("file", caller->file), PEAL_INT("line", caller->line), PEAL_CLOSE('}'));
    }
    peal_json_put(json, PEAL_CLOSE(']'));
}

/* The collectives, by the rounds that carry their messages. */
static void
write_collectives(struct peal_json *json, const struct peal_collective_calls *collectives)
{
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN("collectives", '['));
    for (size_t i = 0; i < collectives->count; i++) {
        const struct peal_collective_call *call = &collectives->calls[i];

        peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_STRING("collective", call->collective),
                      PEAL_STRING("algorithm", call->algorithm), PEAL_UINT("words", call->words),
                      PEAL_UINT("scale", call->scale), PEAL_INT("root", call->root), PEAL_INT("by", call->by),
                      PEAL_BOOL("unequal", call->unequal), PEAL_BOOL("ordered", call->ordered),
                      PEAL_UINT("first", call->first + 1), PEAL_UINT("last", call->last + 1));
        if (call->members)
            peal_json_ints(json, "members", call->members, (size_t)call->nodes);
        peal_json_put(json, PEAL_CLOSE('}'));
    }
    peal_json_put(json, PEAL_CLOSE(']'));
}

static void
write_rounds(struct peal_json *json, const struct peal_record *run)
{
    const struct peal_schedule *schedule = &run->schedule;
    enum peal_rounds level = run->options.rounds;
    bool calls = run->callers.count > 0;

    if (calls && level == PEAL_ROUNDS_ALL)
        write_callers(json, &run->callers);
    if (run->collectives.count > 0 && level == PEAL_ROUNDS_ALL)
        write_collectives(json, &run->collectives);
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN("rounds", '['));
    for (size_t i = 0; level != PEAL_ROUNDS_NONE && i < schedule->round_count; i++) {
        const struct peal_round *round = peal_schedule_round(schedule, i);
        const struct peal_transfer *transfers = round->count ? &schedule->transfers[round->first] : NULL;

        peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_KEY("transfers"));
        if (level == PEAL_ROUNDS_ALL)
            write_transfers(json, transfers, calls, round->count);
        else
            write_summary(json, transfers, round->count);
        peal_json_put(json, PEAL_OPEN("charge", '{'), PEAL_COST(round->charge), PEAL_CLOSE('}'), PEAL_CLOSE('}'));
    }
    peal_json_put(json, PEAL_CLOSE(']'));
}

/* ------------------------------------------------------------------ what it is compared with */

static void
write_closed_form(struct peal_json *json, const struct peal_record *run)
{
    peal_json_put(json, PEAL_BREAK);
    if (!run->has_closed_form) {
        peal_json_put(json, PEAL_NULL("closed_form"));
        return;
    }
    peal_json_put(json, PEAL_OPEN("closed_form", '{'), PEAL_COST(run->closed_form),
                  PEAL_STRING("text", *run->closed_form_text ? run->closed_form_text : NULL),
                  PEAL_STRING("source", run->closed_form_source), PEAL_BOOL("equal", run->closed_form_equal),
                  PEAL_CLOSE('}'));
}

/* The cut that makes the lower bound: {"nodes": [0, 1], "into": true, "words": 20, "capacity": 3}, left out where there
 * is none. */
static void
json_run_write_cut(struct peal_json *json, const struct peal_cut *cut)
{
    if (cut->count == 0)
        return;
    peal_json_put(json, PEAL_OPEN("cut", '{'), PEAL_OPEN("nodes", '['));
    for (int node = 0; node < PEAL_CUT_NODES; node++)
        if (cut->member[node / 64] >> node % 64 & 1)
            peal_json_put(json, PEAL_INT(NULL, node));
    peal_json_put(json, PEAL_CLOSE(']'), PEAL_BOOL("into", cut->into), PEAL_UINT("words", cut->words),
                  PEAL_UINT("capacity", cut->capacity), PEAL_CLOSE('}'));
}

/* The ratio is of the run's time to the bound's; null when the bound is 0 or the run did not end well. */
static void
write_lower_bound(struct peal_json *json, const struct peal_record *run)
{
    peal_json_put(json, PEAL_BREAK);
    if (!run->has_lower_bound) {
        peal_json_put(json, PEAL_NULL("lower_bound"));
        return;
    }
    double time = peal_cost_time(run->cost, run->options.parameters);
    double bound = peal_cost_time(run->lower_bound, run->options.parameters);

    peal_json_put(json, PEAL_OPEN("lower_bound", '{'), PEAL_COST(run->lower_bound), PEAL_NUMBER("time", bound),
                  PEAL_RATIO("ratio", bound > 0 && !run->failure ? time / bound : (double)NAN),
                  PEAL_STRING("source", run->lower_bound_source));
    json_run_write_cut(json, &run->lower_bound_cut);
    peal_json_put(json, PEAL_CLOSE('}'));
}

/* ------------------------------------------------------------------ how it ended */

/* The run of a machine, and the outcome of its collective. */
struct ended_run {
    const struct peal_machine *machine;
    const struct peal_outcome *outcome; /* NULL for a program */
};

static void
json_run_write_data(struct peal_json *json, const struct ended_run *run)
{
    const struct peal_outcome *outcome = run->outcome;

    peal_json_put(json, PEAL_OPEN(NULL, '{'), PEAL_BOOL("verified", outcome->verified),
                  PEAL_INT_IF("nodes_correct", outcome->nodes_correct >= 0, outcome->nodes_correct), PEAL_CLOSE('}'));
}

static void
write_waiting(struct peal_json *json, const struct peal_waiting *waiting)
{
    int peer = waiting->peer == PEAL_ANY_SOURCE ? -1 : waiting->peer; /* documents have -1 for any */
    int tag = waiting->tag == PEAL_ANY_TAG ? -1 : waiting->tag;

    peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_INT("rank", waiting->rank),
                  PEAL_STRING("state", waiting->state), PEAL_STRING("for", waiting->what),
                  PEAL_INT_IF("peer", waiting->what, peer), PEAL_UINT_IF("words", waiting->what, waiting->words),
                  PEAL_INT_IF("tag", waiting->what, tag), PEAL_STRING("file", waiting->file),
                  PEAL_INT_IF("line", waiting->file, waiting->line),
                  PEAL_WHERE(waiting->call, PEAL_STRING("call", waiting->call)),
                  PEAL_WHERE(waiting->collective, PEAL_STRING("collective", waiting->collective)),
                  PEAL_WHERE(waiting->box, PEAL_STRING("box", waiting->box)), PEAL_CLOSE('}'));
}

/* The run's failure; wrong data after a run that ended well is one, too. */
static void
write_failure(struct peal_json *json, const struct ended_run *run)
{
    static const struct peal_failure none = {.kind = PEAL_WRONG_RESULT};
    const struct peal_failure *ended = peal_machine_failure(run->machine), *failure = ended ? ended : &none;
    struct peal_found found = peal_found_at_end(failure, false);

    found.message = ended ? NULL : run->outcome->wrong;
    peal_json_put(json, PEAL_OPEN(NULL, '{'));
    peal_json_found(json, &found, PEAL_FOUND_KIND | PEAL_FOUND_MESSAGE);
    peal_json_put(json, PEAL_BREAK);
    peal_json_found(json, &found, PEAL_FOUND_PLACE);
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN("nodes", '['));
    for (int i = 0; i < failure->node_count; i++)
        write_waiting(json, &failure->nodes[i]);
    peal_json_put(json, PEAL_CLOSE(']'), PEAL_BREAK);
    peal_json_found(json, &found, PEAL_FOUND_CYCLE | PEAL_FOUND_FIX);
    peal_json_put(json, PEAL_CLOSE('}'));
}

/* The findings, which did not end the run. */
static void
write_findings(struct peal_json *json, const struct ended_run *run)
{
    size_t count;
    const struct peal_run_finding *findings = peal_machine_findings(run->machine, &count);

    peal_json_put(json, PEAL_OPEN(NULL, '['));
    for (size_t i = 0; i < count; i++) {
        const struct peal_found found = peal_found_in_run(&findings[i]);

        peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'));
        peal_json_found(json, &found, PEAL_FOUND_KIND | PEAL_FOUND_MESSAGE);
        peal_json_put(json, PEAL_BREAK);
        peal_json_found(json, &found, PEAL_FOUND_PLACES | PEAL_FOUND_CYCLE);
        peal_json_put(json, PEAL_UINT("times", findings[i].times), PEAL_BREAK);
        peal_json_found(json, &found, PEAL_FOUND_RULE | PEAL_FOUND_FIX);
        peal_json_put(json, PEAL_WHERE(findings[i].severity == PEAL_SEVERITY_NOTE, PEAL_BOOL("note", true)),
                      PEAL_CLOSE('}'));
    }
    peal_json_put(json, PEAL_CLOSE(']'));
}

/* What nodes have shown: [node, rounds over, name, value]. */
static void
write_shown(struct peal_json *json, const struct peal_shown *shown)
{
    char text[SHOWN_TEXT];

    if (shown->count == 0)
        return;
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN("shown", '['));
    for (size_t i = 0; i < shown->count; i++) {
        const struct peal_shown_value *one = &shown->values[i];
        bool finite = isfinite((double)one->value);

        peal_shown_text(one->value, 17, text);
        peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '['), PEAL_INT(NULL, one->node), PEAL_UINT(NULL, one->round),
                      PEAL_STRING(NULL, one->name), finite ? PEAL_TEXT(NULL, text) : PEAL_STRING(NULL, text),
                      PEAL_CLOSE(']'));
    }
    peal_json_put(json, PEAL_CLOSE(']'));
}

/* A call that functions of the program pass on, and these functions. */
struct passed_call {
    struct call_site site;
    const char *through;
};

static int
compare_passed_calls(const void *a, const void *b)
{
    const struct passed_call *x = a, *y = b;
    int files = strcmp(x->site.file, y->site.file);

    return files ? files : x->site.line != y->site.line ? x->site.line - y->site.line : strcmp(x->through, y->through);
}

/* The next call that is passed on, NULL after the last: the least above *last. */
static bool
next_passed_call(const struct peal_machine *machine, const struct passed_call *last, struct passed_call *next)
{
    const void *place = NULL;
    struct passed_call one;

    *next = (struct passed_call){.through = NULL};
    while ((one.through = site_passed(machine, &place, &one.site)))
        if ((!last->through || compare_passed_calls(&one, last) > 0) &&
            (!next->through || compare_passed_calls(&one, next) < 0))
            *next = one;
    return next->through != NULL;
}

/* Calls for which their callers are named instead: [{"file", "line", "functions": [{"function", "file", "line"}]}]. */
static void
write_through(struct peal_json *json, const struct ended_run *run)
{
    struct passed_call last = {.through = NULL}, next;
    struct passing_step step;

    peal_json_put(json, PEAL_OPEN(NULL, '['));
    for (; next_passed_call(run->machine, &last, &next); last = next) {
        peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_STRING("file", next.site.file),
                      PEAL_INT("line", next.site.line), PEAL_OPEN("functions", '['));
        for (const char *left = next.through; (left = site_through_next(left, &step));)
            peal_json_put(json, PEAL_OPEN(NULL, '{'), PEAL_STRING("function", step.function),
                          PEAL_STRING("file", step.file[0] ? step.file : NULL),
                          PEAL_INT_IF("line", step.file[0], step.line), PEAL_CLOSE('}'));
        peal_json_put(json, PEAL_CLOSE(']'), PEAL_CLOSE('}'));
    }
    peal_json_put(json, PEAL_CLOSE(']'));
}

static bool
has_through(const struct peal_machine *machine)
{
    const struct passed_call last = {.through = NULL};
    struct passed_call next;

    return next_passed_call(machine, &last, &next);
}

/* The measured times, beside the modelled ones. */
static void
json_run_write_measured(struct peal_json *json, const struct peal_measured *measured, enum peal_rounds level)
{
    if (!measured)
        return;
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN("measured", '{'), PEAL_INT("repetitions", measured->repetitions),
                  PEAL_STRING("unit", "seconds"));
    peal_json_member_spread(json, "whole", measured->whole);
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN("rounds", '['));
    for (size_t i = 0; level != PEAL_ROUNDS_NONE && i < measured->rounds; i++) {
        peal_json_put(json, PEAL_BREAK);
        peal_json_spread(json, measured->round[i]);
    }
    peal_json_put(json, PEAL_CLOSE(']'), PEAL_CLOSE('}'));
}

static void
write_host(struct peal_json *json, const struct ended_run *run)
{
    struct peal_host host = peal_machine_host(run->machine);

    peal_json_put(json, PEAL_OPEN(NULL, '{'), PEAL_NUMBER("seconds", host.seconds),
                  PEAL_UINT("peak_bytes", host.peak_bytes), PEAL_UINT("copied_words", host.copied_words),
                  PEAL_INT("carriers", host.carriers), PEAL_CLOSE('}'));
}

/* ------------------------------------------------------------------ the document */

static enum peal_status
json_run_write_document(FILE *out, const struct peal_record *run, const struct peal_measured *measured,
                        struct peal_error *error)
{
    struct peal_json json = {.out = out};
    struct peal_parameters parameters = run->options.parameters;

    errno = 0;
    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_STRING("schema", "peal/run/1"), PEAL_BREAK);
    write_subject(&json, run);
    peal_json_machine(&json, &run->options);
    write_rounds(&json, run);
    peal_json_put(&json, PEAL_BREAK);
    peal_json_member_cost(&json, "cost", &run->cost, parameters);
    peal_json_put(&json, PEAL_BREAK);
    peal_json_member_cost(&json, "critical_path", run->has_critical_path ? &run->critical_path : NULL, parameters);
    write_closed_form(&json, run);
    write_lower_bound(&json, run);
    peal_json_put(&json, PEAL_BREAK, PEAL_TEXT("data", run->data));
    peal_json_put(&json, PEAL_BREAK, PEAL_TEXT("failure", run->failure));
    if (run->findings)
        peal_json_put(&json, PEAL_BREAK, PEAL_TEXT("findings", run->findings));
    write_shown(&json, &run->shown);
    if (run->through)
        peal_json_put(&json, PEAL_BREAK, PEAL_TEXT("through", run->through));
    json_run_write_measured(&json, measured, run->options.rounds);
    peal_json_put(&json, PEAL_BREAK, PEAL_TEXT("host", run->host));
    peal_json_put(&json, PEAL_CLOSE('}'));
    if (fflush(out) != 0 || ferror(out))
        return peal_refuse(error, PEAL_RESOURCES, "the JSON document could not be written: %s",
                           errno ? strerror(errno) : "output error");
    return PEAL_OK;
}

enum peal_status
peal_write_record(FILE *out, const struct peal_record *record, struct peal_error *error)
{
    return json_run_write_document(out, record, NULL, error);
}

/* ------------------------------------------------------------------ the record of a machine */

static void
write_ranks(struct peal_json *json, const struct ended_run *run)
{
    peal_json_ints(json, NULL, run->outcome->situation.to, (size_t)run->outcome->situation.to_count);
}

static void
write_sizes(struct peal_json *json, const struct ended_run *run)
{
    peal_json_put(json, PEAL_OPEN(NULL, '['));
    for (int i = 0; i < run->outcome->situation.size_count; i++)
        peal_json_put(json, PEAL_UINT(NULL, run->outcome->situation.sizes[i]));
    peal_json_put(json, PEAL_CLOSE(']'));
}

/* Set *text, unless there is nothing to write, to the value of a member as `write` writes it.  False without memory.
 * owner: the caller frees *text */
static bool
json_run_take_member(char **text, bool there, void (*write)(struct peal_json *json, const struct ended_run *run),
                     const struct ended_run *run)
{
    size_t bytes;
    struct peal_json json = {.out = there ? open_memstream(text, &bytes) : NULL, .depth = 1};

    if (!json.out)
        return !there;
    write(&json, run);
    return fclose(json.out) == 0;
}

/* Free what record_begin has made. */
static void
record_fini(struct peal_record *run)
{
    char *texts[] = {run->to, run->sizes, run->data, run->failure, run->findings, run->through, run->host};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    free(run->shown.values);
}

/* List what the machine's nodes have shown; the names remain theirs.  False without memory. */
static bool
record_take_shown(struct peal_shown *list, const struct peal_machine *machine)
{
    for (int rank = 0; rank < machine->options.nodes; rank++) {
        const struct shown_values *shown = machine->nodes[rank].shown;

        for (size_t i = 0; shown && i < shown->count; i++) {
            const struct shown_value *one = &shown->list[i];

            if (!grow_by_one(&list->values, list->count, sizeof *list->values))
                return false;
            list->values[list->count++] =
                (struct peal_shown_value){rank, one->round, shown->names[one->name], one->value};
        }
    }
    return true;
}

/* Fill in a record that borrows from the machine what record_fini does not free.  errors: PEAL_RESOURCES */
static enum peal_status
record_begin(struct peal_record *record, const struct peal_machine *machine, const struct peal_outcome *outcome,
             const char *program, struct peal_error *error)
{
    const struct ended_run ended = {machine, outcome};
    const struct peal_network *network = peal_machine_network(machine);
    const struct peal_callers *callers = peal_machine_callers(machine);
    size_t findings;

    peal_machine_findings(machine, &findings);
    *record = (struct peal_record){
        /* nothing in it is written or freed */
        .program = (char *)(uintptr_t)program,
        .options = *peal_machine_options(machine),
        .schedule = *peal_machine_schedule(machine),
        .cost = peal_machine_cost(machine),
        .has_critical_path = true,
        .critical_path = peal_machine_critical_path(machine),
    };
    if (callers)
        record->callers = *callers;
    record->collectives = peal_machine_collectives((struct peal_machine *)(uintptr_t)machine);
    record->options.topology = peal_network_name(network);
    record->options.routing = peal_network_routing(network);
    if (outcome) {
        const struct peal_situation *situation = &outcome->situation;

        record->collective = (char *)(uintptr_t)peal_collective_name(situation->collective);
        record->algorithm = (char *)(uintptr_t)outcome->algorithm->name;
        record->has_block_words = peal_collective_has_blocks(situation->collective) && !situation->unequal;
        record->has_vector_words = record->has_root = true;
        record->block_words = outcome->block_words;
        record->vector_words = outcome->vector_words;
        record->root = situation->root;
        record->parameter = situation->parameter;
        record->by = situation->by;
        if (situation->op && situation->op != PEAL_SUM_INT64)
            record->op = (char *)(uintptr_t)situation->op->name;
        record->known = outcome->algorithm;
        record->has_closed_form = outcome->has_closed_form;
        record->closed_form = outcome->closed_form;
        memcpy(record->closed_form_text, outcome->closed_form_text, PEAL_CLOSED_TEXT);
        record->closed_form_source = outcome->closed_form_source;
        record->closed_form_equal = outcome->closed_form_equal;
        record->has_lower_bound = outcome->has_lower_bound;
        record->lower_bound = outcome->lower_bound;
        record->lower_bound_source = outcome->lower_bound_source;
        peal_lower_bound_cut(situation, &record->lower_bound_cut);
    }
    if (json_run_take_member(&record->to, outcome && outcome->situation.to, write_ranks, &ended) &&
        json_run_take_member(&record->sizes, outcome && outcome->situation.sizes, write_sizes, &ended) &&
        json_run_take_member(&record->data, outcome, json_run_write_data, &ended) &&
        json_run_take_member(&record->failure, peal_machine_failure(machine) || (outcome && !outcome->verified),
                             write_failure, &ended) &&
        json_run_take_member(&record->findings, findings > 0, write_findings, &ended) &&
        record_take_shown(&record->shown, machine) &&
        json_run_take_member(&record->through, has_through(machine), write_through, &ended) &&
        json_run_take_member(&record->host, true, write_host, &ended))
        return PEAL_OK;
    record_fini(record);
    return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
}

enum peal_status
peal_write_json(FILE *out, const struct peal_machine *machine, const struct peal_outcome *outcome, const char *program,
                struct peal_error *error)
{
    struct peal_record record;
    enum peal_status status = record_begin(&record, machine, outcome, program, error);

    if (status != PEAL_OK)
        return status;
    status = json_run_write_document(out, &record, peal_machine_measured(machine), error);
    record_fini(&record);
    return status;
}

struct peal_record *
peal_record_take(const struct peal_machine *machine, const struct peal_outcome *outcome, const char *program,
                 struct peal_error *error)
{
    struct peal_record borrowed, *record;

    if (record_begin(&borrowed, machine, outcome, program, error) != PEAL_OK)
        return NULL;
    record = record_copy(&borrowed);
    record_fini(&borrowed);
    if (!record)
        peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    return record;
}
