/* SPDX-License-Identifier: MIT */
/* The document "peal/run/1": a run, or a record of one, as JSON, written round by round. */
#include "lib/cost/arithmetic.h"
#include "lib/trace/json.h"
#include <errno.h>
#include <peal/trace.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ what was run, on what */

static void
write_ports(struct json *json, int ports)
{
    json_key(json, "ports");
    if (ports == PEAL_PORTS_ALL)
        json_string(json, "all");
    else
        json_int(json, ports);
}

static void
write_delivery(struct json *json, const struct peal_options *options)
{
    char text[40] = "rendezvous";

    if (options->eager)
        snprintf(text, sizeof text, "eager:%zu", options->eager_words);
    json_key(json, "delivery");
    json_string(json, text);
}

static void
write_parameters(struct json *json, struct peal_parameters parameters)
{
    json_key(json, "parameters");
    json_open(json, '{');
    json_key(json, "alpha");
    json_number(json, parameters.alpha);
    json_key(json, "beta");
    json_number(json, parameters.beta);
    json_key(json, "hop");
    json_number(json, parameters.hop);
    json_key(json, "tau");
    json_number(json, parameters.tau);
    json_close(json, '}');
}

/* A member whose value is JSON already. */
static void
write_text(struct json *json, const char *key, const char *text)
{
    json_break(json);
    json_key(json, key);
    json_text(json, text);
}

/* What was run: a collective with its sizes, or a program. */
static void
write_subject(struct json *json, const struct peal_record *run)
{
    json_key(json, "collective");
    json_string(json, run->collective);
    json_key(json, "algorithm");
    json_string(json, run->algorithm);
    if (!run->collective) {
        json_key(json, "program");
        json_string(json, run->program);
    }
    json_key(json, "nodes");
    json_int(json, run->options.nodes);
    json_key(json, "block_words");
    if (run->has_block_words)
        json_uint(json, run->block_words);
    else
        json_null(json);
    json_key(json, "vector_words");
    if (run->has_vector_words)
        json_uint(json, run->vector_words);
    else
        json_null(json);
    json_break(json);
    json_key(json, "root");
    if (run->has_root)
        json_int(json, run->root);
    else
        json_null(json);
    if (run->parameter > 0) {
        json_key(json, "parameter");
        json_int(json, run->parameter);
    }
    if (run->op) {
        json_key(json, "op");
        json_string(json, run->op);
    }
    if (run->by) {
        json_key(json, "by");
        json_int(json, run->by);
    }
    if (run->to)
        write_text(json, "to", run->to);
    if (run->sizes)
        write_text(json, "sizes", run->sizes);
}

static void
write_machine(struct json *json, const struct peal_options *options)
{
    json_key(json, "topology");
    json_string(json, options->topology);
    json_key(json, "routing");
    json_string(json, options->routing);
    write_ports(json, options->ports);
    json_key(json, "duplex");
    json_string(json, options->half_duplex ? "half" : "full");
    json_key(json, "switching");
    json_string(json, peal_switching_name(options->switching));
    json_key(json, "congestion");
    json_string(json, peal_congestion_name(options->congestion));
    json_key(json, "combining");
    json_bool(json, !options->noncombining);
    json_break(json);
    write_delivery(json, options);
    json_key(json, "mailbox");
    json_int(json, options->mailbox);
    json_key(json, "engine");
    json_string(json, options->engine);
    json_key(json, "seed");
    json_uint(json, options->seed);
    json_break(json);
    write_parameters(json, options->parameters);
}

/* ------------------------------------------------------------------ costs and rounds */

/* The four coefficients, inside an object that the caller opened. */
static void
write_coefficients(struct json *json, struct peal_cost cost)
{
    json_key(json, "alpha");
    json_int(json, cost.alpha);
    json_key(json, "beta");
    json_int(json, cost.beta);
    json_key(json, "hop");
    json_int(json, cost.hop);
    json_key(json, "tau");
    json_int(json, cost.tau);
}

static void
write_cost(struct json *json, const char *key, struct peal_cost cost, struct peal_parameters parameters)
{
    json_break(json);
    json_key(json, key);
    json_open(json, '{');
    write_coefficients(json, cost);
    json_key(json, "time");
    json_number(json, peal_cost_time(cost, parameters));
    json_close(json, '}');
}

static void
write_transfers(struct json *json, const struct peal_transfer *transfers, size_t count)
{
    json_open(json, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            json_break(json);
        json_open(json, '{');
        json_key(json, "from");
        json_int(json, transfers[i].from);
        json_key(json, "to");
        json_int(json, transfers[i].to);
        json_key(json, "words");
        json_uint(json, transfers[i].words);
        json_key(json, "hops");
        json_uint(json, transfers[i].hops);
        json_key(json, "k");
        json_uint(json, transfers[i].k);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* How many transfers, their words, and the largest k. */
static void
write_summary(struct json *json, const struct peal_transfer *transfers, size_t count)
{
    uint64_t words = 0;
    uint32_t k = 0;

    for (size_t i = 0; i < count; i++) {
        words = sum(words, transfers[i].words);
        k = transfers[i].k > k ? transfers[i].k : k;
    }
    json_uint(json, count);
    json_key(json, "words");
    if (words < UINT64_MAX)
        json_uint(json, words);
    else
        json_null(json); /* too large to count */
    json_key(json, "k");
    json_uint(json, k);
}

static void
write_rounds(struct json *json, const struct peal_schedule *schedule, enum peal_rounds level)
{
    json_break(json);
    json_key(json, "rounds");
    json_open(json, '[');
    for (size_t i = 0; level != PEAL_ROUNDS_NONE && i < schedule->round_count; i++) {
        const struct peal_round *round = &schedule->rounds[i];
        const struct peal_transfer *transfers = round->count ? &schedule->transfers[round->first] : NULL;

        json_break(json);
        json_open(json, '{');
        json_key(json, "transfers");
        if (level == PEAL_ROUNDS_ALL)
            write_transfers(json, transfers, round->count);
        else
            write_summary(json, transfers, round->count);
        json_key(json, "charge");
        json_open(json, '{');
        write_coefficients(json, round->charge);
        json_close(json, '}');
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* ------------------------------------------------------------------ what it is compared with */

static void
write_closed_form(struct json *json, const struct peal_record *run)
{
    json_break(json);
    json_key(json, "closed_form");
    if (!run->has_closed_form) {
        json_null(json);
        return;
    }
    json_open(json, '{');
    write_coefficients(json, run->closed_form);
    json_key(json, "text");
    json_string(json, run->known->closed_form);
    json_key(json, "source");
    json_string(json, run->known->source);
    json_key(json, "equal");
    json_bool(json, run->closed_form_equal);
    json_close(json, '}');
}

/* The ratio is of the run's time to the bound's; null when the bound is 0 or the run did not end well. */
static void
write_lower_bound(struct json *json, const struct peal_record *run, bool ended_well)
{
    json_break(json);
    json_key(json, "lower_bound");
    if (!run->has_lower_bound) {
        json_null(json);
        return;
    }
    double time = peal_cost_time(run->cost, run->options.parameters);
    double bound = peal_cost_time(run->lower_bound, run->options.parameters);

    json_open(json, '{');
    write_coefficients(json, run->lower_bound);
    json_key(json, "time");
    json_number(json, bound);
    json_key(json, "ratio");
    if (bound > 0 && ended_well)
        json_ratio(json, time / bound);
    else
        json_null(json);
    json_key(json, "source");
    json_string(json, run->lower_bound_source);
    json_close(json, '}');
}

/* ------------------------------------------------------------------ how it ended */

static void
write_data(struct json *json, const struct peal_outcome *outcome)
{
    json_break(json);
    json_key(json, "data");
    if (!outcome) {
        json_null(json);
        return;
    }
    json_open(json, '{');
    json_key(json, "verified");
    json_bool(json, outcome->verified);
    json_key(json, "nodes_correct");
    if (outcome->nodes_correct >= 0)
        json_int(json, outcome->nodes_correct);
    else
        json_null(json);
    json_close(json, '}');
}

static void
write_waiting(struct json *json, const struct peal_waiting *waiting)
{
    json_break(json);
    json_open(json, '{');
    json_key(json, "rank");
    json_int(json, waiting->rank);
    json_key(json, "state");
    json_string(json, waiting->state);
    json_key(json, "for");
    json_string(json, waiting->what);
    if (waiting->what) {
        json_key(json, "peer");
        json_int(json, waiting->peer);
        json_key(json, "words");
        json_uint(json, waiting->words);
        json_key(json, "tag");
        json_int(json, waiting->tag);
    } else {
        json_key(json, "peer");
        json_null(json);
        json_key(json, "words");
        json_null(json);
        json_key(json, "tag");
        json_null(json);
    }
    json_key(json, "file");
    json_string(json, waiting->file);
    json_key(json, "line");
    if (waiting->file)
        json_int(json, waiting->line);
    else
        json_null(json);
    if (waiting->collective) {
        json_key(json, "collective");
        json_string(json, waiting->collective);
    }
    if (waiting->box) {
        json_key(json, "box");
        json_string(json, waiting->box);
    }
    json_close(json, '}');
}

/* The run's failure; data that is wrong after a run that ended well is one too. */
static void
write_failure(struct json *json, const struct peal_failure *failure, const struct peal_outcome *outcome)
{
    static const struct peal_failure none = {.kind = PEAL_WRONG_RESULT};
    const char *message = failure ? failure->message : "";

    json_break(json);
    json_key(json, "failure");
    if (!failure && (!outcome || outcome->verified)) {
        json_null(json);
        return;
    }
    if (!failure) {
        failure = &none;
        message = outcome->wrong;
    }
    json_open(json, '{');
    json_key(json, "kind");
    json_string(json, peal_failure_name(failure->kind));
    json_key(json, "message");
    json_string(json, message);
    json_break(json);
    json_key(json, "file");
    json_string(json, failure->file);
    json_key(json, "line");
    if (failure->file)
        json_int(json, failure->line);
    else
        json_null(json);
    json_break(json);
    json_key(json, "nodes");
    json_open(json, '[');
    for (int i = 0; i < failure->node_count; i++)
        write_waiting(json, &failure->nodes[i]);
    json_close(json, ']');
    json_break(json);
    json_key(json, "cycle");
    json_open(json, '[');
    for (int i = 0; i < failure->cycle_length; i++)
        json_int(json, failure->cycle[i]);
    json_close(json, ']');
    json_close(json, '}');
}

static void
write_spread(struct json *json, struct peal_spread spread)
{
    json_open(json, '{');
    json_key(json, "median");
    json_number(json, spread.median);
    json_key(json, "minimum");
    json_number(json, spread.minimum);
    json_key(json, "maximum");
    json_number(json, spread.maximum);
    json_close(json, '}');
}

/* What the clock said, beside what was modelled. */
static void
write_measured(struct json *json, const struct peal_measured *measured, enum peal_rounds level)
{
    if (!measured)
        return;
    json_break(json);
    json_key(json, "measured");
    json_open(json, '{');
    json_key(json, "repetitions");
    json_int(json, measured->repetitions);
    json_key(json, "unit");
    json_string(json, "seconds");
    json_key(json, "whole");
    write_spread(json, measured->whole);
    json_break(json);
    json_key(json, "rounds");
    json_open(json, '[');
    for (size_t i = 0; level != PEAL_ROUNDS_NONE && i < measured->rounds; i++) {
        json_break(json);
        write_spread(json, measured->round[i]);
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void
write_host(struct json *json, struct peal_host host)
{
    json_break(json);
    json_key(json, "host");
    json_open(json, '{');
    json_key(json, "seconds");
    json_number(json, host.seconds);
    json_key(json, "peak_bytes");
    json_uint(json, host.peak_bytes);
    json_key(json, "copied_words");
    json_uint(json, host.copied_words);
    json_key(json, "carriers");
    json_int(json, host.carriers);
    json_close(json, '}');
}

/* ------------------------------------------------------------------ the document */

/* Everything up to how the run ended, which is written in two ways: of a machine, and as it was read. */
static void
write_beginning(struct json *json, const struct peal_record *run, bool ended_well)
{
    struct peal_parameters parameters = run->options.parameters;

    errno = 0;
    json_open(json, '{');
    json_key(json, "schema");
    json_string(json, "peal/run/1");
    json_break(json);
    write_subject(json, run);
    write_machine(json, &run->options);
    write_rounds(json, &run->schedule, run->options.rounds);
    write_cost(json, "cost", run->cost, parameters);
    if (run->has_critical_path) {
        write_cost(json, "critical_path", run->critical_path, parameters);
    } else {
        json_break(json);
        json_key(json, "critical_path");
        json_null(json);
    }
    write_closed_form(json, run);
    write_lower_bound(json, run, ended_well);
}

static enum peal_status
write_end(struct json *json, struct peal_error *error)
{
    json_close(json, '}');
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
    struct json json = {.out = out};
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
    struct json json = {.out = out};

    write_beginning(&json, record, !record->failure);
    write_text(&json, "data", record->data);
    write_text(&json, "failure", record->failure);
    write_text(&json, "host", record->host);
    return write_end(&json, error);
}
