/* SPDX-License-Identifier: MIT */
/* The output that `peal run` and `peal explain` share. */
#pragma once

#include "lib/machine/callers.h"
#include "lib/study/trial.h"
#include "run/session.h"
#include "show/print.h"

/* What ran on which machine: two lines. */
void show_heading(FILE *out, const struct session *session);

/* Its arguments, ", m = 4 words a block, root 0"; the machine, one line. */
void show_situation(FILE *out, const struct peal_situation *situation);
void show_machine_line(FILE *out, const struct peal_options *options, const char *topology, const char *routing);

/* Print where the nodes are, if they are placed. */
void show_placement(FILE *out, const struct peal_network *network);

/* Print what the nodes of a run spent at each call, those with the most first. */
void show_profile(FILE *out, const struct peal_profile *profile);

/* Print that computing was measured, if it was. */
void show_computing(FILE *out, const struct peal_options *options);

/* A line per round: transfers, largest k, charge, running total.  The middle of a long run is left out. */
void show_rounds(FILE *out, const struct session *session);

/* One line for the equal messages of a round: who, words, hops, k; the charge of each round, and the total.  On
 * stdout. */
void show_messages(const struct peal_schedule *schedule, struct peal_cost cost);

/* The columns of the longest name. */
int show_names_width(const struct trial *trials, int count);

/* Print a line of peal_draw_line. */
void show_line(void *none, const char *line);

/* The largest k of these transfers. */
uint32_t show_largest_k(const struct peal_transfer *transfers, size_t count);

/* Whether two transfers are equal except for their nodes. */
bool show_same_kind(const struct peal_transfer *a, const struct peal_transfer *b);

/* "byte" where words are bytes, else "word". */
const char *show_unit(const struct peal_options *options);

/* Which calls posted a transfer: "MPI_Send at a.c:12 to MPI_Recv at a.c:14", "MPI_Bcast by binomial at
 * a.c:18"; "" where it is not known (`callers` may be NULL). */
enum { CALLS_TEXT = 400 };
const char *show_calls(const struct peal_callers *callers, const struct peal_transfer *transfer, char text[CALLS_TEXT]);
/* Which calls sent a round's transfers: "MPI_Send at a.c:12", "MPI_Send at a.c:12 and 2 others". */
const char *show_round_calls(const struct peal_callers *callers, const struct peal_transfer *transfers, size_t count,
                             char text[CALLS_TEXT]);

/* The number of rounds from `number` on with the same transfers, in the same order, at the same charge: at least 1. */
size_t show_count_same(const struct peal_schedule *schedule, size_t number);

/* T, the closed form, the lower bound, the critical path, the data, the seed. */
void show_summary(FILE *out, const struct session *session);

/* What each unfinished node was doing, and where. */
void show_nodes(FILE *out, const struct session *session);

/* Why the run failed, with the request that each unfinished node waits for, and the lines of source. */
void show_failure(FILE *out, const struct session *session);

/* Write "3α + 28β = 3028" into text; the time is at the machine's parameters, or at these. */
char *show_cost(const struct session *session, struct peal_cost cost, char text[160]);
char *show_cost_at(struct peal_parameters parameters, struct peal_cost cost, char text[160]);

/* These prices, of an existing machine, are in nanoseconds; NULL: all are, as for an MPI program. */
void show_in_nanoseconds(const struct peal_parameters *prices);

/* Write the head of an algorithm's columns, as the OSU benchmarks print them, and a line: the bytes of these words, the
 * time in microseconds, or in the model's unit where that is not known. */
void show_osu_head(FILE *out, enum peal_collective collective, const char *algorithm, int nodes);
void show_osu_line(FILE *out, size_t words, struct peal_cost cost, const struct peal_options *options);

/* Write "(α = 1000, β = 1)": the parameters that the machine charges, even if 0, or that are in a cost; and their unit,
 * if it is known. */
enum { SHOW_PRICES = 200 };
char *show_prices(const struct peal_options *options, struct peal_cost cost, char text[SHOW_PRICES]);

/* The note that hops are free; NULL where they have a price, or there is none to pay. */
const char *show_free_hops(const struct peal_options *options, struct peal_cost cost);

/* End the line with the prices; the note follows where there is one. */
void show_parameters(FILE *out, const struct peal_options *options, struct peal_cost cost);

/* "for every root": what results of this collective are identical for. */
const char *show_identical_place(enum peal_collective collective, enum peal_identical place);

/* Write the places between which the algorithm's results are identical, "nodes, sizes"; "-" for none, "?" for one that
 * was loaded, "" where it reduces nothing. */
char *show_identical(const struct peal_algorithm *algorithm, char text[80]);

/* Where the definitions of a formula's letters begin: in "αD + βnD, D = 3" at ", D = 3"; its end if there are none. */
const char *show_definitions(const char *formula);

/* Write a closed form as its text ("": there is none), its value and how the run compares: "α + βn = α + 28β,
 * equal". */
enum { SHOW_FORM = PEAL_CLOSED_TEXT + 200 };
char *show_form(const char *formula, struct peal_cost cost, const char *verdict, char text[SHOW_FORM]);

/* Print the lower bound (NULL: none is known): the cost with the ratio to it ("": not said), its source, its cut. */
void show_lower_bound(FILE *out, struct peal_parameters parameters, const struct peal_cost *bound, const char *ratio,
                      const char *source, const struct peal_cut *cut);

/* Print the closed form in the colour of how the run compares with it. */
void show_closed_form(FILE *out, const char *formula, struct peal_cost cost, bool verified, bool equal);

/* Write the time as a multiple of `before`: "1.5", "just above 1"; "" when one of the two is 0. */
char *show_ratio(double time, double before, char text[40]);

/* The most loaded links of the run, and in how many rounds each was the hottest; nothing for a run of one round. */
void advice_links(const struct session *session);

/* When no algorithm was named: the candidates with their closed forms, the cheapest first. */
void advice_choice(const struct session *session);

/* The algorithms and routings that would cost less here, and by how much. */
void advice_better(const struct session *session);

/* A peal_finding_listener that prints each finding on standard error as it is found, and remembers in its argument, a
 * struct shown, the findings shown so far: one of the same kind at the same line of another node is only counted. */
void finding_tell(const struct peal_run_finding *finding, void *all);

/* Whether one of the `count` findings is more than a note. */
bool findings_have_fault(const struct peal_run_finding *findings, size_t count);

/* Print how many findings there were, if there were several; notes are not counted. */
void findings_sum(FILE *out, const struct shown *shown);
void shown_fini(struct shown *shown);

/* Write the run as a report that test tools read, and as a SARIF log. */
void findings_write_junit(FILE *out, const struct session *session);
document_writer findings_write_sarif;
