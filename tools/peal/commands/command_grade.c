/* SPDX-License-Identifier: MIT */
/* peal grade: mark submissions by an assignment. */
#include "command.h"
#include "grade/grade_write.h"
#include "grade/marking.h"
#include "lib/record/json.h"
#include "options/options.h"
#include "show/print.h"
#include "show/table.h"
#include "write/document.h"
#include "write/writings.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

struct grading {
    const struct command_request *request;
    struct assignment assignment;
    struct marking *markings;
    int count;
};

/* ------------------------------------------------------------------ the table */

/* "3/4", "2.5/3". */
static char *
of_points(double is, double most, char text[80])
{
    char number[32];

    snprintf(text, 80, "%s/", print_number(is, number));
    strcat(text, print_number(most, number));
    return text;
}

/* Print lines, each indented. */
static void
print_lines(const char *text, int indent)
{
    while (*text) {
        size_t length = strcspn(text, "\n");

        printf("%*s%.*s\n", indent, "", (int)length, text);
        text += length + (text[length] != '\0');
    }
}

/* Print the compiler's first messages. */
static void
print_messages(const char *messages)
{
    for (int lines = 0; *messages && lines < 8; lines++) {
        size_t length = strcspn(messages, "\n");

        printf("  | %.*s\n", (int)length, messages);
        messages += length + (messages[length] != '\0');
    }
    if (*messages)
        puts("  | ...");
}

static void
print_marking(const struct grading *all, const struct marking *marking)
{
    const struct assignment *assignment = &all->assignment;
    char text[80];

    print_inked(stdout, BOLD, "%s", marking->file);
    printf(": %s\n", of_points(marking->points, assignment->points, text));
    if (marking->refused.status != PEAL_OK) {
        printf("  not marked: %s\n", marking->refused.text);
        return;
    }
    if (!marking->compiles) {
        puts("  it does not compile");
        print_messages(marking->messages ? marking->messages : "");
        return;
    }
    for (int i = 0; i < assignment->test_count; i++) {
        const struct mark *mark = &marking->marks[i];

        print_ink(stdout, mark->passed ? GOOD : BAD);
        print_right(stdout, of_points(mark->points, assignment->tests[i].points, text), 9);
        print_ink(stdout, PLAIN);
        printf("  %s\n", assignment->tests[i].name);
        print_lines(mark->notes ? mark->notes : "", 11);
    }
}

/* A row a submission, a column a test. */
static enum peal_status
print_summary(const struct grading *all, struct peal_error *error)
{
    const struct assignment *assignment = &all->assignment;
    size_t tests = (size_t)assignment->test_count;
    struct table_column *layout = calloc(tests + 2, sizeof *layout);
    struct table table;
    char text[80];

    if (!layout)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    layout[0] = (struct table_column){"submission", .left = true};
    for (size_t t = 1; t <= tests; t++)
        layout[t] = (struct table_column){"", .least = 7};
    layout[tests + 1] = (struct table_column){"points", .least = 10};
    table_begin(&table, (size_t)all->count, tests + 2, layout);
    table.plain_head = true;
    for (size_t t = 1; t <= tests; t++)
        table_set(&table, 0, t, "%zu", t);
    for (size_t i = 0; i < (size_t)all->count; i++) {
        const struct marking *marking = &all->markings[i];

        table_set(&table, i + 1, 0, "%s", marking->file);
        for (size_t t = 0; t < tests; t++) {
            table_set(&table, i + 1, t + 1, "%s", print_number(marking->marks[t].points, text));
            table_ink(&table, i + 1, t + 1, marking->marks[t].passed ? GOOD : BAD);
        }
        table_set(&table, i + 1, tests + 1, "%s", of_points(marking->points, assignment->points, text));
    }
    table_print(stdout, &table, 0, table.rows);
    putchar('\n');
    for (int t = 0; t < assignment->test_count; t++)
        printf("%4d  %s (%s)\n", t + 1, assignment->tests[t].name, print_number(assignment->tests[t].points, text));
    free(layout);
    return table_end(&table, error);
}

static enum peal_status
print_table(const struct grading *all, struct peal_error *error)
{
    const struct assignment *assignment = &all->assignment;

    printf("%s%s%s\n", assignment->name, assignment->title ? ": " : "", assignment->title ? assignment->title : "");
    for (int i = 0; i < all->count; i++) {
        putchar('\n');
        print_marking(all, &all->markings[i]);
    }
    if (all->count > 1)
        putchar('\n');
    return all->count > 1 ? print_summary(all, error) : PEAL_OK;
}

/* ------------------------------------------------------------------ for programs */

static void
write_submission(struct peal_json *json, const struct assignment *assignment, const struct marking *marking)
{
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_STRING("file", marking->file),
                  PEAL_NUMBER("points", marking->points), PEAL_BOOL("marked", marking->refused.status == PEAL_OK),
                  PEAL_BOOL("compiles", marking->compiles),
                  PEAL_STRING("messages", marking->messages && *marking->messages ? marking->messages : NULL),
                  PEAL_LINE(5), PEAL_OPEN("tests", '['));
    for (int t = 0; t < assignment->test_count; t++) {
        const struct mark *mark = &marking->marks[t];

        peal_json_put(json, PEAL_LINE(6), PEAL_OPEN(NULL, '{'), PEAL_STRING("name", assignment->tests[t].name),
                      PEAL_BOOL("passed", mark->passed), PEAL_NUMBER("points", mark->points),
                      PEAL_NUMBER("max_points", assignment->tests[t].points),
                      PEAL_STRING("visibility", assignment->tests[t].visibility), PEAL_UINT("runs", mark->runs),
                      PEAL_STRING("kind", mark->broken ? peal_failure_name(mark->kind) : NULL),
                      PEAL_STRING("place", mark->broken && mark->place[0] ? mark->place : NULL),
                      PEAL_INT("line", mark->line), PEAL_STRING("rule", mark->rule[0] ? mark->rule : NULL),
                      PEAL_LINE(7), PEAL_STRING("notes", mark->notes ? mark->notes : ""), PEAL_CLOSE('}'));
    }
    peal_json_put(json, PEAL_LINE(4), PEAL_CLOSE(']'), PEAL_CLOSE('}'));
}

static void
write_json(FILE *out, const struct grading *all)
{
    const struct assignment *assignment = &all->assignment;
    struct peal_json json = {.out = out};

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_BREAK, PEAL_STRING("schema", "peal/grade/1"),
                  PEAL_STRING("assignment", assignment->name), PEAL_STRING("title", assignment->title),
                  PEAL_NUMBER("max_points", assignment->points), PEAL_BREAK, PEAL_OPEN("submissions", '['));
    for (int i = 0; i < all->count; i++)
        write_submission(&json, assignment, &all->markings[i]);
    peal_json_put(&json, PEAL_BREAK, PEAL_CLOSE(']'), PEAL_BREAK, PEAL_CLOSE('}'));
}

static void
write_csv(FILE *out, const struct grading *all)
{
    const struct assignment *assignment = &all->assignment;

    fputs("submission,points,max_points", out);
    for (int t = 0; t < assignment->test_count; t++) {
        fputc(',', out);
        csv_text(out, assignment->tests[t].name);
    }
    fputc('\n', out);
    for (int i = 0; i < all->count; i++) {
        bool marked = all->markings[i].refused.status == PEAL_OK;

        csv_text(out, all->markings[i].file);
        fputc(',', out);
        if (marked)
            csv_number(out, all->markings[i].points);
        fputc(',', out);
        csv_number(out, assignment->points);
        for (int t = 0; t < assignment->test_count; t++) {
            fputc(',', out);
            if (marked)
                csv_number(out, all->markings[i].marks[t].points);
        }
        fputc('\n', out);
    }
}

/* What Classroom 50's runner tells an autograder in its environment. */
static void
write_environment(struct peal_json *json)
{
    static const struct {
        const char *key, *variable, *otherwise;
    } members[] = {
        {"classroom", "CLASSROOM", NULL},
        {"assignment", "ASSIGNMENT", NULL},
        {"assignment_type", "ASSIGNMENT_TYPE", "individual"},
        {"owner", "OWNER", NULL},
        {"submission", "SUBMISSION_TAG", NULL},
        {"commit", "COMMIT_URL", NULL},
        {"release", "RELEASE_URL", NULL},
        {"review", "REVIEW_URL", NULL},
    };

    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const char *value = getenv(members[i].variable);

        if ((!value || !*value) && strcmp(members[i].key, "owner") == 0)
            value = getenv("USERNAME");
        if ((!value || !*value) && strcmp(members[i].key, "review") == 0)
            value = getenv("COMMIT_URL");
        peal_json_put(json, PEAL_BREAK,
                      PEAL_STRING(members[i].key, value && *value        ? value
                                                  : members[i].otherwise ? members[i].otherwise
                                                                         : ""));
    }
}

/* result.json of the schema classroom50/result/v1, as the page Advanced Autograding of Classroom 50's wiki and
 * schemas/result-v1.schema.json of github.com/foundation50/classroom50 describe it.  Its runner stamps the time of the
 * submission itself. */
static void
write_classroom50(FILE *out, const struct grading *all)
{
    const struct assignment *assignment = &all->assignment;
    const struct marking *marking = &all->markings[0];
    struct peal_json json = {.out = out};
    time_t now = time(NULL);
    char text[40];

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_BREAK, PEAL_STRING("schema", "classroom50/result/v1"));
    write_environment(&json);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    peal_json_put(&json, PEAL_BREAK, PEAL_STRING("datetime", text), PEAL_BREAK,
                  PEAL_NUMBER("score", rint(marking->points)), PEAL_BREAK,
                  PEAL_NUMBER("max-score", rint(assignment->points)), PEAL_BREAK, PEAL_OPEN("tests", '['));
    for (int t = 0; t < assignment->test_count; t++) {
        const struct mark *mark = &marking->marks[t];
        bool visible = strcmp(assignment->tests[t].visibility, "visible") == 0;

        peal_json_put(&json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_STRING("test-name", assignment->tests[t].name),
                      PEAL_BOOL("passed", mark->passed), PEAL_NUMBER("score", rint(mark->points)),
                      PEAL_NUMBER("max-score", rint(assignment->tests[t].points)),
                      PEAL_STRING("output", visible ? grade_said(mark) : ""), PEAL_CLOSE('}'));
    }
    peal_json_put(&json, PEAL_BREAK, PEAL_CLOSE(']'), PEAL_BREAK, PEAL_CLOSE('}'));
}

static enum peal_status
junit(FILE *out, const void *what, struct peal_error *error)
{
    const struct grading *all = what;

    (void)error;
    grade_write_junit(out, &all->assignment, all->markings, all->count);
    return PEAL_OK;
}

static enum peal_status
sarif(FILE *out, const void *what, struct peal_error *error)
{
    const struct grading *all = what;

    (void)error;
    grade_write_sarif(out, &all->assignment, all->markings, all->count);
    return PEAL_OK;
}

static enum peal_status
gradescope(FILE *out, const void *what, struct peal_error *error)
{
    const struct grading *all = what;

    (void)error;
    grade_write_gradescope(out, &all->assignment, &all->markings[0]);
    return PEAL_OK;
}

DOCUMENT_WRITER(json, write_json)
DOCUMENT_WRITER(csv, write_csv)
DOCUMENT_WRITER(classroom50, write_classroom50)

/* ------------------------------------------------------------------ the command */

/* Whether --gradescope names a folder: of several submissions, or where there is one. */
static bool
wants_folder(const struct command_request *r)
{
    struct stat about;

    return r->grade->gradescope &&
           (r->argument_count > 2 || (stat(r->grade->gradescope, &about) == 0 && S_ISDIR(about.st_mode)));
}

static enum peal_status
prepare(struct grading *all, struct peal_error *error)
{
    const struct command_request *r = all->request;
    enum peal_status status;

    if (r->program)
        return peal_refuse(error, PEAL_USAGE, "grade takes no arguments after --");
    if (r->argument_count < 2)
        return peal_refuse(error, PEAL_USAGE, "expected an assignment and files, as in peal grade scatter.ini mine.c");
    if (r->argument_count > 2 && r->grade->classroom50)
        return peal_refuse(error, PEAL_USAGE, "--classroom50 is for one submission, not %d", r->argument_count - 1);
    if ((status = assignment_read(&all->assignment, r->arguments[0], error)) != PEAL_OK)
        return status;
    for (int t = 0; r->grade->classroom50 && t < all->assignment.test_count; t++)
        if (all->assignment.tests[t].points != floor(all->assignment.tests[t].points))
            return peal_refuse(error, PEAL_USAGE, "%s:%d: points: Classroom 50 knows whole points only",
                               all->assignment.path, all->assignment.tests[t].line);
    all->markings = calloc((size_t)r->argument_count, sizeof *all->markings);
    return all->markings ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "not enough memory");
}

static bool
some_marked(const struct grading *all)
{
    for (int i = 0; i < all->count; i++)
        if (all->markings[i].refused.status == PEAL_OK)
            return true;
    return false;
}

static enum peal_status
report(const struct grading *all, struct writings *writings, struct peal_error *error)
{
    const struct command_request *r = all->request;
    enum peal_status status = PEAL_OK;

    if (!writings_here(writings) && some_marked(all))
        status = print_table(all, error);
    if (status == PEAL_OK)
        status = writings_end(writings, all, NULL, error);
    if (status == PEAL_OK && wants_folder(r))
        status = grade_folder_write(r->grade->gradescope, &all->assignment, all->markings, all->count, error);
    return status == PEAL_OK ? output_flush(error) : status;
}

/* How much of a submission's path is the folder that was given: what all have in common that, like it, begin at the
 * root, or that, like it, do not. */
static size_t
given_bytes(const struct command_request *request, int number)
{
    const char *path = request->arguments[number];
    const char *slash = strrchr(path, '/');
    size_t most = slash ? (size_t)(slash - path) + 1 : 0;

    for (int i = 1; i < request->argument_count && most > 0; i++) {
        size_t same = 0;

        for (size_t j = 0; j < most && request->arguments[i][j] == path[j]; j++)
            if (path[j] == '/')
                same = j + 1;
        if ((request->arguments[i][0] == '/') == (path[0] == '/'))
            most = same;
    }
    return most;
}

static int
run(const struct command_request *request)
{
    struct grading all = {.request = request};
    struct writings writings = {
        .request = request,
        .list = {{json, request->document.json_file, request->document.json, false},
                 {csv, request->document.csv_file, request->document.csv, false},
                 {classroom50, request->grade->classroom50, false, false},
                 {junit, request->document.junit, false, false},
                 {sarif, request->document.sarif, false, false},
                 {gradescope, wants_folder(request) ? NULL : request->grade->gradescope, false, false}}};
    struct marking_options options = {.compiler = request->grade->compiler, .jobs = request->grade->jobs};
    struct peal_error error = {PEAL_OK, ""};
    enum peal_status status = prepare(&all, &error);
    int code = 0;

    prctl(PR_SET_DUMPABLE, 0); /* whoever is judged reads nothing of the judge's memory */
    if (status == PEAL_OK)
        status = writings_open(&writings, &error);
    if (status == PEAL_OK && wants_folder(request))
        status = grade_folder_prepare(request->grade->gradescope, (const char *const *)request->arguments + 1,
                                      request->argument_count - 1, &error);
    if (status == PEAL_OK)
        status = marking_prepare(&all.assignment, &options, &error);
    for (int i = 1; i < request->argument_count && status == PEAL_OK; i++) {
        options.given_bytes = given_bytes(request, i);
        status = marking_make(&all.markings[all.count++], &all.assignment, request->arguments[i], &options, &error);
    }
    if (status == PEAL_OK)
        status = report(&all, &writings, &error);
    for (int i = 0; i < all.count && status == PEAL_OK; i++) {
        int own = 0;

        if (all.markings[i].refused.status != PEAL_OK)
            own = complain(&all.markings[i].refused);
        for (int t = 0; t < all.assignment.test_count && own == 0; t++)
            own = !all.markings[i].marks[t].passed;
        code = own > code ? own : code;
    }
    if (status != PEAL_OK)
        code = complain(&error);
    writings_fini(&writings);
    for (int i = 0; i < all.count; i++)
        marking_free(&all.markings[i], &all.assignment);
    free(all.markings);
    assignment_free(&all.assignment);
    return code;
}

const struct command command_grade = {
    .name = "grade",
    .arguments = "ASSIGNMENT.ini FILE...  [options]",
    .summary = "mark submissions by an assignment",
    .examples = "  peal grade scatter.ini mine.c               a line a test, and what is wrong\n"
                "  peal grade scatter.ini */scatter.c --csv    for a gradebook\n"
                "  peal grade scatter.ini mine.c --gradescope results.json\n"
                "  peal grade scatter.ini */scatter.c --gradescope results    a file each\n",
    .completes = WORDS_FILE,
    .run = run,
};
