/* SPDX-License-Identifier: MIT */
/* Proofs all run at the same time; programs run one after another
 * (marking_program.c). */
#include "grade/marking_program.h"
#include "lib/base/clock.h"
#include "lib/base/in_fortran.h"
#include "run/mpi.h"
#include "show/check_show.h"
#include "show/print.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ proofs */

static struct peal_check
marking_check(const struct marking_work *work, const struct assignment_test *test)
{
    return (struct peal_check){
        .collective = test->collective,
        .unequal = test->unequal,
        .file = work->marking->file,
        .symbol = test->symbol,
        .mpi = test->mpi,
        .arguments = test->signature,
        .element = test->element,
        .compiler = work->options->compiler,
        .flags = test->cflags,
        .untrusted = true,
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
        .op = test->op || !test->mpi ? test->op : PEAL_SUM_INT64,
        .seed = test->seed,
        .max_rounds = test->max_rounds,
        .max_words = test->max_words,
        .max_hops = test->max_hops,
        .max_messages = test->max_messages,
        .timeout_seconds = test->timeout,
        .refused = test->refused,
        .total_seconds = fmax(work->deadline - peal_spent_seconds(), 0.001), /* 0 would mean no limit */
    };
}

static void
note_finding(const struct marking_work *work, const struct assignment_test *test, const struct peal_finding *finding,
             struct mark *mark)
{
    const struct peal_check check = marking_check(work, test);
    const struct peal_check_case *c = &finding->where;
    char place[560] = "", root[40] = "";

    if (finding->kind == PEAL_TIMED_OUT && peal_spent_seconds() >= work->deadline) {
        if (finding->file[0])
            snprintf(place, sizeof place, " at %s:%d", finding->file, finding->line);
        mark_note(mark, MARKING_LATE "%s", work->assignment->total, place);
        return;
    }
    if (finding->file[0] && !print_tells(finding->message, finding->file, finding->line))
        snprintf(place, sizeof place, "%s:%d: ", finding->file, finding->line);
    if (peal_collective_has_root(test->collective))
        snprintf(root, sizeof root, ", root %d", c->root);
    work->marking->hurried |= finding->kind == PEAL_TIMED_OUT;
    mark_note(mark, "%s: %s%s", peal_failure_name(finding->kind), place, finding->message);
    if (finding->fix[0])
        mark_note(mark, "  fix: %s", finding->fix);
    else if (test->mpi && finding->kind == PEAL_WRONG_RESULT)
        marking_note_datatype(work, mark);
    mark_note(mark, "  smallest: P = %d, %s = %zu%s", c->nodes,
              peal_collective_has_blocks(test->collective) ? "m" : "n", c->words, root);
    char *command = finding->rerun[0] ? check_show_command(&check, finding) : NULL;

    if (command) /* one process alone would not show what goes wrong only in several */
        mark_note(mark, "  rerun: %s", command);
    free(command);
}

/* Turn the verdict into a mark. */
static enum peal_status
mark_proof(const struct marking_work *work, const struct assignment_test *test, const struct peal_verdict *verdict,
           struct mark *mark)
{
    bool wrong = false;

    mark->runs = verdict->runs;
    for (int i = 0; i < verdict->finding_count; i++)
        if (verdict->findings[i].severity == PEAL_SEVERITY_ERROR) {
            note_finding(work, test, &verdict->findings[i], mark);
            wrong = true;
        }
    if (verdict->error.status == PEAL_TIMEOUT && marking_is_late(work, mark))
        return PEAL_OK;
    if (verdict->error.status == PEAL_PROGRAM || verdict->error.status == PEAL_TIMEOUT)
        mark_note(mark, "%s", verdict->error.text);
    else if (verdict->error.status == PEAL_RESOURCES) /* of this process itself */
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

enum { MAX_POWERS = 21 };

static bool
is_power_of_two(int nodes)
{
    return (nodes & (nodes - 1)) == 0;
}

/* List the test's numbers of nodes that are powers of two, and count them. */
static int
powers_of(const struct assignment_test *test, int powers[MAX_POWERS])
{
    int count = 0;

    for (int i = 0; i < test->node_count; i++)
        if (is_power_of_two(test->nodes[i]))
            powers[count++] = test->nodes[i];
    return count;
}

/* Whether the function may be right where P is a power of two: it is wrong only elsewhere, and the test has both other
 * P and a power of two above 2. */
static bool
may_take_powers(const struct assignment_test *test, const struct peal_verdict *verdict)
{
    int powers[MAX_POWERS];
    const int count = powers_of(test, powers);
    bool others = count > 0 && powers[count - 1] > 2 && count < test->node_count;

    for (int i = 0; i < verdict->finding_count; i++)
        others &=
            verdict->findings[i].severity != PEAL_SEVERITY_ERROR || !is_power_of_two(verdict->findings[i].where.nodes);
    return others && verdict->finding_count > 0 && verdict->error.status == PEAL_OK;
}

/* Of the `count` proofs made, try the wrong ones again where P is a power of two, if they may be right there. */
static enum peal_status
try_powers(struct marking_work *work, struct peal_check *checks, const int *tests, int count,
           struct peal_verdict *verdicts)
{
    struct mark *marks[MAX_TESTS];
    int powers[MAX_TESTS][MAX_POWERS], tried = 0;
    enum peal_status status = PEAL_OK;

    for (int k = 0; k < count; k++) {
        const struct assignment_test *test = &work->assignment->tests[tests[k]];
        struct mark *mark = &work->marking->marks[tests[k]];

        if (mark->passed || !may_take_powers(test, &verdicts[k]))
            continue;
        checks[tried] = marking_check(work, test);
        checks[tried].nodes_list = powers[tried];
        checks[tried].nodes_count = powers_of(test, powers[tried]);
        checks[tried].nodes_from = powers[tried][0];
        checks[tried].nodes_to = powers[tried][checks[tried].nodes_count - 1];
        checks[tried].first_only = true;
        marks[tried++] = mark;
    }
    memset(verdicts, 0, (size_t)tried * sizeof *verdicts);
    if (tried > 0)
        status = peal_check(checks, tried, work->options->jobs, verdicts, work->error);
    for (int k = 0; k < tried && status == PEAL_OK; k++) {
        marks[k]->runs += verdicts[k].runs;
        marks[k]->powers = verdicts[k].proved;
        if (verdicts[k].proved)
            mark_note(marks[k], MARKING_POWERS " (P = %s)", verdicts[k].bound);
    }
    return status;
}

static enum peal_status
make_proofs(struct marking_work *work)
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
        if (assignment->tests[i].proof && !work->marking->marks[i].kept && !work->marking->marks[i].notes) {
            tests[count] = i;
            checks[count++] = marking_check(work, &assignment->tests[i]);
        }
    if (status == PEAL_OK)
        status = peal_check(checks, count, work->options->jobs, verdicts, work->error);
    for (int k = 0; k < count && status == PEAL_OK; k++)
        status = mark_proof(work, &assignment->tests[tests[k]], &verdicts[k], &work->marking->marks[tests[k]]);
    if (status == PEAL_OK)
        status = try_powers(work, checks, tests, count, verdicts);
    free(checks);
    free(verdicts);
    free(tests);
    return status;
}

/* ------------------------------------------------------------------ the assignment itself */

/* Compile, link and run an empty program with these flags.  The compiler's messages are in *messages, which the caller
 * owns. */
static enum peal_status
try_flags(const char *compiler, const char *flags, const struct assignment_test *test, char **messages,
          struct peal_error *error)
{
    const struct peal_contained_source source = {
        .compiler = compiler, .flags = flags, .mpi = test->mpi, .python = test->python};
    struct peal_contained *program = peal_contained_compile(&source, messages, error);
    struct peal_contained_result result = {.output = NULL};
    struct peal_options machine;

    if (!program)
        return error->status;
    peal_options_init(&machine);
    machine.nodes = 1;
    machine.timeout_seconds = 10;
    if (test->mpi)
        mpi_usual(&machine);
    char nothing[] = "nothing", *argv[] = {nothing, NULL};
    enum peal_status status = peal_contained_run(program, &machine, 1, argv, NULL, &result, error);

    if (status == PEAL_OK && result.failed)
        status = peal_refuse(error, PEAL_PROGRAM, "%s", result.message);
    free(result.output);
    peal_contained_destroy(program);
    return status;
}

/* The first line of the compiler or the linker that reports an error, else the text of *error; in one line. */
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

/* Compile the driver without a submission.  Warnings are ignored, since it declares functions that are missing here. */
static struct peal_contained *
compile_driver(const struct assignment_test *test, const struct marking_options *options, char **messages,
               struct peal_error *error)
{
    const char *flags = test->cflags ? test->cflags : getenv("CFLAGS");
    struct peal_contained_source source = {
        .driver = test->driver, .compiler = options->compiler, .calls_only = true, .mpi = test->mpi};
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

/* Try the flags of a test; if they fail, but no flags at all would work, they are the assignment's mistake. */
static enum peal_status
check_flags(const struct assignment *assignment, const struct assignment_test *test,
            const struct marking_options *options, struct peal_error *error)
{
    char *messages, *others = NULL, text[300];
    struct peal_error why;
    enum peal_status status = try_flags(options->compiler, test->cflags, test, &messages, error);

    first_complaint(messages, error, text);
    if (status != PEAL_OK && test->cflags && try_flags(options->compiler, "", test, &others, &why) == PEAL_OK)
        status = peal_refuse(error, PEAL_USAGE, "%s:%d: cflags: a program that does nothing fails with %s: %s",
                             assignment->path, test->cflags_line, test->cflags, text);
    else if (status == PEAL_PROGRAM && test->python)
        status = peal_refuse(error, status,
                             "the first python3 of PATH does not run a program that does nothing: expected one below "
                             "/usr or /usr/local that has mpi4py: %s",
                             text);
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
    else if (program && forbidden_has_line(peal_contained_calls(program), test->mpi ? "main" : "peal_main"))
        status = peal_refuse(error, PEAL_PROGRAM, "%s:%d: program: the driver %s has no %s", assignment->path,
                             test->driver_line, test->driver,
                             test->mpi ? "main" : "peal_main(struct peal_node *me, int argc, char **argv)");
    peal_contained_destroy(program);
    free(messages);
    return status;
}

enum peal_status
marking_prepare(const struct assignment *assignment, const struct marking_options *options, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    for (int i = 0; i < assignment->test_count && status == PEAL_OK; i++) {
        const struct assignment_test *test = &assignment->tests[i];
        bool known = false, driven = !test->driver;

        for (int j = 0; j < i; j++) {
            bool flags = same_text(test->cflags, assignment->tests[j].cflags) && test->mpi == assignment->tests[j].mpi;

            known |= flags;
            driven |= flags && same_text(test->driver, assignment->tests[j].driver);
        }
        if (!known)
            status = check_flags(assignment, test, options, error);
        if (!driven && status == PEAL_OK)
            status = test->python ? marking_try_driver(assignment, test, error)
                                  : check_driver(assignment, test, options, error);
    }
    peal_confirmations_prepare();
    return status;
}

/* ------------------------------------------------------------------ all tests */

/* Compile the submission by itself: whether it compiles, and which names it calls. */
static enum peal_status
marking_inspect(struct marking_work *work)
{
    struct marking *marking = work->marking;
    const struct peal_contained_source source = {
        .file = marking->file,
        .compiler = work->options->compiler,
        .flags = work->assignment->tests[0].cflags,
        .calls_only = true,
        .mpi = work->assignment->tests[0].mpi,
        .python = work->assignment->tests[0].python,
    };

    if (peal_is_fortran(marking->file) && assignment_language(work->assignment) == IN_C) {
        marking->messages = strdup("");
        peal_refuse(work->error, PEAL_PROGRAM, "%s is Fortran, and the assignment has functions or programs in C",
                    marking->file);
    } else {
        work->calls = peal_contained_compile(&source, &marking->messages, work->error);
    }
    marking->compiles = work->calls != NULL;
    if (!marking->compiles && marking->messages && !*marking->messages) { /* the compiler did not refuse it */
        free(marking->messages);
        make_plain(work->error->text);
        marking->messages = strdup(work->error->text);
    }
    if (!marking->compiles && work->error->status != PEAL_PROGRAM)
        return work->error->status;
    for (int i = 0; i < work->assignment->test_count; i++)
        if (marking->marks[i].kept)
            continue;
        else if (!marking->compiles)
            mark_note(&marking->marks[i], "it does not compile");
        else
            forbidden_note(peal_contained_calls(work->calls), &work->assignment->tests[i], &marking->marks[i]);
    return PEAL_OK;
}

/* Refuse a symbolic link among the folders of a submission, except those that contain all submissions. */
static enum peal_status
look_above(const char *file, size_t given_bytes, struct peal_error *error)
{
    char folder[PATH_MAX];
    struct stat about;

    for (const char *slash = strchr(file + given_bytes, '/'); slash; slash = strchr(slash + 1, '/')) {
        int length = (int)(slash - file);

        if (length == 0 || snprintf(folder, sizeof folder, "%.*s", length, file) >= (int)sizeof folder)
            continue;
        if (lstat(folder, &about) == 0 && S_ISLNK(about.st_mode))
            return peal_refuse(error, PEAL_USAGE,
                               "%s: its folder %s is a symbolic link: a submission lies in a folder of its own", file,
                               folder);
    }
    return PEAL_OK;
}

/* Refuse a file that is not the student's own: a link could lead to another's, or to one that only the marker may
 * read. */
static enum peal_status
look_for(const char *file, size_t given_bytes, struct peal_error *error)
{
    const char *one = text_has_ending(file, ".py") ? "file in Python" : "C file";
    struct stat about;

    if (look_above(file, given_bytes, error) != PEAL_OK)
        return error->status;
    if (lstat(file, &about) != 0)
        return peal_refuse(error, PEAL_USAGE, "%s cannot be read: %s", file, strerror(errno));
    if (S_ISLNK(about.st_mode))
        return peal_refuse(error, PEAL_USAGE, "%s is a symbolic link: a submission is one %s", file, one);
    if (S_ISDIR(about.st_mode))
        return peal_refuse(error, PEAL_USAGE, "%s is a directory: a submission is one %s", file, one);
    if (!S_ISREG(about.st_mode))
        return peal_refuse(error, PEAL_USAGE, "%s is %s: a submission is one %s", file,
                           S_ISFIFO(about.st_mode) ? "a FIFO" : "no regular file", one);
    if (access(file, R_OK) != 0)
        return peal_refuse(error, PEAL_USAGE, "%s cannot be read: %s", file, strerror(errno));
    return PEAL_OK;
}

enum peal_status
marking_begin(struct marking *marking, const struct assignment *assignment, const struct submissions *all,
              const struct submission *submission, struct peal_error *error)
{
    *marking = (struct marking){.submission = submission,
                                .file = submission->file,
                                .marks = calloc((size_t)assignment->test_count, sizeof *marking->marks)};
    if (!marking->marks)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    marking_clear(marking, assignment);
    if (!submission->nothing)
        return PEAL_OK;
    marking->messages = submission_nothing(all, submission);
    for (int i = 0; i < assignment->test_count; i++)
        mark_note(&marking->marks[i], "nothing was submitted");
    marking->done = true;
    return PEAL_OK;
}

void
marking_clear(struct marking *marking, const struct assignment *assignment)
{
    for (int i = 0; i < assignment->test_count; i++) {
        free(marking->marks[i].notes);
        marking->marks[i] = (struct mark){.digest = assignment->tests[i].digest};
    }
    free(marking->messages);
    marking->messages = NULL;
    marking->refused = (struct peal_error){PEAL_OK, ""};
    marking->compiles = marking->hurried = false;
}

void
marking_add(struct marking *marking, const struct assignment *assignment)
{
    marking->points = 0;
    for (int i = 0; i < assignment->test_count; i++) {
        const struct assignment_test *test = &assignment->tests[i];
        struct mark *mark = &marking->marks[i];

        mark->points = mark->passed ? test->points : mark->powers ? test->powers_of_two_points : 0;
        marking->points += mark->points;
    }
}

/* Give no points because of the error: the other submissions are still marked. */
static enum peal_status
marking_refuse(const struct marking_work *work)
{
    struct marking *marking = work->marking;
    struct peal_error why = *work->error;

    make_plain(why.text);
    marking_clear(marking, work->assignment);
    marking->refused = why;
    marking->messages = strdup(why.text);
    for (int i = 0; i < work->assignment->test_count; i++)
        mark_note(&marking->marks[i], "not marked: %s", why.text);
    return PEAL_OK;
}

enum peal_status
marking_make(struct marking *marking, const struct assignment *assignment, const struct marking_options *options,
             struct peal_error *error)
{
    struct marking_work work = {.assignment = assignment, .options = options, .marking = marking, .error = error};

    work.deadline = peal_spent_seconds() + assignment->total;
    if (look_for(marking->file, options->given_bytes, error) != PEAL_OK)
        return marking_refuse(&work);
    free(marking->messages); /* of a marking that is resumed */
    marking->messages = NULL;
    enum peal_status status = marking_inspect(&work);

    if (status == PEAL_OK && marking->compiles)
        status = make_proofs(&work);
    for (int i = 0; i < assignment->test_count && status == PEAL_OK; i++) {
        const struct assignment_test *test = &assignment->tests[i];
        struct mark *mark = &marking->marks[i];

        if (!test->proof && !mark->kept && !mark->notes && !marking_is_late(&work, mark))
            status = marking_program(&work, test, mark);
    }
    marking_unbuild(&work.built);
    peal_contained_destroy(work.calls);
    if (status == PEAL_RESOURCES)
        status = marking_refuse(&work);
    marking_add(marking, assignment);
    return status;
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
