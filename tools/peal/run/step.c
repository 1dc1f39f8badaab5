/* SPDX-License-Identifier: MIT */
/* The view of a round: its transfers with k, the data that the nodes hold after it, and the charge up to it. */
#include "lib/record/record.h"
#include "show/show.h"
#include <ctype.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { DEFAULT_LINES = 24, DEFAULT_COLUMNS = 80, MAX_DIGITS = 9, CONTROL_C = 3, CONTROL_D = 4, ESCAPE = 27 };
/* The other characters of an arrow key come within this many milliseconds. */
enum { SOON = 50 };

/* The data that the nodes hold: a text for each cell, NULL: nothing. */
struct step_strips {
    struct peal_record *record; /* which the holdings borrow from */
    struct peal_holdings holdings;
    struct peal_error why; /* without a status: they are known */
    bool delivers;         /* show only what a node keeps or still has to send on */
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
        return peal_refuse(error, PEAL_USAGE, "--step shows rounds on a terminal: %s; peal explain prints all rounds",
                           request->document.json ? "leave out --json"
                                                  : "standard input and standard output must be one");
    if (request->machine.rounds != PEAL_ROUNDS_ALL)
        return peal_refuse(error, PEAL_USAGE, "--step shows every round: leave out --rounds");
    return PEAL_OK;
}

/* ------------------------------------------------------------------ what the nodes hold */

static void
strips_init(struct step_strips *strips, const struct session *session)
{
    struct peal_holdings *holdings = &strips->holdings;

    strips->record =
        peal_record_take(session->machine, session->program ? NULL : &session->outcome, session->called, &strips->why);
    if (strips->record)
        report_holdings(holdings, strips->record, &strips->why);
    strips->delivers =
        holdings->leave_end && (session->collective == PEAL_SCATTER || session->collective == PEAL_GATHER);
    strips->cell = calloc((size_t)holdings->nodes * (size_t)holdings->cells + 1, sizeof *strips->cell);
    if (!strips->cell)
        peal_refuse(&strips->why, PEAL_RESOURCES, "not enough memory");
}

/* Empty `count` cells of a node, from `cell` on. */
static void
strips_empty(struct step_strips *strips, int node, int cell, int count)
{
    for (char **text = &strips->cell[node * strips->holdings.cells + cell]; count > 0; count--, text++) {
        free(*text);
        *text = NULL;
    }
}

/* The text of a value: 5, 0-3, 0-3+6, or NULL for nothing.  `plus` is the cell's index in a sequence of numbers. */
static char *
step_value_text(const struct peal_change *change, int plus)
{
    const struct peal_contributors *sum = change->sum;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = change->text[0] || change->numbered || sum ? open_memstream(&text, &bytes) : NULL;

    if (!out)
        return NULL;
    if (sum && sum->count == 0)
        fputs("words of several places", out);
    else if (change->numbered)
        fprintf(out, "%" PRId64, change->number + plus);
    else
        fputs(change->text, out);
    for (int i = 0; sum && i < sum->count; i += 2) {
        fprintf(out, i > 0 ? "+%d" : "%d", sum->ends[i]);
        if (sum->ends[i + 1] != sum->ends[i])
            fprintf(out, "-%d", sum->ends[i + 1]);
    }
    fclose(out);
    return text;
}

/* Bring them to their state after `rounds` rounds. */
static void
strips_go(struct step_strips *strips, size_t rounds)
{
    const struct peal_holdings *holdings = &strips->holdings;
    size_t at = 0, leave = 0;

    if (strips->why.status != PEAL_OK)
        return;
    strips_empty(strips, 0, 0, holdings->nodes * holdings->cells);
    for (size_t round = 0; round <= rounds; round++) {
        for (; at < holdings->change_end[round]; at++) {
            const struct peal_change *change = &holdings->changes[at];

            strips_empty(strips, change->node, change->cell, change->count);
            for (int i = 0; i < change->count; i++)
                strips->cell[change->node * holdings->cells + change->cell + i] = step_value_text(change, i);
        }
        for (; holdings->leave_end && leave < holdings->leave_end[round]; leave++)
            if (strips->delivers)
                strips_empty(strips, holdings->leaves[leave].node, holdings->leaves[leave].cell, 1);
    }
}

static void
step_strips_fini(struct step_strips *strips)
{
    if (strips->cell)
        strips_empty(strips, 0, 0, strips->holdings.nodes * strips->holdings.cells);
    free(strips->cell);
    peal_holdings_fini(&strips->holdings);
    peal_record_destroy(strips->record);
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
               show_unit(peal_machine_options(machine)), plural(t->words), t->hops, plural(t->hops), t->k);
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
    const struct peal_holdings *holdings = &strips->holdings;
    int used = printf("  node %d: ", node);

    for (int cell = 0; cell < holdings->cells; cell++) {
        const char *text = strips->cell[node * holdings->cells + cell];
        const char *name = holdings->names ? holdings->names[cell] : NULL; /* of a program */
        int width = (text ? print_width(text) : 1) + (name ? print_width(name) + 3 : 0);

        if (used + width + 5 > stepper->columns) {
            fputs(" ...", stdout);
            break;
        }
        putchar(' ');
        print_plain(stdout, name ? name : "");
        printf("%s%s", name ? " = " : "", text ? text : "·");
        used += width + 1;
    }
    putchar('\n');
}

static void
show_strips(const struct stepper *stepper, int most)
{
    const struct step_strips *strips = &stepper->strips;

    if (strips->why.status != PEAL_OK) {
        printf("  what nodes hold is not shown: %s\n", strips->why.text);
        return;
    }
    int nodes = strips->holdings.nodes;

    for (int node = 0; node < nodes; node++) {
        if (node + 1 >= most && node + 1 < nodes) {
            printf("  ... %d more node%s\n", nodes - node, plural(nodes - node));
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
               plural(stepper->schedule->round_count));
    print_ink(stdout, PLAIN);
    if (round)
        printf("   charge %s", peal_cost_text(round->charge, charge, sizeof charge));
    printf("\nso far %s\n", show_cost_at(parameters, sum, total));
    if (round)
        left -= show_transfers(stepper, round, left / 2);
    if (stepper->strips.holdings.names)
        puts(round ? "after it the nodes show" : "the nodes show");
    else
        puts(round ? "after it the nodes hold" : "the nodes hold");
    show_strips(stepper, left > 2 ? left : 2);
    print_inked(stdout, FAINT, "space next, b back, a number and enter goes there, %sq ends",
                stepper->strips.holdings.leave_end ? "d what is delivered, " : "");
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
        else if (key == 'd' && stepper->strips.holdings.leave_end) {
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
