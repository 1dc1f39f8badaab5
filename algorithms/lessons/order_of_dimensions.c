/* SPDX-License-Identifier: MIT */
/* Scatter and broadcast with the dimensions in the opposite order: the cost on a line. */
#include "lesson.h"

enum { m = 4 };

/* Near first: node 0 sends 1 the messages of all odd nodes, then both send to the nodes two further on, ...  After the
 * round of `half`, node r < 2·half has the messages of all nodes that are r modulo 2·half. */
static void
near_first(struct peal_node *me, void *arg)
{
    int my_id = peal_rank(me), p = peal_size(me), note = 0;
    int64_t *X = peal_alloc(me, (size_t)(p * m));

    (void)arg;
    if (my_id == 0)
        for (int i = 0; i < p * m; i++)
            X[i] = 1 + i;
    if (p <= 8) lesson_note_blocks(me, note++, X, m);
    for (int half = 1; half < p; half *= 2) {             /* the lowest dimension first */
        struct peal_piece bundle[256];
        int partner = my_id ^ half, pieces = 0;

        for (int i = my_id | half; i < p; i += 2 * half)  /* every message of the far side that I have, or receive */
            bundle[pieces++] = (struct peal_piece){peal_block(X, m, i), m};
        if (my_id < half)
            peal_sendv_async(me, bundle, pieces, partner);
        else if (my_id < 2 * half)
            peal_recvv_async(me, bundle, pieces, partner);
        peal_wait_all(me);
        for (int i = 0; my_id < half && i < pieces; i++)
            *(int64_t *)bundle[i].data = 0;               /* it is sent */
        if (p <= 8) lesson_note_blocks(me, note++, X, m);
    }
    lesson_note(me, 15, peal_block(X, m, my_id) + 1, 1);
}

/* The broadcast over the same tree. */
static void
broadcast_near_first(struct peal_node *me, void *arg)
{
    int my_id = peal_rank(me), p = peal_size(me);
    int64_t X[m] = {0};

    (void)arg;
    for (int half = 1; half < p; half *= 2) {
        if (my_id < half) peal_send(me, X, m, my_id ^ half);
        else if (my_id < 2 * half) peal_recv(me, X, m, my_id ^ half);
    }
}

static bool
all_served(struct peal_board *board, int p)
{
    for (int node = 0; node < p; node++) {
        int64_t second_word = 2 + node * m;

        if (!lesson_noted_is(board, node, 15, &second_word, 1))
            return false;
    }
    return true;
}

static struct peal_cost
cost_on(struct peal_board *board, const char *network, int p, peal_program program)
{
    return peal_machine_cost(lesson_try(board, lesson_options(p, network), program, NULL));
}

static void
run(struct peal_board *board)
{
    enum { P = 8, q = 3 };
    int line = 0, mesh = 0, cube = 0, broadcasts = 0, all = 0, squares = 0, shared = 0;
    const struct peal_machine *machine = lesson_run(board, lesson_options(P, "line"), near_first, NULL,
                                                    "lowest dimension first, p = %d, m = %d", P, m);

    lesson_draw_line(board, machine, 1);
    lesson_say(board, "Which messages each node has:");
    lesson_show_blocks(board, "at first", 0);
    lesson_show_blocks(board, "step 1", 1);
    lesson_show_blocks(board, "step 2", 2);
    lesson_show_blocks(board, "step 3", 3);
    for (int i = 1; i <= q; i++)
        shared += lesson_round(machine, i - 1).k == 1 << (i - 1);
    lesson_check(board, all_served(board, P), "every node has its message: the algorithm is right");
    lesson_check_all(board, shared, q,
                     "in step i, k = 2^(i-1): all senders are neighbours and send across the same links");
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(q, m * q * P / 2, 0),
                      "t_s·log₂p + t_w·m·(p/2)·log₂p, not m(p-1)");

    lesson_show(board, "  near first  line          hypercube     mesh          broadcast, line");
    for (int p = 4; p <= 256; p *= 2, all++) {
        int n = lesson_log2(p), side = 1 << n / 2;
        struct peal_cost on_line = cost_on(board, "line", p, near_first), on_cube, on_mesh, broadcast;
        bool square = side * side == p;

        line += all_served(board, p) && peal_cost_equal(on_line, lesson_cost(n, m * n * p / 2, 0));
        on_cube = cost_on(board, "hypercube", p, near_first);
        cube += peal_cost_equal(on_cube, lesson_cost(n, m * (p - 1), 0));
        on_mesh = cost_on(board, "mesh", p, near_first);
        mesh += square && peal_cost_equal(on_mesh, lesson_cost(n, m * n * (p + side) / 4, 0));
        squares += square;
        broadcast = cost_on(board, "line", p, broadcast_near_first);
        broadcasts += peal_cost_equal(broadcast, lesson_cost(n, m * (p - 1), 0));
        lesson_show(board, "  p = %3d     %s%s%s%s", p, lesson_cell(lesson_text(on_line), 14),
                    lesson_cell(lesson_text(on_cube), 14),
                    lesson_cell(lesson_text(on_mesh), 14), lesson_text(broadcast));
    }
    lesson_check_all(board, line, all, "line: t_s·log₂p + t_w·m·(p/2)·log₂p");
    lesson_check_all(board, cube, all, "hypercube: t_s·log₂p + t_w·m(p-1), as with the highest dimension first");
    lesson_check_all(board, mesh, squares, "square mesh: t_s·log₂p + t_w·m·(p+√p)/4·log₂p");
    lesson_check_all(board, broadcasts, all,
                     "broadcast of m words on the line: t_s·log₂p + t_w·m(p-1) instead of t_w·m·log₂p");

    lesson_answer(board, "On the hypercube it costs nothing. On a line it causes congestion: m(p/2)·log₂p words "
                         "instead of m(p-1), 12m instead of 7m at p = 8, and the ratio grows with p. So \"unaltered, "
                         "without any increase\" (LINE) holds for the book's order, the highest dimension first for a "
                         "scatter and last for a gather. It does not hold for the opposite order, which is as good on "
                         "the hypercube.");
}

const struct peal_lesson lesson_order_of_dimensions = {
    .id       = "ORDER",
    .title    = "The opposite order of dimensions",
    .source   = "Grama et al. 2003, section 4.4",
    .code     = "order_of_dimensions.c",
    .question = "A hypercube's scatter may take the dimensions in any order. What does the opposite order, the "
                "lowest dimension first, cost on a linear array and on a mesh?",
    .run      = run,
};
