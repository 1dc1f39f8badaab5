/* SPDX-License-Identifier: MIT */
/* Scatter on a machine that cannot combine packets. */
#include "lesson.h"

enum { mu = 10 };

/* The tree-based scatter sends bundles. */
static void
combining(struct peal_node *me, void *arg)
{
    int RANK = peal_rank(me), left = 0, right = peal_size(me), holder = 0;
    int64_t *packet = peal_alloc(me, (size_t)(mu * peal_size(me)));

    (void)arg;
    peal_packet(me, mu);                                  /* a packet has μ words */
    while (right - left > 1) {
        int mid = (left + right) / 2;

        if (RANK == holder) peal_send(me, peal_block(packet, mu, mid), (size_t)(mu * (right - mid)), mid);
        if (RANK == mid) peal_recv(me, peal_block(packet, mu, mid), (size_t)(mu * (right - mid)), holder);
        if (RANK < mid) {
            right = mid;
        } else {
            left = mid;
            holder = mid;
        }
    }
}

/* One packet at a time. */
static void
single_packets(struct peal_node *me, void *arg)
{
    int P = peal_size(me);
    int64_t *packet = peal_alloc(me, (size_t)(mu * P));

    (void)arg;
    peal_packet(me, mu);
    for (int i = 1; i < P; i++) {
        if (peal_rank(me) == 0) peal_send(me, peal_block(packet, mu, i), mu, i);
        if (peal_rank(me) == i) peal_recv(me, packet, mu, 0);
    }
}

static struct peal_options
machine_of(int nodes, bool noncombining)
{
    struct peal_options options = lesson_options(nodes, "full");

    options.noncombining = noncombining;
    return options;
}

static void
run(struct peal_board *board)
{
    enum { N = 8 };
    struct peal_cost bundled, single;
    int right = 0, all = 0;

    bundled = peal_machine_cost(lesson_run(board, machine_of(N, false), combining, NULL, "with combining, μ = %d", mu));
    lesson_check_cost(board, "cost", bundled, lesson_cost(lesson_log2(N), mu * (N - 1), 0), "t_s·log₂N + μ·t_m(N-1)");
    lesson_run_wrong(board, machine_of(N, true), combining, NULL, PEAL_NONCOMBINING, "the same program");
    single = peal_machine_cost(lesson_run(board, machine_of(N, true), single_packets, NULL, "one packet at a time"));
    lesson_check_cost(board, "cost", single, lesson_cost(N - 1, mu * (N - 1), 0), "(N-1)(t_s + μ·t_m)");
    lesson_show(board, "      N    rounds combining    single packets    times    words of either");
    for (int nodes = 4; nodes <= 64; nodes *= 2, all++) {
        bundled = peal_machine_cost(lesson_try(board, machine_of(nodes, false), combining, NULL));
        single = peal_machine_cost(lesson_try(board, machine_of(nodes, true), single_packets, NULL));
        lesson_show(board, "  %5d  %18d  %16d  %7.2f  %17d", nodes, (int)bundled.alpha, (int)single.alpha,
                    (double)single.alpha / (double)bundled.alpha, (int)single.beta);
        right += bundled.alpha == lesson_log2(nodes) && single.alpha == nodes - 1 && bundled.beta == single.beta;
    }
    lesson_check_all(board, right, all, "log₂N rounds and N-1 rounds, and equally many words");

    lesson_answer(board, "(N-1)(t_s + μ·t_m): with one port, the source emits one packet a round. Combining improves "
                         "only the rounds, from N-1 to log₂N, 7/3 times for N = 8: the same N-1 packets must leave the "
                         "source. (A broadcast for every packet, (N-1)·log₂N rounds, is far more than needed: no "
                         "packet needs a tree.)");
}

const struct peal_lesson lesson_nocomb_no_combining = {
    .id       = "NOCOMB",
    .title    = "Without combining",
    .source   = "PDP course, combining OAS",
    .code     = "nocomb_no_combining.c",
    .question = "A 1-port network does not support combining: no message may bundle packets for several destinations. "
                "What is the latency of OAS, and by how much does combining improve the round count?",
    .run      = run,
};
