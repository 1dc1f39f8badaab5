/* SPDX-License-Identifier: MIT */
/* Computes the cost of a collective from the closed form of its algorithm, without a run. */
#include "run/target.h"
#include "show/show.h"
#include "write/document.h"

struct computed {
    const struct command_request *request;
    struct session session;
    struct peal_network *network;
    struct peal_situation situation;
    struct trial trial;
    bool has_bound;
    struct peal_cost bound;
    const char *bound_source;
};

/* Refuse what only a run has. */
static enum peal_status
refuse_others(const struct command_request *request, struct peal_error *error)
{
    static const char *const names[] = {"input", "output", "trace",  "report", "svg",     "png",     "step",  "junit",
                                        "sarif", "file",   "rounds", "strict", "explore", "choices", "scale", NULL};
    const char *given = option_among(request, names);

    if (given)
        return peal_refuse(error, PEAL_USAGE, "--execute none: nothing is run, so --%s has nothing to show", given);
    if (strcmp(request->machine.engine, "mpi") == 0)
        return peal_refuse(error, PEAL_USAGE, "--execute none: nothing is run: leave out --engine mpi");
    return PEAL_OK;
}

static enum peal_status
compute(struct computed *c, struct peal_error *error)
{
    const struct command_request *request = c->request;
    const struct peal_options *options = &request->machine;
    enum peal_status status = refuse_others(request, error);
    struct candidate candidate = {.parameter = 0};
    size_t words = 0;

    if (status == PEAL_OK)
        status = session_find_target(&c->session, error);
    if (status == PEAL_OK && c->session.program)
        return peal_refuse(error, PEAL_USAGE, "--execute none: what %s costs is known only by its run",
                           c->session.program);
    if (status == PEAL_OK && request->program)
        return peal_refuse(error, PEAL_USAGE, "%s is a collective and takes no arguments after --",
                           peal_collective_name(c->session.collective));
    if (status == PEAL_OK && !request->call.sizes)
        status = exercise_size(request, c->session.collective, &words, error);
    if (status != PEAL_OK)
        return status;
    if (!(c->network = peal_network_create(options->topology, options->nodes, options->routing, error)))
        return error->status;
    struct peal_exercise exercise = exercise_of(request, c->session.collective);

    exercise.words = words;
    status = peal_exercise_situation(&exercise, options, c->network, &c->situation, error);
    if (status != PEAL_OK)
        return status;
    candidate.algorithm = c->session.algorithm
                              ? peal_algorithm_parse(c->session.collective, c->session.algorithm, &candidate.parameter)
                              : peal_algorithm_choose(&c->situation);
    candidate.name = c->session.algorithm ? c->session.algorithm : candidate.algorithm->name;
    peal_trial_begin(&c->trial, &candidate, &c->situation);
    if (c->trial.excluded[0])
        return peal_refuse(error, PEAL_USAGE, "%s/%s %s", peal_collective_name(c->session.collective), candidate.name,
                           c->trial.excluded);
    if (c->trial.too_large)
        return peal_refuse(error, PEAL_USAGE, "what %s/%s costs here is too large to count: take fewer words",
                           peal_collective_name(c->session.collective), candidate.name);
    if (!c->trial.has_form)
        return peal_refuse(
            error, PEAL_USAGE,
            "%s/%s has no closed form on this machine: leave out --execute none to have its cost by a run",
            peal_collective_name(c->session.collective), candidate.name);
    c->has_bound = peal_lower_bound(&c->situation, &c->bound, &c->bound_source);
    return PEAL_OK;
}

static void
computed_show(const struct computed *c)
{
    const struct peal_options *options = &c->request->machine;
    const struct trial *trial = &c->trial;
    char cost[160], count[64], form[SHOW_FORM], ratio[40] = "";

    print_inked(stdout, BOLD, "%s/%s", peal_collective_name(c->session.collective), trial->name);
    printf(" on %s", print_count((unsigned)c->situation.nodes, "node", count));
    show_situation(stdout, &c->situation);
    putchar('\n');
    show_machine_line(stdout, options, peal_network_name(c->network), peal_network_routing(c->network));
    show_placement(stdout, c->network);
    putchar('\n');
    print_inked(stdout, BOLD, "T = %s", show_cost_at(options->parameters, trial->form, cost));
    show_parameters(stdout, options, trial->form);
    show_form(trial->form_text, trial->form, "computed", form);
    print_labelled(stdout, "closed form", form);
    print_labelled(stdout, "", trial->form_source);
    if (c->has_bound)
        show_ratio(peal_cost_time(trial->form, options->parameters), peal_cost_time(c->bound, options->parameters),
                   ratio);
    show_lower_bound(stdout, options->parameters, c->has_bound ? &c->bound : NULL, ratio, c->bound_source, NULL);
    print_labelled(stdout, "run", "nothing was run: no data were moved or checked");
}

static void
write_computed(FILE *out, const struct computed *c)
{
    const struct peal_options *options = &c->request->machine;
    struct peal_json json = {.out = out};

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_BREAK, PEAL_STRING("schema", "peal/run/1"),
                  PEAL_STRING("collective", peal_collective_name(c->session.collective)),
                  PEAL_STRING("algorithm", c->trial.name), PEAL_INT("nodes", c->situation.nodes));
    document_sizes(&json, &c->situation);
    peal_json_put(&json, PEAL_INT("root", c->situation.root));
    document_machine(&json, options, c->network, "none");
    peal_json_put(&json, PEAL_BOOL("executed", false), PEAL_OPEN("rounds", '['), PEAL_CLOSE(']'), PEAL_BREAK);
    peal_json_member_cost(&json, "cost", &c->trial.form, options->parameters);
    peal_json_put(&json, PEAL_NULL("critical_path"), PEAL_BREAK);
    document_form(&json, &c->trial, options->parameters);
    peal_json_put(&json, PEAL_BREAK);
    peal_json_member_cost(&json, "lower_bound", c->has_bound ? &c->bound : NULL, options->parameters);
    peal_json_put(&json, PEAL_BREAK, PEAL_NULL("data"), PEAL_NULL("failure"), PEAL_NULL("host"), PEAL_BREAK,
                  PEAL_CLOSE('}'));
}

DOCUMENT_WRITER(computed_document_json, write_computed)

int
computed_run(const struct command_request *request)
{
    struct computed computed = {.request = request, .session = {.request = request}};
    struct writings writings = {
        .request = request,
        .list = {{computed_document_json, request->document.json_file, request->document.json, false}}};
    struct peal_error error = {PEAL_OK, ""};
    enum peal_status status = compute(&computed, &error);

    if (status == PEAL_OK)
        status = writings_open(&writings, &error);
    if (status == PEAL_OK && !writings_here(&writings))
        computed_show(&computed);
    status = writings_close(&writings, status, &computed, &error);
    session_fini(&computed.session);
    peal_network_destroy(computed.network);
    return status == PEAL_OK ? 0 : complain(&error);
}
