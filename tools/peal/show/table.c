/* SPDX-License-Identifier: MIT */
/* Lays out rows of text in columns, and cuts tables that are wider than the line into parts. */
#include "show/table.h"
#include <peal/machine.h>
#include <stdlib.h>

/* How much of a long list of rounds is shown: what every run keeps. */
enum { FIRST_ROUNDS = PEAL_FIRST_ROUNDS, LAST_ROUNDS = PEAL_LAST_ROUNDS };

static struct table_column
layout_of(const struct table *table, size_t column)
{
    return table->layout ? table->layout[column] : (struct table_column){.gap = 2};
}

void
table_begin(struct table *table, size_t rows, size_t columns, const struct table_column *layout)
{
    *table = (struct table){.rows = rows + 1, .columns = columns, .layout = layout};
    table->cells = calloc(table->rows * columns, sizeof *table->cells);
    table->widths = calloc(columns, sizeof *table->widths);
    table->lost = !table->cells || !table->widths;
    for (size_t i = 0; i < columns && layout && !table->lost; i++) {
        table->widths[i] = layout[i].least;
        table_set(table, 0, i, "%s", layout[i].head);
    }
}

void
table_set(struct table *table, size_t row, size_t column, const char *format, ...)
{
    va_list list;
    char *text;

    if (table->lost)
        return;
    va_start(list, format);
    table->lost = vasprintf(&text, format, list) < 0;
    va_end(list);
    if (table->lost)
        return;
    make_plain(text);
    free(table->cells[row * table->columns + column].text);
    table->cells[row * table->columns + column].text = text;
    if (print_width(text) > table->widths[column])
        table->widths[column] = print_width(text);
}

void
table_ink(struct table *table, size_t row, size_t column, enum ink ink)
{
    if (!table->lost)
        table->cells[row * table->columns + column].ink = ink;
}

static bool
table_is_hidden(const struct table *table, size_t column)
{
    return (column < 64 && (table->hidden >> column & 1)) || layout_of(table, column).above;
}

/* Whether the row has nothing to print in this column. */
static bool
is_empty(const struct table *table, size_t row, size_t column)
{
    const char *text = table->cells[row * table->columns + column].text;

    return table_is_hidden(table, column) || !text || !text[strspn(text, " ")];
}

/* Print the first column, and first .. end - 1, up to the last that has something. */
static void
print_row(FILE *out, const struct table *table, size_t row, size_t first, size_t end)
{
    enum ink ink = PLAIN;

    while (end > first && is_empty(table, row, end - 1))
        end--;
    for (size_t i = 0, then; i < end; i = then) {
        const struct table_cell *cell = &table->cells[row * table->columns + i];
        enum ink next = row == 0 && !table->plain_head ? FAINT : cell->ink;
        const char *text = cell->text ? cell->text : "";
        int bytes = (int)strlen(text), blanks = table->widths[i] - print_width(text);
        bool last = (then = i == 0 ? first : i + 1) >= end;

        if (table_is_hidden(table, i))
            continue;
        while (last && bytes > 0 && text[bytes - 1] == ' ')
            bytes--;
        if (last && bytes == 0)
            continue;
        if (next != ink)
            print_ink(out, next);
        ink = next;
        fprintf(out, "%*s", layout_of(table, i).gap + (layout_of(table, i).left ? 0 : blanks), "");
        fprintf(out, "%.*s%*s", bytes, text, layout_of(table, i).left && !last ? blanks : 0, "");
    }
    if (ink != PLAIN)
        print_ink(out, PLAIN);
    fputc('\n', out);
}

void
table_print(FILE *out, const struct table *table, size_t first, size_t end)
{
    const size_t last = table->columns - 1;
    const char *above = "", *text;

    for (size_t i = first; i < end && !table->lost; i++) {
        text = i > 0 && layout_of(table, last).above ? table->cells[i * table->columns + last].text : NULL;
        if (text && *text && strcmp(text, above) != 0)
            fprintf(out, "%*s%s\n", layout_of(table, last).gap, "", above = text);
        print_row(out, table, i, 1, table->columns);
    }
}

void
table_print_parts(FILE *out, const struct table *table)
{
    for (size_t first = 1, next; !table->lost && (first < table->columns || first == 1); first = next) {
        int used = 2 + table->widths[0];

        for (next = first; next < table->columns; next++) {
            used += table_is_hidden(table, next) ? 0 : 2 + table->widths[next];
            if (used > COLUMNS && next > first)
                break;
        }
        fputc('\n', out);
        for (size_t i = 0; i < table->rows; i++)
            print_row(out, table, i, first, next);
        if (next == first)
            break;
    }
}

void
table_print_rounds(FILE *out, size_t rounds, size_t columns, const struct table_column *layout,
                   void (*fill)(struct table *table, size_t row, size_t round, void *context), void *context)
{
    size_t left_out = rounds > FIRST_ROUNDS + LAST_ROUNDS ? rounds - FIRST_ROUNDS - LAST_ROUNDS : 0;
    struct table table;
    struct peal_error error;

    table_begin(&table, rounds - left_out, columns, layout);
    for (size_t row = 1; row < table.rows; row++)
        fill(&table, row, row <= FIRST_ROUNDS ? row - 1 : row - 1 + left_out, context);
    fputc('\n', out);
    table_print(out, &table, 0, left_out ? FIRST_ROUNDS + 1 : table.rows);
    if (left_out) {
        fprintf(out, "%7s  %zu round%s left out (--json has them all)\n", "...", left_out, plural(left_out));
        table_print(out, &table, FIRST_ROUNDS + 1, table.rows);
    }
    if (table_end(&table, &error) != PEAL_OK)
        fprintf(stderr, "peal: note: the rounds are not shown: %s\n", error.text);
}

enum peal_status
table_end(struct table *table, struct peal_error *error)
{
    for (size_t i = 0; table->cells && i < table->rows * table->columns; i++)
        free(table->cells[i].text);
    free(table->cells);
    free(table->widths);
    return table->lost ? peal_refuse(error, PEAL_RESOURCES, "not enough memory") : PEAL_OK;
}
