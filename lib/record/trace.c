/* SPDX-License-Identifier: MIT */
/* The table of formats; giving a format the rounds of a run, during the run or from a record. */
#include "lib/base/text.h"
#include "lib/cost/arithmetic.h"
#include "lib/machine/hooks.h"
#include "lib/machine/machine.h"
#include "lib/record/trace_formats.h"
#include <errno.h>
#include <peal/trace.h>
#include <stdlib.h>

static const struct trace_format *const formats[] = {
#define FORMAT(name) &trace_##name,
#include "lib/record/formats.def"
#undef FORMAT
    NULL};

bool
peal_trace_format(int i, const char **name, const char **summary)
{
    for (int at = 0; formats[at]; at++)
        if (at == i) {
            *name = formats[at]->name;
            *summary = formats[at]->summary;
            return true;
        }
    return false;
}

static const struct trace_format *
find_format(const char *name, struct peal_error *error)
{
    char all[200] = "";

    for (int i = 0; formats[i]; i++) {
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
        peal_append(IN_ARRAY(all), "%s%s", i ? ", " : "", formats[i]->name);
    }
    peal_refuse(error, PEAL_USAGE, "unknown trace format %s: expected %s", quote(name).text, all);
    return NULL;
}

static enum peal_status
written(FILE *out, enum peal_status status, struct peal_error *error)
{
    if (status == PEAL_OK && (fflush(out) != 0 || ferror(out)))
        return peal_refuse(error, PEAL_RESOURCES, "the trace could not be written: %s",
                           errno ? strerror(errno) : "output error");
    return status;
}

/* ------------------------------------------------------------------ while a machine runs */

struct peal_trace {
    const struct trace_format *format;
    struct trace_run run;
    void *own;
    struct peal_machine *machine;
    struct round_listener listener;
    uint64_t rounds;
    struct peal_cost cost; /* of the rounds so far */
    struct peal_error error;
};

/* Pass a round to the format, if it is one that is written.  On the thread that made the round. */
static void
trace_note_round(struct peal_machine *machine, void *arg)
{
    struct peal_trace *trace = arg;
    struct round *made = &machine->round;
    struct trace_round round = {
        .number = trace->rounds,
        .before = trace->cost,
        .charge = cost_minus(made->cost, trace->cost),
        .transfers = made->transfers,
        .count = made->transfer_count,
        .operations = trace->listener.operations,
        .ran = machine->phase.runnable,
        .ran_count = machine->phase.runnable_count,
        .released = made->released,
        .released_count = made->released_count,
        .callers = peal_machine_callers(machine),
    };

    if (trace->error.status != PEAL_OK)
        return;
    trace->format->round(&trace->run, trace->own, &round, &trace->error);
    trace->rounds += round.count > 0 || round.charge.tau > 0;
    trace->cost = made->cost;
    for (size_t i = 0; i < machine->phase.runnable_count; i++)
        trace->listener.operations[machine->phase.runnable[i]] = 0;
}

struct peal_trace *
peal_trace_begin(FILE *out, const char *format, struct peal_machine *machine, struct peal_error *error)
{
    const struct peal_options *options = peal_machine_options(machine);
    struct peal_trace *trace = calloc(1, sizeof *trace);
    int64_t *operations = calloc((size_t)options->nodes, sizeof *operations);

    if (!trace || !operations) {
        free(trace);
        free(operations);
        peal_refuse(error, PEAL_RESOURCES, "not enough memory for a trace of %d nodes", options->nodes);
        return NULL;
    }
    *trace = (struct peal_trace){
        .format = find_format(format, error),
        .run = {.out = out,
                .nodes = options->nodes,
                .word_bytes = options->word_bytes,
                .pricing = {peal_machine_network(machine), options->switching, options->congestion},
                .parameters = options->parameters},
        .machine = machine,
        .listener = {.look = trace_note_round, .arg = trace, .operations = operations},
    };
    errno = 0;
    if (trace->format && trace->format->begin(&trace->run, &trace->own, error) == PEAL_OK) {
        round_listener_add(machine, &trace->listener);
        return trace;
    }
    if (trace->format)
        trace->format->end(&trace->run, trace->own, NULL, NULL);
    free(operations);
    free(trace);
    return NULL;
}

enum peal_status
peal_trace_end(struct peal_trace *trace, const char *name, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    if (!trace)
        return PEAL_OK;
    struct peal_machine *machine = trace->machine;
    struct peal_options options = *peal_machine_options(machine);
    struct trace_end end = {name, &options, peal_machine_cost(machine), peal_machine_failure(machine), NULL};
    bool whole = trace->error.status == PEAL_OK && name;

    options.topology = peal_network_name(peal_machine_network(machine));
    options.routing = peal_network_routing(peal_machine_network(machine));
    round_listener_remove(machine, &trace->listener);
    if (trace->error.status != PEAL_OK)
        status = peal_refuse(error, trace->error.status, "%s", trace->error.text);
    enum peal_status last = trace->format->end(&trace->run, trace->own, whole ? &end : NULL, error);

    status = written(trace->run.out, status == PEAL_OK ? last : status, error);
    free(trace->listener.operations);
    free(trace);
    return status;
}

/* ------------------------------------------------------------------ a recorded run */

static enum peal_status
tell_rounds(const struct trace_format *format, const struct trace_run *run, void *own, const struct peal_record *record,
            struct peal_error *error)
{
    const struct peal_schedule *schedule = &record->schedule;
    struct peal_cost before = {0};

    for (size_t i = 0; i < schedule->round_count; i++) {
        const struct peal_round *made = peal_schedule_round(schedule, i);
        struct trace_round round = {
            .number = i,
            .before = before,
            .charge = made->charge,
            .transfers = made->count ? &schedule->transfers[made->first] : NULL,
            .count = made->count,
            .callers = record->callers.count > 0 ? &record->callers : NULL,
        };
        enum peal_status status = format->round(run, own, &round, error);

        if (status != PEAL_OK)
            return status;
        before = peal_cost_add(before, made->charge);
    }
    return PEAL_OK;
}

enum peal_status
peal_write_trace(FILE *out, const char *format, const struct peal_record *record, struct peal_error *error)
{
    const struct peal_options *options = &record->options;
    const struct trace_format *chosen = find_format(format, error);
    struct peal_network *network =
        chosen ? peal_network_create(options->topology, options->nodes, options->routing, error) : NULL;
    struct trace_run run = {.out = out,
                            .nodes = options->nodes,
                            .word_bytes = options->word_bytes,
                            .pricing = {network, options->switching, options->congestion},
                            .parameters = options->parameters};
    char name[300];
    void *own = NULL;

    if (!network)
        return error ? error->status : PEAL_USAGE;
    if (!record->collective)
        snprintf(name, sizeof name, "%s", record->program ? record->program : "a run");
    else if (record->parameter > 0)
        snprintf(name, sizeof name, "%s/%s:%d", record->collective, record->algorithm, record->parameter);
    else
        snprintf(name, sizeof name, "%s/%s", record->collective, record->algorithm);
    struct trace_end end = {name, options, record->cost, NULL, record->failure};

    errno = 0;
    enum peal_status status = chosen->begin(&run, &own, error);

    if (status == PEAL_OK)
        status = tell_rounds(chosen, &run, own, record, error);
    enum peal_status last = chosen->end(&run, own, status == PEAL_OK ? &end : NULL, error);

    status = written(out, status == PEAL_OK ? last : status, error);
    peal_network_destroy(network);
    return status;
}
