/* SPDX-License-Identifier: MIT */
/* peal price: the cost of a recorded run on other networks, routings, switchings and parameters. */
#include "commands/commands.h"
#include "lib/base/grow.h"
#include "lib/record/replace.h"
#include "options/machines.h"
#include "show/price_show.h"

/* ------------------------------------------------------------------ round by round */

/* The source of the table's rows. */
struct price_course {
    const struct peal_record *was, *now;
    struct peal_cost total; /* of the rounds before `next`, at the new prices */
    size_t next;
};

static void
price_fill_row(struct table *table, size_t row, size_t i, void *context)
{
    struct price_course *course = context;
    const struct peal_schedule *was = &course->was->schedule, *now = &course->now->schedule;
    const struct peal_round *round = peal_schedule_round(was, i), *priced = peal_schedule_round(now, i);
    const char *format = round->count ? "%" PRIu32 : "-";
    char text[100], calls[CALLS_TEXT];

    while (course->next <= i)
        course->total = peal_cost_add(course->total, peal_schedule_round(now, course->next++)->charge);
    table_set(table, row, 0, "%zu", i + 1);
    table_set(table, row, 1, "%zu", round->count);
    table_set(table, row, 2, format, show_largest_k(was->transfers + round->first, round->count));
    table_set(table, row, 3, format, show_largest_k(now->transfers + priced->first, priced->count));
    table_set(table, row, 4, "%s", peal_cost_text(round->charge, text, sizeof text));
    table_set(table, row, 5, "%s", peal_cost_text(priced->charge, text, sizeof text));
    table_set(table, row, 6, "%s", peal_cost_text(course->total, text, sizeof text));
    if (course->was->callers.count > 0)
        table_set(table, row, 7, "%s",
                  show_round_calls(&course->was->callers, was->transfers + round->first, round->count, calls));
}

static void
show_both_rounds(const struct peal_record *was, const struct peal_record *now)
{
    static const struct table_column layout[] = {
        {"round", .least = 7},  {"transfers", .least = 11},         {"k was", .least = 7},
        {"is", .least = 6},     {"charge was", .gap = 3},           {"is", .gap = 2},
        {"total is", .gap = 3}, {"calls", .gap = 2, .above = true},
    };
    struct price_course course = {.was = was, .now = now};
    size_t columns = sizeof layout / sizeof *layout - (was->callers.count > 0 ? 0 : 1);

    if (now->options.rounds != PEAL_ROUNDS_NONE && was->schedule.round_count > 0)
        table_print_rounds(stdout, was->schedule.round_count, columns, layout, price_fill_row, &course);
}

/* ------------------------------------------------------------------ one network */

static void
price_show_closed_form(const struct peal_record *run)
{
    char text[SHOW_FORM];

    if (!run->has_closed_form) {
        print_labelled(stdout, "closed form",
                       run->closed_form_source ? run->closed_form_source : "none is known for this case");
        return;
    }
    show_form(run->closed_form_text, run->closed_form,
              run->closed_form_equal ? "equal"
              : run->failure         ? "of a run that ends well"
                             : "which is not this schedule's: run on this machine, the algorithm makes other rounds",
              text);
    print_labelled(stdout, "closed form", text);
}

static void
price_show_lower_bound(const struct peal_record *run)
{
    struct peal_parameters parameters = run->options.parameters;
    char ratio[40] = "";

    if (run->has_lower_bound && !run->failure)
        show_ratio(price_time(run), peal_cost_time(run->lower_bound, parameters), ratio);
    show_lower_bound(stdout, parameters, run->has_lower_bound ? &run->lower_bound : NULL, ratio, NULL,
                     run->lower_bound_cut.count > 0 ? &run->lower_bound_cut : NULL);
}

/* The cost of a run and the new one, round by round and in total; with --coll the run has other algorithms than the
 * recorded one. */
static void
price_show_one(const struct peal_record *recorded, const struct peal_record *was, const struct peal_record *now,
               const char *what)
{
    char text[160], ratio[40];

    price_show_run(was, what);
    show_computing(stdout, &was->options);
    price_show_machine("recorded on", &was->options);
    price_show_machine("priced on", &now->options);
    show_both_rounds(was, now);
    printf("\nT was %s", show_cost_at(recorded->options.parameters, recorded->cost, text));
    show_parameters(stdout, &recorded->options, recorded->cost);
    print_inked(stdout, BOLD, "T is  %s", show_cost_at(now->options.parameters, now->cost, text));
    show_parameters(stdout, &now->options, now->cost);
    if (*show_ratio(price_time(now), price_time(recorded), ratio))
        print_labelled(stdout, "ratio", ratio);
    if (was->collective) {
        price_show_closed_form(now);
        price_show_lower_bound(now);
    }
    print_labelled(stdout, "critical path",
                   now->has_critical_path ? show_cost_at(now->options.parameters, now->critical_path, text)
                                          : "not known: it depends on when the requests were posted");
}

/* ------------------------------------------------------------------ the command */

/* The requested networks, one string each: -t line,ring names two.  A path may have commas, so file: takes the rest. */
struct networks {
    char **specs;
    size_t count;
};

static enum peal_status
price_add_network(struct networks *networks, const struct command_request *request, const char *spec, size_t length,
                  struct peal_error *error)
{
    char *added = strndup(spec, length);

    if (!added || !grow_by_one(&networks->specs, networks->count, sizeof *networks->specs)) {
        free(added);
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    }
    networks->specs[networks->count++] = added;
    if (!placing_given(&request->placing))
        return PEAL_OK;
    networks->specs[networks->count - 1] = options_placed(request, added, error);
    free(added);
    return networks->specs[networks->count - 1] ? PEAL_OK : error->status;
}

/* The value of the i-th option that was given, if it is a topology; else NULL. */
static const char *
given_topology(const struct command_request *request, int i)
{
    return strcmp(request->options[i].option->name, "topology") == 0 ? request->options[i].value : NULL;
}

static enum peal_status
price_list_networks(struct networks *networks, const struct command_request *request, const struct peal_record *was,
                    struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    for (int i = 0; status == PEAL_OK && i < request->option_count; i++)
        for (const char *spec = given_topology(request, i); status == PEAL_OK && spec;) {
            const char *comma = strncmp(spec, "file:", 5) ? strchr(spec, ',') : NULL;

            status = price_add_network(networks, request, spec, comma ? (size_t)(comma - spec) : strlen(spec), error);
            spec = comma ? comma + 1 : NULL;
        }
    if (status == PEAL_OK && networks->count == 0) {
        const char *spec = machine_stands(request, "topology") ? request->machine.topology : was->options.topology;
        const char *placement = placing_given(&request->placing) ? peal_topology_placement(spec) : NULL;

        status =
            price_add_network(networks, request, spec, placement ? (size_t)(placement - spec) : strlen(spec), error);
    }
    return status;
}

/* Whether an option is given, or set by the machine of --machine. */
static bool
is_said(const struct command_request *request, const char *name)
{
    return option_given(request, name) || machine_stands(request, name);
}

/* The parameters of the price: the recorded ones, except where options differ. */
static struct peal_options
options_of(const struct command_request *request, const struct peal_record *was)
{
    struct peal_options on = was->options;
    const struct peal_options *asked = &request->machine;

    if (is_said(request, "topology"))
        on.routing = NULL;
    if (is_said(request, "routing"))
        on.routing = asked->routing;
    if (is_said(request, "switching"))
        on.switching = asked->switching;
    if (is_said(request, "congestion"))
        on.congestion = asked->congestion;
    if (is_said(request, "alpha"))
        on.parameters.alpha = asked->parameters.alpha;
    if (option_given(request, "beta"))
        on.parameters.beta = asked->parameters.beta;
    else if (request->named.beta > 0)
        on.parameters.beta = request->named.beta * (double)was->options.word_bytes;
    if (is_said(request, "hop"))
        on.parameters.hop = asked->parameters.hop;
    if (is_said(request, "tau"))
        on.parameters.tau = asked->parameters.tau;
    if (request->named.name)
        show_in_nanoseconds(&on.parameters);
    if (was->callers.count > 0) /* the run of an MPI program */
        show_in_nanoseconds(NULL);
    on.rounds = asked->rounds;
    return on;
}

static enum peal_status
write_record(FILE *out, const void *now, struct peal_error *error)
{
    return peal_write_record(out, now, error);
}

static enum peal_status
price_one(const struct command_request *request, const struct peal_record *recorded, const struct peal_record *was,
          const struct peal_options *on, struct peal_error *error)
{
    struct writings writings = {.request = request,
                                .list = {{write_record, request->document.json_file, request->document.json, false}}};
    enum peal_status status = writings_open(&writings, error);
    struct peal_record *now = status == PEAL_OK ? peal_record_price(was, on, error) : NULL;

    if (now) {
        price_show_notes(was);
        if (!request->document.json)
            price_show_one(recorded, was, now, request->arguments[0]);
    }
    status = now ? writings_end(&writings, now, NULL, error) : error->status;
    writings_fini(&writings);
    peal_record_destroy(now);
    return status;
}

static enum peal_status
price_on_networks(const struct command_request *request, const struct peal_record *recorded,
                  const struct peal_record *was, struct peal_error *error)
{
    struct networks networks = {NULL, 0};
    struct peal_options on = options_of(request, was);
    enum peal_status status = price_list_networks(&networks, request, was, error);

    if (status == PEAL_OK && networks.count > 1 && (request->document.json || request->document.json_file))
        status =
            peal_refuse(error, PEAL_USAGE, "--json writes a document of one network, got %zu networks", networks.count);
    if (status == PEAL_OK && (request->document.json || request->document.json_file) &&
        (request->document.csv || request->document.csv_file))
        status = peal_refuse(error, PEAL_USAGE, "--json and --csv: expected one of them");
    if (status == PEAL_OK && networks.count == 1 && !request->document.csv && !request->document.csv_file) {
        on.topology = networks.specs[0];
        status = price_one(request, recorded, was, &on, error);
    } else if (status == PEAL_OK) {
        status = price_several(request, was, &on, networks.specs, networks.count, error);
    }
    for (size_t i = 0; i < networks.count; i++)
        free(networks.specs[i]);
    free(networks.specs);
    return status;
}

/* Make the run on a full network, to be priced on the named ones. */
static int
record_now(const struct command_request *request, struct peal_record **was)
{
    struct command_request here = *request;

    here.machine.topology = "full";
    here.machine.routing = NULL;
    return session_record(&here, was, NULL);
}

/* The options that are of use for a recorded run. */
static const char *const of_recorded[] = {"max-document", "machine", "topology", "place", "per-host",  "routing",
                                          "alpha",        "beta",    "hop",      "tau",   "switching", "congestion",
                                          "rounds",       "json",    "csv",      "coll",  NULL};

/* Give the run with the algorithms of --coll in *other. */
static enum peal_status
price_replace_algorithms(const struct command_request *request, const struct peal_record *was,
                         struct peal_record **other, struct peal_error *error)
{
    struct replacement choice = {{NULL}};
    struct replaced replaced;
    char *text = strdup(request->session.coll);
    enum peal_status status =
        text ? target_choices(text, choice.algorithms, error) : peal_refuse(error, PEAL_RESOURCES, "not enough memory");

    if (status == PEAL_OK && was->collective)
        status = peal_refuse(error, PEAL_USAGE, "--coll is for a recorded program, whose collectives are recorded");
    if (status == PEAL_OK && !(*other = peal_record_replace(was, &choice, &replaced, error)))
        status = error->status;
    if (status == PEAL_OK && replaced.calls == 0)
        status = peal_refuse(error, PEAL_USAGE, "--coll %s: the run has no call that can take it%s%s",
                             request->session.coll, replaced.kept ? ": " : "", replaced.kept ? replaced.why : "");
    else if (status == PEAL_OK)
        fprintf(stderr, "peal: note: %zu call%s by --coll %s%s", replaced.calls, plural((int)replaced.calls),
                request->session.coll, replaced.kept ? "" : "\n");
    if (status == PEAL_OK && replaced.kept)
        fprintf(stderr, "; %zu as recorded: %s\n", replaced.kept, replaced.why);
    free(text);
    return status;
}

static int
command_price_run(const struct command_request *request)
{
    struct peal_error error = {PEAL_OK, ""};
    const char *path = request->argument_count ? request->arguments[0] : NULL;
    struct peal_record *was = NULL;
    enum peal_status status = PEAL_OK;
    int code = 0;

    if (!path)
        status = peal_refuse(&error, PEAL_USAGE,
                             "expected a run: peal price RUN.json, written by peal run ... --json=RUN.json, or a "
                             "collective, as in peal price scatter");
    else if (request->argument_count > 1)
        status =
            peal_refuse(&error, PEAL_USAGE, "price takes one run: RUN.json, - for standard input, or a collective");
    else if (!is_record(path) && strcmp(request->machine.engine, "mpi") == 0)
        status = peal_refuse(&error, PEAL_USAGE,
                             "--engine mpi: record the run with peal run --json=RUN.json, then price that");
    else if (!is_record(path))
        code = record_now(request, &was);
    else if (request->program)
        status = peal_refuse(&error, PEAL_USAGE, "price takes one recorded run, RUN.json or - for standard input");
    else if ((status = options_fit_recorded(request, of_recorded, "peal price scatter", &error)) == PEAL_OK &&
             !(was = document_read(path, &error)))
        status = error.status;
    else if (status == PEAL_OK)
        status = document_fits(request, path, was->options.topology, &error);
    struct command_request on = *request; /* the machine has the nodes and the words of the recorded run */

    if (status == PEAL_OK && code == 0 && request->named.name && path && is_record(path)) {
        on.named.nodes = was->options.nodes;
        status = machine_apply(&on, &error);
    }
    struct peal_record *other = NULL;

    if (status == PEAL_OK && code == 0 && request->session.coll)
        status = price_replace_algorithms(request, was, &other, &error);
    if (status == PEAL_OK && code == 0)
        status = price_on_networks(&on, was, other ? other : was, &error);
    peal_record_destroy(other);
    if (on.named.text != request->named.text)
        free(on.named.text);
    peal_record_destroy(was);
    return status == PEAL_OK ? code : complain(&error);
}

const struct command command_price = {
    .name = "price",
    .arguments = "RUN.json | COLLECTIVE[/ALGORITHM] | FILE.c  [options]",
    .summary = "report what a run costs on other machines",
    .examples = "  peal run scatter -p 8 --json=run.json           record a run\n"
                "  peal price run.json -t line                     its rounds on a line\n"
                "  peal price run.json -t line,ring,mesh,full      on several, best first\n"
                "  peal price run.json --switching store-forward   on the same, charged otherwise\n"
                "  peal price run.json --machine lumi              on a machine that exists\n"
                "  peal price run.json -t ring --json              one JSON document\n"
                "  peal price scatter -p 16 -t line,ring           a run that is made now\n",
    .completes = WORDS_FILE,
    .run = command_price_run,
};
