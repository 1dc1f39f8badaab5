/* SPDX-License-Identifier: MIT */
/* Makes a run of the same program on each of several numbers of nodes: the command itself, with --json, in a process
 * of its own.  A run that fails leaves a line, and the others go on. */
#include "run/scale.h"
#include "lib/base/grow.h"
#include "lib/base/process.h"
#include "lib/base/text.h"
#include "lib/check/expression.h"
#include "write/writings.h"
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the command line of a run */

/* Words, each of them owned; NULL after the last. */
struct command_words {
    char **list;
    size_t count, room;
    bool lost; /* out of memory */
};

static void scale_add_word(struct command_words *words, const char *format, ...) PEAL_PRINTF(2, 3);

static void
scale_add_word(struct command_words *words, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (words->lost || !array_grow(&words->list, &words->room, words->count + 2, sizeof *words->list) ||
        vasprintf(&words->list[words->count], format, arguments) < 0)
        words->lost = true;
    else
        words->list[++words->count] = NULL;
    va_end(arguments);
}

static void
words_fini(struct command_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->list[i]);
    free(words->list);
}

/* Whether the text is a list of arguments for each P, "4:'-i 2';8:'-i 4'": some argument may have a colon, too. */
static bool
is_list(const char *text)
{
    size_t digits = strspn(text, "0123456789");

    return digits > 0 && text[digits] == ':' && (text[digits + 1] == '\'' || strchr(text, ';'));
}

static enum peal_status
find_arguments(const char *text, int nodes, const char **from, size_t *length, struct peal_error *error)
{
    const char *at = text;
    char *colon;

    *from = text;
    *length = strlen(text);
    if (!is_list(text))
        return PEAL_OK;
    for (at += strspn(at, " \t"); *at; at += strspn(at, "; \t")) {
        long number = strtol(at, &colon, 10);
        bool quoted = *colon == ':' && colon[1] == '\'';
        const char *begin = colon + 1 + quoted, *end = *colon ? begin + strcspn(begin, quoted ? "'" : ";") : begin;
        const char *after = quoted && *end ? end + 1 : end;

        if (number < 1 || *colon != ':' || (quoted && !*end) ||
            (after[strspn(after, " \t")] != ';' && after[strspn(after, " \t")] != '\0'))
            return peal_refuse(error, PEAL_USAGE,
                               "--scale-args: expected P:'ARGUMENTS', with ; between them, as in 4:'-i 2 -j 2';8:'-i 4 "
                               "-j 2', got %s",
                               at);
        if (number == nodes) {
            *from = begin;
            *length = (size_t)(end - begin);
            return PEAL_OK;
        }
        at = after + strspn(after, " \t");
    }
    return peal_refuse(error, PEAL_USAGE,
                       "--scale-args has no arguments for %d node%s: expected %d:'ARGUMENTS' in its list", nodes,
                       plural(nodes), nodes);
}

/* Whether an {EXPRESSION} of the text names the number of nodes, P, or q, which follows from it. */
static bool
scale_text_has_nodes(const char *text)
{
    for (; (text = strchr(text, '{')); text++) {
        const char *end = text + strcspn(text, "}"), *name = strpbrk(text, "Pq");

        if (name && name < end)
            return true;
    }
    return false;
}

/* Write the arguments of a run: each {EXPRESSION} of P has its value, rounded down. */
static enum peal_status
add_arguments(struct command_words *words, const char *text, int nodes, struct peal_error *error)
{
    size_t length;
    char *rest = NULL;

    if (find_arguments(text, nodes, &text, &length, error) != PEAL_OK)
        return error->status;
    char *copy = strndup(text, length);

    words->lost |= !copy;
    for (char *word = copy ? strtok_r(copy, " \t", &rest) : NULL; word; word = strtok_r(NULL, " \t", &rest)) {
        char value[1000] = "";
        struct peal_text out = {value, sizeof value};

        for (char *at = word; *at;) {
            char *end = *at == '{' ? strchr(at, '}') : NULL;
            double number;

            if (!end) {
                peal_append(out, "%c", *at++);
                continue;
            }
            *end = '\0';
            struct peal_check_values values = {.P = nodes, .q = nodes > 1 ? ceil(log2(nodes)) : 0};

            if (peal_check_expression(at + 1, values, &number, error) != PEAL_OK) {
                peal_refuse(error, PEAL_USAGE, "--scale-args: {%s} is not an expression in P, as in {1000*P}", at + 1);
                free(copy);
                return error->status;
            }
            peal_append(out, "%.0f", floor(number));
            at = end + 1;
        }
        scale_add_word(words, "%s", value);
    }
    free(copy);
    return PEAL_OK;
}

/* Whether the option is passed on to the runs: all are, except those of the scaling and its documents. */
static bool
is_common(const struct option *option)
{
    static const char *const own[] = {"scale", "scale-args", "scaling", "json", "csv",
                                      "quiet", "report",     "svg",     "png",  NULL};

    return !names_have(own, option->name);
}

static enum peal_status
command_line(const struct command_request *request, int nodes, struct command_words *words, struct peal_error *error)
{
    scale_add_word(words, "/proc/self/exe");
    scale_add_word(words, "run");
    for (int i = 0; i < request->option_count; i++) {
        const struct given_option *given = &request->options[i];

        if (is_common(given->option) && given->value)
            scale_add_word(words, "--%s=%s", given->option->name, given->value);
        else if (is_common(given->option))
            scale_add_word(words, "--%s", given->option->name);
    }
    scale_add_word(words, "--nodes=%d", nodes);
    scale_add_word(words, "--rounds=none");
    scale_add_word(words, "--json");
    for (int i = 0; i < request->argument_count; i++)
        scale_add_word(words, "%s", request->arguments[i]);
    if (request->program || request->scale->arguments)
        scale_add_word(words, "--");
    for (int i = 0; i < request->program_count; i++)
        scale_add_word(words, "%s", request->program[i]);
    if (request->scale->arguments && add_arguments(words, request->scale->arguments, nodes, error) != PEAL_OK)
        return error->status;
    return words->lost ? peal_refuse(error, PEAL_RESOURCES, "not enough memory") : PEAL_OK;
}

/* ------------------------------------------------------------------ a run */

/* The last nonempty line that a run has written: of the program's own lines if `own`, else of all, without "peal: "; ""
 * if there is none. */
static void
last_line(int file, bool own, char *line, size_t bytes)
{
    FILE *in = fdopen(dup(file), "r");
    char *text = NULL;
    size_t room = 0;

    line[0] = '\0';
    if (!in)
        return;
    rewind(in);
    while (getline(&text, &room, in) > 0) {
        text[strcspn(text, "\r\n")] = '\0';
        bool ours = strncmp(text, "peal: ", 6) == 0;

        if (text[strspn(text, " \t")] && !(own && ours))
            peal_append(empty_text(line, bytes), "%s", ours ? text + 6 : text);
    }
    free(text);
    fclose(in);
}

static struct peal_cost
scale_cost(const json_t *cost)
{
    return (struct peal_cost){
        json_integer_value(json_object_get(cost, "alpha")), json_integer_value(json_object_get(cost, "beta")),
        json_integer_value(json_object_get(cost, "hop")), json_integer_value(json_object_get(cost, "tau"))};
}

/* Take the results from the run's document and its exit code. */
static void
take_run(struct scaling *scaling, struct scale_run *run, const json_t *document, int status, int errors)
{
    const json_t *parameters = json_object_get(document, "parameters"), *failure = json_object_get(document, "failure");
    const char *message = json_string_value(json_object_get(failure, "message")),
               *kind = json_string_value(json_object_get(failure, "kind"));
    struct peal_text why = IN_ARRAY(run->failed);
    char line[200];
    bool exits = WIFEXITED(status) && WEXITSTATUS(status) != 0;

    last_line(errors, document != NULL, line, sizeof line);
    if (!document)
        peal_append(why, "%s", line[0] ? line : "it left no document");
    else if (message && strcmp(kind, "crash") == 0 && line[0])
        peal_append(why, "%.*s: %s", peal_fitting(message, 280), message, line); /* the program's own reason */
    else if (message)
        peal_append(why, "%s: %s", kind, message);
    else if (exits)
        peal_append(why, "exit code %d%s%s", WEXITSTATUS(status), line[0] ? ": " : "", line);
    if (run->failed[0])
        return;
    scaling->measured |= json_object_get(document, "computing") != NULL;
    scaling->parameters = (struct peal_parameters){
        json_number_value(json_object_get(parameters, "alpha")), json_number_value(json_object_get(parameters, "beta")),
        json_number_value(json_object_get(parameters, "hop")), json_number_value(json_object_get(parameters, "tau"))};
    run->cost = scale_cost(json_object_get(document, "cost"));
    run->path = scale_cost(json_object_get(document, "critical_path"));
    run->time = peal_cost_time(run->cost, scaling->parameters);
    run->path_time = peal_cost_time(run->path, scaling->parameters);
    run->length = scaling->measured ? run->path_time : run->time;
}

static enum peal_status
scale_make_run(struct scaling *scaling, struct scale_run *run, struct peal_error *error)
{
    struct command_words words = {.list = NULL};
    int out = memfd_create("document", MFD_CLOEXEC), errors = memfd_create("said", MFD_CLOEXEC), from, started;
    enum peal_status status = command_line(scaling->request, run->nodes, &words, error);
    pid_t process;

    if (status == PEAL_OK && (out < 0 || errors < 0))
        status = peal_refuse(error, PEAL_RESOURCES, "no memory for the output of a run: %s", strerror(errno));
    if (status == PEAL_OK) {
        const int descriptors[] = {PEAL_SPAWN_SAME, out, errors};

        started = peal_spawn(words.list, descriptors, &process, &from);
        if (started)
            status = peal_refuse(error, PEAL_RESOURCES, "a run could not be started: %s", strerror(started));
    }
    if (status == PEAL_OK) {
        int ended = peal_spawn_wait(process, PEAL_RESOURCES << 8);

        lseek(out, 0, SEEK_SET);
        json_t *document = json_loadfd(out, 0, NULL);

        take_run(scaling, run, document, ended, errors);
        json_decref(document);
    }
    words_fini(&words);
    close(out);
    close(errors);
    return status;
}

/* ------------------------------------------------------------------ all of them */

/* Speed-up, efficiency and serial fraction of a run in terms of the first that ended well.  The fractions are those of
 * Karp and Flatt 1990, and of Gustafson 1988 where the problem grows. */
static void
scale_compare(const struct scaling *scaling, struct scale_run *run)
{
    const struct scale_run *first = scaling->first;
    double P = run->nodes;
    double tau = (double)(scaling->measured ? run->path : run->cost).tau * scaling->parameters.tau;

    run->speedup = run->efficiency = run->serial = run->communication = NAN;
    if (run->failed[0] || !(run->length > 0))
        return;
    run->communication = 1 - tau / run->length;
    run->efficiency = first->length / run->length * (scaling->weak ? 1 : first->nodes / P);
    run->speedup = run->efficiency * P;
    if (first->nodes == 1 && run->nodes > 1)
        run->serial = scaling->weak ? (P - run->speedup) / (P - 1) : (1 / run->speedup - 1 / P) / (1 - 1 / P);
}

DOCUMENT_WRITER(scale_document_json, scale_write_json)
DOCUMENT_WRITER(scale_document_csv, scale_write_csv)

static enum peal_status
check_request(const struct command_request *request, struct peal_error *error)
{
    static const char *const single[] = {"nodes",  "choices", "step",   "trace",   "junit",      "sarif", "input",
                                         "output", "view",    "rounds", "profile", "tag-output", NULL};

    const char *given = option_among(request, single);

    if (given)
        return peal_refuse(error, PEAL_USAGE, "--%s is for one run: leave out one of --scale and --%s", given, given);
    if (request->argument_count == 0)
        return peal_refuse(error, PEAL_USAGE, "expected a program, as in pealrun --scale 1:64 ./prog");
    if (strcmp(request->machine.engine, "mpi") == 0)
        return peal_refuse(error, PEAL_USAGE, "--engine mpi has as many nodes as its job: leave out --scale");
    if (request->scale->arguments && request->program_count > 0)
        return peal_refuse(error, PEAL_USAGE, "--scale-args has the program's arguments: leave out those after it");
    for (size_t i = 0; request->scale->arguments && i < peal_range_count(&request->scale->nodes); i++) {
        const char *from;
        size_t length;

        if (find_arguments(request->scale->arguments, (int)peal_range_get(&request->scale->nodes, i), &from, &length,
                           error) != PEAL_OK)
            return error->status;
    }
    return PEAL_OK;
}

int
scale_run_all(const struct command_request *request)
{
    const struct range *range = &request->scale->nodes;
    const struct scale_options *options = request->scale;
    const bool weak = options->scaling == SCALING_NOT_GIVEN
                          ? options->arguments && scale_text_has_nodes(options->arguments)
                          : options->scaling == SCALING_WEAK;
    struct scaling all = {.request = request, .weak = weak, .count = peal_range_count(range)};
    struct writings writings = {
        .request = request,
        .list = {{scale_document_json, request->document.json_file, request->document.json, false},
                 {scale_document_csv, request->document.csv_file, request->document.csv, false}},
        .page = scale_document_json,
    };
    struct peal_error error = {PEAL_OK, ""};
    enum peal_status status = check_request(request, &error);
    bool failed = false;

    if (status == PEAL_OK)
        status = writings_open(&writings, &error);
    if (status == PEAL_OK && !(all.runs = calloc(all.count, sizeof *all.runs)))
        status = peal_refuse(&error, PEAL_RESOURCES, "not enough memory");
    for (size_t i = 0; status == PEAL_OK && i < all.count; i++) {
        struct scale_run *run = &all.runs[i];

        run->nodes = (int)peal_range_get(range, i);
        status = scale_make_run(&all, run, &error);
        if (status == PEAL_OK && run->failed[0])
            fprintf(stderr, "peal: %d node%s: %s\n", run->nodes, plural(run->nodes), run->failed);
        failed |= run->failed[0] != '\0';
        if (!all.first && !run->failed[0] && run->time > 0)
            all.first = run;
    }
    for (size_t i = 0; status == PEAL_OK && all.first && i < all.count; i++)
        scale_compare(&all, &all.runs[i]);
    char note[SCALE_NOTE];

    if (status == PEAL_OK && !request->document.json && !request->document.csv)
        scale_show(stdout, &all);
    else if (status == PEAL_OK && scale_doubt(&all, note))
        fprintf(stderr, "peal: note: %s\n", note);
    status = writings_close(&writings, status, &all, &error);
    free(all.runs);
    return status != PEAL_OK ? complain(&error) : failed ? PEAL_FAILED : 0;
}
