/* SPDX-License-Identifier: MIT */
/* peal grade: mark submissions by an assignment. */
#include "commands/commands.h"
#include "grade/class.h"
#include "grade/copies.h"
#include "grade/grade_write.h"
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

struct grading {
    const struct command_request *request;
    struct assignment assignment;
    struct submissions submissions;
    struct marking *all; /* one per submission */
    struct marks marks;  /* marks of the submissions that are done: copies, which own nothing */
    bool headed;         /* the head of the table has been printed */
    int printed;         /* how many have been printed */
    int reported;        /* submissions looked at so far, and reported if they are not marked */
    int code;            /* the highest code of those that are not marked */
    struct class_marking class;
    struct copies copies;
    struct writings *writings;
};

/* ------------------------------------------------------------------ the table */

static bool
some_marked(const struct grading *all)
{
    for (int i = 0; i < all->marks.count; i++)
        if (all->marks.markings[i].refused.status == PEAL_OK)
            return true;
    return false;
}

/* Print the submissions that are done, up to the first that is not. */
static void
print_done(struct grading *all)
{
    const struct assignment *assignment = &all->assignment;

    if (writings_here(all->writings) || !some_marked(all))
        return;
    for (; all->printed < all->submissions.count && all->all[all->printed].done; all->printed++) {
        class_hide(&all->class);
        if (!all->headed) {
            print_plain(stdout, assignment->name);
            printf("%s%s\n", assignment->title ? ": " : "", assignment->title ? assignment->title : "");
        }
        all->headed = true;
        putchar('\n');
        grade_show_marking(assignment, &all->all[all->printed]);
        fflush(stdout);
    }
}

/* ------------------------------------------------------------------ for programs */

static void
grade_write_csv(FILE *out, const struct marks *marks)
{
    const struct assignment *assignment = marks->assignment;

    const bool class = marks->count > 0 && marks->markings[0].submission->student;

    fprintf(out, "%ssubmission,points,max_points", class ? "student,name," : "");
    for (int t = 0; t < assignment->test_count; t++) {
        fputc(',', out);
        csv_put(out, PEAL_STRING(NULL, assignment->tests[t].name));
    }
    fputc('\n', out);
    for (int i = 0; i < marks->count; i++) {
        const struct marking *marking = &marks->markings[i];
        double none = marking->refused.status == PEAL_OK ? 0 : (double)NAN;

        if (class) {
            csv_name(out, marking->submission->student->id);
            fputc(',', out);
            csv_name(out, marking->submission->student->name);
            fputc(',', out);
        }
        csv_name(out, marking->file);
        fputc(',', out);
        csv_put(out, PEAL_NUMBER(NULL, marking->points + none), PEAL_NUMBER(NULL, assignment->points));
        for (int t = 0; t < assignment->test_count; t++) {
            fputc(',', out);
            csv_put(out, PEAL_NUMBER(NULL, marking->marks[t].points + none));
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
write_classroom50(FILE *out, const struct marks *marks)
{
    const struct assignment *assignment = marks->assignment;
    const struct marking *marking = &marks->markings[0];
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
                      PEAL_STRING("output", visible ? grade_text(mark) : ""), PEAL_CLOSE('}'));
    }
    peal_json_put(&json, PEAL_BREAK, PEAL_CLOSE(']'), PEAL_BREAK, PEAL_CLOSE('}'));
}

DOCUMENT_WRITER(grade_document_json, gradebook_write)
DOCUMENT_WRITER(grade_document_csv, grade_write_csv)
DOCUMENT_WRITER(classroom50, write_classroom50)
DOCUMENT_WRITER(grade_document_junit, grade_write_junit)
DOCUMENT_WRITER(gradescope, grade_write_gradescope)

/* ------------------------------------------------------------------ the command */

/* Whether --gradescope names a folder: for several submissions, or if there is such a folder. */
static bool
wants_folder(const struct grading *all)
{
    const char *path = all->request->grade->gradescope;
    struct stat about;

    return path && (all->submissions.count > 1 || (stat(path, &about) == 0 && S_ISDIR(about.st_mode)));
}

static enum peal_status
refuse_request(const struct grading *all, struct peal_error *error)
{
    const struct command_request *r = all->request;
    const struct assignment *assignment = &all->assignment;

    if (r->grade->classroom50 && all->submissions.count > 1)
        return peal_refuse(error, PEAL_USAGE, "--classroom50 is for one submission, not %d", all->submissions.count);
    for (int t = 0; r->grade->classroom50 && t < assignment->test_count; t++)
        if (assignment->tests[t].points != floor(assignment->tests[t].points))
            return peal_refuse(error, PEAL_USAGE, "%s:%d: points: Classroom 50 takes only whole points",
                               assignment->path, assignment->tests[t].line);
    if ((r->grade->resume || r->grade->submission) && !r->document.json_file)
        return peal_refuse(error, PEAL_USAGE, "%s continues a gradebook: name it by --json=FILE",
                           r->grade->resume ? "--resume" : "--submission");
    return PEAL_OK;
}

/* Read the assignment and find the submissions. */
static enum peal_status
grade_prepare(struct grading *all, struct peal_error *error)
{
    const struct command_request *r = all->request;
    enum peal_status status;

    if (r->program)
        return peal_refuse(error, PEAL_USAGE, "grade takes no arguments after --");
    if (r->grade->class && r->argument_count != 1)
        return peal_refuse(error, PEAL_USAGE, "expected an assignment and --class=FILE, which names the files, got %s",
                           r->argument_count == 0 ? "no assignment" : r->arguments[1]);
    if (!r->grade->class && r->argument_count < 2)
        return peal_refuse(error, PEAL_USAGE, "expected an assignment and files, as in peal grade scatter.ini mine.c");
    status = assignment_read(&all->assignment, r->arguments[0], error);
    if (status == PEAL_OK && r->grade->class)
        status = submissions_of_class(&all->submissions, r->grade->class, assignment_language(&all->assignment), error);
    else if (status == PEAL_OK)
        status = submissions_find(&all->submissions, (const char *const *)r->arguments + 1, r->argument_count - 1,
                                  assignment_language(&all->assignment), error);
    if (status == PEAL_OK)
        status = refuse_request(all, error);
    if (status != PEAL_OK)
        return status;
    for (int t = 0; t < all->assignment.test_count; t++)
        all->assignment.tests[t].digest = digest_text(r->function.compiler, all->assignment.tests[t].digest);
    size_t count = (size_t)all->submissions.count;

    all->marks.assignment = &all->assignment;
    all->all = calloc(count, sizeof *all->all);
    all->marks.markings = calloc(count, sizeof *all->marks.markings);
    if (!all->all || !all->marks.markings)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (size_t i = 0; i < count && status == PEAL_OK; i++) {
        const struct submission *submission = &all->submissions.list[i];

        status = marking_begin(&all->all[i], &all->assignment, &all->submissions, submission, error);
        all->all[i].digest = digest_file(submission->file, DIGEST_NOTHING);
    }
    return status;
}

/* Take from the gradebook what --resume and --submission keep. */
static enum peal_status
take_earlier(struct grading *all, struct peal_error *error)
{
    const struct command_request *r = all->request;
    int only = r->grade->submission ? submissions_named(&all->submissions, r->grade->submission, error) : -1;
    struct gradebook book;

    if (r->grade->submission && only < 0)
        return error->status;
    if ((!r->grade->submission && !r->grade->resume) || access(r->document.json_file, F_OK) != 0)
        return PEAL_OK;
    enum peal_status status = gradebook_open(&book, r->document.json_file, &all->assignment, error);

    for (int i = 0; i < all->submissions.count && status == PEAL_OK; i++) {
        struct marking *marking = &all->all[i];

        if (i == only || marking->done ||
            !gradebook_take(&book, &all->assignment, r->grade->submission != NULL, marking))
            continue;
        marking->done = true;
        for (int t = 0; t < all->assignment.test_count; t++) {
            struct mark *mark = &marking->marks[t];

            if (mark->kept)
                continue;
            if (!r->grade->submission) { /* this test is marked again */
                marking->done = false;
                continue;
            }
            mark_note(mark, "not marked: the specification has changed since (--resume)");
            mark->digest = 0;
        }
        marking_add(marking, &all->assignment);
    }
    gradebook_close(&book);
    return status;
}

static void
grade_collect(struct grading *all)
{
    all->marks.count = 0;
    for (int i = 0; i < all->submissions.count; i++)
        if (all->all[i].done)
            all->marks.markings[all->marks.count++] = all->all[i];
    all->marks.complete = all->marks.count == all->submissions.count;
}

/* Report those that could not be marked, in the order given, up to the first that is not done; at the `end` all. */
static void
report_refused(struct grading *all, bool end)
{
    for (; all->reported < all->submissions.count && (end || all->all[all->reported].done); all->reported++) {
        const struct marking *marking = &all->all[all->reported];

        if (marking->submission->nothing && *marking->file)
            fprintf(stderr, "peal: note: %s\n", marking->messages ? marking->messages : "");
        if (marking->done && marking->refused.status != PEAL_OK) {
            int code = complain(&marking->refused);

            all->code = code > all->code ? code : all->code;
        }
    }
}

/* Write all files that can be replaced while the marking goes on. */
static enum peal_status
write_so_far(const struct grading *all, struct marking *news, struct peal_error *error)
{
    const struct writings *writings = all->writings;
    enum peal_status status = PEAL_OK;

    for (size_t i = 0; i < sizeof writings->list / sizeof *writings->list && status == PEAL_OK; i++)
        if (writings->list[i].path && writings->files[i].temporary)
            status = writings_put(writings->list[i].path, writings->list[i].write, &all->marks, error);
    if (status == PEAL_OK && wants_folder(all))
        status =
            grade_folder_write(all->request->grade->gradescope,
                               &(struct marks){.assignment = &all->assignment, .markings = news, .count = 1}, error);
    return status;
}

/* Called when a submission is marked; without one, when time has passed. */
static enum peal_status
grade_note_marking(void *arg, struct marking *news, struct peal_error *error)
{
    struct grading *all = arg;
    enum peal_status status = PEAL_OK;

    if (news) {
        grade_collect(all);
        if (!writings_here(all->writings)) /* otherwise after the document */
            report_refused(all, false);
        status = write_so_far(all, news, error);
    }
    print_done(all);
    return status;
}

static enum peal_status
mark_all(struct grading *all, struct peal_error *error)
{
    const struct command_request *r = all->request;
    const struct marking_options options = {.compiler = r->function.compiler, .jobs = r->grade->jobs};
    enum peal_status status = take_earlier(all, error);

    if (status == PEAL_OK && wants_folder(all))
        status = grade_folder_prepare(r->grade->gradescope, &all->submissions, error);
    if (status == PEAL_OK)
        status = marking_prepare(&all->assignment, &options, error);
    if (status != PEAL_OK)
        return status;
    grade_collect(all);
    print_done(all);
    all->class = (struct class_marking){
        .assignment = &all->assignment,
        .submissions = &all->submissions,
        .markings = all->all,
        .options = &options,
        .look = grade_note_marking,
        .arg = all,
        .only = r->grade->submission ? submissions_named(&all->submissions, r->grade->submission, error) : -1};
    status = class_mark(&all->class, error);
    print_done(all);
    if (status == PEAL_OK)
        status = copies_find(&all->copies, &all->marks, error);
    all->marks.copies = &all->copies;
    if (status == PEAL_OK && !writings_here(all->writings) && all->marks.count > 1 && some_marked(all)) {
        putchar('\n');
        status = grade_show_summary(&all->assignment, all->marks.markings, all->marks.count, error);
        grade_show_copies(&all->marks);
    }
    if (status == PEAL_OK)
        status = writings_end(all->writings, &all->marks, NULL, error);
    if (status == PEAL_OK && wants_folder(all))
        status = grade_folder_write(r->grade->gradescope, &all->marks, error);
    return status;
}

/* The exit code: the highest of those of the submissions. */
static int
grade_exit_code(const struct grading *all)
{
    bool failed = false;

    for (int i = 0; i < all->marks.count; i++)
        for (int t = 0; t < all->assignment.test_count; t++)
            failed |= !all->marks.markings[i].marks[t].passed;
    return all->code > 0 ? all->code : failed;
}

static int
command_grade_run(const struct command_request *request)
{
    struct grading all = {.request = request};
    struct peal_error error = {PEAL_OK, ""};
    enum peal_status status = grade_prepare(&all, &error);
    bool folder = wants_folder(&all);
    struct writings writings = {
        .request = request,
        .list = {{grade_document_json, request->document.json_file, request->document.json, false},
                 {grade_document_csv, request->document.csv_file, request->document.csv, false},
                 {classroom50, request->grade->classroom50, false, false},
                 {grade_document_junit, request->document.junit, false, false},
                 {grade_write_sarif, request->document.sarif, false, false},
                 {gradescope, folder ? NULL : request->grade->gradescope, false, false}}};

    all.writings = &writings;
    prctl(PR_SET_DUMPABLE, 0); /* judged code must not read the judge's memory */
    if (status == PEAL_OK)
        status = writings_open(&writings, &error);
    if (status == PEAL_OK)
        status = mark_all(&all, &error);
    if (status == PEAL_OK)
        report_refused(&all, true);
    int code = status == PEAL_OK ? grade_exit_code(&all) : complain(&error);

    writings_fini(&writings);
    for (int i = 0; all.all && i < all.submissions.count; i++)
        marking_free(&all.all[i], &all.assignment);
    free(all.all);
    free(all.marks.markings);
    copies_free(&all.copies);
    submissions_free(&all.submissions);
    assignment_free(&all.assignment);
    return code;
}

const struct command command_grade = {
    .name = "grade",
    .arguments = "ASSIGNMENT.ini FILE|FOLDER...|--class=LIST  [options]",
    .summary = "mark submissions by an assignment",
    .examples = "  peal grade scatter.ini mine.c               a line a test, and what is wrong\n"
                "  peal grade scatter.ini */scatter.c --csv    for a gradebook\n"
                "  peal grade scatter.ini class --json=marks.json --resume    go on with a class\n"
                "  peal grade scatter.ini --class=class.csv    a row for each student of the list\n"
                "  peal grade scatter.ini mine.c --gradescope results.json\n"
                "  peal grade scatter.ini */scatter.c --gradescope results    a file each\n",
    .completes = WORDS_FILE,
    .run = command_grade_run,
};
