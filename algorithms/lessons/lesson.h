/* SPDX-License-Identifier: MIT */
/* The functions of a lesson: words for the class, runs on the machine, and checks of claims.
 *
 * A lesson calls them in the order in which the class sees them.  None returns a status: when memory or threads run
 * out, the lesson ends there and peal_lesson_teach reports it. */
#pragma once

#include <peal/tools.h>

/* ------------------------------------------------------------------ words */

/* The numbers given for the lesson, else these. */
struct peal_lesson_numbers lesson_numbers(const struct peal_board *board, int nodes, size_t words, int ports);

/* A paragraph; a line of a drawing or table, at most 78 columns, verbatim; the answer; where the source is wrong. */
void lesson_say(struct peal_board *board, const char *format, ...) PEAL_PRINTF(2, 3);
void lesson_show(struct peal_board *board, const char *format, ...) PEAL_PRINTF(2, 3);
void lesson_answer(struct peal_board *board, const char *format, ...) PEAL_PRINTF(2, 3);
void lesson_correct(struct peal_board *board, const char *format, ...) PEAL_PRINTF(2, 3);

/* ------------------------------------------------------------------ runs */

/* The usual machine: this many nodes on this network, one port, α = 1000, β = 1. */
struct peal_options lesson_options(int nodes, const char *network);

/* Run `program` on a new machine and put the run on the board under a caption.  A run that fails is a claim that does
 * not hold.
 *
 *   owner    borrows arg until it returns; the machine is the board's */
const struct peal_machine *lesson_run(struct peal_board *board, struct peal_options options, peal_program program,
                                      const void *arg, const char *caption, ...) PEAL_PRINTF(5, 6);

/* Run a program that is wrong, likewise: the claim is that it fails as `kind`. */
const struct peal_machine *lesson_run_wrong(struct peal_board *board, struct peal_options options, peal_program program,
                                            const void *arg, enum peal_failure_kind kind, const char *caption, ...)
    PEAL_PRINTF(6, 7);

/* Run without showing it, one of many.  Its success is not checked: see peal_machine_failure.
 *
 *   owner    borrows arg until it returns; the machine is the board's, until the second lesson_try from here */
const struct peal_machine *lesson_try(struct peal_board *board, struct peal_options options, peal_program program,
                                      const void *arg);

/* Two messages of n words at the same time, from a node to another; the program of a node that sends or receives one,
 * whose argument they are. */
struct lesson_messages {
    struct {
        int from, to;
    } first, second;
    size_t n;
};
void lesson_two_messages(struct peal_node *me, void *messages);

/* ------------------------------------------------------------------ checks */

/* Claim something, and say whether it holds. */
bool lesson_check(struct peal_board *board, bool holds, const char *claim, ...) PEAL_PRINTF(3, 4);

/* Claim that the machine's result is the derived one: "what: 3α + 28β = formula".  A count may have a "(reason)"
 * instead. */
bool lesson_check_cost(struct peal_board *board, const char *what, struct peal_cost found, struct peal_cost expected,
                       const char *formula);
bool lesson_check_count(struct peal_board *board, const char *what, int64_t found, int64_t expected,
                        const char *formula);

/* Claim something of `all` cases, of which it was found in `right`. */
bool lesson_check_all(struct peal_board *board, int right, int all, const char *claim);

/* ------------------------------------------------------------------ the nodes' notes */

/* In a node program: show the class `count` words, as this node's note number `number`, 0 to 15.  A note is not a
 * message and costs nothing.
 *
 *   owner    copies the words */
void lesson_note(struct peal_node *me, int number, const void *words, size_t count);

/* Show which blocks of x are here: those whose first word is not 0.  x is P blocks of m words. */
void lesson_note_blocks(struct peal_node *me, int number, const int64_t *x, size_t m);

/* The words that node `rank` showed in the last run, and their number; NULL if it showed none. */
const int64_t *lesson_noted(struct peal_board *board, int rank, int number, size_t *count);

/* How many of these nodes showed, in the last run, a packet whose first and last of m words are the rank + 1, or, of a
 * broadcast, 1. */
int lesson_served(struct peal_board *board, int nodes, size_t m, bool broadcast);

/* Whether note `number` of this node in the last run was exactly these words. */
bool lesson_noted_is(struct peal_board *board, int rank, int number, const int64_t *words, size_t count);

/* Show a row of the last run's notes: "before     0 {0 1 2 3}  4 {4 5 6 7}"; one word a node in columns. */
void lesson_show_blocks(struct peal_board *board, const char *label, int number);
void lesson_show_words(struct peal_board *board, const char *label, int number);

/* ------------------------------------------------------------------ reading a run */

/* Round i (0 is the first), and the largest of its transfers. */
struct lesson_round {
    const struct peal_transfer *transfers;
    int count;
    int64_t words, hops, k;
};
int lesson_rounds(const struct peal_machine *machine);
struct lesson_round lesson_round(const struct peal_machine *machine, int i);

/* Whether no link of the run carried two transfers of a round. */
bool lesson_uncongested(const struct peal_machine *machine);

/* Whether two runs have the same senders and receivers in every round; with `reversed`, one run is compared with the
 * other one backwards.  With `words`, the numbers of words are compared too. */
bool lesson_same_tree(const struct peal_machine *a, const struct peal_machine *b, bool reversed, bool words);

/* Draw a line network and the messages of a round along it, with how many share each link. */
void lesson_draw_line(struct peal_board *board, const struct peal_machine *machine, int round);

/* ------------------------------------------------------------------ sums */

/* A cost, T = alpha·α + beta·β + hop·t_d. */
struct peal_cost lesson_cost(int64_t alpha, int64_t beta, int64_t hop);

/* The formula of a cost; a text filled with blanks to this many columns.  Both are valid for the next few calls. */
const char *lesson_text(struct peal_cost cost);
const char *lesson_cell(const char *text, int columns);

/* The time of a run at its machine's parameters. */
double lesson_time(const struct peal_machine *machine);

/* ⌈log₂P⌉. */
int lesson_log2(int nodes);

/* f(z) of the odd splits: the zeros of z-1 in binary. */
int lesson_zeros(int z);
