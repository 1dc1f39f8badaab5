/* SPDX-License-Identifier: MIT */
/* Writes the marks of submissions for JUnit, SARIF and Gradescope. */
#include "grade/grade_write.h"
#include "write/written.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

const char *
grade_text(const struct mark *mark)
{
    return mark->notes ? mark->notes : "right";
}

/* Why a test failed. */
static const char *
why(const struct marking *marking, const struct mark *mark)
{
    return marking->compiles ? grade_text(mark) : marking->messages ? marking->messages : "it does not compile";
}

/* The finding of a failed test; `name`: for a test that failed without a kind of failure. */
static struct peal_found
found_in(const struct marking *marking, const struct mark *mark, const char *name)
{
    return (struct peal_found){.fault = &mark->fault,
                               .name = marking->submission->nothing ? "nothing-submitted"
                                       : !marking->compiles         ? "does-not-compile"
                                       : mark->broken               ? NULL
                                                                    : name,
                               .message = why(marking, mark)};
}

/* ------------------------------------------------------------------ JUnit */

/* A test of a submission. */
struct graded {
    const struct marking *marking;
    const struct mark *mark;
};

static void
take_graded(const void *what, written_take take, void *writer)
{
    const struct graded *one = what;
    const struct peal_found found = found_in(one->marking, one->mark, "failed");

    if (one->marking->refused.status == PEAL_OK && !one->mark->passed)
        take(writer, &found);
}

static void
write_suite(FILE *out, const struct assignment *assignment, const struct marking *marking)
{
    bool refused = marking->refused.status != PEAL_OK;
    char name[PATH_MAX];
    struct junit_suite suite = {
        .name = name, .inside = true, .tests = assignment->test_count, .errors = refused ? assignment->test_count : 0};

    submission_name(marking->submission, name);
    for (int t = 0; t < assignment->test_count && !refused; t++)
        suite.failures += !marking->marks[t].passed;
    junit_begin(out, &suite);
    for (int t = 0; t < assignment->test_count; t++)
        junit_test(out,
                   &(struct junit_test){.class = name,
                                        .name = assignment->tests[t].name,
                                        .seconds = -1,
                                        .error = refused ? marking->refused.text : NULL},
                   &(struct graded){marking, &marking->marks[t]}, take_graded);
    junit_end(out);
}

void
grade_write_junit(FILE *out, const struct marks *marks)
{
    junit_all_begin(out, marks->assignment->name);
    for (int i = 0; i < marks->count; i++)
        write_suite(out, marks->assignment, &marks->markings[i]);
    junit_all_end(out);
}

/* ------------------------------------------------------------------ SARIF */

static void
take_failed(written_take take, void *writer, const struct marking *marking, const char *test, const struct mark *mark)
{
    const struct peal_place at_all = {-1, marking->file, 0}, at = {-1, mark->file, mark->line};
    struct peal_found found = found_in(marking, mark, "failed-test");
    char *message = NULL;

    if (asprintf(&message, "%s: %s", test, found.message) >= 0)
        found.message = message;
    found.places = marking->compiles && mark->broken && mark->file[0] ? &at : &at_all;
    take(writer, &found);
    free(message);
}

static void
each_failed(const void *what, written_take take, void *writer)
{
    const struct marks *marks = what;

    for (int i = 0; i < marks->count; i++) {
        const struct marking *marking = &marks->markings[i];
        const bool refused = marking->refused.status != PEAL_OK || marking->submission->nothing;

        for (int t = 0; t < marks->assignment->test_count && !refused; t++)
            if (!marking->marks[t].passed)
                take_failed(take, writer, marking, marks->assignment->tests[t].name, &marking->marks[t]);
    }
}

SARIF_WRITER(grade_write_sarif, each_failed)

/* ------------------------------------------------------------------ Gradescope */

void
grade_write_gradescope(FILE *out, const struct marks *marks)
{
    const struct assignment *assignment = marks->assignment;
    const struct marking *marking = &marks->markings[0];
    struct peal_json json = {.out = out};

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_BREAK, PEAL_NUMBER("score", marking->points),
                  PEAL_STRING("output", marking->compiles   ? ""
                                        : marking->messages ? marking->messages
                                                            : "it does not compile"),
                  PEAL_STRING("output_format", "text"), PEAL_STRING("visibility", "visible"),
                  PEAL_STRING("stdout_visibility", "hidden"), PEAL_BREAK, PEAL_OPEN("tests", '['));
    for (int t = 0; t < assignment->test_count; t++) {
        const struct mark *mark = &marking->marks[t];
        char number[16];

        snprintf(number, sizeof number, "%d", t + 1);
        peal_json_put(&json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_NUMBER("score", mark->points),
                      PEAL_NUMBER("max_score", assignment->tests[t].points),
                      PEAL_STRING("status", mark->passed ? "passed" : "failed"),
                      PEAL_STRING("name", assignment->tests[t].name), PEAL_STRING("number", number),
                      PEAL_STRING("output", grade_text(mark)), PEAL_STRING("output_format", "text"),
                      PEAL_STRING("visibility", assignment->tests[t].visibility), PEAL_CLOSE('}'));
    }
    peal_json_put(&json, PEAL_BREAK, PEAL_CLOSE(']'), PEAL_BREAK, PEAL_CLOSE('}'));
}

/* "results/alice_scatter.c.json" of alice/scatter.c; of a student's only submission "results/ID.json".  The caller
 * frees it. */
static char *
result_path(const char *folder, const struct submission *submission)
{
    const struct student *student = submission->student;
    const char *file = student && student->submissions == 1 ? "" : submission->file;
    size_t length = strlen(folder);
    char *path;

    while (length > 1 && folder[length - 1] == '/')
        length--;
    while (strncmp(file, "./", 2) == 0)
        file += 2;
    file += strspn(file, "/");
    if (asprintf(&path, "%.*s/%s%s%s.json", (int)length, folder, student ? student->id : "",
                 student && *file ? "_" : "", file) < 0)
        return NULL;
    text_replace(path + length + 1, '/', '_');
    return path;
}

/* A submission and its file of results. */
struct grade_result {
    const struct submission *submission;
    char *path;
};

static int
compare_results(const void *a, const void *b)
{
    const struct grade_result *one = a, *other = b;

    return strcmp(one->path, other->path);
}

static enum peal_status
refuse_shared(const char *folder, const struct submissions *submissions, struct peal_error *error)
{
    int count = submissions->count;
    struct grade_result *results = calloc((size_t)count, sizeof *results);
    enum peal_status status = PEAL_OK;

    for (int i = 0; i < count && status == PEAL_OK; i++)
        if (!results ||
            !(results[i] = (struct grade_result){&submissions->list[i], result_path(folder, &submissions->list[i])})
                 .path)
            status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (status == PEAL_OK)
        qsort(results, (size_t)count, sizeof *results, compare_results);
    for (int i = 1; i < count && status == PEAL_OK; i++)
        if (strcmp(results[i - 1].path, results[i].path) == 0) {
            char one[PATH_MAX], other[PATH_MAX];

            submission_name(results[i - 1].submission, one);
            submission_name(results[i].submission, other);
            status = peal_refuse(error, PEAL_USAGE, "--gradescope: the results of %s and %s would both be %s", one,
                                 other, results[i].path);
        }
    for (int i = 0; results && i < count; i++)
        free(results[i].path);
    free(results);
    return status;
}

enum peal_status
grade_folder_prepare(const char *folder, const struct submissions *submissions, struct peal_error *error)
{
    enum peal_status status = refuse_shared(folder, submissions, error);

    if (status != PEAL_OK)
        return status;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return peal_refuse(error, PEAL_USAGE, "--gradescope: the folder %s cannot be made: %s", folder,
                           strerror(errno));
    struct stat about;

    if (stat(folder, &about) != 0 || !S_ISDIR(about.st_mode))
        return peal_refuse(error, PEAL_USAGE,
                           "--gradescope: %s is not a folder: several submissions have a file of results each", folder);
    if (access(folder, W_OK | X_OK) != 0)
        return peal_refuse(error, PEAL_USAGE, "--gradescope: %s cannot be written to: %s", folder, strerror(errno));
    return PEAL_OK;
}

DOCUMENT_WRITER(write_first, grade_write_gradescope)

enum peal_status
grade_folder_write(const char *folder, const struct marks *marks, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    for (int i = 0; i < marks->count && status == PEAL_OK; i++) {
        char *path = result_path(folder, marks->markings[i].submission);
        const struct marks one = {.assignment = marks->assignment, .markings = &marks->markings[i], .count = 1};

        status = path ? writings_put(path, write_first, &one, error)
                      : peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        free(path);
    }
    return status;
}
