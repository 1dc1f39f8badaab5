/* SPDX-License-Identifier: MIT */
/* Reads a lesson's file section by section; a run is the command `peal run`, made in this process and kept as its
 * document records it. */
#include "run/lesson_file.h"
#include "lib/base/grow.h"
#include "lib/base/shell_word.h"
#include "lib/base/text.h"
#include "lib/check/expression.h"
#include "lib/record/record.h"
#include "run/session.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ steps */

static enum peal_status
taught_no_memory(struct peal_error *error)
{
    return peal_refuse(error, PEAL_RESOURCES, "not enough memory for the lesson");
}

/* Add a step with a copy of the text; NULL without memory. */
static struct taught_step *
taught_add_step(struct taught *taught, enum peal_step_kind kind, const char *text)
{
    size_t room = (size_t)taught->room;
    struct taught_step *step;

    if (!array_grow(&taught->steps, &room, (size_t)taught->count + 1, sizeof *taught->steps))
        return NULL;
    taught->room = (int)room;
    step = &taught->steps[taught->count];
    *step = (struct taught_step){.kind = kind, .holds = true, .text = strdup(text)};
    if (!step->text)
        return NULL;
    taught->count++;
    return step;
}

enum peal_status
taught_lesson(struct taught *taught, const struct peal_lesson *lesson, const struct peal_lesson_numbers *numbers,
              struct peal_error *error)
{
    const struct peal_step *given;

    *taught = (struct taught){.id = lesson->id,
                              .title = lesson->title,
                              .source = lesson->source,
                              .code = lesson->code,
                              .question = lesson->question};
    taught->board = peal_lesson_teach(lesson, numbers, error);
    if (!taught->board)
        return error->status;
    for (int i = 0; (given = peal_board_step(taught->board, i)); i++) {
        struct taught_step *step = taught_add_step(taught, given->kind, given->text);

        if (!step)
            return taught_no_memory(error);
        if (given->machine && !(step->record = peal_record_take(given->machine, NULL, lesson->id, error)))
            return error->status;
        step->failed = given->machine ? peal_machine_failure(given->machine) : NULL;
        step->holds = given->holds;
        taught->checks += given->kind == PEAL_STEP_CHECKS;
        taught->failed += given->kind == PEAL_STEP_CHECKS && !given->holds;
    }
    return PEAL_OK;
}

void
taught_fini(struct taught *taught)
{
    for (int i = 0; i < taught->count; i++) {
        free(taught->steps[i].text);
        peal_record_destroy(taught->steps[i].record);
        free(taught->steps[i].failure);
    }
    free(taught->steps);
    free(taught->bytes);
    peal_board_destroy(taught->board);
    *taught = (struct taught){.count = 0};
}

/* ------------------------------------------------------------------ a run */

enum { MAX_WORDS = 100 };

/* Make the run of a line "run: --messages '1>6' -t line:8", which may begin with "peal run". */
static enum peal_status
taught_add_run(struct taught *taught, const char *path, int line, const char *text, struct peal_error *error)
{
    char *copy = strdup(text), *words[MAX_WORDS + 1];
    int count = copy ? peal_shell_cut(copy, words, MAX_WORDS) : 0, first = 0;
    struct peal_error why = {PEAL_OK, ""};
    struct command_request request;
    struct taught_step *step;

    if (!copy)
        return taught_no_memory(error);
    if (count >= 2 && strcmp(words[0], "peal") == 0 && strcmp(words[1], "run") == 0)
        first = 2;
    if (count <= first) {
        free(copy);
        return peal_refuse(error, PEAL_USAGE, "%s, line %d: expected what follows peal run, as in run: scatter -p 8%s",
                           path, line, count < 0 ? "; a quote is not closed" : "");
    }
    const struct command *run = command_find("run", &why);
    enum peal_status status = options_parse(&request, run, count - first, words + first, &why);

    step = status == PEAL_OK ? taught_add_step(taught, PEAL_STEP_RUNS, text) : NULL;
    if (step)
        session_record(&request, &step->record, &step->failure);
    if (step && !step->record)
        status = peal_refuse(&why, PEAL_USAGE, "this run cannot be made");
    else if (!step && status == PEAL_OK)
        status = taught_no_memory(&why);
    options_fini(&request);
    free(copy);
    return status == PEAL_OK ? PEAL_OK : peal_refuse(error, status, "%s, line %d: %s", path, line, why.text);
}

/* Draw the rounds of the last run, if they are few, on a line. */
struct drawn {
    struct taught *taught;
    bool lost;
};

static void
taught_add_line(void *arg, const char *line)
{
    struct drawn *drawn = arg;

    drawn->lost |= !taught_add_step(drawn->taught, PEAL_STEP_SHOWS, line);
}

static enum peal_status
draw_last(struct taught *taught, struct peal_error *error)
{
    enum { MAX_DRAWN = 6 };
    const struct peal_record *record = taught->steps[taught->count - 1].record;
    struct drawn drawn = {taught, false};

    if (strncmp(record->options.topology, "line:", 5) != 0 || record->schedule.round_count > MAX_DRAWN)
        return PEAL_OK;
    for (size_t i = 0; i < record->schedule.round_count; i++)
        peal_draw_line(&record->schedule, i, record->options.nodes, true, taught_add_line, &drawn);
    return drawn.lost ? taught_no_memory(error) : PEAL_OK;
}

/* ------------------------------------------------------------------ a claim */

static const struct taught_step *
last_run(const struct taught *taught)
{
    for (int i = taught->count; i-- > 0;)
        if (taught->steps[i].kind == PEAL_STEP_RUNS)
            return &taught->steps[i];
    return NULL;
}

/* The number that a claim is about; false where the name is unknown. */
static bool
taught_claim_value(const struct peal_record *record, const char *name, size_t length, double *value)
{
    const struct peal_schedule *schedule = &record->schedule;
    uint64_t words = 0;
    uint32_t k = 0, hops = 0;

    for (size_t i = 0; i < schedule->transfer_count; i++) {
        words += schedule->transfers[i].words;
        k = schedule->transfers[i].k > k ? schedule->transfers[i].k : k;
        hops = schedule->transfers[i].hops > hops ? schedule->transfers[i].hops : hops;
    }
    const struct {
        const char *name;
        double value;
    } known[] = {{"rounds", (double)schedule->round_count},
                 {"messages", (double)schedule->transfer_count},
                 {"words", (double)words},
                 {"k", k},
                 {"hops", hops},
                 {"alpha", (double)record->cost.alpha},
                 {"beta", (double)record->cost.beta},
                 {"t_d", (double)record->cost.hop},
                 {"tau", (double)record->cost.tau},
                 {"time", peal_cost_time(record->cost, record->options.parameters)}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == length && strncmp(name, known[i].name, length) == 0) {
            *value = known[i].value;
            return true;
        }
    return false;
}

/* "check: k = 2", "check: beta = m*(P-1)", of the run before it. */
static enum peal_status
add_check(struct taught *taught, const char *path, int line, const char *text, struct peal_error *error)
{
    const struct taught_step *run = last_run(taught);
    size_t length = strcspn(text, " =");
    const char *equals = text + length + strspn(text + length, " ");
    double found, expected;
    char claim[400];
    struct peal_error why;

    if (!run)
        return peal_refuse(error, PEAL_USAGE, "%s, line %d: expected a run before the check", path, line);
    if (*equals != '=' || !taught_claim_value(run->record, text, length, &found))
        return peal_refuse(
            error, PEAL_USAGE,
            "%s, line %d: expected rounds, messages, words, k, hops, alpha, beta, t_d, tau or time, and = "
            "with a number or an expression of P, m, n and q, as in check: k = 2",
            path, line);
    const struct peal_record *record = run->record;
    struct peal_check_values values =
        peal_check_values_on(record->options.nodes, record->has_block_words ? (double)record->block_words : NAN,
                             record->has_vector_words ? (double)record->vector_words : NAN);

    const char *expression = equals + 1 + strspn(equals + 1, " ");

    if (peal_check_expression(expression, values, &expected, &why) != PEAL_OK)
        return peal_refuse(error, PEAL_USAGE, "%s, line %d: %s", path, line, why.text);
    bool holds = found == expected; /* whole numbers */

    if (holds)
        snprintf(claim, sizeof claim, "%s", text);
    else
        snprintf(claim, sizeof claim, "%s: it is %.15g, not %.15g", text, found, expected);
    struct taught_step *step = taught_add_step(taught, PEAL_STEP_CHECKS, claim);

    if (!step)
        return taught_no_memory(error);
    step->holds = holds;
    taught->checks++;
    taught->failed += !holds;
    return PEAL_OK;
}

/* ------------------------------------------------------------------ the file */

struct lesson_reader {
    const char *path;
    char *at;
    int line;
    struct taught *taught;
};

/* The sections; where order matters, it is that of this list. */
enum { TITLE, SOURCE, QUESTION, RUN, CHECK, SAY, ANSWER, SECTIONS };
static const char *const section_names[SECTIONS + 1] = {"title", "source", "question", "run",
                                                        "check", "say",    "answer",   NULL};

/* The section that a line begins: a name and a colon at its very beginning.  SECTIONS for none. */
static int
section_of(const char *line)
{
    for (int i = 0; i < SECTIONS; i++) {
        size_t length = strlen(section_names[i]);

        if (strncmp(line, section_names[i], length) == 0 && line[length] == ':')
            return i;
    }
    return SECTIONS;
}

/* Take the lines up to the next section as one text; lines become blanks, an empty line ends a paragraph. */
static char *
taught_take_text(struct lesson_reader *reader, char *begin)
{
    char *to = begin, *from = begin;

    for (;;) {
        char *end = from + strcspn(from, "\n");
        bool last = *end == '\0';

        *end = '\0';
        while (*from == ' ' || *from == '\t')
            from++;
        size_t length = (size_t)(end - from);

        while (length > 0 && strchr(" \t\r", from[length - 1]))
            length--;
        if (length == 0 && to > begin && to[-1] != '\n')
            *to++ = '\n';
        if (length > 0 && to > begin && to[-1] != '\n')
            *to++ = ' ';
        memmove(to, from, length);
        to += length;
        reader->line++;
        from = reader->at = last ? end : end + 1;
        if (last || section_of(from) < SECTIONS || *from == '#')
            break;
    }
    while (to > begin && (to[-1] == '\n' || to[-1] == ' '))
        to--;
    *to = '\0';
    return begin;
}

/* Paragraphs, each a step; the first of an answer begins it. */
static enum peal_status
add_paragraphs(struct taught *taught, enum peal_step_kind kind, char *text, struct peal_error *error)
{
    for (char *rest = text, *one; (one = strsep(&rest, "\n"));) {
        if (!taught_add_step(taught, kind, one))
            return taught_no_memory(error);
        kind = PEAL_STEP_SAYS;
    }
    return PEAL_OK;
}

static enum peal_status
add_section(struct lesson_reader *reader, int section, int line, char *text, struct peal_error *error)
{
    struct taught *taught = reader->taught;
    const char **heads[] = {&taught->title, &taught->source, &taught->question};
    enum peal_status status = PEAL_OK;

    if (!*text)
        return peal_refuse(error, PEAL_USAGE, "%s, line %d: nothing follows %s:", reader->path, line,
                           section_names[section]);
    if (section <= QUESTION) {
        if (*heads[section])
            return peal_refuse(error, PEAL_USAGE, "%s, line %d: duplicate %s", reader->path, line,
                               section_names[section]);
        *heads[section] = text;
        text_replace(text, '\n', ' ');
        return PEAL_OK;
    }
    if (section == RUN) {
        status = taught_add_run(taught, reader->path, line, text, error);
        return status == PEAL_OK ? draw_last(taught, error) : status;
    }
    if (section == CHECK)
        return add_check(taught, reader->path, line, text, error);
    return add_paragraphs(taught, section == SAY ? PEAL_STEP_SAYS : PEAL_STEP_ANSWERS, text, error);
}

static enum peal_status
read_sections(struct lesson_reader *reader, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    while (*reader->at && status == PEAL_OK) {
        int section = section_of(reader->at), line = reader->line;
        size_t length = strcspn(reader->at, "\n");

        if (section == SECTIONS && *reader->at != '#' && strspn(reader->at, " \t\r") != length)
            return peal_refuse(error, PEAL_USAGE,
                               "%s, line %d: expected title:, source:, question:, run:, check:, say: or answer:, got "
                               "'%.*s'",
                               reader->path, line, peal_fitting(reader->at, length < 40 ? (int)length : 40),
                               reader->at);
        if (section == SECTIONS) {
            reader->at += length + (reader->at[length] == '\n');
            reader->line++;
            continue;
        }
        char *begin = reader->at + strlen(section_names[section]) + 1;

        status = add_section(reader, section, line, taught_take_text(reader, begin), error);
    }
    return status;
}

bool
taught_is_file(const char *name)
{
    const char *dot = strrchr(name, '.');

    return !strchr(name, ' ') && (strchr(name, '/') || (dot && isalpha((unsigned char)dot[1])));
}

enum peal_status
taught_file(struct taught *taught, const char *path, struct peal_error *error)
{
    struct lesson_reader reader = {.path = path, .line = 1, .taught = taught};
    void *bytes = NULL;
    size_t count = 0;

    *taught = (struct taught){.id = file_name(path), .code = path, .source = ""};
    if (file_read(path, &bytes, &count, error) != PEAL_OK)
        return error->status;
    taught->bytes = bytes;
    if (strlen(taught->bytes) != count)
        return peal_refuse(error, PEAL_USAGE, "%s is not a text", path);
    taught->source = NULL;
    reader.at = taught->bytes;
    if (read_sections(&reader, error) != PEAL_OK)
        return error->status;
    if (!taught->title || !taught->question)
        return peal_refuse(error, PEAL_USAGE, "%s: expected a line that begins with %s", path,
                           taught->title ? "question:" : "title:");
    if (!taught->source)
        taught->source = "";
    return PEAL_OK;
}
