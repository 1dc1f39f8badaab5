/* SPDX-License-Identifier: MIT */
/* peal lesson: the course's scenarios, quizzes and figures, run on the machine. */
#include "command.h"
#include "help/manual.h"
#include "lib/base/text.h"
#include "lib/record/json.h"
#include "options/options.h"
#include "show/print.h"
#include "show/show.h"
#include "write/document.h"
#include "write/writings.h"
#include <inttypes.h>
#include <peal/tools.h>
#include <stdlib.h>
#include <string.h>

/* The columns of the list. */
enum { ID = 9, TITLE = 40, INDENT = 2 };

static void
heading(const char *text)
{
    putchar('\n');
    print_inked(stdout, BOLD, "%s\n", text);
}

static void
paragraph(const char *text)
{
    printf("%*s", INDENT, "");
    print_wrapped(stdout, text, INDENT);
}

/* ------------------------------------------------------------------ a run that failed */

static const char *
base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void
show_lesson_failure(const struct peal_failure *failure)
{
    char text[sizeof failure->message + 200], where[100] = ""; /* in a lesson's file */

    if (failure->file)
        snprintf(where, sizeof where, "%s:%d", base_name(failure->file), failure->line);
    bool has_place = where[0] == '\0' || strstr(failure->message, where);

    snprintf(text, sizeof text, "%s: %s%s%s%s", peal_failure_name(failure->kind), failure->message,
             has_place ? "" : " (", has_place ? "" : where, has_place ? "" : ")");
    paragraph(text);
    for (int i = 0; i < failure->cycle_length; i++)
        printf("%s%d →%s", i == 0 ? "    cycle  " : "", failure->cycle[i], i + 1 < failure->cycle_length ? " " : "");
    if (failure->cycle_length > 0)
        printf(" %d\n", failure->cycle[0]);
}

/* ------------------------------------------------------------------ one lesson for people */

/* "Run: caption" and, at the right edge, the network. */
static void
show_run(const struct peal_step *step)
{
    const struct peal_options *options = peal_machine_options(step->machine);
    const char *network = peal_network_name(peal_machine_network(step->machine));
    char machine[200];

    snprintf(machine, sizeof machine, "%s", network);
    if (options->routing && strcmp(options->routing, "shortest") != 0 && strcmp(options->routing, "ecube") != 0)
        peal_append(IN_ARRAY(machine), " %s", options->routing);
    if (options->switching != PEAL_IDEAL)
        peal_append(IN_ARRAY(machine), ", %s", peal_switching_name(options->switching));
    if (options->ports > 1)
        peal_append(IN_ARRAY(machine), ", %d ports", options->ports);
    if (options->noncombining)
        peal_append(IN_ARRAY(machine), ", noncombining");
    if (options->eager)
        peal_append(IN_ARRAY(machine), ", eager:%zu", options->eager_words);
    putchar('\n');
    print_ink(stdout, BOLD);
    fputs("Run: ", stdout);
    if (5 + print_width(step->text) + 2 + print_width(machine) <= COLUMNS) {
        print_left(stdout, step->text, COLUMNS - 5 - print_width(machine));
    } else {
        print_wrapped(stdout, step->text, 5);
        fputs("     on ", stdout);
    }
    print_ink(stdout, PLAIN);
    puts(machine);
    show_messages(peal_machine_schedule(step->machine), peal_machine_cost(step->machine));
    if (peal_machine_failure(step->machine))
        show_lesson_failure(peal_machine_failure(step->machine));
}

static void
show_check(const struct peal_step *step)
{
    fputs("  ", stdout);
    print_inked(stdout, step->holds ? GOOD : BAD, "%s", step->holds ? "✓ " : "✗ ");
    print_wrapped(stdout, step->text, INDENT + 2);
}

static void
show_step(const struct peal_step *step, bool follows)
{
    switch (step->kind) {
    case PEAL_STEP_SAYS:
        putchar('\n');
        paragraph(step->text);
        break;
    case PEAL_STEP_SHOWS:
        if (!follows)
            putchar('\n');
        puts(step->text);
        break;
    case PEAL_STEP_RUNS:
        show_run(step);
        break;
    case PEAL_STEP_CHECKS:
        if (!follows)
            putchar('\n');
        show_check(step);
        break;
    case PEAL_STEP_ANSWERS:
        heading("Answer");
        paragraph(step->text);
        break;
    case PEAL_STEP_CORRECTS:
        heading("Where the source is wrong");
        paragraph(step->text);
        break;
    }
}

static void
show_verdict(const struct peal_board *board)
{
    int checks = peal_board_checks(board), failed = peal_board_failed(board);

    putchar('\n');
    print_ink(stdout, failed ? BAD : GOOD);
    if (failed)
        printf("Does not hold: %d of %d checks failed.\n", failed, checks);
    else
        printf("Holds: %d check%s.\n", checks, print_plural(checks));
    print_ink(stdout, PLAIN);
}

static void
show_lesson(const struct peal_lesson *lesson, const struct peal_board *board)
{
    const struct peal_step *step, *before = NULL;

    print_ink(stdout, BOLD);
    printf("%s   %s\n", lesson->id, lesson->title);
    print_inked(stdout, FAINT, "%s\nalgorithms/lessons/%s\n", lesson->source, lesson->code);
    heading("Question");
    paragraph(lesson->question);
    for (int i = 0; (step = peal_board_step(board, i)); before = step, i++)
        show_step(step, before && before->kind == step->kind);
    show_verdict(board);
}

/* ------------------------------------------------------------------ all lessons for people */

static void
list_row(const struct peal_lesson *lesson, const char *last)
{
    print_left(stdout, lesson->id, ID);
    print_left(stdout, lesson->title, TITLE);
    puts(last);
}

static void
show_list(void)
{
    const struct peal_lesson *lesson;

    for (int i = 0; (lesson = peal_lesson_get(i)); i++)
        list_row(lesson, lesson->source);
    puts("\npeal lesson ID runs one, peal lesson --all runs them all.");
}

/* One line a lesson, and the checks that failed below it. */
static void
show_result(const struct peal_lesson *lesson, const struct peal_board *board)
{
    const struct peal_step *step;
    char text[64], result[100];
    int failed = peal_board_failed(board);

    print_count((unsigned)peal_board_checks(board), "check", text);
    snprintf(result, sizeof result, failed ? "does not hold: %2$d of %1$s failed" : "holds, %1$s", text, failed);
    list_row(lesson, result);
    for (int i = 0; (step = peal_board_step(board, i)); i++)
        if (step->kind == PEAL_STEP_CHECKS && !step->holds)
            show_check(step);
}

/* ------------------------------------------------------------------ for programs */

static enum peal_status
write_steps(struct peal_json *json, const struct peal_lesson *lesson, const struct peal_board *board,
            struct peal_error *error)
{
    static const char *const kinds[] = {
        [PEAL_STEP_SAYS] = "says",     [PEAL_STEP_SHOWS] = "shows",     [PEAL_STEP_RUNS] = "runs",
        [PEAL_STEP_CHECKS] = "checks", [PEAL_STEP_ANSWERS] = "answers", [PEAL_STEP_CORRECTS] = "corrects",
    };
    const struct peal_step *step;
    enum peal_status status = PEAL_OK;

    peal_json_put(json, PEAL_LINE(3), PEAL_BOOL("holds", !peal_board_failed(board)),
                  PEAL_INT("checks", peal_board_checks(board)), PEAL_INT("failed", peal_board_failed(board)),
                  PEAL_OPEN("steps", '['));
    for (int i = 0; (step = peal_board_step(board, i)) && status == PEAL_OK; i++) {
        peal_json_put(json, PEAL_LINE(4), PEAL_OPEN(NULL, '{'), PEAL_STRING("kind", kinds[step->kind]),
                      PEAL_STRING("text", step->text));
        if (step->kind == PEAL_STEP_CHECKS)
            peal_json_put(json, PEAL_BOOL("holds", step->holds));
        if (step->machine)
            status = document_run(json, step->machine, lesson->id, error);
        peal_json_close(json, '}');
    }
    peal_json_close(json, ']');
    return status;
}

/* One lesson of the document; without a board only its description. */
static enum peal_status
write_lesson(struct peal_json *json, const struct peal_lesson *lesson, const struct peal_board *board,
             struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    peal_json_put(json, PEAL_LINE(2), PEAL_OPEN(NULL, '{'), PEAL_STRING("id", lesson->id),
                  PEAL_STRING("title", lesson->title), PEAL_STRING("source", lesson->source),
                  PEAL_STRING("code", lesson->code), PEAL_LINE(3), PEAL_STRING("question", lesson->question));
    if (board)
        status = write_steps(json, lesson, board, error);
    peal_json_close(json, '}');
    return status;
}

static void
begin_document(struct peal_json *json)
{
    peal_json_put(json, PEAL_OPEN(NULL, '{'), PEAL_STRING("schema", "peal/lesson/1"), PEAL_OPEN("lessons", '['));
}

static void
end_document(struct peal_json *json, bool holds)
{
    peal_json_put(json, PEAL_LINE(1), PEAL_CLOSE(']'), PEAL_BOOL("holds", holds), PEAL_CLOSE('}'));
}

/* ------------------------------------------------------------------ the command */

/* Show what these words find, lessons first; without a hit, or where lessons are to be run, refuse the unknown `id`. */
static int
search(const struct command_request *request, const char *id)
{
    const char *names[200] = {NULL};
    const struct peal_lesson *lesson;
    struct peal_error error;
    char upper[64] = "";
    bool runs = request->document.json || request->document.report_file;

    if (!runs && manual_search(request->argument_count, request->arguments, "peal lesson ", &error) == PEAL_OK)
        return 0;
    for (int i = 0; (lesson = peal_lesson_get(i)) && i + 1 < (int)(sizeof names / sizeof *names); i++)
        names[i] = lesson->id;
    for (size_t i = 0; id[i] && i + 1 < sizeof upper; i++)
        upper[i] = id[i] >= 'a' && id[i] <= 'z' ? (char)(id[i] - 'a' + 'A') : id[i];
    const char *near = peal_suggest(upper, names);

    if (near || runs)
        peal_refuse(&error, PEAL_USAGE, "unknown lesson '%s'%s%s%s", id,
                    near ? "; did you mean " : " (peal lesson lists them)", near ? near : "", near ? "?" : "");
    return complain(&error);
}

/* Run one lesson and print it, and write it to the page's document (NULL: none); *failed counts the lessons that do not
 * hold. */
static enum peal_status
teach(const struct command_request *request, struct peal_json *json, struct peal_json *page,
      const struct peal_lesson *lesson, bool follows, int *failed, struct peal_error *error)
{
    struct peal_board *board = peal_lesson_teach(lesson, error);
    enum peal_status status = PEAL_OK;

    if (!board)
        return error->status;
    *failed += peal_board_failed(board) > 0;
    if (page)
        status = write_lesson(page, lesson, board, error);
    if (status == PEAL_OK && request->document.json) {
        status = write_lesson(json, lesson, board, error);
    } else if (request->lesson->all) {
        show_result(lesson, board);
    } else {
        if (follows)
            putchar('\n');
        show_lesson(lesson, board);
    }
    peal_board_destroy(board);
    fflush(stdout);
    return status;
}

/* Run the requested lessons, in the order of the arguments, or all of them. */
static enum peal_status
teach_all(const struct command_request *request, struct peal_json *json, struct peal_json *page, int *failed,
          struct peal_error *error)
{
    const struct peal_lesson *lesson;
    int given = 0;

    for (;; given++) {
        if (request->lesson->all)
            lesson = peal_lesson_get(given);
        else
            lesson = given < request->argument_count ? peal_lesson_find(request->arguments[given]) : NULL;
        if (!lesson)
            break;
        if (teach(request, json, page, lesson, given > 0, failed, error) != PEAL_OK)
            return error->status;
    }
    if (page)
        end_document(page, !*failed);
    if (request->document.json) {
        end_document(json, !*failed);
    } else if (request->lesson->all) {
        printf("\n%d lessons, ", given);
        print_inked(stdout, *failed ? BAD : GOOD, *failed ? "%d of them do not hold\n" : "all hold\n", *failed);
    }
    return PEAL_OK;
}

/* The document of the page: teach_all wrote it. */
static enum peal_status
written_already(FILE *out, const void *what, struct peal_error *error)
{
    (void)out, (void)what, (void)error;
    return PEAL_OK;
}

/* Teach, and write the requested page: its file is opened first, and gets its name last. */
static int
teach_with_page(const struct command_request *request, struct peal_json *json)
{
    struct writings writings = {.request = request, .page = written_already};
    struct peal_json page = {.out = NULL};
    struct peal_error error = {PEAL_OK, ""};
    int failed = 0;
    enum peal_status status = writings_open(&writings, &error);

    if (status == PEAL_OK && writings.paging.document) {
        page.out = writings.paging.document;
        begin_document(&page);
    }
    if (status == PEAL_OK)
        status = teach_all(request, json, page.out ? &page : NULL, &failed, &error);
    if (status == PEAL_OK)
        status = writings_end(&writings, NULL, NULL, &error);
    writings_fini(&writings);
    if (status != PEAL_OK)
        return complain(&error);
    return failed ? PEAL_FAILED : PEAL_OK;
}

static int
run(const struct command_request *request)
{
    const struct peal_lesson *lesson;
    struct peal_json json = {.out = stdout};
    struct peal_error error;

    if (request->program || (request->lesson->all && request->argument_count > 0)) {
        peal_refuse(&error, PEAL_USAGE, "expected lessons, as in peal lesson S3, or --all");
        return complain(&error);
    }
    for (int i = 0; i < request->argument_count; i++)
        if (!peal_lesson_find(request->arguments[i]))
            return search(request, request->arguments[i]);
    if (request->document.report_file && !request->lesson->all && request->argument_count == 0) {
        peal_refuse(&error, PEAL_USAGE, "--report %s: expected lessons, as in peal lesson S3, or --all",
                    request->document.report_file);
        return complain(&error);
    }
    if (request->document.json)
        begin_document(&json);
    if (request->lesson->all || request->argument_count > 0)
        return teach_with_page(request, &json);
    if (!request->document.json) {
        show_list();
        return 0;
    }
    for (int i = 0; (lesson = peal_lesson_get(i)); i++)
        write_lesson(&json, lesson, NULL, NULL);
    peal_json_put(&json, PEAL_LINE(1), PEAL_CLOSE(']'), PEAL_CLOSE('}'));
    return 0;
}

const struct command command_lesson = {
    .name = "lesson",
    .arguments = "[ID...|WORDS] [--all] [--json] [--report FILE.html]",
    .summary = "run the course's scenarios, quizzes and figures",
    .examples = "  peal lesson             the lessons there are\n"
                "  peal lesson S3          one: question, run, answer\n"
                "  peal lesson OAS1 ODD    one after the other\n"
                "  peal lesson odd split   what there is on these words, lessons first\n"
                "  peal lesson S3 --report s3.html    its text and its runs, for the browser\n"
                "  peal lesson --all       all of them, a line each; exit 1 if a claim fails\n",
    .completes = WORDS_LESSON,
    .run = run,
};
