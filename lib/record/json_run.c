/* SPDX-License-Identifier: MIT */
/* The document "peal/run/1": a run, or a record of one, as JSON, written round by round. */
#include "lib/cost/arithmetic.h"
#include "lib/machine/callers.h"
#include "lib/record/json.h"
#include <errno.h>
#include <math.h>
#include <peal/observe.h>
#include <peal/trace.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ what was run, on what */

enum { DEFAULT_WORD_BYTES = 8 };

/* A member whose value is JSON already. */
static void
write_text(struct peal_json *json, const char *key, const char *text)
{
    peal_json_put(json, PEAL_BREAK, PEAL_TEXT(key, text));
}

/* What was run: a collective with its sizes, or a program. */
static void
write_subject(struct peal_json *json, const struct peal_record *run)
{
    peal_json_put(json, PEAL_STRING("collective", run->collective), PEAL_STRING("algorithm", run->algorithm));
    if (!run->collective)
        peal_json_put(json, PEAL_STRING("program", run->program));
    peal_json_put(json, PEAL_INT("nodes", run->options.nodes),
                  PEAL_UINT_IF("block_words", run->has_block_words, run->block_words),
                  PEAL_UINT_IF("vector_words", run->has_vector_words, run->vector_words), PEAL_BREAK,
                  PEAL_INT_IF("root", run->has_root, run->root));
    if (run->options.word_bytes != DEFAULT_WORD_BYTES)
        peal_json_put(json, PEAL_UINT("word_bytes", run->options.word_bytes));
    if (run->parameter > 0)
        peal_json_put(json, PEAL_INT("parameter", run->parameter));
    if (run->op) {
        peal_json_put(json, PEAL_STRING("op", run->op));
    }
    if (run->by)
        peal_json_put(json, PEAL_INT("by", run->by));
    if (run->to)
        write_text(json, "to", run->to);
    if (run->sizes)
        write_text(json, "sizes", run->sizes);
}

/* ------------------------------------------------------------------ costs and rounds */

/* The number of a call, from 0. */
static void
write_call(struct peal_json *json, uint32_t number)
{
    peal_json_put(json, PEAL_INT_IF(NULL, number > 0, (int)number - 1));
}

/* Write transfers; calls: of each the two numbers of its callers, NULL: not known. */
static void
write_transfers(struct peal_json *json, const struct peal_transfer *transfers, const uint32_t (*calls)[2], size_t count)
{
    peal_json_open(json, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            peal_json_break(json);
        peal_json_put(json, PEAL_OPEN(NULL, '{'), PEAL_INT("from", transfers[i].from), PEAL_INT("to", transfers[i].to),
                      PEAL_UINT("words", transfers[i].words), PEAL_UINT("hops", transfers[i].hops),
                      PEAL_UINT("k", transfers[i].k));
        if (calls) {
            peal_json_put(json, PEAL_OPEN("calls", '['));
            write_call(json, calls[i][0]);
            write_call(json, calls[i][1]);
            peal_json_close(json, ']');
        }
        peal_json_close(json, '}');
    }
    peal_json_close(json, ']');
}

/* How many transfers, their words, and the largest k. */
static void
write_summary(struct peal_json *json, const struct peal_transfer *transfers, size_t count)
{
    uint64_t words = 0;
    uint32_t k = 0;

    for (size_t i = 0; i < count; i++) {
        words = sum(words, transfers[i].words);
        k = transfers[i].k > k ? transfers[i].k : k;
    }
    peal_json_uint(json, count);
    peal_json_put(json, PEAL_UINT_IF("words", words < UINT64_MAX /* else too large to count */, words),
                  PEAL_UINT("k", k));
}

/* What posted the transfers: their "calls" are indices into this list. */
static void
write_callers(struct peal_json *json, const struct peal_callers *callers)
{
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN("calls", '['));
    for (size_t i = 0; i < callers->count; i++) {
        const struct peal_caller *caller = &callers->callers[i];

        peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_STRING("call", caller->call));
        if (caller->algorithm)
            peal_json_put(json, PEAL_STRING("algorithm", caller->algorithm));
        peal_json_put(json, PEAL_STRING("file", caller->file), PEAL_INT("line", caller->line), PEAL_CLOSE('}'));
    }
    peal_json_close(json, ']');
}

static void
write_rounds(struct peal_json *json, const struct peal_record *run)
{
    const struct peal_schedule *schedule = &run->schedule;
    enum peal_rounds level = run->options.rounds;
    const uint32_t(*calls)[2] = run->callers.transfer_count == schedule->transfer_count ? run->callers.transfers : NULL;

    if (calls && level == PEAL_ROUNDS_ALL)
        write_callers(json, &run->callers);
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN("rounds", '['));
    for (size_t i = 0; level != PEAL_ROUNDS_NONE && i < schedule->round_count; i++) {
        const struct peal_round *round = &schedule->rounds[i];
        const struct peal_transfer *transfers = round->count ? &schedule->transfers[round->first] : NULL;

        peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'));
        peal_json_key(json, "transfers");
        if (level == PEAL_ROUNDS_ALL)
            write_transfers(json, transfers, calls && round->count ? &calls[round->first] : NULL, round->count);
        else
            write_summary(json, transfers, round->count);
        peal_json_put(json, PEAL_OPEN("charge", '{'));
        peal_json_coefficients(json, round->charge);
        peal_json_put(json, PEAL_CLOSE('}'), PEAL_CLOSE('}'));
    }
    peal_json_close(json, ']');
}

/* ------------------------------------------------------------------ what it is compared with */

static void
write_closed_form(struct peal_json *json, const struct peal_record *run)
{
    peal_json_break(json);
    if (!run->has_closed_form) {
        peal_json_put(json, PEAL_NULL("closed_form"));
        return;
    }
    peal_json_put(json, PEAL_OPEN("closed_form", '{'));
    peal_json_coefficients(json, run->closed_form);
    peal_json_put(json, PEAL_STRING("text", *run->closed_form_text ? run->closed_form_text : NULL),
                  PEAL_STRING("source", run->known->source), PEAL_BOOL("equal", run->closed_form_equal),
                  PEAL_CLOSE('}'));
}

/* The cut that makes the lower bound: {"nodes": [0, 1], "into": true, "words": 20, "capacity": 3}, left out where there
 * is none. */
static void
write_cut(struct peal_json *json, const struct peal_cut *cut)
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
write_lower_bound(struct peal_json *json, const struct peal_record *run, bool ended_well)
{
    peal_json_break(json);
    if (!run->has_lower_bound) {
        peal_json_put(json, PEAL_NULL("lower_bound"));
        return;
    }
    double time = peal_cost_time(run->cost, run->options.parameters);
    double bound = peal_cost_time(run->lower_bound, run->options.parameters);

    peal_json_put(json, PEAL_OPEN("lower_bound", '{'));
    peal_json_coefficients(json, run->lower_bound);
    peal_json_put(json, PEAL_NUMBER("time", bound),
                  PEAL_RATIO("ratio", bound > 0 && ended_well ? time / bound : (double)NAN),
                  PEAL_STRING("source", run->lower_bound_source));
    write_cut(json, &run->lower_bound_cut);
    peal_json_put(json, PEAL_CLOSE('}'));
}

/* ------------------------------------------------------------------ how it ended */

static void
write_data(struct peal_json *json, const struct peal_outcome *outcome)
{
    peal_json_break(json);
    if (!outcome) {
        peal_json_put(json, PEAL_NULL("data"));
        return;
    }
    peal_json_put(json, PEAL_OPEN("data", '{'), PEAL_BOOL("verified", outcome->verified),
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
                  PEAL_INT_IF("line", waiting->file, waiting->line));
    if (waiting->call)
        peal_json_put(json, PEAL_STRING("call", waiting->call));
    if (waiting->collective)
        peal_json_put(json, PEAL_STRING("collective", waiting->collective));
    if (waiting->box) {
        peal_json_put(json, PEAL_STRING("box", waiting->box));
    }
    peal_json_close(json, '}');
}

/* The run's failure; data that is wrong after a run that ended well is one too. */
static void
write_failure(struct peal_json *json, const struct peal_failure *failure, const struct peal_outcome *outcome)
{
    static const struct peal_failure none = {.kind = PEAL_WRONG_RESULT};
    const char *message = failure ? failure->message : "";

    peal_json_break(json);
    if (!failure && (!outcome || outcome->verified)) {
        peal_json_put(json, PEAL_NULL("failure"));
        return;
    }
    if (!failure) {
        failure = &none;
        message = outcome->wrong;
    }
    peal_json_put(json, PEAL_OPEN("failure", '{'), PEAL_STRING("kind", peal_failure_name(failure->kind)),
                  PEAL_STRING("message", message), PEAL_BREAK, PEAL_STRING("file", failure->file),
                  PEAL_INT_IF("line", failure->file, failure->line), PEAL_BREAK, PEAL_OPEN("nodes", '['));
    for (int i = 0; i < failure->node_count; i++)
        write_waiting(json, &failure->nodes[i]);
    peal_json_put(json, PEAL_CLOSE(']'), PEAL_BREAK, PEAL_OPEN("cycle", '['));
    for (int i = 0; i < failure->cycle_length; i++)
        peal_json_int(json, failure->cycle[i]);
    peal_json_put(json, PEAL_CLOSE(']'), PEAL_STRING("fix", failure->fix[0] ? failure->fix : NULL), PEAL_CLOSE('}'));
}

/* The findings, which did not end the run; no member without any. */
static void
write_findings(struct peal_json *json, const struct peal_machine *machine)
{
    size_t count;
    const struct peal_run_finding *findings = peal_machine_findings(machine, &count);

    if (count == 0)
        return;
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN("findings", '['));
    for (size_t i = 0; i < count; i++) {
        const struct peal_run_finding *finding = &findings[i];
        bool note = finding->rule && !finding->rule[0]; /* nothing forbids it */

        peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_STRING("kind", peal_failure_name(finding->kind)),
                      PEAL_STRING("message", finding->message), PEAL_BREAK, PEAL_OPEN("places", '['));
        for (int j = 0; j < finding->place_count; j++) {
            const struct peal_place *place = &finding->places[j];

            peal_json_put(json, PEAL_OPEN(NULL, '{'), PEAL_INT("rank", place->rank), PEAL_STRING("file", place->file),
                          PEAL_INT_IF("line", place->file, place->line), PEAL_CLOSE('}'));
        }
        peal_json_put(json, PEAL_CLOSE(']'), PEAL_BREAK, PEAL_OPEN("cycle", '['));
        for (int j = 0; j < finding->cycle_length; j++)
            peal_json_int(json, finding->cycle[j]);
        peal_json_put(json, PEAL_CLOSE(']'), PEAL_UINT("times", finding->times), PEAL_BREAK,
                      PEAL_STRING("rule", note ? NULL : finding->rule), PEAL_STRING("fix", finding->fix));
        if (note)
            peal_json_put(json, PEAL_BOOL("note", true));
        peal_json_close(json, '}');
    }
    peal_json_put(json, PEAL_CLOSE(']'));
}

/* The measured times, beside the modelled ones. */
static void
write_measured(struct peal_json *json, const struct peal_measured *measured, enum peal_rounds level)
{
    if (!measured)
        return;
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN("measured", '{'), PEAL_INT("repetitions", measured->repetitions),
                  PEAL_STRING("unit", "seconds"));
    peal_json_member_spread(json, "whole", measured->whole);
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN("rounds", '['));
    for (size_t i = 0; level != PEAL_ROUNDS_NONE && i < measured->rounds; i++) {
        peal_json_break(json);
        peal_json_spread(json, measured->round[i]);
    }
    peal_json_put(json, PEAL_CLOSE(']'), PEAL_CLOSE('}'));
}

static void
write_host(struct peal_json *json, struct peal_host host)
{
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN("host", '{'), PEAL_NUMBER("seconds", host.seconds),
                  PEAL_UINT("peak_bytes", host.peak_bytes), PEAL_UINT("copied_words", host.copied_words),
                  PEAL_INT("carriers", host.carriers), PEAL_CLOSE('}'));
}

/* ------------------------------------------------------------------ the document */

/* Everything up to how the run ended, which is written in two ways: of a machine, and as it was read. */
static void
write_beginning(struct peal_json *json, const struct peal_record *run, bool ended_well)
{
    struct peal_parameters parameters = run->options.parameters;

    errno = 0;
    peal_json_put(json, PEAL_OPEN(NULL, '{'), PEAL_STRING("schema", "peal/run/1"), PEAL_BREAK);
    write_subject(json, run);
    peal_json_machine(json, &run->options);
    write_rounds(json, run);
    peal_json_break(json);
    peal_json_member_cost(json, "cost", &run->cost, parameters);
    peal_json_break(json);
    peal_json_member_cost(json, "critical_path", run->has_critical_path ? &run->critical_path : NULL, parameters);
    write_closed_form(json, run);
    write_lower_bound(json, run, ended_well);
}

static enum peal_status
write_end(struct peal_json *json, struct peal_error *error)
{
    peal_json_close(json, '}');
    if (fflush(json->out) != 0 || ferror(json->out))
        return peal_refuse(error, PEAL_RESOURCES, "the JSON document could not be written: %s",
                           errno ? strerror(errno) : "output error");
    return PEAL_OK;
}

/* Give "[0, 3]" for a list of sizes or of ranks, NULL without memory.  owner: the caller frees it */
static char *
list_text(const size_t *sizes, const int *ranks, int count)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        return NULL;
    fputc('[', out);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%zu", i ? ", " : "", sizes ? sizes[i] : (size_t)ranks[i]);
    fputc(']', out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

enum peal_status
peal_write_json(FILE *out, const struct peal_machine *machine, const struct peal_outcome *outcome, const char *program,
                struct peal_error *error)
{
    struct peal_json json = {.out = out};
    char *to = NULL, *sizes = NULL;
    const struct peal_network *network = peal_machine_network(machine);
    struct peal_record run = {
        /* nothing in it is written to, or given back */
        .program = (char *)program,
        .options = *peal_machine_options(machine),
        .schedule = *peal_machine_schedule(machine),
        .cost = peal_machine_cost(machine),
        .has_critical_path = true,
        .critical_path = peal_machine_critical_path(machine),
    };
    const struct peal_callers *callers = peal_machine_callers(machine);

    if (callers)
        run.callers = *callers;

    run.options.topology = peal_network_name(network);
    run.options.routing = peal_network_routing(network);
    if (outcome) {
        enum peal_collective collective = outcome->situation.collective;

        run.collective = (char *)peal_collective_name(collective);
        run.algorithm = (char *)outcome->algorithm->name;
        run.has_block_words = peal_collective_has_blocks(collective) && !outcome->situation.unequal;
        run.has_vector_words = run.has_root = true;
        run.block_words = outcome->block_words;
        run.vector_words = outcome->vector_words;
        run.root = outcome->situation.root;
        run.parameter = outcome->situation.parameter;
        run.by = outcome->situation.by;
        if (outcome->situation.op && outcome->situation.op != PEAL_SUM_INT64)
            run.op = (char *)outcome->situation.op->name;
        if (outcome->situation.to)
            run.to = to = list_text(NULL, outcome->situation.to, outcome->situation.to_count);
        if (outcome->sizes)
            run.sizes = sizes = list_text(outcome->sizes, NULL, outcome->size_count);
        if ((outcome->situation.to && !to) || (outcome->sizes && !sizes)) {
            free(to);
            free(sizes);
            return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        }
        run.known = outcome->algorithm;
        run.has_closed_form = outcome->has_closed_form;
        run.closed_form = outcome->closed_form;
        memcpy(run.closed_form_text, outcome->closed_form_text, PEAL_CLOSED_TEXT);
        run.closed_form_equal = outcome->closed_form_equal;
        run.has_lower_bound = outcome->has_lower_bound;
        run.lower_bound = outcome->lower_bound;
        run.lower_bound_source = outcome->lower_bound_source;
        peal_lower_bound_cut(&outcome->situation, &run.lower_bound_cut);
    }
    write_beginning(&json, &run, !peal_machine_failure(machine));
    write_data(&json, outcome);
    write_failure(&json, peal_machine_failure(machine), outcome);
    write_findings(&json, machine);
    write_measured(&json, peal_machine_measured(machine), run.options.rounds);
    write_host(&json, peal_machine_host(machine));
    free(to);
    free(sizes);
    return write_end(&json, error);
}

enum peal_status
peal_write_record(FILE *out, const struct peal_record *record, struct peal_error *error)
{
    struct peal_json json = {.out = out};

    write_beginning(&json, record, !record->failure);
    write_text(&json, "data", record->data);
    write_text(&json, "failure", record->failure);
    if (record->findings)
        write_text(&json, "findings", record->findings);
    write_text(&json, "host", record->host);
    return write_end(&json, error);
}
