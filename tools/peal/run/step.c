/* SPDX-License-Identifier: MIT */
/* The view of a round: its transfers with k, the data that the nodes hold after it, and the charge up to it.  The data
 * are read from the "blocks" of the run's page, which only the library can compute. */
#include "lib/machine/callers.h"
#include "lib/record/record.h"
#include "show/show.h"
#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { DEFAULT_LINES = 24, DEFAULT_COLUMNS = 80, MAX_DIGITS = 9, CONTROL_C = 3, CONTROL_D = 4, ESCAPE = 27 };
/* The other characters of an arrow key come within this many milliseconds. */
enum { SOON = 50 };

/* The data that the nodes hold: a text a cell, NULL: nothing. */
struct step_strips {
    json_t *blocks; /* NULL: unknown, and why */
    bool delivers;  /* show only what a node keeps or still has to send on */
    char why[200];
    int nodes, cells;
    char **cell;
};

struct stepper {
    const struct session *session;
    const struct peal_schedule *schedule;
    struct step_strips strips;
    size_t at; /* rounds that are over: 0 shows the beginning of the run */
    int lines, columns;
};

enum peal_status
step_check(const struct command_request *request, struct peal_error *error)
{
    if (!request->step->step)
        return PEAL_OK;
    if (request->document.json || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return peal_refuse(error, PEAL_USAGE,
                           "--step shows a round at a time on a terminal%s; peal explain prints all of them",
                           request->document.json ? ", without --json" : ", and this is none");
    if (request->machine.rounds != PEAL_ROUNDS_ALL)
        return peal_refuse(error, PEAL_USAGE, "--step shows every round: leave out --rounds");
    return PEAL_OK;
}

/* ------------------------------------------------------------------ what the nodes hold */

/* Read the run's "blocks", as report_blocks writes them. */
static void
strips_init(struct step_strips *strips, const struct session *session)
{
    struct peal_record *record =
        peal_record_take(session->machine, session->program ? NULL : &session->outcome, session->called, NULL);

    snprintf(strips->why, sizeof strips->why, "not enough memory");
    char *text = record ? report_blocks(record, strips->why) : NULL;

    strips->blocks = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    peal_record_destroy(record);
    strips->delivers = json_object_get(strips->blocks, "leaves") &&
                       (session->collective == PEAL_SCATTER || session->collective == PEAL_GATHER);
    strips->nodes = peal_machine_options(session->machine)->nodes;
    strips->cells = (int)json_integer_value(json_object_get(strips->blocks, "cells"));
    strips->cell = calloc((size_t)strips->nodes * (size_t)strips->cells + 1, sizeof *strips->cell);
}

static void
strips_clear(struct step_strips *strips)
{
    for (int i = 0; strips->cell && i < strips->nodes * strips->cells; i++) {
        free(strips->cell[i]);
        strips->cell[i] = NULL;
    }
}

/* The text of a value: 5, 0-3, 0-3+6, or "·" for nothing.  `plus` is the cell's index in a sequence of numbers. */
static char *
step_value_text(const json_t *value, int plus)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        return NULL;
    if (json_is_string(value))
        fputs(json_string_value(value), out);
    else if (json_is_integer(value))
        fprintf(out, "%lld", json_integer_value(value) + plus);
    for (size_t i = 0; i < json_array_size(value); i += 2) { /* not an array: none */
        long long from = json_integer_value(json_array_get(value, i));
        long long to = json_integer_value(json_array_get(value, i + 1));

        fprintf(out, i > 0 ? "+%lld" : "%lld", from);
        if (to != from)
            fprintf(out, "-%lld", to);
    }
    fclose(out);
    if (text && *text)
        return text;
    free(text);
    return NULL;
}

/* Apply the changes of one round: [[node,first,count,value], ...]. */
static void
strips_change(struct step_strips *strips, const json_t *changes)
{
    for (size_t i = 0; i < json_array_size(changes); i++) {
        const json_t *change = json_array_get(changes, i), *value = json_array_get(change, 3);
        int at[3];

        for (size_t k = 0; k < 3; k++)
            at[k] = (int)json_integer_value(json_array_get(change, k));
        for (int cell = at[1]; cell < at[1] + at[2] && at[0] < strips->nodes && cell < strips->cells; cell++) {
            char **text = &strips->cell[at[0] * strips->cells + cell];

            free(*text);
            *text = step_value_text(value, cell - at[1]);
        }
    }
}

/* Empty the cells that a node has delivered: [[node,first,count], ...]. */
static void
strips_leave(struct step_strips *strips, const json_t *leaves)
{
    for (size_t i = 0; i < json_array_size(leaves) && strips->delivers; i++) {
        const json_t *leave = json_array_get(leaves, i);
        int node = (int)json_integer_value(json_array_get(leave, 0));
        int first = (int)json_integer_value(json_array_get(leave, 1));
        int count = (int)json_integer_value(json_array_get(leave, 2));

        for (int cell = first; cell < first + count && node < strips->nodes && cell < strips->cells; cell++) {
            free(strips->cell[node * strips->cells + cell]);
            strips->cell[node * strips->cells + cell] = NULL;
        }
    }
}

/* Bring them to their state after `rounds` rounds. */
static void
strips_go(struct step_strips *strips, size_t rounds)
{
    const json_t *after = json_object_get(strips->blocks, "rounds");

    if (!strips->cell)
        return;
    strips_clear(strips);
    strips_change(strips, json_object_get(strips->blocks, "start"));
    for (size_t i = 0; i < rounds; i++) {
        strips_change(strips, json_array_get(after, i));
        strips_leave(strips, json_array_get(json_object_get(strips->blocks, "leaves"), i + 1));
    }
}

static void
step_strips_fini(struct step_strips *strips)
{
    strips_clear(strips);
    free(strips->cell);
    json_decref(strips->blocks);
}

/* ------------------------------------------------------------------ showing a round */

static void
stepper_measure_screen(struct stepper *stepper)
{
    struct winsize size = {0};
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;

    stepper->lines = known && size.ws_row > 0 ? size.ws_row : DEFAULT_LINES;
    stepper->columns = known && size.ws_col > 0 ? size.ws_col : DEFAULT_COLUMNS;
}

/* Show the transfers in at most the given number of lines; returns how many it took. */
static int
show_transfers(const struct stepper *stepper, const struct peal_round *round, int most)
{
    for (size_t i = 0; i < round->count; i++) {
        const struct peal_transfer *t = &stepper->schedule->transfers[round->first + i];
        const struct peal_machine *machine = stepper->session->machine;
        char calls[CALLS_TEXT];

        if ((int)i + 1 >= most && i + 1 < round->count) {
            printf("  ... %zu more\n", round->count - i);
            return (int)i + 1;
        }
        printf("  %d -> %d  %" PRIu64 " %s%s, %" PRIu32 " hop%s, k = %" PRIu32, t->from, t->to, t->words,
               show_unit(peal_machine_options(machine)), print_plural(t->words), t->hops, print_plural(t->hops), t->k);
        show_calls(peal_machine_callers(machine), t, calls);
        printf("%s%s\n", *calls ? "  " : "", calls);
    }
    return (int)round->count;
}

/* One node's strip on a line of the terminal. */
static void
show_strip(const struct stepper *stepper, int node)
{
    const struct step_strips *strips = &stepper->strips;
    int used = printf("  node %d: ", node);

    for (int cell = 0; cell < strips->cells; cell++) {
        const char *text = strips->cell[node * strips->cells + cell];
        const char *name = json_string_value(
            json_array_get(json_object_get(strips->blocks, "names"), (size_t)cell)); /* of a program */
        int width = (text ? print_width(text) : 1) + (name ? print_width(name) + 3 : 0);

        if (used + width + 5 > stepper->columns) {
            fputs(" ...", stdout);
            break;
        }
        printf(" %s%s%s", name ? name : "", name ? " = " : "", text ? text : "·");
        used += width + 1;
    }
    putchar('\n');
}

static void
show_strips(const struct stepper *stepper, int most)
{
    const struct step_strips *strips = &stepper->strips;

    if (!strips->blocks || !strips->cell) {
        printf("  what nodes hold is not shown: %s\n", strips->why);
        return;
    }
    for (int node = 0; node < strips->nodes; node++) {
        if (node + 1 >= most && node + 1 < strips->nodes) {
            printf("  ... %d more node%s\n", strips->nodes - node, print_plural(strips->nodes - node));
            return;
        }
        show_strip(stepper, node);
    }
}

static void
stepper_show(struct stepper *stepper)
{
    struct peal_parameters parameters = peal_machine_options(stepper->session->machine)->parameters;
    const struct peal_round *round = stepper->at ? peal_schedule_round(stepper->schedule, stepper->at - 1) : NULL;
    struct peal_cost sum = {0};
    char charge[100], total[160];
    int left;

    stepper_measure_screen(stepper);
    left = stepper->lines - 6;
    for (size_t i = 0; i < stepper->at; i++)
        sum = peal_cost_add(sum, peal_schedule_round(stepper->schedule, i)->charge);
    strips_go(&stepper->strips, stepper->at);
    fputs("\033[H\033[2J", stdout);
    print_ink(stdout, BOLD);
    printf("%s  ", stepper->session->name);
    if (round)
        printf("round %zu of %zu", stepper->at, stepper->schedule->round_count);
    else
        printf("before the first of %zu round%s", stepper->schedule->round_count,
               print_plural(stepper->schedule->round_count));
    print_ink(stdout, PLAIN);
    if (round)
        printf("   charge %s", peal_cost_text(round->charge, charge, sizeof charge));
    printf("\nso far %s\n", show_cost_at(parameters, sum, total));
    if (round)
        left -= show_transfers(stepper, round, left / 2);
    if (json_object_get(stepper->strips.blocks, "names"))
        puts(round ? "after it the nodes show" : "the nodes show");
    else
        puts(round ? "after it the nodes hold" : "the nodes hold");
    show_strips(stepper, left > 2 ? left : 2);
    print_inked(stdout, FAINT, "space next, b back, a number and enter goes there, %sq ends",
                json_object_get(stepper->strips.blocks, "leaves") ? "d what is delivered, " : "");
    fflush(stdout);
}

/* ------------------------------------------------------------------ keys */

/* Read a character; EOF at the end, or when none comes within `milliseconds` (-1: no limit). */
static int
read_character(int milliseconds)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    unsigned char character;

    if (milliseconds >= 0 && poll(&in, 1, milliseconds) <= 0)
        return EOF;
    return read(STDIN_FILENO, &character, 1) == 1 ? character : EOF;
}

/* Read a key: a character, or for the arrows n and b, for Home and End ^ and $; EOF at the end. */
static int
read_key(void)
{
    static const char letters[] = "CBDAHF", keys[] = "nnbb^$";
    int key = read_character(-1), letter;
    const char *found;

    if (key != ESCAPE)
        return key;
    if (read_character(SOON) == EOF) /* [ or O */
        return 0;
    letter = read_character(SOON);
    found = letter > 0 ? strchr(letters, letter) : NULL;
    return found ? keys[found - letters] : 0;
}

static void
go_to(struct stepper *stepper, size_t round)
{
    stepper->at = round < stepper->schedule->round_count ? round : stepper->schedule->round_count;
    stepper_show(stepper);
}

static void
stepper_loop(struct stepper *stepper)
{
    size_t number = 0;
    int digits = 0, key;

    stepper_show(stepper);
    while ((key = read_key()) != EOF && key != 'q' && key != CONTROL_C && key != CONTROL_D) {
        if (isdigit(key) && digits < MAX_DIGITS) {
            number = number * 10 + (size_t)(key - '0');
            digits++;
            continue;
        }
        if (digits > 0 && (key == '\n' || key == '\r' || key == 'g'))
            go_to(stepper, number);
        else if (key == ' ' || key == '\n' || key == '\r' || key == 'n')
            go_to(stepper, stepper->at + 1);
        else if (key == 'b' || key == 127)
            go_to(stepper, stepper->at > 0 ? stepper->at - 1 : 0);
        else if (key == '^')
            go_to(stepper, 0);
        else if (key == '$')
            go_to(stepper, stepper->schedule->round_count);
        else if (key == 'd' && json_object_get(stepper->strips.blocks, "leaves")) {
            stepper->strips.delivers = !stepper->strips.delivers;
            stepper_show(stepper);
        }
        number = 0;
        digits = 0;
    }
    putchar('\n');
}

void
step_through(const struct session *session)
{
    struct stepper stepper = {.session = session, .schedule = peal_machine_schedule(session->machine)};
    struct termios before, raw;

    if (tcgetattr(STDIN_FILENO, &before) != 0)
        return;
    strips_init(&stepper.strips, session);
    raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG); /* ^C ends it like q, so that the terminal is as it was */
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
    stepper_loop(&stepper);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    step_strips_fini(&stepper.strips);
}
