/* SPDX-License-Identifier: MIT */
/* Printing for people: columns of UTF-8 text, lines of at most 80 columns, colour on a terminal. */
#pragma once

#include "lib/base/text.h"
#include <peal/base.h>
#include <stdbool.h>
#include <stdio.h>

enum { COLUMNS = 80 };

enum ink { PLAIN, BOLD, FAINT, GOOD, BAD };

/* Switch to this ink: escape sequences if `out` is a terminal and NO_COLOR is not set, else nothing. */
void print_ink(FILE *out, enum ink ink);

/* Print in this ink. */
void print_inked(FILE *out, enum ink ink, const char *format, ...) PEAL_PRINTF(3, 4);

/* The columns that UTF-8 text takes: its characters (none here is wide). */
int print_width(const char *text);

/* Print text with "?"  for each character that would control the terminal, or hide or reorder text, except ends of
 * lines and tabs.  All functions below print this way. */
void print_plain(FILE *out, const char *text);

/* Print text padded to `width` columns: on its left (numbers), on its right (words). */
void print_right(FILE *out, const char *text, int width);
void print_left(FILE *out, const char *text, int width);

/* Print text from column `column` on (where the cursor is), on a terminal broken at spaces, further lines from `indent`
 * on, elsewhere on one line, which is easier to search; ends the line. */
void print_item(FILE *out, const char *text, int column, int indent);

/* Print text broken, with both columns `indent`. */
void print_wrapped(FILE *out, const char *text, int indent);

/* Print a title, after an empty line. */
void print_title(FILE *out, const char *title);

/* Print a line "label     text", the label in faint ink, long text broken under itself. */
void print_labelled(FILE *out, const char *label, const char *text);
enum { LABEL_COLUMNS = 16 };

/* Write a word as a shell reads it. */
void print_word(FILE *out, const char *word);

/* Write " --name VALUE"; nothing where the value is NULL. */
void print_argument(FILE *out, const char *name, const char *value);

/* Write " < FILE", the file that standard input comes from; nothing where it is not a file. */
void print_input(FILE *out);

/* Write a number as people do, "3028" or "0.25", into text and return it. */
char *print_number(double number, char text[32]);

/* Whether the message names this line of the file, by the file's name without its folder, and no other line of it. */
bool print_tells(const char *message, const char *file, int line);

/* Write "1 transfer", "3 transfers"; ULLONG_MAX, which means more than can be counted, is "too many transfers to
 * count". */
char *print_count(unsigned long long count, const char *noun, char text[64]);
