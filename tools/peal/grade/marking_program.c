/* SPDX-License-Identifier: MIT */
/* A submission's program, alone or called by a driver, run for each number of nodes and each size of a test. */
#include "grade/marking_program.h"
#include "grade/grade.h"
#include "lib/base/clock.h"
#include "lib/base/in_fortran.h"
#include "lib/base/shell_word.h"
#include "run/mpi.h"
#include "show/print.h"
#include <math.h>
#include <stdlib.h>

/* One run of a test of a program. */
struct
try {
    const struct assignment_test *test;
    int nodes;
    size_t words;
    uint32_t random; /* of this run */
    char **argv;     /* NULL after the last */
    int argc;
    struct peal_options machine;
    bool apart;   /* with each node in a process of its own */
    bool expects; /* the expected output has words */
    struct peal_contained_seeds seeds;
};

/* Tries of a test that are confirmed; the most nodes preferred, and the most in any case; their time limits in units of
 * the test's, since each message is two messages of a socket. */
enum { APART = 6, APART_NODES = 16, MAX_APART_NODES = 32, APART_TIMES = 3 };
#define APART_FAILS "with each node in a process of its own, "

/* The seconds of a run: `times` those of its test, but no more than the submission has left. */
static double
seconds_of(const struct marking_work *work, const struct assignment_test *test, int times)
{
    const double most = work->marking->hurried ? fmin(test->timeout, HURRIED_SECONDS) : test->timeout;

    return fmin(times * most, fmax(work->deadline - peal_spent_seconds(), 0.1));
}

/* The text with the expressions in braces replaced by their values in this run.  The caller frees it; NULL with
 * *error. */
static char *
expand(const char *text, const struct try *try, struct peal_error *error)
{
    return assignment_expand(text, assignment_values(try->test, try->nodes, try->words), try->random, error);
}

static void
try_fini(struct try *try)
{
    for (int i = 0; try->argv && i < try->argc; i++)
        free(try->argv[i]);
    free(try->argv);
}

static uint32_t
random_word(void)
{
    uint32_t word = 0;

    (void)!getentropy(&word, sizeof word);
    return word;
}

static enum peal_status
try_init(struct try *try, const struct assignment_test *test, const char *name, int nodes, int size,
         struct peal_error *error)
{
    int count = 0;
    double value = 0;

    *try = (struct try){.test = test, .nodes = nodes};
    try->random = random_word();
    (void)!getentropy(try->seeds.of, sizeof try->seeds.of / 2), (void)!getentropy(try->seeds.of + 32, 256);
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
    try->machine.rounds = test->max_hops || test->max_messages ? PEAL_ROUNDS_ALL : PEAL_ROUNDS_NONE;
    try->machine.timeout_seconds = test->timeout;
    try->machine.tag_output = test->driver && test->reference;
    if (test->mpi)
        mpi_usual(&try->machine);
    return PEAL_OK;
}

void
marking_note_datatype(const struct marking_work *work, struct mark *mark)
{
    static const char *const pairs[][4] = {{"MPI_FLOAT", "float", "double", "MPI_DOUBLE"},
                                           {"MPI_DOUBLE", "double", "float", "MPI_FLOAT"}};
    void *text = NULL;
    struct peal_error error;
    size_t count;

    if (file_read(work->marking->file, &text, &count, &error) != PEAL_OK)
        return;
    char *source = strndup(text, count);

    for (size_t i = 0; source && i < sizeof pairs / sizeof *pairs; i++) {
        const char *const *pair = pairs[i], *named = peal_find_word(source, pair[0]);
        int line = 1;

        for (const char *at = source; named && at < named; at++)
            line += *at == '\n';
        if (named && !peal_find_word(source, pair[1]) && peal_find_word(source, pair[2]))
            mark_note(mark, "  fix: %s:%d names %s, and no variable is a %s: elements of type %s are %s",
                      work->marking->file, line, pair[0], pair[1], pair[2], pair[3]);
    }
    free(source);
    free(text);
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

static void
marking_add_word(FILE *out, const char *word)
{
    char text[2000];

    if (peal_shell_word(word, text, sizeof text) < sizeof text)
        fprintf(out, " %s", text);
}

/* Whether only a run whose memory is watched shows it: peal run does not watch. */
static bool
marking_is_memory_fault(enum peal_failure_kind kind)
{
    return kind == PEAL_BUFFER_REUSE || kind == PEAL_EARLY_READ || kind == PEAL_UNINITIALISED_SEND ||
           kind == PEAL_PRIVATE_MEMORY || kind == PEAL_OUT_OF_BOUNDS || kind == PEAL_LEAK;
}

/* Write the command that repeats this run: with the same data, since the arguments are the same. */
static void
write_command(FILE *out, const struct marking_work *work, const struct try *try, enum peal_failure_kind kind)
{
    const struct assignment_test *test = try->test;
    char quoted[2000];

    if (test->python && test->driver) {
        fputs("cp", out), marking_add_word(out, work->marking->file);
        fputs(" submission.py && PYTHONPATH=. ", out);
    }
    if (test->cflags && peal_shell_word(test->cflags, quoted, sizeof quoted) < sizeof quoted)
        fprintf(out, "%s=%s ", peal_is_fortran(work->marking->file) ? "FFLAGS" : "CFLAGS", quoted);
    fputs(test->python ? "pealrun" : "peal run", out);
    if (test->driver && !test->python)
        marking_add_word(out, test->driver);
    if (!test->python)
        marking_add_word(out, work->marking->file);
    fprintf(out, test->python ? " -n %d" : " -p %d", try->nodes);
    if (test->topology)
        fputs(" -t", out), marking_add_word(out, test->topology);
    if (test->ports == PEAL_PORTS_ALL)
        fputs(" --ports all", out);
    else if (test->ports)
        fprintf(out, " --ports %d", test->ports);
    if (test->eager)
        fprintf(out, " --delivery eager:%zu", test->eager_words);
    if (test->seed)
        fprintf(out, " --seed %llu", (unsigned long long)test->seed);
    if (test->mpi && !test->lenient)
        fputs(" --strict", out);
    if (kind == PEAL_TIMED_OUT)
        fprintf(out, " --timeout %.3g", try->machine.timeout_seconds);
    if (test->python)
        fputs(" python3", out), marking_add_word(out, test->driver ? test->driver : work->marking->file);
    else if (try->argc > 1)
        fputs(" --", out);
    for (int i = 1; i < try->argc; i++)
        marking_add_word(out, try->argv[i]);
}

/* Note the case, and the command that repeats it. */
static void
note_case(const struct marking_work *work, const struct try *try, enum peal_failure_kind kind, struct mark *mark)
{
    /* one process alone does not show what only several processes do */
    const bool shows = !try->apart && (try->test->mpi || !marking_is_memory_fault(kind));
    /* only here are outputs and limits compared: peal run shows the run */
    const bool fails = kind != PEAL_WRONG_RESULT && (kind < PEAL_EXCESS_ROUNDS || kind > PEAL_EXCESS_MESSAGES);
    char *command = NULL, text[100];
    size_t bytes = 0;

    mark_note(mark, "  smallest: %s", case_text(try, text));
    FILE *out = shows ? open_memstream(&command, &bytes) : NULL;

    if (!out)
        return;
    write_command(out, work, try, kind);
    if (fclose(out) == 0)
        mark_note(mark, "  %s: %s", try->test->python ? "run it" : fails ? "rerun" : "shown by", command);
    free(command);
}

/* The output expected of the program; NULL with *error. */
static char *
expected_output(const struct marking_work *work, const struct try *try, struct peal_contained *reference)
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

        free(path);
        return status == PEAL_OK ? bytes : NULL;
    }
    if (peal_contained_run(reference, &try->machine, try->argc, try->argv, &try->seeds, &result, work->error) !=
        PEAL_OK) {
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

/* Note if a quantity of a run, with this name, is above its limit. */
static bool
exceeds(const struct marking_work *work, const struct try *try, const char *expression, int64_t is, const char *words,
        enum peal_failure_kind kind, struct mark *mark)
{
    struct peal_check_values values = assignment_values(try->test, try->nodes, try->words);
    char text[200];
    double most;
    bool above;

    if (!expression || peal_check_limit(expression, values, is, &most, &above, text, NULL) != PEAL_OK || !above)
        return false;
    mark_note(mark, "%s: %s%s; %s", peal_failure_name(kind), try->apart ? APART_FAILS "it " : "", words, text);
    note_case(work, try, kind, mark);
    return true;
}

/* Note which quantities of the run are above the test's limits. */
static bool
exceeds_any(const struct marking_work *work, const struct try *try, const struct peal_contained_result *result,
            struct mark *mark)
{
    const struct assignment_test *test = try->test;
    const struct sent_messages *traffic = &result->traffic;
    char rounds[100], words[100], hops[120], messages[100];
    int64_t alpha = result->cost.alpha, beta = result->cost.beta;

    snprintf(rounds, sizeof rounds, "takes %lld round%s", (long long)alpha, alpha == 1 ? "" : "s");
    snprintf(words, sizeof words, "takes %lld word%s (each round's longest message)", (long long)beta,
             beta == 1 ? "" : "s");
    peal_sent_say(traffic, true, hops, sizeof hops);
    peal_sent_say(traffic, false, messages, sizeof messages);
    return exceeds(work, try, test->max_rounds, alpha, rounds, PEAL_EXCESS_ROUNDS, mark) ||
           exceeds(work, try, test->max_words, beta, words, PEAL_EXCESS_WORDS, mark) ||
           exceeds(work, try, test->max_hops, traffic->hops, hops, PEAL_EXCESS_HOPS, mark) ||
           exceeds(work, try, test->max_messages, traffic->messages, messages, PEAL_EXCESS_MESSAGES, mark);
}

/* Note how a run failed; NULL: it could not begin. */
static void
note_failed_run(const struct marking_work *work, const struct try *try, const struct peal_contained_result *result,
                struct mark *mark)
{
    if (!result) {
        mark_note(mark, "%s", work->error->text);
        note_case(work, try, PEAL_CRASH, mark);
        return;
    }
    if (result->file[0] && !print_tells(result->message, result->file, result->line))
        mark_note(mark, "%s: %s:%d: %s", peal_failure_name(result->kind), result->file, result->line, result->message);
    else
        mark_note(mark, "%s: %s", peal_failure_name(result->kind), result->message);
    if (result->kind == PEAL_TIMED_OUT && work->marking->hurried)
        mark_note(mark, "  an earlier test timed out: since then each run has %d second", HURRIED_SECONDS);
    work->marking->hurried |= result->kind == PEAL_TIMED_OUT;
    if (result->rule[0])
        mark_note(mark, "  rule: %s", result->rule);
    if (result->fix[0])
        mark_note(mark, "  fix: %s", result->fix);
    if (try->test->mpi) {
        mark->broken = true;
        mark->fault = result->fault;
        mark->fix[0] = '\0';
    }
    note_case(work, try, result->kind, mark);
}

/* Make one run and report it in *mark; false when something is wrong with it. */
static bool
run_one(const struct marking_work *work, const struct peal_contained *program, struct peal_contained *reference,
        struct try *try, struct mark *mark, enum peal_status *status)
{
    const struct assignment_test *test = try->test;
    struct peal_contained_result result;
    struct mark unsaid = {.notes = NULL};
    char *should = NULL;
    bool right = false;
    /* It may take all the time that is left: if it does, all is used up, whatever this process's clock says. */
    const bool last = try->machine.timeout_seconds >= work->deadline - peal_spent_seconds();

    if (try->apart)
        *status = peal_contained_apart(program, reference, &try->machine, try->argc, try->argv,
                                       test->max_rounds || test->max_words || test->max_hops || test->max_messages,
                                       test->refused, &result, &should, work->error);
    else
        *status = peal_contained_run(program, &try->machine, try->argc, try->argv, &try->seeds, &result, work->error);
    mark->runs++;
    mark->unwatched |= !try->apart && *status == PEAL_OK && !result.watched;
    if (*status == PEAL_OK && result.failed && result.kind == PEAL_TIMED_OUT &&
        (last || peal_spent_seconds() >= work->deadline)) {
        mark_note(mark, MARKING_LATE, work->assignment->total);
    } else if (try->apart && *status == PEAL_OK && result.failed) {
        enum peal_failure_kind kind = result.kind == PEAL_TIMED_OUT ? PEAL_TIMED_OUT : PEAL_PRIVATE_MEMORY;

        mark_note(mark, "%s: " APART_FAILS "%s", peal_failure_name(kind), result.message);
        work->marking->hurried |= kind == PEAL_TIMED_OUT;
        note_case(work, try, kind, mark);
    } else if ((*status == PEAL_PROGRAM && !try->apart) || (*status == PEAL_OK && result.failed)) {
        note_failed_run(work, try, *status == PEAL_OK ? &result : NULL, mark);
        *status = PEAL_OK;
    } else if (*status == PEAL_OK) {
        right = true;
        if (test->expect || (test->reference && !try->apart)) {
            free(should);
            should = expected_output(work, try, reference);
            *status = should ? PEAL_OK : work->error->status;
            try->expects = should && should[strspn(should, " \t\n")];
        }
        if ((test->expect || test->reference) && should &&
            outputs_note(test, result.output, should, try->machine.tag_output ? try->nodes : 0, try->apart,
                         try->apart ? &unsaid : mark)) {
            if (try->apart)
                mark_note(mark, "private-memory: " APART_FAILS "the result is wrong: the nodes learn of one another "
                                "without messages");
            else if (test->mpi)
                marking_note_datatype(work, mark);
            note_case(work, try, PEAL_WRONG_RESULT, mark);
            right = false;
        }
        free(unsaid.notes);
        right &= !exceeds_any(work, try, &result, mark);
    }
    free(should);
    free(result.output);
    return right;
}

enum peal_status
marking_try_driver(const struct assignment *assignment, const struct assignment_test *test, struct peal_error *error)
{
    const struct peal_contained_source source = {.driver = test->driver, .python = true};
    struct peal_contained_result result = {.output = NULL};
    struct try try = {.argv = NULL};
    char *messages = NULL;
    struct peal_contained *program = peal_contained_compile(&source, &messages, error);
    enum peal_status status = program ? try_init(&try, test, test->driver, test->nodes[0], 0, error) : error->status;

    if (status == PEAL_OK)
        status = peal_contained_run(program, &try.machine, try.argc, try.argv, &try.seeds, &result, error);
    if (status == PEAL_OK && !result.failed)
        status = peal_refuse(error, PEAL_PROGRAM,
                             "%s:%d: program: the driver %s ends without a submission: expected it "
                             "to import the module submission",
                             assignment->path, test->driver_line, test->driver);
    else if (status == PEAL_OK && !strstr(result.message, "No module named 'submission'"))
        status =
            peal_refuse(error, PEAL_PROGRAM, "%s:%d: program: the driver %s fails before it imports a submission: %s",
                        assignment->path, test->driver_line, test->driver, result.message);
    free(result.output);
    free(messages);
    try_fini(&try);
    peal_contained_destroy(program);
    return status;
}

/* Run a test that passed once more, some of its cases, with each node in a process of its own. */
static bool
confirm_cases(const struct marking_work *work, const struct assignment_test *test, const struct peal_contained *program,
              struct peal_contained *reference, struct mark *mark, enum peal_status *status)
{
    const int sizes = test->size_count > 0 ? test->size_count : 1;
    int count = test->node_count, first = 0;
    bool right = true;

    while (count > 1 && test->nodes[count - 1] > APART_NODES) /* they ascend, and at least one is there */
        count--;
    if (test->nodes[count - 1] > MAX_APART_NODES)
        return true;
    while (first < count - 1 && test->nodes[first] == 1) /* a single node has no other to learn from */
        first++;
    for (int left = (count - first) * sizes, wanted = APART; left > 0 && right && *status == PEAL_OK; left--) {
        struct try try;

        if ((int)(random_word() % (uint32_t)left) >= wanted) /* so that each is equally likely */
            continue;
        wanted--;
        if (marking_is_late(work, mark))
            return false;
        *status = try_init(&try, test, work->marking->file, test->nodes[first + (left - 1) / sizes], (left - 1) % sizes,
                           work->error);
        try.apart = true;
        try.machine.timeout_seconds = seconds_of(work, test, APART_TIMES);
        if (*status == PEAL_OK)
            right = run_one(work, program, reference, &try, mark, status);
        try_fini(&try);
    }
    return right && *status == PEAL_OK;
}

/* Run all cases of a test until one is wrong. */
static enum peal_status
run_cases(const struct marking_work *work, const struct assignment_test *test, const struct peal_contained *program,
          struct peal_contained *reference, struct mark *mark)
{
    int sizes = test->size_count > 0 ? test->size_count : 1;
    enum peal_status status = PEAL_OK;
    bool right = true, expects = false;

    for (int i = 0; i < test->node_count * sizes && right && status == PEAL_OK; i++) {
        struct try try;

        if (marking_is_late(work, mark))
            return PEAL_OK;
        status = try_init(&try, test, work->marking->file, test->nodes[i / sizes], i % sizes, work->error);
        try.machine.timeout_seconds = seconds_of(work, test, 1);
        if (status == PEAL_OK)
            right = run_one(work, program, reference, &try, mark, &status);
        expects |= try.expects;
        try_fini(&try);
    }
    if ((test->expect || test->reference) && right && status == PEAL_OK && !expects)
        return peal_refuse(work->error, PEAL_PROGRAM,
                           "%s:%d: %s %s in each case of this test, so a submission that does nothing is right",
                           work->assignment->path, test->line, test->expect ? test->expect : test->reference,
                           test->expect ? "is empty" : "prints nothing");
    if (test->driver && !test->python && right && status == PEAL_OK) /* in Python each node was a process */
        right = confirm_cases(work, test, program, reference, mark, &status);
    if (mark->unwatched)
        mark_note(mark, "memory was not watched: a node may have touched another's (a sanitizer in the flags, more "
                        "than 2048 nodes, or neither gcc nor clang)");
    mark->passed = right && status == PEAL_OK;
    return status;
}

enum peal_status
marking_program(struct marking_work *work, const struct assignment_test *test, struct mark *mark)
{
    enum peal_status status = marking_build(work, test);

    if (status != PEAL_OK)
        return status;
    if (work->built.program)
        return run_cases(work, test, work->built.program, work->built.reference, mark);
    marking_note_messages(work, test, mark);
    return PEAL_OK;
}

int
grade_enclosed(int argc, char **argv)
{
    return peal_enclosed_main(argc, argv);
}
