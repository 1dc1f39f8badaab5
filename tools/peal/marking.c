/* SPDX-License-Identifier: MIT */
/* Proofs are all made together, since they go on at the same time; programs are run one after another. */
#include "marking.h"
#include "files.h"
#include "forbidden.h"
#include "print.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <peal/contained.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What the marking of one submission works on. */
struct work {
    const struct assignment *assignment;
    const struct marking_options *options;
    struct marking *marking;
    struct peal_contained *calls; /* the submission by itself; NULL: it does not compile */
    double end;                   /* when its time is up, of the clock of seconds_now */
    struct peal_error *error;
};

void
mark_note(struct mark *mark, const char *format, ...)
{
    size_t used = mark->notes ? strlen(mark->notes) : 0;
    char text[2000];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text - 1, format, list);
    va_end(list);
    for (char *c = text; *c; c++) /* what a submission printed is not obeyed by a terminal, and forges no line */
        if ((unsigned char)*c < ' ' || *c == 0x7F)
            *c = '?';
    strcat(text, "\n");
    char *longer = realloc(mark->notes, used + strlen(text) + 1);

    if (!longer)
        return;
    mark->notes = longer;
    strcpy(longer + used, text);
}

static double
seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Whether the submission has had its time; then *mark says so. */
static bool
is_late(const struct work *work, struct mark *mark)
{
    if (seconds_now() < work->end)
        return false;
    mark_note(mark, "timeout: the submission has used up its time for all tests, %g s (total_timeout)",
              work->assignment->total);
    return true;
}

/* ------------------------------------------------------------------ proofs */

static struct peal_check
check_of(const struct work *work, const struct assignment_test *test)
{
    return (struct peal_check){
        .collective = test->collective,
        .unequal = test->unequal,
        .file = work->marking->file,
        .symbol = test->symbol,
        .compiler = work->options->compiler,
        .flags = test->cflags,
        .stranger = true,
        .nodes_from = test->nodes[0],
        .nodes_to = test->nodes[test->node_count - 1],
        .nodes_list = test->nodes,
        .nodes_count = test->node_count,
        .roots = test->roots,
        .root_count = test->root_count,
        .words_list = test->size_count > 0 ? test->sizes : NULL,
        .words_count = test->size_count,
        .has_ports = test->ports != 0,
        .ports = test->ports,
        .has_delivery = test->has_delivery,
        .eager = test->eager,
        .eager_words = test->eager_words,
        .buffers = test->in_place ? PEAL_BUFFERS_BOTH : PEAL_BUFFERS_SEPARATE,
        .topology = test->topology,
        .op = test->op,
        .seed = test->seed,
        .max_rounds = test->max_rounds,
        .max_words = test->max_words,
        .timeout_seconds = test->timeout,
        .total_seconds = work->end - seconds_now(),
    };
}

static void
note_finding(const struct assignment_test *test, const struct peal_finding *finding, struct mark *mark)
{
    const struct peal_check_case *c = &finding->where;
    char place[300] = "", root[40] = "";

    if (finding->file[0] && !print_tells(finding->message, finding->file, finding->line))
        snprintf(place, sizeof place, "%s:%d: ", finding->file, finding->line);
    if (peal_collective_has_root(test->collective))
        snprintf(root, sizeof root, ", root %d", c->root);
    mark_note(mark, "%s: %s%s", peal_failure_name(finding->kind), place, finding->message);
    mark_note(mark, "  smallest: P = %d, %s = %zu%s (peal check: %s)", c->nodes,
              peal_collective_has_blocks(test->collective) ? "m" : "n", c->words, root, finding->rerun);
}

/* Make of the verdict a mark. */
static enum peal_status
mark_proof(const struct work *work, const struct assignment_test *test, const struct peal_verdict *verdict,
           struct mark *mark)
{
    bool wrong = false;

    mark->runs = verdict->runs;
    for (int i = 0; i < verdict->finding_count; i++)
        if (!verdict->findings[i].warning) {
            note_finding(test, &verdict->findings[i], mark);
            wrong = true;
        }
    if (verdict->error.status == PEAL_PROGRAM)
        mark_note(mark, "%s", verdict->error.text);
    else if (verdict->error.status == PEAL_RESOURCES) /* of its own process */
        mark_note(mark, "it could not be checked: %s", verdict->error.text);
    else if (verdict->error.status != PEAL_OK)
        return peal_refuse(work->error, verdict->error.status, "%s:%d: test %s: %s", work->assignment->path, test->line,
                           test->name, verdict->error.text);
    else if (!wrong && verdict->runs == 0)
        return peal_refuse(work->error, PEAL_USAGE, "%s:%d: test %s has no case", work->assignment->path, test->line,
                           test->name);
    else if (!wrong && verdict->reason[0])
        mark_note(mark, "nothing wrong was found; not proved: %s", verdict->reason);
    mark->passed = !wrong && verdict->error.status == PEAL_OK;
    return PEAL_OK;
}

static enum peal_status
make_proofs(struct work *work)
{
    const struct assignment *assignment = work->assignment;
    size_t places = (size_t)assignment->test_count + 1;
    struct peal_check *checks = calloc(places, sizeof *checks);
    struct peal_verdict *verdicts = calloc(places, sizeof *verdicts);
    int *tests = calloc(places, sizeof *tests), count = 0;
    enum peal_status status = PEAL_OK;

    if (!checks || !verdicts || !tests)
        status = peal_refuse(work->error, PEAL_RESOURCES, "not enough memory");
    for (int i = 0; i < assignment->test_count && status == PEAL_OK; i++)
        if (assignment->tests[i].proof && !work->marking->marks[i].notes) {
            tests[count] = i;
            checks[count++] = check_of(work, &assignment->tests[i]);
        }
    if (status == PEAL_OK)
        status = peal_check(checks, count, work->options->jobs, verdicts, work->error);
    for (int k = 0; k < count && status == PEAL_OK; k++)
        status = mark_proof(work, &assignment->tests[tests[k]], &verdicts[k], &work->marking->marks[tests[k]]);
    free(checks);
    free(verdicts);
    free(tests);
    return status;
}

/* ------------------------------------------------------------------ programs */

/* One run of a test of a program. */
struct
try {
    const struct assignment_test *test;
    int nodes;
    size_t words;
    char **argv; /* NULL after the last */
    int argc;
    struct peal_options machine;
};

/* The text with the values of this run for what stands in braces.  The caller frees it; NULL with *error. */
static char *
expand(const char *text, const struct try *try, struct peal_error *error)
{
    return assignment_expand(text, assignment_values(try->test, try->nodes, try->words), error);
}

static void
try_fini(struct try *try)
{
    for (int i = 0; try->argv && i < try->argc; i++)
        free(try->argv[i]);
    free(try->argv);
}

static enum peal_status
try_init(struct try *try, const struct assignment_test *test, const char *name, int nodes, int size,
         struct peal_error *error)
{
    int count = 0;
    double value = 0;

    *try = (struct try){.test = test, .nodes = nodes};
    if (test->size_count > 0 &&
        peal_check_expression(test->sizes[size], assignment_values(test, nodes, 0), &value, error) != PEAL_OK)
        return PEAL_USAGE;
    try->words = (size_t)value;
    while (test->arguments[count])
        count++;
    try->argv = calloc((size_t)count + 2, sizeof *try->argv);
    if (!try->argv || !(try->argv[0] = strdup(name)))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (try->argc = 1; try->argc <= count; try->argc++)
        if (!(try->argv[try->argc] = expand(test->arguments[try->argc - 1], try, error)))
            return error->status;
    peal_options_init(&try->machine);
    try->machine.nodes = nodes;
    try->machine.topology = test->topology ? test->topology : "full";
    try->machine.ports = test->ports ? test->ports : 1;
    try->machine.eager = test->eager;
    try->machine.eager_words = test->eager_words;
    try->machine.seed = test->seed;
    try->machine.timeout_seconds = test->timeout;
    return PEAL_OK;
}

/* Step to the next word of the text; false at its end. */
static bool
next_word(const char **at, const char **word, size_t *length)
{
    while (isspace((unsigned char)**at))
        ++*at;
    *word = *at;
    while (**at && !isspace((unsigned char)**at))
        ++*at;
    *length = (size_t)(*at - *word);
    return *length > 0;
}

static bool
same_word(const char *is, size_t is_length, const char *should, size_t should_length, double tolerance)
{
    char *is_end, *should_end;

    if (is_length == should_length && memcmp(is, should, is_length) == 0)
        return true;
    if (tolerance <= 0)
        return false;
    double a = strtod(is, &is_end), b = strtod(should, &should_end);

    return is_end == is + is_length && should_end == should + should_length &&
           fabs(a - b) <= tolerance * fmax(1, fabs(b));
}

/* Compare two outputs word by word; tell the first difference. */
static bool
same_output(const char *is, const char *should, double tolerance, char *where, size_t bytes)
{
    const char *a, *b;
    size_t a_length, b_length;
    int word = 0;

    for (;;) {
        bool more = next_word(&is, &a, &a_length), expected = next_word(&should, &b, &b_length);

        word++;
        if (!more && !expected)
            return true;
        if (more && expected && same_word(a, a_length, b, b_length, tolerance))
            continue;
        if (!more)
            snprintf(where, bytes, "it ends before word %d, which should be %.*s", word,
                     (int)(b_length < 60 ? b_length : 60), b);
        else if (!expected)
            snprintf(where, bytes, "it goes on after its end, with %.*s", (int)(a_length < 60 ? a_length : 60), a);
        else
            snprintf(where, bytes, "word %d is %.*s, and should be %.*s", word, (int)(a_length < 60 ? a_length : 60), a,
                     (int)(b_length < 60 ? b_length : 60), b);
        return false;
    }
}

/* "P = 4, n = 8". */
static char *
case_text(const struct try *try, char text[100])
{
    if (try->test->size_count > 0)
        snprintf(text, 100, "P = %d, n = %zu", try->nodes, try->words);
    else
        snprintf(text, 100, "P = %d", try->nodes);
    return text;
}

/* What the program should print; NULL with *error. */
static char *
expected_output(const struct work *work, const struct try *try, struct peal_contained *reference)
{
    const struct assignment_test *test = try->test;
    struct peal_contained_result result;
    char text[100], *path;
    void *bytes = NULL;
    size_t count;

    if (test->expect) {
        if (!(path = expand(test->expect, try, work->error)))
            return NULL;
        enum peal_status status = file_read(path, &bytes, &count, work->error);
        char *longer = status == PEAL_OK ? realloc(bytes, count + 1) : NULL;

        free(path);
        if (longer)
            longer[count] = '\0';
        else
            free(bytes);
        return longer;
    }
    if (peal_contained_run(reference, &try->machine, try->argc, try->argv, &result, work->error) != PEAL_OK) {
        free(result.output);
        return NULL;
    }
    if (result.failed) {
        peal_refuse(work->error, PEAL_PROGRAM, "%s:%d: the reference %s fails for %s: %s: %s", work->assignment->path,
                    test->line, test->reference, case_text(try, text), peal_failure_name(result.kind), result.message);
        free(result.output);
        return NULL;
    }
    return result.output;
}

/* Note the cost where it is above a limit. */
static bool
exceeds(const struct try *try, const char *expression, int64_t is, enum peal_failure_kind kind, struct mark *mark)
{
    struct peal_check_values values = assignment_values(try->test, try->nodes, try->words);
    char text[100];
    double most = 0;

    if (!expression || peal_check_expression(expression, values, &most, NULL) != PEAL_OK || (double)is <= most)
        return false;
    bool number = expression[strspn(expression, "0123456789")] == '\0';
    bool rounds = kind == PEAL_EXCESS_ROUNDS;

    mark_note(mark, "%s: takes %lld %s%s%s; the limit %s%sis %g", peal_failure_name(kind), (long long)is,
              rounds ? "round" : "word", is == 1 ? "" : "s", rounds ? "" : " (each round's longest message)",
              number ? "" : expression, number ? "" : " ", most);
    mark_note(mark, "  smallest: %s", case_text(try, text));
    return true;
}

/* Make one run.  *mark tells of it; false when something is wrong with it. */
static bool
run_one(const struct work *work, const struct peal_contained *program, struct peal_contained *reference,
        const struct try *try, struct mark *mark, enum peal_status *status)
{
    const struct assignment_test *test = try->test;
    struct peal_contained_result result;
    char text[300], *should = NULL;
    bool right = false;

    *status = peal_contained_run(program, &try->machine, try->argc, try->argv, &result, work->error);
    mark->runs++;
    if (*status == PEAL_PROGRAM || (*status == PEAL_OK && result.failed)) {
        bool placed = *status == PEAL_OK && result.file[0] && !print_tells(result.message, result.file, result.line);

        if (*status == PEAL_PROGRAM)
            mark_note(mark, "%s", work->error->text);
        else if (placed)
            mark_note(mark, "%s: %s:%d: %s", peal_failure_name(result.kind), result.file, result.line, result.message);
        else
            mark_note(mark, "%s: %s", peal_failure_name(result.kind), result.message);
        mark_note(mark, "  smallest: %s", case_text(try, text));
        *status = PEAL_OK;
    } else if (*status == PEAL_OK) {
        right = true;
        if (test->expect || test->reference) {
            should = expected_output(work, try, reference);
            *status = should ? PEAL_OK : work->error->status;
        }
        if (should && !same_output(result.output, should, test->tolerance, text, sizeof text)) {
            mark_note(mark, "wrong-result: of the output, %s", text);
            mark_note(mark, "  smallest: %s", case_text(try, text));
            right = false;
        }
        if (exceeds(try, test->max_rounds, result.cost.alpha, PEAL_EXCESS_ROUNDS, mark) ||
            exceeds(try, test->max_words, result.cost.beta, PEAL_EXCESS_WORDS, mark))
            right = false;
    }
    free(should);
    free(result.output);
    return right;
}

/* Compile what the assignment has of its own. */
static enum peal_status
compile_reference(const struct work *work, const struct assignment_test *test, struct peal_contained **reference)
{
    const struct peal_contained_source source = {
        .file = test->reference, .compiler = work->options->compiler, .flags = test->cflags};
    char *messages;

    *reference = NULL;
    if (!test->reference)
        return PEAL_OK;
    *reference = peal_contained_compile(&source, &messages, work->error);
    if (!*reference && messages)
        fputs(messages, stderr);
    free(messages);
    return *reference ? PEAL_OK : work->error->status;
}

/* Run all cases of a test until one is wrong. */
static enum peal_status
run_cases(const struct work *work, const struct assignment_test *test, const struct peal_contained *program,
          struct peal_contained *reference, struct mark *mark)
{
    int sizes = test->size_count > 0 ? test->size_count : 1;
    enum peal_status status = PEAL_OK;
    bool right = true;

    for (int i = 0; i < test->node_count * sizes && right && status == PEAL_OK; i++) {
        struct try try;

        if (is_late(work, mark))
            return PEAL_OK;
        status = try_init(&try, test, work->marking->file, test->nodes[i / sizes], i % sizes, work->error);
        if (status == PEAL_OK)
            right = run_one(work, program, reference, &try, mark, &status);
        try_fini(&try);
    }
    mark->passed = right && status == PEAL_OK;
    return status;
}

/* Note that it does not compile, and what the compiler says first. */
static void
note_messages(struct mark *mark, const struct assignment_test *test, const char *messages)
{
    mark_note(mark, "it does not compile or link%s%s", test->driver ? " with " : "", test->driver ? test->driver : "");
    for (int lines = 0; *messages && lines < 8; lines++) {
        size_t length = strcspn(messages, "\n");

        mark_note(mark, "  | %.*s", (int)length, messages);
        messages += length + (messages[length] != '\0');
    }
    if (*messages)
        mark_note(mark, "  | ...");
}

/* Compile the driver without a submission.  A warning is not held against it, as it declares what is not there. */
static struct peal_contained *
compile_driver(const struct assignment_test *test, const struct marking_options *options, char **messages,
               struct peal_error *error)
{
    const char *flags = test->cflags ? test->cflags : getenv("CFLAGS");
    struct peal_contained_source source = {.driver = test->driver, .compiler = options->compiler, .calls_only = true};
    struct peal_contained *program;
    char *longer;

    *messages = NULL;
    if (asprintf(&longer, "%s -Wno-error", flags ? flags : "") < 0) {
        peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        return NULL;
    }
    source.flags = longer;
    program = peal_contained_compile(&source, messages, error);
    free(longer);
    return program;
}

static enum peal_status
make_program(const struct work *work, const struct assignment_test *test, struct mark *mark)
{
    const struct peal_contained_source source = {.file = work->marking->file,
                                                 .driver = test->driver,
                                                 .functions = test->functions,
                                                 .offers = test->offers,
                                                 .compiler = work->options->compiler,
                                                 .flags = test->cflags};
    struct peal_contained *reference;
    char *messages;
    enum peal_status status = compile_reference(work, test, &reference);
    struct peal_contained *program = status == PEAL_OK ? peal_contained_compile(&source, &messages, work->error) : NULL;

    if (status == PEAL_OK && !program) {
        bool theirs = work->error->status == PEAL_PROGRAM;

        if (theirs)
            note_messages(mark, test, messages && *messages ? messages : work->error->text);
        status = theirs ? PEAL_OK : work->error->status;
    } else if (program) {
        status = run_cases(work, test, program, reference, mark);
    }
    if (program || status == PEAL_OK)
        free(messages);
    peal_contained_destroy(program);
    peal_contained_destroy(reference);
    return status;
}

/* ------------------------------------------------------------------ the assignment itself */

/* Compile, link and run a program that does nothing with these flags.  What the compiler says is in *messages, the caller's. */
static enum peal_status
try_flags(const char *compiler, const char *flags, char **messages, struct peal_error *error)
{
    const struct peal_contained_source source = {.compiler = compiler, .flags = flags};
    struct peal_contained *program = peal_contained_compile(&source, messages, error);
    struct peal_contained_result result = {.output = NULL};
    struct peal_options machine;

    if (!program)
        return error->status;
    peal_options_init(&machine);
    machine.nodes = 1;
    machine.timeout_seconds = 10;
    enum peal_status status = peal_contained_run(program, &machine, 0, NULL, &result, error);

    if (status == PEAL_OK && result.failed)
        status = peal_refuse(error, PEAL_PROGRAM, "%s", result.message);
    free(result.output);
    peal_contained_destroy(program);
    return status;
}

/* The first line of the compiler's or the linker's that tells of an error, else what *error says; in one line. */
static void
first_complaint(const char *messages, const struct peal_error *error, char text[300])
{
    for (const char *line = messages ? messages : ""; *line; line += strcspn(line, "\n"), line += *line != '\0') {
        int length = (int)strcspn(line, "\n");
        const char *wrong = strstr(line, "error: "), *linker = strstr(line, "ld: ");

        if (strncmp(line, "collect2: ", 10) != 0 &&
            ((wrong && wrong < line + length) || (linker && linker < line + length))) {
            snprintf(text, 300, "%.*s", length, line);
            return;
        }
    }
    snprintf(text, 300, "%.290s", error->text);
}

/* Try the flags of a test; where they fail and none at all would do, they are the assignment's mistake. */
static enum peal_status
check_flags(const struct assignment *assignment, const struct assignment_test *test,
            const struct marking_options *options, struct peal_error *error)
{
    char *messages, *others = NULL, text[300];
    struct peal_error why;
    enum peal_status status = try_flags(options->compiler, test->cflags, &messages, error);

    first_complaint(messages, error, text);
    if (status != PEAL_OK && test->cflags && try_flags(options->compiler, "", &others, &why) == PEAL_OK)
        status = peal_refuse(error, PEAL_USAGE, "%s:%d: cflags: a program that does nothing fails with %s: %s",
                             assignment->path, test->cflags_line, test->cflags, text);
    else if (status == PEAL_PROGRAM) /* $CC, $CFLAGS, --cc, the system */
        status = peal_refuse(error, status, "a program that does nothing fails here, before any submission: %s", text);
    free(messages);
    free(others);
    return status;
}

/* Refuse a driver that does not compile without a submission. */
static enum peal_status
check_driver(const struct assignment *assignment, const struct assignment_test *test,
             const struct marking_options *options, struct peal_error *error)
{
    char *messages = NULL, text[300];
    struct peal_contained *program = compile_driver(test, options, &messages, error);
    enum peal_status status = program ? PEAL_OK : error->status;

    first_complaint(messages, error, text);
    if (status == PEAL_PROGRAM)
        status = peal_refuse(error, status, "%s:%d: program: the driver does not compile: %s", assignment->path,
                             test->driver_line, text);
    else if (program && forbidden_has_line(peal_contained_calls(program), "peal_main"))
        status = peal_refuse(error, PEAL_PROGRAM,
                             "%s:%d: program: the driver %s has no peal_main(struct peal_node *me, int argc, "
                             "char **argv)",
                             assignment->path, test->driver_line, test->driver);
    peal_contained_destroy(program);
    free(messages);
    return status;
}

static bool
same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

enum peal_status
marking_prepare(const struct assignment *assignment, const struct marking_options *options, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    for (int i = 0; i < assignment->test_count && status == PEAL_OK; i++) {
        const struct assignment_test *test = &assignment->tests[i];
        bool known = false, driven = !test->driver;

        for (int j = 0; j < i; j++) {
            bool flags = same_text(test->cflags, assignment->tests[j].cflags);

            known |= flags;
            driven |= flags && same_text(test->driver, assignment->tests[j].driver);
        }
        if (!known)
            status = check_flags(assignment, test, options, error);
        if (!driven && status == PEAL_OK)
            status = check_driver(assignment, test, options, error);
    }
    return status;
}

/* ------------------------------------------------------------------ all tests */

/* Compile the submission by itself: whether it compiles, and what it calls. */
static enum peal_status
look_at(struct work *work)
{
    struct marking *marking = work->marking;
    const struct peal_contained_source source = {
        .file = marking->file,
        .compiler = work->options->compiler,
        .flags = work->assignment->tests[0].cflags,
        .calls_only = true,
    };

    work->calls = peal_contained_compile(&source, &marking->messages, work->error);
    marking->compiles = work->calls != NULL;
    if (!marking->compiles && marking->messages && !*marking->messages) { /* it is not the compiler that says no */
        free(marking->messages);
        marking->messages = strdup(work->error->text);
    }
    if (!marking->compiles && work->error->status != PEAL_PROGRAM)
        return work->error->status;
    for (int i = 0; i < work->assignment->test_count; i++)
        if (!marking->compiles)
            mark_note(&marking->marks[i], "it does not compile");
        else
            forbidden_note(peal_contained_calls(work->calls), &work->assignment->tests[i], &marking->marks[i]);
    return PEAL_OK;
}

/* Refuse what is no file of the student's own: a link could lead to another's, or to what only its reader may read. */
static enum peal_status
look_for(const char *file, struct peal_error *error)
{
    struct stat about;

    if (lstat(file, &about) != 0)
        return peal_refuse(error, PEAL_USAGE, "%s cannot be read: %s", file, strerror(errno));
    if (S_ISLNK(about.st_mode))
        return peal_refuse(error, PEAL_USAGE, "%s is a symbolic link: a submission is one C file", file);
    if (S_ISDIR(about.st_mode))
        return peal_refuse(error, PEAL_USAGE, "%s is a directory: a submission is one C file", file);
    if (!S_ISREG(about.st_mode))
        return peal_refuse(error, PEAL_USAGE, "%s is %s: a submission is one C file", file,
                           S_ISFIFO(about.st_mode) ? "a FIFO" : "no regular file");
    if (access(file, R_OK) != 0)
        return peal_refuse(error, PEAL_USAGE, "%s cannot be read: %s", file, strerror(errno));
    return PEAL_OK;
}

/* Take every point away, for the error that there is: the others are marked all the same. */
static enum peal_status
refuse_all(const struct work *work)
{
    struct marking *marking = work->marking;

    marking->points = 0;
    marking->compiles = false;
    marking->refused = *work->error;
    free(marking->messages);
    marking->messages = strdup(work->error->text);
    for (int i = 0; i < work->assignment->test_count; i++) {
        struct mark *mark = &marking->marks[i];

        mark->passed = false;
        mark->points = 0;
        mark_note(mark, "not marked: %s", work->error->text);
    }
    return PEAL_OK;
}

enum peal_status
marking_make(struct marking *marking, const struct assignment *assignment, const char *file,
             const struct marking_options *options, struct peal_error *error)
{
    struct work work = {.assignment = assignment, .options = options, .marking = marking, .error = error};

    work.end = seconds_now() + assignment->total;
    *marking = (struct marking){.file = file, .marks = calloc((size_t)assignment->test_count, sizeof *marking->marks)};
    if (!marking->marks)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (look_for(file, error) != PEAL_OK)
        return refuse_all(&work);
    enum peal_status status = look_at(&work);

    if (status == PEAL_OK && marking->compiles)
        status = make_proofs(&work);
    for (int i = 0; i < assignment->test_count && status == PEAL_OK; i++) {
        const struct assignment_test *test = &assignment->tests[i];
        struct mark *mark = &marking->marks[i];

        if (!test->proof && !mark->notes && !is_late(&work, mark))
            status = make_program(&work, test, mark);
        mark->points = mark->passed ? test->points : 0;
        marking->points += mark->points;
    }
    peal_contained_destroy(work.calls);
    return status == PEAL_RESOURCES ? refuse_all(&work) : status;
}

void
marking_free(struct marking *marking, const struct assignment *assignment)
{
    for (int i = 0; marking->marks && i < assignment->test_count; i++)
        free(marking->marks[i].notes);
    free(marking->marks);
    free(marking->messages);
    *marking = (struct marking){.file = NULL};
}
