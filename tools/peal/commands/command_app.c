/* SPDX-License-Identifier: MIT */
/* peal app: run an application, compare its result with a sequential one, and compare its cost with the derived one. */
#include "commands/commands.h"
#include "lib/base/nearest.h"
#include "write/written.h"

enum { NAME = 20 };

/* One application's run. */
struct app_run {
    const struct command_request *request;
    const struct peal_application *application;
    struct peal_machine *machine;
    struct peal_problem problem;
    struct peal_application_outcome outcome;
    struct progress_line progress;
    struct writings writings;
};

/* ------------------------------------------------------------------ the list */

static enum peal_status
write_list(FILE *out, const void *what, struct peal_error *error)
{
    struct peal_json json = {.out = out};
    const struct peal_application *a;

    (void)what, (void)error;
    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_STRING("schema", "peal/apps/1"), PEAL_OPEN("applications", '['));
    for (int i = 0; (a = peal_application_get(i)); i++) {
        peal_json_put(&json, PEAL_LINE(2), PEAL_OPEN(NULL, '{'), PEAL_STRING("application", a->name),
                      PEAL_STRING("summary", a->summary), PEAL_LINE(3), PEAL_STRING("size", a->size),
                      PEAL_UINT("usual_size", a->usual_size), PEAL_OPEN("parameters", '['));
        for (int j = 0; j < PEAL_MAX_PARAMETERS && a->parameters[j].name; j++) {
            peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_STRING("name", a->parameters[j].name),
                          PEAL_STRING("meaning", a->parameters[j].meaning), PEAL_UINT("usual", a->parameters[j].usual),
                          PEAL_UINT("least", a->parameters[j].least), PEAL_CLOSE('}'));
        }
        peal_json_put(&json, PEAL_CLOSE(']'), PEAL_LINE(3), PEAL_STRING("requires", a->needs),
                      PEAL_STRING("closed_form", a->closed_form), PEAL_LINE(3), PEAL_STRING("estimate", a->formula),
                      PEAL_LINE(3), PEAL_STRING("operations", a->operations), PEAL_STRING("source", a->source),
                      PEAL_CLOSE('}'));
    }
    peal_json_put(&json, PEAL_LINE(0), PEAL_CLOSE(']'), PEAL_CLOSE('}'));
    return PEAL_OK;
}

static void
app_list_table(void)
{
    const struct peal_application *a;
    char text[300];

    for (int i = 0; (a = peal_application_get(i)); i++) {
        print_ink(stdout, BOLD);
        print_left(stdout, a->name, NAME);
        print_ink(stdout, PLAIN);
        print_wrapped(stdout, a->summary, NAME);
        snprintf(text, sizeof text, "n: %s (%zu)%s%s", a->size, a->usual_size, *a->needs ? "; needs " : "", a->needs);
        printf("%*s", NAME, "");
        print_wrapped(stdout, text, NAME);
        for (int j = 0; j < PEAL_MAX_PARAMETERS && a->parameters[j].name; j++) {
            snprintf(text, sizeof text, "%s=: %s (%zu)", a->parameters[j].name, a->parameters[j].meaning,
                     a->parameters[j].usual);
            printf("%*s", NAME, "");
            print_wrapped(stdout, text, NAME);
        }
    }
    puts("\npeal app NAME runs one, as in peal app summa -p 16 -t mesh -n 64 panel=4.");
}

static int
list(const struct command_request *request)
{
    static const char *const of_list[] = {"json", NULL};
    const struct option *other = option_besides(request, of_list);
    struct writings writings = {.list = {{write_list, request->document.json_file, request->document.json, false}}};
    struct peal_error error;

    if (other)
        return complain_of(PEAL_USAGE, "--%s is for one application, as in peal app cannon", other->name);
    enum peal_status status = writings_open(&writings, &error);

    if (status == PEAL_OK && !request->document.json)
        app_list_table();
    status = writings_close(&writings, status, NULL, &error);
    return status == PEAL_OK ? 0 : complain(&error);
}

/* ------------------------------------------------------------------ what was asked for */

static const struct peal_application *
find_application(const char *name, struct peal_error *error)
{
    const struct peal_application *application = peal_application_find(name);
    struct nearest near = {.word = name};

    if (application)
        return application;
    for (int i = 0; peal_application_get(i); i++)
        peal_nearest_offer(&near, peal_application_get(i)->name);
    peal_refuse(error, PEAL_USAGE, "unknown application '%s'%s", name,
                peal_nearest_words(&near, " (peal app lists them)"));
    return NULL;
}

/* Take "steps=20". */
static enum peal_status
app_read_parameter(struct app_run *run, const char *word, struct peal_error *error)
{
    const struct peal_application *application = run->application;
    char name[64], listed[200] = ": it takes ";
    struct nearest near = {.word = name, .after = "="};
    struct peal_error why;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    for (int i = 0; i < PEAL_MAX_PARAMETERS && application->parameters[i].name; i++) {
        peal_nearest_offer(&near, application->parameters[i].name);
        peal_append(IN_ARRAY(listed), "%s%s=", i > 0 ? " and " : "", application->parameters[i].name);
        if (strcmp(name, application->parameters[i].name) != 0)
            continue;
        if (word[strlen(name)] != '=')
            return peal_refuse(error, PEAL_USAGE, "%s: expected a number, as in %s=%zu", word, name,
                               application->parameters[i].usual);
        if (peal_parse_size(word + strlen(name) + 1, &run->problem.parameter[i], &why) != PEAL_OK)
            return peal_refuse(error, PEAL_USAGE, "%s: %s", word, why.text);
        return PEAL_OK;
    }
    if (!near.all[0])
        peal_append(IN_ARRAY(listed), "its size, -n, and nothing else");
    return peal_refuse(error, PEAL_USAGE, "%s: unknown size '%s'%s", application->name, word,
                       peal_nearest_words(&near, listed));
}

/* Create the machine and set up the problem. */
static enum peal_status
app_prepare(struct app_run *run, struct peal_error *error)
{
    const struct command_request *request = run->request;
    struct peal_options options = request->machine;
    enum peal_status status = PEAL_OK;

    run->application = find_application(request->arguments[0], error);
    if (!run->application)
        return PEAL_USAGE;
    if (run->application->usual_nodes > 0 && !option_given(request, "nodes") &&
        peal_topology_nodes(options.topology) == 0)
        options.nodes = run->application->usual_nodes;
    if (!writings_need_rounds(&run->writings))
        options.rounds = PEAL_ROUNDS_NONE;
    options.output = request->document.json ? STDERR_FILENO : STDOUT_FILENO;
    run->machine = peal_machine_create(&options, error);
    if (!run->machine)
        return error->status;
    peal_problem_init(&run->problem, run->application, run->machine);
    if (option_given(request, "size"))
        run->problem.n = request->app->size;
    for (int i = 1; i < request->argument_count && status == PEAL_OK; i++)
        status = app_read_parameter(run, request->arguments[i], error);
    if (status == PEAL_OK)
        status = writings_open(&run->writings, error);
    if (status == PEAL_OK)
        status = writings_begin(&run->writings, run->machine, error);
    return status;
}

/* ------------------------------------------------------------------ for people */

static void
show_problem(const struct app_run *run)
{
    const struct peal_application *application = run->application;

    printf("n = %zu %s", run->problem.n, application->size);
    for (int i = 0; i < PEAL_MAX_PARAMETERS && application->parameters[i].name; i++)
        printf(", %s = %zu", application->parameters[i].name, run->problem.parameter[i]);
    putchar('\n');
}

/* Append "3α" to a sum; nothing for 0. */
static void
add_term(struct peal_text sum, double number, const char *letter)
{
    char text[32];

    if (number != 0)
        peal_append(sum, "%s%s%s", sum.start[0] ? " + " : "", number == 1 ? "" : print_number(number, text), letter);
}

static void
show_derived(const struct app_run *run)
{
    const struct peal_application_outcome *outcome = &run->outcome;
    const struct peal_application *application = run->application;
    struct peal_parameters parameters = peal_machine_options(run->machine)->parameters;
    const char *definitions = show_definitions(application->formula);
    char text[SHOW_FORM], sum[80] = "", number[32];
    double time = outcome->estimate.alpha * parameters.alpha + outcome->estimate.beta * parameters.beta;

    if (outcome->has_closed_form) {
        show_closed_form(stdout, "", outcome->closed_form, outcome->verified, outcome->closed_form_equal);
    } else {
        print_labelled(stdout, "closed form",
                       application->cost ? "none is derived for this machine" : "none: the cost depends on the data");
    }
    add_term(IN_ARRAY(sum), outcome->estimate.alpha, "α");
    add_term(IN_ARRAY(sum), outcome->estimate.beta, "β");
    snprintf(text, sizeof text, "%.*s = %s%s%s%s", (int)(definitions - application->formula), application->formula, sum,
             sum[0] ? " = " : "", print_number(time, number), definitions);
    print_labelled(stdout, "estimate", text);
    print_labelled(stdout, "", application->differs);
    print_labelled(stdout, "", application->source);
}

static void
app_show_result(const struct app_run *run)
{
    const struct peal_application_outcome *outcome = &run->outcome;
    char text[600], count[64];

    if (outcome->verified)
        snprintf(text, sizeof text, "%s as on one processor, %s", print_count(outcome->out_words, "word", count),
                 run->application->compared);
    else
        snprintf(text, sizeof text, "%zu of %s wrong; %s", outcome->wrong_words,
                 print_count(outcome->out_words, "word", count), outcome->wrong);
    print_left(stdout, "result", LABEL_COLUMNS);
    print_ink(stdout, outcome->verified ? GOOD : BAD);
    print_wrapped(stdout, text, LABEL_COLUMNS);
    print_ink(stdout, PLAIN);
    if (outcome->verified && outcome->bound > 0) {
        snprintf(text, sizeof text, "off by %.2g at most, of %.2g allowed", outcome->difference, outcome->bound);
        print_labelled(stdout, "", text);
    }
}

static void
app_show_run(const struct app_run *run, const struct peal_failure *failure)
{
    struct session session = {.request = run->request,
                              .program = run->application->name,
                              .machine = run->machine,
                              .failure = failure,
                              .name = (char *)run->application->name};
    struct peal_cost cost = peal_machine_cost(run->machine);
    char text[160];

    show_heading(stdout, &session);
    show_problem(run);
    show_rounds(stdout, &session);
    putchar('\n');
    print_inked(stdout, BOLD, "T%s = %s", failure ? " until then" : "", show_cost(&session, cost, text));
    show_parameters(stdout, peal_machine_options(run->machine), cost);
    if (!failure)
        show_derived(run);
    print_labelled(stdout, "operations", run->application->operations);
    print_labelled(stdout, "critical path", show_cost(&session, peal_machine_critical_path(run->machine), text));
    if (!failure)
        app_show_result(run);
    snprintf(text, sizeof text, "%" PRIu64, peal_machine_options(run->machine)->seed);
    print_labelled(stdout, "seed", text);
    print_labelled(stdout, "engine", peal_machine_options(run->machine)->engine);
}

/* ------------------------------------------------------------------ for programs */

/* A number with 17 digits; null for NaN and infinity. */
static void
write_exact(struct peal_json *json, const char *key, double value)
{
    char text[40];

    snprintf(text, sizeof text, "%.17g", value);
    peal_json_put(json, PEAL_TEXT(key, isfinite(value) ? text : NULL));
}

static void
write_derived(struct peal_json *json, const struct app_run *run)
{
    const struct peal_application_outcome *outcome = &run->outcome;

    if (outcome->has_closed_form) {
        peal_json_put(json, PEAL_OPEN("closed_form", '{'), PEAL_COST(outcome->closed_form), PEAL_LINE(2),
                      PEAL_NULL("text"), PEAL_BOOL("equal", outcome->closed_form_equal), PEAL_CLOSE('}'));
    } else {
        peal_json_put(json, PEAL_NULL("closed_form"));
    }
    peal_json_put(json, PEAL_LINE(1), PEAL_OPEN("estimate", '{'));
    write_exact(json, "alpha", outcome->estimate.alpha);
    write_exact(json, "beta", outcome->estimate.beta);
    peal_json_put(json, PEAL_LINE(2), PEAL_STRING("text", run->application->formula), PEAL_LINE(2),
                  PEAL_STRING("differs", run->application->differs), PEAL_LINE(2),
                  PEAL_STRING("source", run->application->source), PEAL_CLOSE('}'));
}

static void
write_result(struct peal_json *json, const struct app_run *run)
{
    const struct peal_application_outcome *outcome = &run->outcome;

    peal_json_put(json, PEAL_LINE(1), PEAL_OPEN("result", '{'), PEAL_BOOL("verified", outcome->verified),
                  PEAL_UINT("words", outcome->out_words), PEAL_UINT("wrong", outcome->wrong_words));
    write_exact(json, "difference", outcome->difference);
    write_exact(json, "bound", outcome->bound);
    peal_json_put(json, PEAL_LINE(2), PEAL_STRING("compared", run->application->compared), PEAL_CLOSE('}'));
}

/* Write the document, with this record of the run (NULL: as the machine has it); for a failed run the values to be
 * compared are null. */
static enum peal_status
app_write(FILE *out, const struct app_run *run, struct peal_record *record, struct peal_error *error)
{
    const struct peal_application *application = run->application;
    struct peal_json json = {.out = out};

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_STRING("schema", "peal/app/1"),
                  PEAL_STRING("application", application->name), PEAL_UINT("size", run->problem.n),
                  PEAL_OPEN("parameters", '{'));
    for (int i = 0; i < PEAL_MAX_PARAMETERS && application->parameters[i].name; i++)
        peal_json_put(&json, PEAL_UINT(application->parameters[i].name, run->problem.parameter[i]));
    peal_json_put(&json, PEAL_CLOSE('}'), PEAL_LINE(1), PEAL_STRING("operations", application->operations),
                  PEAL_LINE(1));
    if (peal_machine_failure(run->machine)) {
        peal_json_put(&json, PEAL_NULL("closed_form"), PEAL_NULL("estimate"), PEAL_NULL("result"));
    } else {
        write_derived(&json, run);
        write_result(&json, run);
    }
    peal_json_put(&json, PEAL_LINE(1), PEAL_KEY("run"), PEAL_LINE(0), PEAL_TEXT(NULL, ""));
    enum peal_status status = record ? report_write_run(out, record, error)
                                     : peal_write_json(out, run->machine, NULL, application->name, error);

    peal_json_put(&json, PEAL_CLOSE('}'));
    return status;
}

static enum peal_status
app_write_document(FILE *out, const void *what, struct peal_error *error)
{
    return app_write(out, what, NULL, error);
}

static enum peal_status
app_write_page(FILE *out, const void *what, struct peal_error *error)
{
    const struct app_run *run = what;

    return app_write(out, run, run->writings.paging.report.record, error);
}

/* ------------------------------------------------------------------ the command */

/* Print why the exit code is not 0 although no node failed; returns whether there is a reason. */
static bool
complain_of_result(const struct app_run *run)
{
    const struct peal_application_outcome *outcome = &run->outcome;
    char executed[100], formula[100];

    if (!outcome->verified)
        return complain_of(PEAL_FAILED, "wrong result: %s", outcome->wrong);
    return outcome->has_closed_form && !outcome->closed_form_equal &&
           complain_of(PEAL_FAILED, "the run cost %s, but the closed form of %s says %s",
                       peal_cost_text(peal_machine_cost(run->machine), executed, sizeof executed),
                       run->application->name, peal_cost_text(outcome->closed_form, formula, sizeof formula));
}

/* Run it and report; the exit code. */
static int
perform(struct app_run *run)
{
    struct peal_error error = {PEAL_OK, ""};
    const struct peal_failure *failure;
    enum peal_status ended, status;

    progress_attach(&run->progress, run->machine);
    ended = peal_application_run(run->machine, run->application, &run->problem, &run->outcome, &error);
    failure = peal_machine_failure(run->machine);
    bool compared = ended == PEAL_OK || (!failure && run->outcome.wrong_words > 0);

    if (!compared && (!failure || peal_machine_host(run->machine).rounds == 0))
        return complain(&error);
    if (!run->request->document.json)
        app_show_run(run, failure);
    fflush(stdout);
    if (failure)
        text_failure(stderr, failure, false);
    bool wrong = !failure && complain_of_result(run);

    status = paging_record(&run->writings.paging, run->machine, NULL, run->application->name, &error);
    if (status == PEAL_OK)
        status = writings_end(&run->writings, run, run->application->name, &error);
    return status != PEAL_OK ? complain(&error) : failure ? (int)failure->status : wrong ? PEAL_FAILED : 0;
}

static int
command_app_run(const struct command_request *request)
{
    struct app_run run = {
        .request = request,
        .writings = {.request = request,
                     .list = {{app_write_document, request->document.json_file, request->document.json, true}},
                     .page = app_write_page}};
    struct peal_error error;
    int code;

    if (request->program)
        return complain_of(PEAL_USAGE, "app takes a name and its sizes, and nothing after --");
    if (request->argument_count == 0)
        return list(request);
    code = app_prepare(&run, &error) == PEAL_OK ? perform(&run) : complain(&error);
    writings_fini(&run.writings);
    peal_machine_destroy(run.machine);
    return code;
}

const struct command command_app = {
    .name = "app",
    .arguments = "[NAME [WHAT=NUMBER...]] [options]",
    .summary = "run an application, check its result, report its cost",
    .examples = "  peal app                                     the applications there are\n"
                "  peal app cannon -t torus -n 64               a product of matrices on a torus\n"
                "  peal app summa -p 12 -n 100 panel=5          its own sizes have names\n"
                "  peal app bitonic-sort -p 8 -t line -n 10K    a sort far from its hypercube\n"
                "  peal app jacobi -t line halo=4 --json        one JSON document\n",
    .completes = WORDS_APPLICATION,
    .run = command_app_run,
};
