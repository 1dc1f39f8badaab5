/* SPDX-License-Identifier: MIT */
/* Read the command line with popt, by the table of options. */
#include "lib/base/grow.h"
#include "lib/base/nearest.h"
#include "options/machines.h"
#include "options/options_read.h"
#include "run/schedules.h"
#include "write/document.h"
#include "write/files.h"
#include <assert.h>
#include <popt.h>
#include <stdlib.h>

enum { DEFAULT_NODES = 8, MAX_OPTIONS = 96 };

/* The arguments of popt, and the memory to be freed. */
struct parse {
    struct poptOption table[MAX_OPTIONS];
    const struct option *option[MAX_OPTIONS]; /* of popt's value i + 1 */
    const char *names[MAX_OPTIONS];           /* "--nodes"; NULL after the last */
    char name_text[MAX_OPTIONS][24];
    int count;
    const char **argv;
};

/* The request's pointer to the option's group. */
static void **
own_group(struct command_request *request, const struct option *option)
{
    return (void **)(void *)((char *)request + option->base);
}

/* List the options of the request's command, and make the groups that they are read into. */
static enum peal_status
options_build(struct parse *parse, struct command_request *request, struct peal_error *error)
{
    for (const struct option *o = options_table; o->name; o++) {
        if (!option_taken(request->command, o))
            continue;
        if (o->own_bytes && !*own_group(request, o) && !(*own_group(request, o) = calloc(1, o->own_bytes)))
            return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        int i = parse->count++;

        assert(i + 1 < MAX_OPTIONS); /* popt, and who goes through the names, want an empty one after the last */
        parse->option[i] = o;
        snprintf(parse->name_text[i], sizeof parse->name_text[i], "--%s", o->name);
        parse->names[i] = parse->name_text[i];
        parse->table[i] = (struct poptOption){
            .longName = o->name,
            .shortName = o->letter,
            .argInfo = o->value ? POPT_ARG_STRING : POPT_ARG_NONE,
            .val = i + 1,
        };
    }
    return PEAL_OK;
}

/* The replacement of an option that this command had before; NULL: it had no such option. */
static const char *
new_name(const struct command *command, const char *word)
{
    static const struct {
        int of;
        const char *old, *now;
    } names[] = {
        {OF_RUNS, "--lend", "--fallback-buffer"},          {OF_RUNS, "--patience", "--livelock-after"},
        {OF(synthesize), "--limit", "--search-seconds"},   {OF(export), "--goal", "--format goal"},
        {OF(export), "--msccl", "--format msccl"},         {OF(sweep), "--fit", "peal fit [ALGORITHM] FILE"},
        {OF(run), "--check", "peal check --program FILE"},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (command_is(command, names[i].of) && strcmp(word, names[i].old) == 0)
            return names[i].now;
    return NULL;
}

static enum peal_status
unknown_option(const struct parse *parse, const char *bad, const struct command *command, struct peal_error *error)
{
    char word[64], lists[64];

    snprintf(word, sizeof word, "%s%s", bad[0] == '-' ? "" : "-", bad);
    word[strcspn(word, "=")] = '\0';
    const char *now = new_name(command, word);
    struct nearest near = {.word = word};

    for (size_t i = 0; parse->names[i]; i++)
        peal_nearest_offer(&near, parse->names[i]);
    for (size_t i = 0; strlen(word) > 4 && parse->names[i]; i++) /* "--topo" */
        if (strncmp(parse->names[i], word, strlen(word)) == 0)
            near.name = parse->names[i];
    if ((strcmp(word, "-P") == 0 || strcmp(word, "-N") == 0) && names_have(parse->names, "--nodes"))
        near.name = "-p, the number of nodes";
    if (now)
        return peal_refuse(error, PEAL_USAGE, "%s: unknown option '%s': since 0.3 it is %s", command->name, word, now);
    if (command_is(command, OF_RUNS) && strcmp(word, "--watch") == 0)
        return peal_refuse(error, PEAL_USAGE, "%s: unknown option '%s': it is one of pealcc, which compiles",
                           command->name, word);
    if (strcmp(word, "--engine") == 0 || strcmp(word, "--launcher") == 0)
        return peal_refuse(
            error, PEAL_USAGE,
            "%s: unknown option '%s': %s; on MPI there are peal run, explain, app, compare, sweep and fit "
            "--engine mpi",
            command->name, word,
            strcmp(command->name, "check") == 0   ? "it proves in processes of its own"
            : strcmp(command->name, "grade") == 0 ? "it marks in processes of its own"
                                                  : "it starts no nodes of your choice");
    if (command_is(command, OF(synthesize)) && (strcmp(word, "--place") == 0 || strcmp(word, "--per-host") == 0))
        return peal_refuse(error, PEAL_USAGE, NOT_PLACED);
    snprintf(lists, sizeof lists, " (peal %s --help lists them)", command->name);
    return peal_refuse(error, PEAL_USAGE, "%s: unknown option '%s'%s", command->name, word,
                       peal_nearest_words(&near, lists));
}

/* Take one option that popt found; its value, if it has one, was malloc'ed and is the request's from now on. */
static enum peal_status
options_take(struct command_request *request, const struct option *option, char *value, struct peal_error *error)
{
    struct peal_error why = {PEAL_OK, ""};

    if (!grow_by_one(&request->options, (size_t)request->option_count, sizeof *request->options)) {
        free(value);
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    }
    request->options[request->option_count++] = (struct given_option){option, value};
    if (value && strncmp(value, "--", 2) == 0)
        return peal_refuse(error, PEAL_USAGE, "--%s needs a value (%s), but %.*s follows", option->name, option->value,
                           (int)strcspn(value, "="), value);
    assert(option - options_table < MAX_ROWS);
    request->given[option - options_table] = true;

    enum peal_status status = option_read(option, request, value, &why);

    if (status != PEAL_OK)
        peal_refuse(error, status, "--%s%s%s: %s", option->name, value && *value ? " " : "", value ? value : "",
                    why.text);
    return status;
}

/* Keep copies of the arguments between the options. */
static enum peal_status
keep_arguments(struct command_request *request, const char **arguments, struct peal_error *error)
{
    int count = 0;

    while (arguments && arguments[count])
        count++;
    request->arguments = calloc((size_t)count + 2, sizeof *request->arguments); /* room for --messages, too */
    for (int i = 0; request->arguments && i < count; i++, request->argument_count++)
        if (!(request->arguments[i] = strdup(arguments[i])))
            break;
    if (request->argument_count < count || !request->arguments)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    return PEAL_OK;
}

static enum peal_status
options_take_all(struct command_request *request, struct parse *parse, poptContext context, struct peal_error *error)
{
    int found;

    while ((found = poptGetNextOpt(context)) > 0) {
        enum peal_status status = options_take(request, parse->option[found - 1], poptGetOptArg(context), error);

        if (status != PEAL_OK)
            return status;
    }
    const char *bad = poptBadOption(context, POPT_BADOPTION_NOALIAS);

    switch (found) {
    case -1:
        return keep_arguments(request, poptGetArgs(context), error);
    case POPT_ERROR_BADOPT:
        return unknown_option(parse, bad, request->command, error);
    case POPT_ERROR_NOARG:
        return peal_refuse(error, PEAL_USAGE, "%s needs a value", bad);
    case POPT_ERROR_UNWANTEDARG:
        return peal_refuse(error, PEAL_USAGE, "%.*s takes no value", (int)strcspn(bad, "="), bad);
    default:
        return peal_refuse(error, PEAL_USAGE, "%s: %s", bad, poptStrerror(found));
    }
}

/* The word as popt should see it: popt would take the word after a bare --json for the file. */
static const char *
without_value(const struct parse *parse, const char *word)
{
    static const char *const empty[] = {"--json=", "--csv="};

    for (int i = 0; i < parse->count; i++)
        if (parse->option[i]->value && parse->option[i]->value[0] == '[' && strcmp(parse->names[i], word) == 0)
            for (size_t j = 0; j < sizeof empty / sizeof *empty; j++)
                if (strncmp(empty[j], word, strlen(word)) == 0)
                    return empty[j];
    return word;
}

/* Refuse "--json=", with an empty name, as from an unset variable. */
static enum peal_status
refuse_empty(const struct parse *parse, const char *word, struct peal_error *error)
{
    size_t length = strlen(word);

    for (int i = 0; i < parse->count; i++)
        if (parse->option[i]->value && parse->option[i]->value[0] == '[' && length > 0 && word[length - 1] == '=' &&
            strlen(parse->names[i]) == length - 1 && strncmp(parse->names[i], word, length - 1) == 0)
            return peal_refuse(error, PEAL_USAGE, "%s names no file: %s alone prints the document", word,
                               parse->names[i]);
    return PEAL_OK;
}

/* Report options that only an MPI job uses. */
static void
note_without_mpi(const struct command_request *request)
{
    static const char *const names[] = {"launcher", "repetitions"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (option_given(request, names[i]) && strcmp(request->machine.engine, "mpi") != 0)
            fprintf(stderr, "peal: note: --%s is for --engine mpi: it is not used\n", names[i]);
}

/* Refuse an option that has no use without another one. */
static enum peal_status
refuse_alone(const struct command_request *request, struct peal_error *error)
{
    static const struct {
        int of;
        const char *name, *with[2]; /* with one of these */
    } pairs[] = {
        {OF(run), "jobs", {"explore"}},       {OF(run), "max-runs", {"explore"}},
        {OF(run), "csv", {"scale"}},          {OF(run), "scale-args", {"scale"}},
        {OF(run), "scaling", {"scale"}},      {OF_RUNS | OF(lesson), "view", {"svg", "png"}},
        {OF_CALLS, "symbol", {"file"}},       {OF_MANY, "cc", {"file"}},
        {OF_MANY, "cflags", {"file"}},        {OF(check), "mpi", {"file"}},
        {OF(check), "arguments", {"file"}},   {OF(check), "elements", {"file"}},
        {OF(check), "long-counts", {"file"}},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (command_is(request->command, pairs[i].of) && option_given(request, pairs[i].name) &&
            !option_given(request, pairs[i].with[0]) && !(pairs[i].with[1] && option_given(request, pairs[i].with[1])))
            return peal_refuse(error, PEAL_USAGE, "--%s goes with --%s%s%s", pairs[i].name, pairs[i].with[0],
                               pairs[i].with[1] ? " or --" : "", pairs[i].with[1] ? pairs[i].with[1] : "");
    return PEAL_OK;
}

char *
options_placed(const struct command_request *request, const char *topology, struct peal_error *error)
{
    const struct placing_options *placing = &request->placing;
    const char *order = placing->order ? placing->order : "block";
    char *placed = NULL;

    if (peal_topology_placement(topology))
        peal_refuse(error, PEAL_USAGE, "%s is placed already: leave out --place and --per-host", topology);
    else if (placing->per_host > 1 ? asprintf(&placed, "%s@%d:%s", topology, placing->per_host, order) < 0
                                   : asprintf(&placed, "%s@%s", topology, order) < 0)
        peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    return placed;
}

/* Put the placement into the topology.  A recorded run has one of its own. */
static enum peal_status
place_nodes(struct command_request *request, bool recorded, struct peal_error *error)
{
    if (placing_given(&request->placing) && !recorded) {
        request->placing.topology = options_placed(request, request->machine.topology, error);
        if (!request->placing.topology)
            return error->status;
        request->machine.topology = request->placing.topology;
    }
    const char *placement = peal_topology_placement(request->machine.topology);

    if (placement && request->machine.engine && strcmp(request->machine.engine, "mpi") == 0)
        return peal_refuse(error, PEAL_USAGE, "--engine mpi: its job says on which host each process is: leave out %s",
                           option_given(request, "place")      ? "--place"
                           : option_given(request, "per-host") ? "--per-host"
                                                               : placement);
    return PEAL_OK;
}

/* Where no number of nodes is given, take the topology's, if it has numbers. */
static enum peal_status
take_nodes(struct command_request *request, struct peal_error *error)
{
    bool given = option_given(request, "nodes");
    int nodes = given ? 0 : peal_topology_nodes(request->machine.topology);

    if (nodes > MAX_MACHINE_NODES)
        return peal_refuse(error, PEAL_USAGE, "--topology %s has too many nodes: a machine has at most %d",
                           request->machine.topology, MAX_MACHINE_NODES);
    if (nodes > 0)
        request->machine.nodes = nodes;
    return PEAL_OK;
}

/* Spare the files that the command line names as inputs. */
static void
spare_inputs(const struct command_request *request)
{
    enum peal_collective collective;
    bool unequal;
    char word[64];

    for (int i = 0; i < request->argument_count; i++) {
        const char *name = request->arguments[i];

        snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "/"), name);
        if (!peal_call_find(word, &collective, &unequal))
            output_spare(strcmp(name, "-") == 0 ? "/dev/stdin" : name);
    }
    for (int i = 0; i < request->option_count; i++) {
        const char *value = request->options[i].value, *after = value ? strstr(value, "file:") : NULL;

        if (value && request->options[i].option->is_input)
            output_spare(after ? after + strlen("file:") : value);
    }
}

enum peal_status
options_parse(struct command_request *request, const struct command *command, int argc, char **argv,
              struct peal_error *error)
{
    struct parse parse = {.count = 0};
    int count = 0; /* arguments before "--" */

    *request = (struct command_request){.command = command};
    peal_options_init(&request->machine);
    request->machine.engine = "auto";
    request->machine.nodes = command_is(command, OF(fit)) ? 2 : DEFAULT_NODES;
    if (options_build(&parse, request, error) != PEAL_OK)
        return error->status;

    while (count < argc && strcmp(argv[count], "--") != 0)
        count++;
    if (count < argc) {
        request->program = argv + count + 1;
        request->program_count = argc - count - 1;
    }
    if (count == 0)
        return keep_arguments(request, NULL, error);

    parse.argv = calloc((size_t)count + 1, sizeof *parse.argv);
    if (!parse.argv)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (int i = 0; i < count; i++) {
        enum peal_status refused = refuse_empty(&parse, argv[i], error);

        if (refused != PEAL_OK) {
            free(parse.argv);
            return refused;
        }
        parse.argv[i] = without_value(&parse, argv[i]);
    }

    unsetenv("POSIXLY_CORRECT"); /* popt would stop at the first argument that is not an option */
    poptContext context = poptGetContext(NULL, count, parse.argv, parse.table, POPT_CONTEXT_KEEP_FIRST);
    enum peal_status status = context ? options_take_all(request, &parse, context, error)
                                      : peal_refuse(error, PEAL_RESOURCES, "not enough memory");

    poptFreeContext(context);
    free(parse.argv);
    /* a recorded run that is priced gives the machine its nodes, which are not known yet */
    bool recorded = command_is(command, OF(price)) && request->argument_count > 0 && is_record(request->arguments[0]);

    if (status == PEAL_OK)
        status = refuse_alone(request, error);
    spare_inputs(request);
    if (status == PEAL_OK && request->named.name && !recorded)
        status = machine_apply(request, error);
    if (status == PEAL_OK)
        status = place_nodes(request, recorded, error);
    if (status == PEAL_OK) {
        status = take_nodes(request, error);
        note_without_mpi(request);
    }
    if (status == PEAL_OK && command_is(command, OF_CALLS | OF(synthesize))) {
        status = request->session.messages ? schedules_scenario(request, error) : schedules_take(request, error);
    }
    return status;
}

void
options_fini(struct command_request *request)
{
    schedules_drop(request);
    for (int i = 0; i < request->argument_count; i++)
        free(request->arguments[i]);
    free(request->arguments);
    for (int i = 0; i < request->option_count; i++)
        free(request->options[i].value);
    free(request->options);
    free(request->named.text);
    free(request->placing.topology);
    free(request->call.to.list);
    free(request->call.sizes);
    free(request->orders.choices.list);
    if (request->fit)
        free(request->fit->ranks.list);
    for (const struct option *o = options_table; o->name; o++)
        if (o->own_bytes) {
            free(*own_group(request, o));
            *own_group(request, o) = NULL;
        }
}
