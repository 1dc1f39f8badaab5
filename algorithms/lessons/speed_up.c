/* SPDX-License-Identifier: MIT */
/* Speed-up of a sum: Amdahl's law, Gustafson's, and isoefficiency. */
#include "lesson.h"

enum { START = 1000, WORD = 1, STEP = START + WORD + 1 }; /* α + β + τ: a round of the tree */

/* n numbers are added; node 0 alone prepares. */
struct work {
    int64_t n, serial;
};

static void
program(struct peal_node *me, void *arg)
{
    const struct work *work = arg;
    int P = peal_size(me), RANK = peal_rank(me);
    int64_t first = work->n / P * RANK, sum = 0, other;

    if (RANK == 0) peal_compute(me, work->serial);
    for (int64_t i = first; i < first + work->n / P; i++)
        sum += i;
    peal_compute(me, work->n / P);
    for (int mask = 1; mask < P; mask <<= 1) {
        if (RANK & mask) {
            peal_send(me, &sum, 1, RANK ^ mask);
            break;
        }
        peal_recv(me, &other, 1, RANK ^ mask);
        sum += other;
        peal_compute(me, 1);
    }
    if (RANK == 0) lesson_note(me, 0, &sum, 1);
}

/* The time of the sum on this many nodes; *right: its result and its cost are. */
static double
time_of(struct peal_board *board, int P, struct work work, bool *right)
{
    struct peal_options options = lesson_options(P, "full");

    options.parameters.tau = 1;
    const struct peal_machine *machine = lesson_try(board, options, program, &work);
    int64_t sum = work.n * (work.n - 1) / 2;
    struct peal_cost cost = {lesson_log2(P), lesson_log2(P), 0, work.serial + work.n / P + lesson_log2(P)};

    *right &= !peal_machine_failure(machine) && lesson_noted_is(board, 0, 0, &sum, 1) &&
              peal_cost_equal(peal_machine_cost(machine), cost);
    return lesson_time(machine);
}

static void
amdahl(struct peal_board *board, bool *right)
{
    struct work work = {.n = 1 << 20, .serial = 55188}; /* a twentieth of all operations */
    double one = time_of(board, 1, work, right), f = (double)work.serial / (double)(work.n + work.serial), last = 0;
    bool below = true;

    lesson_say(board, "Amdahl (1967): n = 2^20 stays, and 55188 operations of node 0, f = 0.05 of all, are not "
                      "divided.");
    lesson_show(board, "%6s %10s %10s %12s %12s %12s", "P", "T", "speed-up", "1/(f+(1-f)/P)",
                "efficiency", "Karp-Flatt");
    for (int P = 1; P <= 1024; P *= 4) {
        double time = time_of(board, P, work, right), speedup = one / time, law = 1 / (f + (1 - f) / P);
        char serial[20] = "-";

        if (P > 1) snprintf(serial, sizeof serial, "%.4f", (1 / speedup - 1.0 / P) / (1 - 1.0 / P));
        lesson_show(board, "%6d %10.0f %10.2f %12.2f %12.3f %12s", P, time, speedup, law, speedup / P, serial);
        below &= speedup <= law + 1e-9;
        last  = speedup;
    }
    lesson_check(board, below && last < 1 / f,
                 "the speed-up is at most Amdahl's 1/(f + (1-f)/P), and so below 1/f = 20");
}

static void
gustafson(struct peal_board *board, bool *right)
{
    struct work one = {.n = 1 << 16, .serial = 3449};
    double s = (double)one.serial / (double)(one.n + one.serial), first = time_of(board, 1, one, right), last = 0;
    bool below = true;

    lesson_say(board, "Gustafson (1988): n = 2^16·P grows with P, and the 3449 operations that are not divided stay: "
                      "on one node s = 0.05 of the time.");
    lesson_show(board, "%6s %10s %10s %12s %12s", "P", "T", "speed-up", "P-s(P-1)", "efficiency");
    for (int P = 1; P <= 64; P *= 4) {
        double time = time_of(board, P, (struct work){one.n * P, one.serial}, right);
        double speedup = (double)(one.n * P + one.serial) / time, law = P - s * (P - 1);

        lesson_show(board, "%6d %10.0f %10.2f %12.2f %12.3f", P, time, speedup, law, speedup / P);
        below &= speedup <= law + 1e-9;
        last  = speedup;
    }
    lesson_check(board, first > 0 && below && last > 20, "the scaled speed-up is at most P - s(P-1), and beyond 20");
}

static void
isoefficiency(struct peal_board *board, bool *right)
{
    bool constant = true, falls = true;
    double before = 1;

    lesson_say(board, "Isoefficiency, without serial work: T = n/P + (α+β+τ)·log₂P, so the efficiency n/(P·T) is "
                      "1/(1 + (α+β+τ)·P·log₂P/n). It stays 0.8 if n = 4·(α+β+τ)·P·log₂P.");
    lesson_show(board, "%6s %12s %12s %22s", "P", "n", "efficiency", "efficiency of n = 16032");
    for (int P = 4; P <= 256; P *= 4) {
        struct work grown = {.n = (int64_t)4 * STEP * P * lesson_log2(P)}, same = {.n = 16032 - 16032 % P};
        double e = (double)grown.n / (P * time_of(board, P, grown, right));
        double f = (double)same.n / (P * time_of(board, P, same, right));

        lesson_show(board, "%6d %12lld %12.3f %22.3f", P, (long long)grown.n, e, f);
        constant &= e > 0.8 - 1e-12 && e < 0.8 + 1e-12;
        falls    &= f < before;
        before   = f;
    }
    lesson_check(board, constant, "with n = 4·(α+β+τ)·P·log₂P the efficiency is 0.8 at every P");
    lesson_check(board, falls, "with the same n it falls");
}

static void
run(struct peal_board *board)
{
    struct work work = {.n = 1 << 10, .serial = 54};
    struct peal_options options = lesson_options(8, "full");
    bool right = true;

    options.parameters.tau = 1;
    const struct peal_machine *machine =
        lesson_run(board, options, program, &work, "n = %d, 54 operations that are not divided", 1 << 10);

    lesson_check_cost(board, "cost on 8 nodes", peal_machine_cost(machine),
                      (struct peal_cost){3, 3, 0, 54 + 128 + 3}, "(α+β+τ)·log₂P + (54 + n/P)τ");
    amdahl(board, &right);
    gustafson(board, &right);
    isoefficiency(board, &right);
    lesson_check(board, right, "every sum was n(n-1)/2, and cost (α+β+τ)·log₂P + (serial + n/P)τ");
    lesson_answer(board, "With the same n the speed-up ends at 1/f, whatever P is, and the tree's log₂P start-ups keep "
                         "it below; the serial fraction that is measured (Karp and Flatt 1990) grows with P, which "
                         "tells such overhead from work that is not divided. If n grows with P, the serial part loses "
                         "weight, and the speed-up grows with P. To keep the efficiency, n must grow as P·log₂P: this "
                         "is the isoefficiency function of the sum. pealrun --scale makes such a table of an MPI "
                         "program.");
}

const struct peal_lesson lesson_speed_up = {
    .id       = "SPEED",
    .title    = "Amdahl, Gustafson, isoefficiency",
    .source   = "Grama et al. 2003, section 5.4",
    .code     = "speed_up.c",
    .question = "P nodes add n numbers along a tree, and node 0 alone prepares. How much faster are they than one "
                "node? How does n have to grow with P so that the nodes are used as well as before?",
    .run      = run,
};
