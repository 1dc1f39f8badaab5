/* SPDX-License-Identifier: MIT */
/* The document "peal/run/1": a run, or a record of one, as JSON, written round by round. */
#include "lib/cost/arithmetic.h"
#include <errno.h>
#include <math.h>
#include <peal/json.h>
#include <peal/observe.h>
#include <peal/trace.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ what was run, on what */

/* A member whose value is JSON already. */
static void
write_text(struct peal_json *json, const char *key, const char *text)
{
    peal_json_break(json);
    peal_json_member_text(json, key, text);
}

/* What was run: a collective with its sizes, or a program. */
static void
write_subject(struct peal_json *json, const struct peal_record *run)
{
    peal_json_member_string(json, "collective", run->collective);
    peal_json_member_string(json, "algorithm", run->algorithm);
    if (!run->collective)
        peal_json_member_string(json, "program", run->program);
    peal_json_member_int(json, "nodes", run->options.nodes);
    peal_json_member_uint_if(json, "block_words", run->has_block_words, run->block_words);
    peal_json_member_uint_if(json, "vector_words", run->has_vector_words, run->vector_words);
    peal_json_break(json);
    peal_json_member_int_if(json, "root", run->has_root, run->root);
    if (run->parameter > 0)
        peal_json_member_int(json, "parameter", run->parameter);
    if (run->op) {
        peal_json_member_string(json, "op", run->op);
    }
    if (run->by)
        peal_json_member_int(json, "by", run->by);
    if (run->to)
        write_text(json, "to", run->to);
    if (run->sizes)
        write_text(json, "sizes", run->sizes);
}

/* ------------------------------------------------------------------ costs and rounds */

static void
write_transfers(struct peal_json *json, const struct peal_transfer *transfers, size_t count)
{
    peal_json_open(json, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            peal_json_break(json);
        peal_json_open(json, '{');
        peal_json_member_int(json, "from", transfers[i].from);
        peal_json_member_int(json, "to", transfers[i].to);
        peal_json_member_uint(json, "words", transfers[i].words);
        peal_json_member_uint(json, "hops", transfers[i].hops);
        peal_json_member_uint(json, "k", transfers[i].k);
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
    peal_json_member_uint_if(json, "words", words < UINT64_MAX, words); /* too large to count */
    peal_json_member_uint(json, "k", k);
}

static void
write_rounds(struct peal_json *json, const struct peal_schedule *schedule, enum peal_rounds level)
{
    peal_json_break(json);
    peal_json_member_open(json, "rounds", '[');
    for (size_t i = 0; level != PEAL_ROUNDS_NONE && i < schedule->round_count; i++) {
        const struct peal_round *round = &schedule->rounds[i];
        const struct peal_transfer *transfers = round->count ? &schedule->transfers[round->first] : NULL;

        peal_json_break(json);
        peal_json_open(json, '{');
        peal_json_key(json, "transfers");
        if (level == PEAL_ROUNDS_ALL)
            write_transfers(json, transfers, round->count);
        else
            write_summary(json, transfers, round->count);
        peal_json_member_open(json, "charge", '{');
        peal_json_coefficients(json, round->charge);
        peal_json_close(json, '}');
        peal_json_close(json, '}');
    }
    peal_json_close(json, ']');
}

/* ------------------------------------------------------------------ what it is compared with */

static void
write_closed_form(struct peal_json *json, const struct peal_record *run)
{
    peal_json_break(json);
    if (!run->has_closed_form) {
        peal_json_member_null(json, "closed_form");
        return;
    }
    peal_json_member_open(json, "closed_form", '{');
    peal_json_coefficients(json, run->closed_form);
    peal_json_member_string(json, "text", run->known->closed_form);
    peal_json_member_string(json, "source", run->known->source);
    peal_json_member_bool(json, "equal", run->closed_form_equal);
    peal_json_close(json, '}');
}

/* The ratio is of the run's time to the bound's; null when the bound is 0 or the run did not end well. */
static void
write_lower_bound(struct peal_json *json, const struct peal_record *run, bool ended_well)
{
    peal_json_break(json);
    if (!run->has_lower_bound) {
        peal_json_member_null(json, "lower_bound");
        return;
    }
    double time = peal_cost_time(run->cost, run->options.parameters);
    double bound = peal_cost_time(run->lower_bound, run->options.parameters);

    peal_json_member_open(json, "lower_bound", '{');
    peal_json_coefficients(json, run->lower_bound);
    peal_json_member_number(json, "time", bound);
    peal_json_key(json, "ratio");
    peal_json_ratio(json, bound > 0 && ended_well ? time / bound : (double)NAN);
    peal_json_member_string(json, "source", run->lower_bound_source);
    peal_json_close(json, '}');
}

/* ------------------------------------------------------------------ how it ended */

static void
write_data(struct peal_json *json, const struct peal_outcome *outcome)
{
    peal_json_break(json);
    if (!outcome) {
        peal_json_member_null(json, "data");
        return;
    }
    peal_json_member_open(json, "data", '{');
    peal_json_member_bool(json, "verified", outcome->verified);
    peal_json_member_int_if(json, "nodes_correct", outcome->nodes_correct >= 0, outcome->nodes_correct);
    peal_json_close(json, '}');
}

static void
write_waiting(struct peal_json *json, const struct peal_waiting *waiting)
{
    peal_json_break(json);
    peal_json_open(json, '{');
    peal_json_member_int(json, "rank", waiting->rank);
    peal_json_member_string(json, "state", waiting->state);
    peal_json_member_string(json, "for", waiting->what);
    peal_json_member_int_if(json, "peer", waiting->what, waiting->peer);
    peal_json_member_uint_if(json, "words", waiting->what, waiting->words);
    peal_json_member_int_if(json, "tag", waiting->what, waiting->tag);
    peal_json_member_string(json, "file", waiting->file);
    peal_json_member_int_if(json, "line", waiting->file, waiting->line);
    if (waiting->collective)
        peal_json_member_string(json, "collective", waiting->collective);
    if (waiting->box) {
        peal_json_member_string(json, "box", waiting->box);
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
        peal_json_member_null(json, "failure");
        return;
    }
    if (!failure) {
        failure = &none;
        message = outcome->wrong;
    }
    peal_json_member_open(json, "failure", '{');
    peal_json_member_string(json, "kind", peal_failure_name(failure->kind));
    peal_json_member_string(json, "message", message);
    peal_json_break(json);
    peal_json_member_string(json, "file", failure->file);
    peal_json_member_int_if(json, "line", failure->file, failure->line);
    peal_json_break(json);
    peal_json_member_open(json, "nodes", '[');
    for (int i = 0; i < failure->node_count; i++)
        write_waiting(json, &failure->nodes[i]);
    peal_json_close(json, ']');
    peal_json_break(json);
    peal_json_member_open(json, "cycle", '[');
    for (int i = 0; i < failure->cycle_length; i++)
        peal_json_int(json, failure->cycle[i]);
    peal_json_close(json, ']');
    peal_json_close(json, '}');
}

/* What the clock said, beside what was modelled. */
static void
write_measured(struct peal_json *json, const struct peal_measured *measured, enum peal_rounds level)
{
    if (!measured)
        return;
    peal_json_break(json);
    peal_json_member_open(json, "measured", '{');
    peal_json_member_int(json, "repetitions", measured->repetitions);
    peal_json_member_string(json, "unit", "seconds");
    peal_json_member_spread(json, "whole", measured->whole);
    peal_json_break(json);
    peal_json_member_open(json, "rounds", '[');
    for (size_t i = 0; level != PEAL_ROUNDS_NONE && i < measured->rounds; i++) {
        peal_json_break(json);
        peal_json_spread(json, measured->round[i]);
    }
    peal_json_close(json, ']');
    peal_json_close(json, '}');
}

static void
write_host(struct peal_json *json, struct peal_host host)
{
    peal_json_break(json);
    peal_json_member_open(json, "host", '{');
    peal_json_member_number(json, "seconds", host.seconds);
    peal_json_member_uint(json, "peak_bytes", host.peak_bytes);
    peal_json_member_uint(json, "copied_words", host.copied_words);
    peal_json_member_int(json, "carriers", host.carriers);
    peal_json_close(json, '}');
}

/* ------------------------------------------------------------------ the document */

/* Everything up to how the run ended, which is written in two ways: of a machine, and as it was read. */
static void
write_beginning(struct peal_json *json, const struct peal_record *run, bool ended_well)
{
    struct peal_parameters parameters = run->options.parameters;

    errno = 0;
    peal_json_open(json, '{');
    peal_json_member_string(json, "schema", "peal/run/1");
    peal_json_break(json);
    write_subject(json, run);
    peal_json_machine(json, &run->options);
    write_rounds(json, &run->schedule, run->options.rounds);
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
        run.closed_form_equal = outcome->closed_form_equal;
        run.has_lower_bound = outcome->has_lower_bound;
        run.lower_bound = outcome->lower_bound;
        run.lower_bound_source = outcome->lower_bound_source;
    }
    write_beginning(&json, &run, !peal_machine_failure(machine));
    write_data(&json, outcome);
    write_failure(&json, peal_machine_failure(machine), outcome);
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
    write_text(&json, "host", record->host);
    return write_end(&json, error);
}
