/* SPDX-License-Identifier: MIT */
/* The document "peal/run/1": a run, or a record of one, as JSON, written round by round. */
#include "lib/cost/arithmetic.h"
#include <errno.h>
#include <peal/json.h>
#include <peal/trace.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ what was run, on what */

static void
write_ports(struct peal_json *json, int ports)
{
    peal_json_key(json, "ports");
    if (ports == PEAL_PORTS_ALL)
        peal_json_string(json, "all");
    else
        peal_json_int(json, ports);
}

static void
write_delivery(struct peal_json *json, const struct peal_options *options)
{
    char text[40] = "rendezvous";

    if (options->eager)
        snprintf(text, sizeof text, "eager:%zu", options->eager_words);
    peal_json_key(json, "delivery");
    peal_json_string(json, text);
}

static void
write_parameters(struct peal_json *json, struct peal_parameters parameters)
{
    peal_json_key(json, "parameters");
    peal_json_open(json, '{');
    peal_json_key(json, "alpha");
    peal_json_number(json, parameters.alpha);
    peal_json_key(json, "beta");
    peal_json_number(json, parameters.beta);
    peal_json_key(json, "hop");
    peal_json_number(json, parameters.hop);
    peal_json_key(json, "tau");
    peal_json_number(json, parameters.tau);
    peal_json_close(json, '}');
}

/* A member whose value is JSON already. */
static void
write_text(struct peal_json *json, const char *key, const char *text)
{
    peal_json_break(json);
    peal_json_key(json, key);
    peal_json_text(json, text);
}

/* What was run: a collective with its sizes, or a program. */
static void
write_subject(struct peal_json *json, const struct peal_record *run)
{
    peal_json_key(json, "collective");
    peal_json_string(json, run->collective);
    peal_json_key(json, "algorithm");
    peal_json_string(json, run->algorithm);
    if (!run->collective) {
        peal_json_key(json, "program");
        peal_json_string(json, run->program);
    }
    peal_json_key(json, "nodes");
    peal_json_int(json, run->options.nodes);
    peal_json_key(json, "block_words");
    if (run->has_block_words)
        peal_json_uint(json, run->block_words);
    else
        peal_json_null(json);
    peal_json_key(json, "vector_words");
    if (run->has_vector_words)
        peal_json_uint(json, run->vector_words);
    else
        peal_json_null(json);
    peal_json_break(json);
    peal_json_key(json, "root");
    if (run->has_root)
        peal_json_int(json, run->root);
    else
        peal_json_null(json);
    if (run->parameter > 0) {
        peal_json_key(json, "parameter");
        peal_json_int(json, run->parameter);
    }
    if (run->op) {
        peal_json_key(json, "op");
        peal_json_string(json, run->op);
    }
    if (run->by) {
        peal_json_key(json, "by");
        peal_json_int(json, run->by);
    }
    if (run->to)
        write_text(json, "to", run->to);
    if (run->sizes)
        write_text(json, "sizes", run->sizes);
}

static void
write_machine(struct peal_json *json, const struct peal_options *options)
{
    peal_json_key(json, "topology");
    peal_json_string(json, options->topology);
    peal_json_key(json, "routing");
    peal_json_string(json, options->routing);
    write_ports(json, options->ports);
    peal_json_key(json, "duplex");
    peal_json_string(json, options->half_duplex ? "half" : "full");
    peal_json_key(json, "switching");
    peal_json_string(json, peal_switching_name(options->switching));
    peal_json_key(json, "congestion");
    peal_json_string(json, peal_congestion_name(options->congestion));
    peal_json_key(json, "combining");
    peal_json_bool(json, !options->noncombining);
    peal_json_break(json);
    write_delivery(json, options);
    peal_json_key(json, "mailbox");
    peal_json_int(json, options->mailbox);
    peal_json_key(json, "engine");
    peal_json_string(json, options->engine);
    peal_json_key(json, "seed");
    peal_json_uint(json, options->seed);
    peal_json_break(json);
    write_parameters(json, options->parameters);
}

/* ------------------------------------------------------------------ costs and rounds */

/* The four coefficients, inside an object that the caller opened. */
static void
write_coefficients(struct peal_json *json, struct peal_cost cost)
{
    peal_json_key(json, "alpha");
    peal_json_int(json, cost.alpha);
    peal_json_key(json, "beta");
    peal_json_int(json, cost.beta);
    peal_json_key(json, "hop");
    peal_json_int(json, cost.hop);
    peal_json_key(json, "tau");
    peal_json_int(json, cost.tau);
}

static void
write_cost(struct peal_json *json, const char *key, struct peal_cost cost, struct peal_parameters parameters)
{
    peal_json_break(json);
    peal_json_key(json, key);
    peal_json_open(json, '{');
    write_coefficients(json, cost);
    peal_json_key(json, "time");
    peal_json_number(json, peal_cost_time(cost, parameters));
    peal_json_close(json, '}');
}

static void
write_transfers(struct peal_json *json, const struct peal_transfer *transfers, size_t count)
{
    peal_json_open(json, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            peal_json_break(json);
        peal_json_open(json, '{');
        peal_json_key(json, "from");
        peal_json_int(json, transfers[i].from);
        peal_json_key(json, "to");
        peal_json_int(json, transfers[i].to);
        peal_json_key(json, "words");
        peal_json_uint(json, transfers[i].words);
        peal_json_key(json, "hops");
        peal_json_uint(json, transfers[i].hops);
        peal_json_key(json, "k");
        peal_json_uint(json, transfers[i].k);
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
    peal_json_key(json, "words");
    if (words < UINT64_MAX)
        peal_json_uint(json, words);
    else
        peal_json_null(json); /* too large to count */
    peal_json_key(json, "k");
    peal_json_uint(json, k);
}

static void
write_rounds(struct peal_json *json, const struct peal_schedule *schedule, enum peal_rounds level)
{
    peal_json_break(json);
    peal_json_key(json, "rounds");
    peal_json_open(json, '[');
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
        peal_json_key(json, "charge");
        peal_json_open(json, '{');
        write_coefficients(json, round->charge);
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
    peal_json_key(json, "closed_form");
    if (!run->has_closed_form) {
        peal_json_null(json);
        return;
    }
    peal_json_open(json, '{');
    write_coefficients(json, run->closed_form);
    peal_json_key(json, "text");
    peal_json_string(json, run->known->closed_form);
    peal_json_key(json, "source");
    peal_json_string(json, run->known->source);
    peal_json_key(json, "equal");
    peal_json_bool(json, run->closed_form_equal);
    peal_json_close(json, '}');
}

/* The ratio is of the run's time to the bound's; null when the bound is 0 or the run did not end well. */
static void
write_lower_bound(struct peal_json *json, const struct peal_record *run, bool ended_well)
{
    peal_json_break(json);
    peal_json_key(json, "lower_bound");
    if (!run->has_lower_bound) {
        peal_json_null(json);
        return;
    }
    double time = peal_cost_time(run->cost, run->options.parameters);
    double bound = peal_cost_time(run->lower_bound, run->options.parameters);

    peal_json_open(json, '{');
    write_coefficients(json, run->lower_bound);
    peal_json_key(json, "time");
    peal_json_number(json, bound);
    peal_json_key(json, "ratio");
    if (bound > 0 && ended_well)
        peal_json_ratio(json, time / bound);
    else
        peal_json_null(json);
    peal_json_key(json, "source");
    peal_json_string(json, run->lower_bound_source);
    peal_json_close(json, '}');
}

/* ------------------------------------------------------------------ how it ended */

static void
write_data(struct peal_json *json, const struct peal_outcome *outcome)
{
    peal_json_break(json);
    peal_json_key(json, "data");
    if (!outcome) {
        peal_json_null(json);
        return;
    }
    peal_json_open(json, '{');
    peal_json_key(json, "verified");
    peal_json_bool(json, outcome->verified);
    peal_json_key(json, "nodes_correct");
    if (outcome->nodes_correct >= 0)
        peal_json_int(json, outcome->nodes_correct);
    else
        peal_json_null(json);
    peal_json_close(json, '}');
}

static void
write_waiting(struct peal_json *json, const struct peal_waiting *waiting)
{
    peal_json_break(json);
    peal_json_open(json, '{');
    peal_json_key(json, "rank");
    peal_json_int(json, waiting->rank);
    peal_json_key(json, "state");
    peal_json_string(json, waiting->state);
    peal_json_key(json, "for");
    peal_json_string(json, waiting->what);
    if (waiting->what) {
        peal_json_key(json, "peer");
        peal_json_int(json, waiting->peer);
        peal_json_key(json, "words");
        peal_json_uint(json, waiting->words);
        peal_json_key(json, "tag");
        peal_json_int(json, waiting->tag);
    } else {
        peal_json_key(json, "peer");
        peal_json_null(json);
        peal_json_key(json, "words");
        peal_json_null(json);
        peal_json_key(json, "tag");
        peal_json_null(json);
    }
    peal_json_key(json, "file");
    peal_json_string(json, waiting->file);
    peal_json_key(json, "line");
    if (waiting->file)
        peal_json_int(json, waiting->line);
    else
        peal_json_null(json);
    if (waiting->collective) {
        peal_json_key(json, "collective");
        peal_json_string(json, waiting->collective);
    }
    if (waiting->box) {
        peal_json_key(json, "box");
        peal_json_string(json, waiting->box);
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
    peal_json_key(json, "failure");
    if (!failure && (!outcome || outcome->verified)) {
        peal_json_null(json);
        return;
    }
    if (!failure) {
        failure = &none;
        message = outcome->wrong;
    }
    peal_json_open(json, '{');
    peal_json_key(json, "kind");
    peal_json_string(json, peal_failure_name(failure->kind));
    peal_json_key(json, "message");
    peal_json_string(json, message);
    peal_json_break(json);
    peal_json_key(json, "file");
    peal_json_string(json, failure->file);
    peal_json_key(json, "line");
    if (failure->file)
        peal_json_int(json, failure->line);
    else
        peal_json_null(json);
    peal_json_break(json);
    peal_json_key(json, "nodes");
    peal_json_open(json, '[');
    for (int i = 0; i < failure->node_count; i++)
        write_waiting(json, &failure->nodes[i]);
    peal_json_close(json, ']');
    peal_json_break(json);
    peal_json_key(json, "cycle");
    peal_json_open(json, '[');
    for (int i = 0; i < failure->cycle_length; i++)
        peal_json_int(json, failure->cycle[i]);
    peal_json_close(json, ']');
    peal_json_close(json, '}');
}

static void
write_spread(struct peal_json *json, struct peal_spread spread)
{
    peal_json_open(json, '{');
    peal_json_key(json, "median");
    peal_json_number(json, spread.median);
    peal_json_key(json, "minimum");
    peal_json_number(json, spread.minimum);
    peal_json_key(json, "maximum");
    peal_json_number(json, spread.maximum);
    peal_json_close(json, '}');
}

/* What the clock said, beside what was modelled. */
static void
write_measured(struct peal_json *json, const struct peal_measured *measured, enum peal_rounds level)
{
    if (!measured)
        return;
    peal_json_break(json);
    peal_json_key(json, "measured");
    peal_json_open(json, '{');
    peal_json_key(json, "repetitions");
    peal_json_int(json, measured->repetitions);
    peal_json_key(json, "unit");
    peal_json_string(json, "seconds");
    peal_json_key(json, "whole");
    write_spread(json, measured->whole);
    peal_json_break(json);
    peal_json_key(json, "rounds");
    peal_json_open(json, '[');
    for (size_t i = 0; level != PEAL_ROUNDS_NONE && i < measured->rounds; i++) {
        peal_json_break(json);
        write_spread(json, measured->round[i]);
    }
    peal_json_close(json, ']');
    peal_json_close(json, '}');
}

static void
write_host(struct peal_json *json, struct peal_host host)
{
    peal_json_break(json);
    peal_json_key(json, "host");
    peal_json_open(json, '{');
    peal_json_key(json, "seconds");
    peal_json_number(json, host.seconds);
    peal_json_key(json, "peak_bytes");
    peal_json_uint(json, host.peak_bytes);
    peal_json_key(json, "copied_words");
    peal_json_uint(json, host.copied_words);
    peal_json_key(json, "carriers");
    peal_json_int(json, host.carriers);
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
    peal_json_key(json, "schema");
    peal_json_string(json, "peal/run/1");
    peal_json_break(json);
    write_subject(json, run);
    write_machine(json, &run->options);
    write_rounds(json, &run->schedule, run->options.rounds);
    write_cost(json, "cost", run->cost, parameters);
    if (run->has_critical_path) {
        write_cost(json, "critical_path", run->critical_path, parameters);
    } else {
        peal_json_break(json);
        peal_json_key(json, "critical_path");
        peal_json_null(json);
    }
    write_closed_form(json, run);
    write_lower_bound(json, run, ended_well);
}

static enum peal_status
write_end(struct peal_json *json, struct peal_error *error)
{
    peal_json_close(json, '}');
    fputc('\n', json->out);
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
