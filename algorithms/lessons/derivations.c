/* SPDX-License-Identifier: MIT */
/* The bounds of Lemma 7 and the closed forms of the courses, step by step, with the numbers of P = 8. */
#include "halving.h"
#include <stdio.h>
#include <string.h>

enum { P = 8, m = 4 };

/* Scatter by halving. */
static void
program(struct peal_node *me, void *arg)
{
    const struct halved_line line = {.z = P, .stride = 1, .words = m};

    (void)arg;
    halve(me, &line, peal_rank(me), peal_alloc(me, P * m));
}

/* "1 → 2 → 4 → 8": the nodes that can be informed after each round. */
static int
show_informed(struct peal_board *board, int ports)
{
    char line[100];
    int rounds = 0, used = snprintf(line, sizeof line, "  %d port%s     1", ports, ports > 1 ? "s" : " ");

    for (int informed = 1; informed < P; rounds++) {
        informed = informed * (ports + 1) < P ? informed * (ports + 1) : P;
        used += snprintf(line + used, sizeof line - (size_t)used, " → %d", informed);
    }
    lesson_show(board, "%s: %d rounds", line, rounds);
    return rounds;
}

static void
run(struct peal_board *board)
{
    struct peal_options options = lesson_options(P, "line");
    const struct peal_machine *machine;
    int64_t words = 0, hops = 0, stored = 0;
    char sums[3][60] = {"", "", ""};
    int rounds[4] = {0};

    lesson_say(board,
               "Start-ups.  In a round a node sends at most k messages, so those who have something multiply by at "
               "most k+1.  All %d must have theirs at the end:",
               P);
    for (int k = 1; k <= 3; k++)
        rounds[k] = show_informed(board, k);
    lesson_check(board, rounds[1] == 3 && rounds[2] == 2 && rounds[3] == 2, "⌈log_{k+1} 8⌉ = 3, 2, 2");
    lesson_say(
        board,
        "Words.  P - 1 = %d blocks of m = %d words must leave the root, by k ports.  What one round takes is the "
        "longest of its messages, and blocks are not divided, so the rounds take together at least "
        "⌈(P-1)/k⌉m words: %d for one port, %d for two.",
        P - 1, m, (P - 1) * m, P / 2 * m);
    lesson_say(board,
               "Hops.  The block of the farthest node travels exc(root) hops, in one round or in several: the longest "
               "ways of all rounds are together at least that, %d on a line of %d from its end.",
               P - 1, P);
    lesson_say(board,
               "A run pays a round's start-up, its longest way and its longest message beside one another, so the "
               "three bounds add up: 3t_s + 7t_d + 28t_m here.  Now a scatter by halving, round by round:");

    options.switching = PEAL_WORMHOLE;
    machine = lesson_run(board, options, program, NULL, "halving on a line, wormhole, m = %d", m);
    for (int i = 0; i < lesson_rounds(machine); i++) {
        struct lesson_round round = lesson_round(machine, i);

        words += round.words;
        hops += round.hops;
        stored += round.words * round.hops;
        for (int s = 0; s < 3; s++) {
            size_t used = strlen(sums[s]);

            snprintf(sums[s] + used, sizeof sums[s] - used, "%s%lld", i > 0 ? " + " : "",
                     (long long)(s == 0   ? round.words
                                 : s == 1 ? round.hops
                                          : round.words * round.hops));
        }
    }
    lesson_show(board, "  words                 %s = %lld", sums[0], (long long)words);
    lesson_show(board, "  hops                  %s = %lld", sums[1], (long long)hops);
    lesson_show(board, "  words times hops      %s = %lld", sums[2], (long long)stored);
    lesson_check(board, words == m * (P - 1), "m(P/2 + P/4 + ... + 1) = m(P-1) = %d: a geometric sum", m * (P - 1));
    lesson_check(board, hops == P - 1, "P/2 + P/4 + ... + 1 = P-1 = %d", P - 1);
    lesson_check_cost(board, "wormhole", peal_machine_cost(machine), lesson_cost(3, m * (P - 1), P - 1),
                      "t_s lg P + t_d(P-1) + t_m m(P-1), Lemma 7's bound");
    options.switching = PEAL_STORE_FORWARD;
    machine = lesson_try(board, options, program, NULL);
    lesson_check_cost(board, "store-and-forward", peal_machine_cost(machine), lesson_cost(3, stored, 0),
                      "α lg P + βm(P²-1)/3");
    lesson_check(board, stored == m * (P * P - 1) / 3, "m(P²/4 + P²/16 + ... + 1) = m(P²-1)/3 = %d",
                 m * (P * P - 1) / 3);

    lesson_answer(board,
                  "Three bounds that hold by themselves: ⌈log_{k+1} P⌉ rounds, since the informed nodes multiply by at "
                  "most k+1; ⌈(P-1)/k⌉m words, since they leave the root by k ports; exc(root) hops.  They add, "
                  "since a run pays for the three separately.  Halving sends P/2, P/4, ..., 1 blocks as many hops, "
                  "both geometric sums: P-1.  With store-and-forward each of the hops carries all of the words, "
                  "Σ (P/2^i)² = (P²-1)/3.");
}

const struct peal_lesson lesson_derivations = {
    .id       = "DERIVE",
    .title    = "Lemma 7 and a scatter, step by step",
    .source   = "PDP course, Lemma 7; Grama 4.4",
    .code     = "derivations.c",
    .question =
        "Derive the three bounds of Lemma 7 and the cost of a scatter by halving on a line of P = 8 nodes, wormhole "
        "and store-and-forward, with the numbers of each round.",
    .run      = run,
};
