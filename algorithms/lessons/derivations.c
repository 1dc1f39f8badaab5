/* SPDX-License-Identifier: MIT */
/* The bounds of Lemma 7 and the closed forms of the courses, step by step, with the numbers of any P, m and k. */
#include "halving.h"

/* Scatter by halving; the greater part of an odd range stays. */
static void
program(struct peal_node *me, void *arg)
{
    const struct peal_lesson_numbers *of = arg;
    const struct halved_line line = {.z = of->nodes, .stride = 1, .words = of->words, .greater = true};

    halve(me, &line, peal_rank(me), peal_alloc(me, (size_t)of->nodes * of->words));
}

/* "1 → 2 → 4 → 8": the nodes that can be informed after each round. */
static int
show_informed(struct peal_board *board, int P, int ports)
{
    char line[200], who[20];
    int rounds = 0, used;

    snprintf(who, sizeof who, "%d port%s", ports, ports > 1 ? "s" : "");
    used = snprintf(line, sizeof line, "  %-12s1", who);

    for (int informed = 1; informed < P; rounds++) {
        informed = informed * (ports + 1) < P ? informed * (ports + 1) : P;
        used += snprintf(line + used, sizeof line - (size_t)used, " → %d", informed);
    }
    lesson_show(board, "%s: %d round%s", line, rounds, rounds == 1 ? "" : "s");
    return rounds;
}

/* The sum of this many terms; the middle ones are left out where there are many. */
static const char *
sum_text(const int64_t *terms, int count, char text[200])
{
    size_t used = 0;

    for (int i = 0; i < count; i++)
        if (count <= 8 || i < 4 || i >= count - 3)
            used += (size_t)snprintf(text + used, 200 - used, "%s%lld", i > 0 ? " + " : "", (long long)terms[i]);
        else if (i == 4)
            used += (size_t)snprintf(text + used, 200 - used, " + ...");
    return text;
}

/* The coefficient of a unit: nothing for 1. */
static const char *
factor(int64_t number, char text[30])
{
    snprintf(text, 30, "%lld", (long long)number);
    return number == 1 ? "" : text;
}

/* The three bounds, where there is something to send. */
static void
say_bounds(struct peal_board *board, int P, int64_t m, int most)
{
    const int ports[] = {1, 2, 3, most}, count = most > 3 ? 4 : 3;
    int needed[4] = {0}, q = lesson_log2(P);
    const int64_t by_one = (P - 1) * m, by_two = P / 2 * m, by_most = (P - 1 + most - 1) / most * m;
    char further[60] = "", texts[3][30];
    bool holds = true;

    lesson_say(board,
               "Start-ups. In a round a node sends at most k messages, so those who have something multiply by at "
               "most k+1. All %d must have theirs at the end:",
               P);
    for (int i = 0; i < count; i++) {
        for (int64_t reached = 1; reached < P; reached *= ports[i] + 1)
            needed[i]++;
        holds &= show_informed(board, P, ports[i]) == needed[i];
    }
    snprintf(texts[0], sizeof texts[0], count > 3 ? "%d, %d, %d, %d" : "%d, %d, %d", needed[0], needed[1], needed[2],
             needed[3]);
    lesson_check(board, holds && needed[0] == q, "⌈log_{k+1} %d⌉ = %s", P, texts[0]);
    if (most > 2)
        snprintf(further, sizeof further, ", %lld for %d", (long long)by_most, most);
    lesson_say(
        board,
        "Words. P - 1 = %d block%s of m = %lld word%s must leave the root, by k ports. What one round takes is the "
        "longest of its messages, and blocks are not divided, so the rounds take together at least "
        "⌈(P-1)/k⌉m words: %lld for one port, %lld for two%s.",
        P - 1, P == 2 ? "" : "s", (long long)m, m == 1 ? "" : "s", (long long)by_one, (long long)by_two, further);
    lesson_say(board,
               "Hops. The block of the farthest node travels exc(root) hops, in one round or in several: the longest "
               "ways of all rounds are together at least that, %d on a line of %d from its end.",
               P - 1, P);
    lesson_say(board,
               "A run pays a round's start-up, its longest way and its longest message beside one another, so the "
               "three bounds add up, with one port: %st_s + %st_d + %st_m. Now a scatter by halving, round by round:",
               factor(q, texts[0]), factor(P - 1, texts[1]), factor((P - 1) * m, texts[2]));
}

/* The scatter on a line, with its sums. */
static void
show_scatter(struct peal_board *board, const struct peal_lesson_numbers *of)
{
    const int P = of->nodes, q = lesson_log2(P), zeros = lesson_zeros(P);
    const int64_t m = (int64_t)of->words;
    struct peal_options options = lesson_options(P, "line");
    int64_t terms[3][32], sums[3] = {0}, derived = 0;
    char text[200];

    options.switching = PEAL_WORMHOLE;
    const struct peal_machine *machine =
        lesson_run(board, options, program, of, "halving on a line, wormhole, m = %lld", (long long)m);
    int rounds = lesson_rounds(machine) < 32 ? lesson_rounds(machine) : 32;

    for (int i = 0; i < rounds; i++) {
        struct lesson_round round = lesson_round(machine, i);

        terms[0][i] = round.words;
        terms[1][i] = round.hops;
        terms[2][i] = round.words * round.hops;
        for (int s = 0; s < 3; s++)
            sums[s] += terms[s][i];
    }
    for (int part = P; part > 1; part = (part + 1) / 2)
        derived += m * (part / 2) * ((part + 1) / 2);
    lesson_show(board, "  words                 %s = %lld", sum_text(terms[0], rounds, text), (long long)sums[0]);
    lesson_show(board, "  hops                  %s = %lld", sum_text(terms[1], rounds, text), (long long)sums[1]);
    lesson_show(board, "  words times hops      %s = %lld", sum_text(terms[2], rounds, text), (long long)sums[2]);
    bool power = zeros == 0;
    const int64_t all = m * (P - 1);

    lesson_check(board, sums[0] == all,
                 power ? "m(P/2 + P/4 + ... + 1) = m(P-1) = %lld: a geometric sum"
                       : "m(⌊P/2⌋ + ⌊⌈P/2⌉/2⌋ + ...) = m(P-1) = %lld: the greater part of an odd one stays",
                 (long long)all);
    if (power) {
        lesson_check(board, sums[1] == P - 1, "P/2 + P/4 + ... + 1 = P-1 = %d", P - 1);
    } else {
        lesson_check(board, sums[1] == P - 1 + zeros,
                     "⌈P/2⌉ + ⌈⌈P/2⌉/2⌉ + ... = P-1 + f = %d + %d = %d: a hop more for each odd part, f, as many as "
                     "P-1 has zeros in binary",
                     P - 1, zeros, P - 1 + zeros);
    }
    lesson_check_cost(board, "wormhole", peal_machine_cost(machine), lesson_cost(q, m * (P - 1), P - 1 + zeros),
                      power ? "t_s lg P + t_d(P-1) + t_m m(P-1), Lemma 7's bound"
                            : "t_s ⌈lg P⌉ + t_d(P-1+f) + t_m m(P-1), f hops above Lemma 7's bound");
    options.switching = PEAL_STORE_FORWARD;
    machine = lesson_try(board, options, program, of);
    lesson_check_cost(board, "store-and-forward", peal_machine_cost(machine), lesson_cost(q, derived, 0),
                      power ? "α lg P + βm(P²-1)/3" : "α⌈lg P⌉ + βm(⌊P/2⌋⌈P/2⌉ + ...)");
    if (power)
        lesson_check(board, sums[2] == m * ((int64_t)P * P - 1) / 3, "m(P²/4 + P²/16 + ... + 1) = m(P²-1)/3 = %lld",
                     (long long)(m * ((int64_t)P * P - 1) / 3));
    else
        lesson_check(board, sums[2] == derived && 3 * derived != m * ((int64_t)P * P - 1),
                     "m(⌊P/2⌋⌈P/2⌉ + ...) = %lld; m(P²-1)/3 = %.1f is of powers of two", (long long)derived,
                     (double)m * ((double)P * P - 1) / 3);
}

static void
run(struct peal_board *board)
{
    const struct peal_lesson_numbers of = lesson_numbers(board, 8, 4, 2);

    if (of.nodes == 1)
        lesson_say(board, "P = 1: the root has its block. No round, no word and no hop is needed, so all three bounds "
                          "are 0, and there is nothing to run.");
    if (of.nodes > 1) {
        say_bounds(board, of.nodes, (int64_t)of.words, of.ports);
        show_scatter(board, &of);
    }
    lesson_answer(board,
                  "Three bounds that hold by themselves: ⌈log_{k+1} P⌉ rounds, since the informed nodes multiply by at "
                  "most k+1; ⌈(P-1)/k⌉m words, since they leave the root by k ports; exc(root) hops. They add, "
                  "since a run pays for the three separately. %salving sends P/2, P/4, ..., 1 blocks as many hops, "
                  "both geometric sums: P-1. With store-and-forward each of the hops carries all of the words, "
                  "Σ (P/2^i)² = (P²-1)/3.",
                  lesson_zeros(of.nodes) > 0 ? "With P a power of two, h" : "H");
}

const struct peal_lesson lesson_derivations = {
    .id       = "DERIVE",
    .title    = "Lemma 7 and a scatter, step by step",
    .source   = "PDP course, Lemma 7; Grama 4.4",
    .code     = "derivations.c",
    .question =
        "Derive the three bounds of Lemma 7 and the cost of a scatter by halving on a line of P nodes, wormhole "
        "and store-and-forward, with the numbers of each round: P = 8 and m = 4, or those of -p, -m and --ports.",
    .run      = run,
    .takes_numbers = true,
};
