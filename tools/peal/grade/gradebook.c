/* SPDX-License-Identifier: MIT */
/* The gradebook: it holds, beside the marks, what a later command needs to resume. */
#include "grade/copies.h"
#include "grade/grade_write.h"
#include "lib/record/json.h"
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ writing */

static const char *
hexadecimal(uint64_t digest, char text[20])
{
    snprintf(text, 20, "%016" PRIx64, digest);
    return text;
}

static void
write_submission(struct peal_json *json, const struct assignment *assignment, const struct marking *marking)
{
    const struct student *student = marking->submission->student;
    char digest[20];

    peal_json_put(
        json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_STRING("student", student ? student->id : NULL),
        PEAL_STRING("name", student ? student->name : NULL), PEAL_STRING("file", *marking->file ? marking->file : NULL),
        PEAL_NUMBER("points", marking->points), PEAL_BOOL("marked", marking->refused.status == PEAL_OK),
        PEAL_BOOL("submitted", !marking->submission->nothing), PEAL_BOOL("compiles", marking->compiles),
        PEAL_STRING("messages", marking->messages && *marking->messages ? marking->messages : NULL), PEAL_LINE(5),
        PEAL_STRING("digest", hexadecimal(marking->digest, digest)), PEAL_NUMBER("seconds", marking->seconds),
        PEAL_NUMBER("processor_seconds", marking->processor_seconds), PEAL_UINT("peak_bytes", marking->peak_bytes),
        PEAL_LINE(5), PEAL_OPEN("tests", '['));
    for (int t = 0; t < assignment->test_count; t++) {
        const struct mark *mark = &marking->marks[t];

        peal_json_put(json, PEAL_LINE(6), PEAL_OPEN(NULL, '{'), PEAL_STRING("name", assignment->tests[t].name),
                      PEAL_BOOL("passed", mark->passed), PEAL_BOOL("powers_of_two", mark->powers),
                      PEAL_NUMBER("points", mark->points), PEAL_NUMBER("max_points", assignment->tests[t].points),
                      PEAL_STRING("visibility", assignment->tests[t].visibility), PEAL_UINT("runs", mark->runs),
                      PEAL_STRING("kind", mark->broken ? peal_failure_name(mark->kind) : NULL),
                      PEAL_STRING("place", mark->broken && mark->file[0] ? mark->file : NULL),
                      PEAL_INT("line", mark->line), PEAL_STRING("rule", mark->rule[0] ? mark->rule : NULL),
                      PEAL_STRING("digest", hexadecimal(mark->digest, digest)), PEAL_LINE(7),
                      PEAL_STRING("notes", mark->notes ? mark->notes : ""), PEAL_CLOSE('}'));
    }
    peal_json_put(json, PEAL_LINE(4), PEAL_CLOSE(']'), PEAL_CLOSE('}'));
}

static void
write_copies(struct peal_json *json, const struct marks *marks)
{
    if (!marks->copies) {
        peal_json_put(json, PEAL_BREAK, PEAL_STRING("copies", NULL));
        return;
    }
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN("copies", '['));
    for (int i = 0; i < marks->copies->count; i++) {
        const struct copy_group *group = &marks->copies->groups[i];

        peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_INT("least_percent", group->least_percent),
                      PEAL_INT("most_percent", group->most_percent), PEAL_OPEN("submissions", '['));
        for (int k = 0; k < group->count; k++) {
            const struct submission *one = marks->markings[group->copies[k].number].submission;

            peal_json_put(json, PEAL_LINE(5), PEAL_OPEN(NULL, '{'),
                          PEAL_STRING("student", one->student ? one->student->id : NULL),
                          PEAL_STRING("file", one->file), PEAL_INT("line", group->copies[k].first_line),
                          PEAL_INT("last_line", group->copies[k].last_line), PEAL_CLOSE('}'));
        }
        peal_json_put(json, PEAL_CLOSE(']'), PEAL_CLOSE('}'));
    }
    peal_json_put(json, PEAL_BREAK, PEAL_CLOSE(']'));
}

void
gradebook_write(FILE *out, const struct marks *marks)
{
    const struct assignment *assignment = marks->assignment;
    struct peal_json json = {.out = out};

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_BREAK, PEAL_STRING("schema", "peal/grade/1"),
                  PEAL_STRING("assignment", assignment->name), PEAL_STRING("title", assignment->title),
                  PEAL_NUMBER("max_points", assignment->points), PEAL_BOOL("complete", marks->complete), PEAL_BREAK,
                  PEAL_OPEN("submissions", '['));
    for (int i = 0; i < marks->count; i++)
        write_submission(&json, assignment, &marks->markings[i]);
    peal_json_put(&json, PEAL_BREAK, PEAL_CLOSE(']'));
    write_copies(&json, marks);
    peal_json_put(&json, PEAL_BREAK, PEAL_CLOSE('}'));
}

void
gradebook_write_one(FILE *out, const struct assignment *assignment, const struct marking *marking)
{
    struct peal_json json = {.out = out};

    write_submission(&json, assignment, marking);
}

/* ------------------------------------------------------------------ reading */

static const char *
gradebook_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static uint64_t
digest_of(const json_t *object)
{
    return strtoull(gradebook_text(object, "digest"), NULL, 16);
}

enum peal_status
gradebook_open(struct gradebook *book, const char *path, const struct assignment *assignment, struct peal_error *error)
{
    json_error_t why;
    void *bytes;
    size_t count;

    *book = (struct gradebook){NULL};
    if (file_read(path, &bytes, &count, error) != PEAL_OK)
        return error->status;
    book->root = json_loadb(bytes, count, 0, &why);
    free(bytes);
    if (!book->root)
        return peal_refuse(error, PEAL_USAGE, "%s:%d: the gradebook is not JSON: %s", path, why.line, why.text);
    if (strcmp(gradebook_text(book->root, "schema"), "peal/grade/1") != 0)
        return peal_refuse(error, PEAL_USAGE, "%s is not a gradebook: its schema is not peal/grade/1", path);
    if (strcmp(gradebook_text(book->root, "assignment"), assignment->name) != 0)
        return peal_refuse(error, PEAL_USAGE, "%s is the gradebook of the assignment %s, not of %s", path,
                           gradebook_text(book->root, "assignment"), assignment->name);
    return PEAL_OK;
}

void
gradebook_close(struct gradebook *book)
{
    json_decref(book->root);
    book->root = NULL;
}

static void
read_mark(const json_t *test, struct mark *mark)
{
    const char *notes = gradebook_text(test, "notes"), *kind = json_string_value(json_object_get(test, "kind"));

    mark->passed = json_is_true(json_object_get(test, "passed"));
    mark->powers = json_is_true(json_object_get(test, "powers_of_two"));
    mark->runs = (uint64_t)json_integer_value(json_object_get(test, "runs"));
    mark->notes = *notes ? strdup(notes) : NULL;
    mark->line = (int)json_integer_value(json_object_get(test, "line"));
    snprintf(mark->file, sizeof mark->file, "%s", gradebook_text(test, "place"));
    snprintf(mark->rule, sizeof mark->rule, "%s", gradebook_text(test, "rule"));
    for (int i = 0; kind && i < PEAL_FAILURE_KINDS; i++)
        if (strcmp(kind, peal_failure_name((enum peal_failure_kind)i)) == 0) {
            mark->broken = true;
            mark->kind = (enum peal_failure_kind)i;
        }
    mark->digest = digest_of(test);
    mark->kept = true;
}

/* Take the marks of the unchanged tests, or of those of the same name. */
static int
read_marks(const json_t *from, const struct assignment *assignment, bool by_name, struct marking *marking)
{
    const json_t *tests = json_object_get(from, "tests"), *test;
    int kept = 0;
    size_t i;

    for (int t = 0; t < assignment->test_count; t++)
        json_array_foreach(tests, i, test)
        {
            bool same = by_name ? strcmp(gradebook_text(test, "name"), assignment->tests[t].name) == 0
                                : digest_of(test) == assignment->tests[t].digest;

            if (marking->marks[t].kept || !same)
                continue;
            read_mark(test, &marking->marks[t]);
            kept++;
        }
    marking->compiles = json_is_true(json_object_get(from, "compiles"));
    marking->messages = strdup(gradebook_text(from, "messages"));
    marking->seconds = json_number_value(json_object_get(from, "seconds"));
    marking->processor_seconds = json_number_value(json_object_get(from, "processor_seconds"));
    marking->peak_bytes = (uint64_t)json_integer_value(json_object_get(from, "peak_bytes"));
    return kept;
}

bool
gradebook_take(const struct gradebook *book, const struct assignment *assignment, bool all, struct marking *marking)
{
    const json_t *list = json_object_get(book->root, "submissions"), *one;
    size_t i;

    json_array_foreach(list, i, one)
    {
        if (strcmp(gradebook_text(one, "file"), marking->file) != 0)
            continue;
        if (!all && (!json_is_true(json_object_get(one, "marked")) || digest_of(one) != marking->digest))
            return false;
        marking->digest = digest_of(one);
        if (!json_is_true(json_object_get(one, "marked")))
            peal_refuse(&marking->refused, PEAL_USAGE, "%s", gradebook_text(one, "messages"));
        return read_marks(one, assignment, all, marking) > 0;
    }
    return false;
}

bool
gradebook_parse(const char *text, size_t bytes, const struct assignment *assignment, struct marking *marking)
{
    json_t *root = json_loadb(text, bytes, 0, NULL);
    bool whole = root && read_marks(root, assignment, true, marking) == assignment->test_count;

    json_decref(root);
    return whole;
}
