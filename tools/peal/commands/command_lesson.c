/* SPDX-License-Identifier: MIT */
/* peal lesson: the course's scenarios, quizzes and figures, run on the machine. */
#include "commands/commands.h"
#include "help/manual.h"
#include "lib/base/grow.h"
#include "lib/base/nearest.h"
#include "lib/record/record.h"
#include "run/lesson_file.h"
#include "write/written.h"
#include <ctype.h>

/* The columns of the list. */
enum { ID = 9, TITLE = 40, INDENT = 2 };

static void
paragraph(const char *text)
{
    printf("%*s", INDENT, "");
    print_wrapped(stdout, text, INDENT);
}

/* ------------------------------------------------------------------ a run that failed */

static void
show_lesson_failure(const struct peal_failure *failure)
{
    char text[TEXT_MESSAGE + 40], message[TEXT_MESSAGE];

    snprintf(text, sizeof text, "%s: %s", peal_failure_name(failure->kind), text_message(&failure->fault, message));
    paragraph(text);
    for (int i = 0; i < failure->cycle_length; i++)
        printf("%s%d →%s", i == 0 ? "    cycle  " : "", failure->cycle[i], i + 1 < failure->cycle_length ? " " : "");
    if (failure->cycle_length > 0)
        printf(" %d\n", failure->cycle[0]);
}

/* ------------------------------------------------------------------ one lesson for people */

/* "Run: caption" and, at the right edge, the network. */
static void
lesson_show_run(const struct taught_step *step)
{
    const struct peal_options *options = &step->record->options;
    char machine[200];

    snprintf(machine, sizeof machine, "%s", options->topology);
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
    show_messages(&step->record->schedule, step->record->cost);
    if (step->failed)
        show_lesson_failure(step->failed);
    else if (step->failure)
        paragraph(step->failure);
}

static void
show_check(const struct taught_step *step)
{
    fputs("  ", stdout);
    print_inked(stdout, step->holds ? GOOD : BAD, "%s", step->holds ? "✓ " : "✗ ");
    print_wrapped(stdout, step->text, INDENT + 2);
}

static void
lesson_show_step(const struct taught_step *step, bool follows)
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
        lesson_show_run(step);
        break;
    case PEAL_STEP_CHECKS:
        if (!follows)
            putchar('\n');
        show_check(step);
        break;
    case PEAL_STEP_ANSWERS:
        print_title(stdout, "Answer");
        paragraph(step->text);
        break;
    case PEAL_STEP_CORRECTS:
        print_title(stdout, "Where the source is wrong");
        paragraph(step->text);
        break;
    }
}

static void
lesson_show_verdict(const struct taught *taught)
{
    int checks = taught->checks, failed = taught->failed;

    if (checks == 0)
        return;

    putchar('\n');
    print_ink(stdout, failed ? BAD : GOOD);
    if (failed)
        printf("Does not hold: %d of %d checks failed.\n", failed, checks);
    else
        printf("Holds: %d check%s.\n", checks, plural(checks));
    print_ink(stdout, PLAIN);
}

/* Where the lesson's text is. */
static const char *
lesson_place(const struct taught *taught, char place[300])
{
    snprintf(place, 300, "%s%s", taught->board ? "algorithms/lessons/" : "", taught->code);
    return place;
}

static void
show_question(const struct taught *taught)
{
    char place[300];

    print_ink(stdout, BOLD);
    printf("%s   %s\n", taught->id, taught->title);
    print_inked(stdout, FAINT, "%s%s%s\n", taught->source, *taught->source ? "\n" : "", lesson_place(taught, place));
    print_title(stdout, "Question");
    paragraph(taught->question);
}

static void
show_rest(const struct taught *taught)
{
    for (int i = 0; i < taught->count; i++)
        lesson_show_step(&taught->steps[i], i > 0 && taught->steps[i - 1].kind == taught->steps[i].kind);
    lesson_show_verdict(taught);
}

/* The picture of a question: the network of the first run; if that has one round, also its messages, which the question
 * is about, without their cost. */
static void
show_asked(const struct taught *taught)
{
    int i = 0;

    while (i < taught->count && taught->steps[i].kind != PEAL_STEP_RUNS)
        i++;
    if (i == taught->count)
        return;
    const struct peal_options *options = &taught->steps[i].record->options;
    const struct peal_schedule *schedule = &taught->steps[i].record->schedule;
    bool one = schedule->round_count == 1;

    printf("\n  The network: %s\n", options->topology);
    if (strncmp(options->topology, "line:", 5) == 0)
        peal_draw_line(schedule, one ? 0 : SIZE_MAX, options->nodes, false, show_line, NULL);
    else
        for (size_t j = 0; one && j < schedule->transfer_count && j < 20; j++)
            printf("    %d→%d\n", schedule->transfers[j].from, schedule->transfers[j].to);
}

/* Ask, and wait for Enter; false where nobody can press it. */
static bool
lesson_ask(const struct taught *taught)
{
    show_question(taught);
    show_asked(taught);
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        printf("\npeal lesson %s shows the answer.\n", taught->code && !taught->board ? taught->code : taught->id);
        return false;
    }
    fputs("\nEnter shows the answer. ", stdout);
    fflush(stdout);
    for (int c; (c = getchar()) != EOF && c != '\n';)
        ;
    return true;
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
lesson_show_list(void)
{
    const struct peal_lesson *lesson;

    for (int i = 0; (lesson = peal_lesson_get(i)); i++)
        list_row(lesson, lesson->source);
    puts("\npeal lesson ID runs one, peal lesson --all runs them all.");
}

/* One line per lesson, and below it the checks that failed. */
static void
lesson_show_result(const struct peal_lesson *lesson, const struct taught *taught)
{
    char text[64], result[100];
    int failed = taught->failed;

    print_count((unsigned)taught->checks, "check", text);
    snprintf(result, sizeof result, failed ? "does not hold: %2$d of %1$s failed" : "holds, %1$s", text, failed);
    list_row(lesson, result);
    for (int i = 0; i < taught->count; i++)
        if (!taught->steps[i].holds)
            show_check(&taught->steps[i]);
}

/* ------------------------------------------------------------------ for programs */

static enum peal_status
write_steps(struct peal_json *json, const struct taught *taught, struct peal_error *error)
{
    static const char *const kinds[] = {
        [PEAL_STEP_SAYS] = "says",     [PEAL_STEP_SHOWS] = "shows",     [PEAL_STEP_RUNS] = "runs",
        [PEAL_STEP_CHECKS] = "checks", [PEAL_STEP_ANSWERS] = "answers", [PEAL_STEP_CORRECTS] = "corrects",
    };
    enum peal_status status = PEAL_OK;

    peal_json_put(json, PEAL_LINE(3), PEAL_BOOL("holds", !taught->failed), PEAL_INT("checks", taught->checks),
                  PEAL_INT("failed", taught->failed), PEAL_OPEN("steps", '['));
    for (int i = 0; i < taught->count && status == PEAL_OK; i++) {
        const struct taught_step *step = &taught->steps[i];

        peal_json_put(json, PEAL_LINE(4), PEAL_OPEN(NULL, '{'), PEAL_STRING("kind", kinds[step->kind]),
                      PEAL_STRING("text", step->text),
                      PEAL_WHERE(step->kind == PEAL_STEP_CHECKS, PEAL_BOOL("holds", step->holds)));
        if (step->record) {
            peal_json_put(json, PEAL_KEY("run"), PEAL_LINE(0), PEAL_TEXT(NULL, ""));
            status = peal_write_record(json->out, step->record, error);
        }
        peal_json_put(json, PEAL_CLOSE('}'));
    }
    peal_json_put(json, PEAL_CLOSE(']'));
    return status;
}

/* One lesson of the document; only its description if it was not given. */
static enum peal_status
write_lesson(struct peal_json *json, const struct taught *taught, bool given, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    peal_json_put(json, PEAL_LINE(2), PEAL_OPEN(NULL, '{'), PEAL_STRING("id", taught->id),
                  PEAL_STRING("title", taught->title), PEAL_STRING("source", taught->source),
                  PEAL_STRING("code", taught->code), PEAL_LINE(3), PEAL_STRING("question", taught->question));
    if (given)
        status = write_steps(json, taught, error);
    peal_json_put(json, PEAL_CLOSE('}'));
    return status;
}

static void
begin_document(struct peal_json *json, bool with_question)
{
    peal_json_put(json, PEAL_OPEN(NULL, '{'), PEAL_STRING("schema", "peal/lesson/1"),
                  PEAL_WHERE(with_question, PEAL_BOOL("asks", true)), PEAL_OPEN("lessons", '['));
}

static void
end_document(struct peal_json *json, bool holds)
{
    peal_json_put(json, PEAL_LINE(1), PEAL_CLOSE(']'), PEAL_BOOL("holds", holds), PEAL_CLOSE('}'));
}

/* ------------------------------------------------------------------ the command */

/* Show what these words find, lessons first; without a hit, or where lessons are to be run, refuse the unknown `id`. */
static int
lesson_search(const struct command_request *request, const char *id)
{
    const struct peal_lesson *lesson;
    struct peal_error error;
    char upper[64] = "", alike[200] = "";
    struct nearest near = {.word = upper};
    bool runs =
        request->document.json || request->document.report_file || paging_picture(request).file || request->lesson->ask;

    if (!runs && manual_search(request->argument_count, request->arguments, "peal lesson ", &error) == PEAL_OK)
        return 0;
    for (size_t i = 0; id[i] && i + 1 < sizeof upper; i++)
        upper[i] = id[i] >= 'a' && id[i] <= 'z' ? (char)(id[i] - 'a' + 'A') : id[i];
    for (int i = 0; (lesson = peal_lesson_get(i)); i++) {
        peal_nearest_offer(&near, lesson->id);
        if (lesson->id[0] == upper[0] && isdigit((unsigned char)upper[1]) && isdigit((unsigned char)lesson->id[1]))
            peal_append(IN_ARRAY(alike), "%s%s", alike[0] ? ", " : "", lesson->id); /* S5: S1 to S4 */
    }
    if (alike[0])
        peal_refuse(&error, PEAL_USAGE, "unknown lesson '%s': there are %s (peal lesson lists all)", id, alike);
    else if (near.name || runs)
        peal_refuse(&error, PEAL_USAGE, "unknown lesson '%s'%s", id,
                    peal_nearest_words(&near, " (peal lesson lists them)"));
    return complain(&error);
}

/* The page: its document, and the runs in it. */
struct lesson_page {
    struct peal_json json;
    struct report *report;
};

/* Take over the runs of a lesson that has been given. */
static enum peal_status
take_runs(struct report *report, struct taught *taught, struct peal_error *error)
{
    for (struct taught_step *step = taught->steps; step < taught->steps + taught->count; step++) {
        if (!step->record)
            continue;
        if (!grow_by_one(&report->runs, report->run_count, sizeof(struct peal_record *)))
            return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        report->runs[report->run_count++] = step->record;
        step->record = NULL;
    }
    return PEAL_OK;
}

/* Give one lesson, of the library or (NULL) of the file `path`: print it, and write it to the page's document (NULL:
 * none).  *failed counts the lessons whose claims do not hold. */
static enum peal_status
teach(const struct command_request *request, struct peal_json *json, struct lesson_page *page,
      const struct peal_lesson *lesson, const char *path, bool follows, int *failed, struct peal_error *error)
{
    struct taught taught;
    enum peal_status status =
        lesson ? taught_lesson(&taught, lesson, &request->lesson->numbers, error) : taught_file(&taught, path, error);

    if (status == PEAL_OK && page)
        status = write_lesson(&page->json, &taught, true, error);
    if (status == PEAL_OK && request->document.json) {
        status = write_lesson(json, &taught, true, error);
    } else if (status == PEAL_OK && request->lesson->all) {
        lesson_show_result(lesson, &taught);
    } else if (status == PEAL_OK) {
        bool answers = true;

        if (follows)
            putchar('\n');
        if (request->lesson->ask)
            answers = lesson_ask(&taught);
        else
            show_question(&taught);
        if (answers)
            show_rest(&taught);
    }
    if (status == PEAL_OK && page)
        status = take_runs(page->report, &taught, error);
    *failed += taught.failed > 0;
    taught_fini(&taught);
    fflush(stdout);
    return status;
}

/* Run the requested lessons, in the order of the arguments, or all of them. */
static enum peal_status
teach_all(const struct command_request *request, struct peal_json *json, struct lesson_page *page, int *failed,
          struct peal_error *error)
{
    const struct peal_lesson *lesson;
    int given = 0;

    for (;; given++) {
        const char *name = given < request->argument_count ? request->arguments[given] : NULL;

        lesson = request->lesson->all ? peal_lesson_get(given) : name ? peal_lesson_find(name) : NULL;
        if (!lesson && !name)
            break;
        if (teach(request, json, page, lesson, name, given > 0, failed, error) != PEAL_OK)
            return error->status;
    }
    if (page)
        end_document(&page->json, !*failed);
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
    struct report *report = &writings.paging.report;
    struct lesson_page page = {.json = {.out = NULL}, .report = report};
    struct peal_error error = {PEAL_OK, ""};
    int failed = 0;
    enum peal_status status = writings_open(&writings, &error);

    if (status == PEAL_OK && writings.paging.document) {
        page.json.out = writings.paging.document;
        report->kind = REPORT_LESSON;
        begin_document(&page.json, request->lesson->ask);
    }
    if (status == PEAL_OK)
        status = teach_all(request, json, page.json.out ? &page : NULL, &failed, &error);
    status = writings_close(&writings, status, NULL, &error);
    if (status != PEAL_OK)
        return complain(&error);
    return failed ? PEAL_FAILED : PEAL_OK;
}

static int
command_lesson_run(const struct command_request *request)
{
    const struct peal_lesson *lesson;
    struct peal_json json = {.out = stdout};

    if (request->program || (request->lesson->all && request->argument_count > 0))
        return complain_of(PEAL_USAGE, "expected lessons, as in peal lesson S3, or --all");
    for (int i = 0; i < request->argument_count; i++)
        if (!peal_lesson_find(request->arguments[i]) && !taught_is_file(request->arguments[i]))
            return lesson_search(request, request->arguments[i]);
    const struct peal_lesson_numbers *numbers = &request->lesson->numbers;

    for (int i = 0; numbers->nodes || numbers->words || numbers->ports; i++) {
        lesson = i < request->argument_count ? peal_lesson_find(request->arguments[i]) : NULL;
        if (i > 0 && i == request->argument_count)
            break;
        if (!lesson || !lesson->takes_numbers)
            return complain_of(PEAL_USAGE, "-p, -m and --ports are for a derivation, as in peal lesson DERIVE -p 12");
    }
    const struct paging_picture picture = paging_picture(request);
    const char *page = request->document.report_file, *drawn = page ? page : picture.file;

    if ((drawn || request->lesson->ask) && !request->lesson->all && request->argument_count == 0)
        return complain_of(PEAL_USAGE, "%s%s%s: expected lessons, as in peal lesson S3%s",
                           page    ? "--report"
                           : drawn ? picture.option
                                   : "--ask",
                           drawn ? " " : "", drawn ? drawn : "", drawn ? ", or --all" : "");
    if (request->lesson->ask && (request->lesson->all || (drawn && request->argument_count > 1)))
        return complain_of(PEAL_USAGE, "--ask: expected %s, as in peal lesson S3 --ask",
                           drawn ? "one lesson for a page or a picture" : "lessons");
    if (request->document.json)
        begin_document(&json, request->lesson->ask);
    if (request->lesson->all || request->argument_count > 0)
        return teach_with_page(request, &json);
    if (!request->document.json) {
        lesson_show_list();
        return 0;
    }
    for (int i = 0; (lesson = peal_lesson_get(i)); i++) {
        struct taught about = {.id = lesson->id,
                               .title = lesson->title,
                               .source = lesson->source,
                               .code = lesson->code,
                               .question = lesson->question};

        write_lesson(&json, &about, false, NULL);
    }
    peal_json_put(&json, PEAL_LINE(1), PEAL_CLOSE(']'), PEAL_CLOSE('}'));
    return 0;
}

const struct command command_lesson = {
    .name = "lesson",
    .arguments = "[ID...|FILE...|WORDS] [--all] [--ask] [--report FILE.html]",
    .summary = "run the course's scenarios, quizzes and figures",
    .examples = "  peal lesson             the lessons there are\n"
                "  peal lesson S3          one: question, run, answer\n"
                "  peal lesson OAS1 ODD    one after the other\n"
                "  peal lesson DERIVE -p 12    the bounds step by step, with your numbers\n"
                "  peal lesson S3 --ask    question and picture; the answer on a key\n"
                "  peal lesson my.txt      your own, a text file: see peal help lesson\n"
                "  peal lesson odd split   what there is on these words, lessons first\n"
                "  peal lesson S3 --report s3.html    its text and its runs, for the browser\n"
                "  peal lesson --all       all of them, a line each; exit 1 if a claim fails\n",
    .completes = WORDS_LESSON,
    .run = command_lesson_run,
};
