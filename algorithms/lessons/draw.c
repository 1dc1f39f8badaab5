/* SPDX-License-Identifier: MIT */
/* Lines of a table of notes, and messages drawn along a line network. */
#include "board.h"
#include <inttypes.h>
#include <string.h>

enum { LINE_COLUMNS = 78, LABEL = 12, CELL = 4, MAX_DRAWN = 16 };

/* ------------------------------------------------------------------ notes */

/* Write " 4 {4 5 6 7}" for the words that a node showed; return its length, 0 for nothing. */
static int
write_blocks(struct peal_board *board, int rank, int number, char text[400])
{
    size_t count;
    const int64_t *blocks = lesson_noted(board, rank, number, &count);
    int used = 0;

    text[0] = '\0';
    if (blocks == NULL)
        return 0;
    used = snprintf(text, 400, "%d {", rank);
    for (size_t i = 0; i < count; i++)
        used += snprintf(text + used, 400 - (size_t)used, "%s%" PRId64, i > 0 ? " " : "", blocks[i]);
    return used + snprintf(text + used, 400 - (size_t)used, "}");
}

void
lesson_show_blocks(struct peal_board *board, const char *label, int number)
{
    char line[2 * LINE_COLUMNS] = "", blocks[400];
    int column = 0;

    for (int rank = 0; rank < board->notes.nodes; rank++) {
        int width = write_blocks(board, rank, number, blocks);

        if (width == 0)
            continue;
        if (column > LABEL && column + width > LINE_COLUMNS) {
            lesson_show(board, "%s", line);
            column = 0;
            label = "";
        }
        if (column == 0)
            column = snprintf(line, sizeof line, "  %-*s", LABEL - 2, label);
        else
            column += snprintf(line + column, sizeof line - (size_t)column, "  ");
        column += snprintf(line + column, sizeof line - (size_t)column, "%s", blocks);
    }
    lesson_show(board, "%s", line);
}

void
lesson_show_words(struct peal_board *board, const char *label, int number)
{
    char line[400];
    int used = snprintf(line, sizeof line, "  %-*s", LABEL, label), width = board->notes.nodes > 12 ? 4 : 5;

    for (int rank = 0; rank < board->notes.nodes; rank++) {
        size_t count;
        const int64_t *word = lesson_noted(board, rank, number, &count);

        if (word != NULL && count > 0)
            used += snprintf(line + used, sizeof line - (size_t)used, "%*" PRId64, width, *word);
        else
            used += snprintf(line + used, sizeof line - (size_t)used, "%*s·", width - 1, "");
    }
    lesson_show(board, "%s", line);
}

/* ------------------------------------------------------------------ a line of nodes */

/* Where the lines of a drawing go. */
struct drawing {
    int nodes;
    void (*show)(void *arg, const char *line);
    void *arg;
};

/* A row of the drawing: a mark a column, of one or more bytes. */
struct drawn_row {
    const char *marks[MAX_DRAWN * CELL];
    int columns;
};

static void
show_row(const struct drawing *drawing, const struct drawn_row *row, const char *label)
{
    char line[8 * MAX_DRAWN * CELL] = "    ";
    int last = *label != '\0' ? row->columns : 0;

    for (int i = 0; i < row->columns; i++)
        if (strcmp(row->marks[i], " ") != 0 && i + 1 > last)
            last = i + 1;
    for (int i = 0; i < last; i++)
        strcat(line, row->marks[i]);
    strcat(strcat(line, *label != '\0' ? "   " : ""), label);
    drawing->show(drawing->arg, line);
}

static void
blank(struct drawn_row *row, int nodes)
{
    row->columns = (nodes - 1) * CELL + 2;
    for (int i = 0; i < row->columns; i++)
        row->marks[i] = " ";
}

/* "0───1───2" */
static void
draw_nodes(const struct drawing *drawing)
{
    static const char *const digits[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    struct drawn_row row;

    blank(&row, drawing->nodes);
    for (int i = 0; i < (drawing->nodes - 1) * CELL; i++)
        row.marks[i] = "─";
    for (int rank = 0; rank < drawing->nodes; rank++) {
        row.marks[rank * CELL] = digits[rank >= 10 ? rank / 10 : rank];
        if (rank >= 10)
            row.marks[rank * CELL + 1] = digits[rank % 10];
    }
    show_row(drawing, &row, "");
}

static void
draw_transfer(const struct drawing *drawing, const struct peal_transfer *t)
{
    struct drawn_row row;
    char label[40];
    int left = t->from < t->to ? t->from : t->to, right = t->from < t->to ? t->to : t->from;

    blank(&row, drawing->nodes);
    for (int i = left * CELL; i < right * CELL; i++)
        row.marks[i] = "─";
    row.marks[t->to * CELL] = t->from < t->to ? ">" : "<";
    row.marks[t->from * CELL] = "o";
    snprintf(label, sizeof label, "%d→%d", t->from, t->to);
    show_row(drawing, &row, label);
}

/* The messages on each link of one direction; nothing when there are none. */
static void
draw_loads(const struct drawing *drawing, const struct peal_transfer *transfers, size_t count, bool rightwards)
{
    static const char *const counts[] = {"·", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    struct drawn_row row;
    bool any = false;

    blank(&row, drawing->nodes);
    for (int link = 0; link < drawing->nodes - 1; link++) {
        int load = 0;

        for (size_t j = 0; j < count; j++) {
            const struct peal_transfer *t = &transfers[j];

            load += rightwards ? t->from <= link && link < t->to : t->to <= link && link < t->from;
        }
        row.marks[link * CELL + CELL / 2] = counts[load < 10 ? load : 9];
        any = any || load > 0;
    }
    if (any)
        show_row(drawing, &row, rightwards ? "on the links, rightwards" : "on the links, leftwards");
}

void
peal_draw_line(const struct peal_schedule *schedule, size_t i, int nodes, bool loads,
               void (*show)(void *arg, const char *line), void *arg)
{
    const struct drawing drawing = {nodes, show, arg};
    const struct peal_round *round = i < schedule->round_count ? peal_schedule_round(schedule, i) : NULL;
    const struct peal_transfer *transfers = round != NULL ? &schedule->transfers[round->first] : NULL;
    size_t count = round != NULL ? round->count : 0;

    if (nodes > MAX_DRAWN)
        return;
    draw_nodes(&drawing);
    for (size_t j = 0; j < count; j++)
        draw_transfer(&drawing, &transfers[j]);
    for (int way = 1; way >= 0 && loads; way--)
        draw_loads(&drawing, transfers, count, way == 1);
}

static void
show_on_board(void *board, const char *line)
{
    lesson_show(board, "%s", line);
}

void
lesson_draw_line(struct peal_board *board, const struct peal_machine *machine, int round)
{
    peal_draw_line(peal_machine_schedule(machine), (size_t)round, peal_machine_options(machine)->nodes, true,
                   show_on_board, board);
}
