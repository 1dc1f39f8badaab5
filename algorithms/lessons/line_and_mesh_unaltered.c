/* SPDX-License-Identifier: MIT */
/* The hypercube's scatter and gather on a linear array and on a mesh. */
#include "lesson.h"

enum { m = 4, MAX = 256 };

static void
scatter(struct peal_node *me, void *arg)
{
    int my_id = peal_rank(me), p = peal_size(me);
    int64_t *X = peal_alloc(me, (size_t)(p * m));

    (void)arg;
    for (int half = p / 2; half >= 1; half /= 2) {        /* the highest dimension first */
        int partner = my_id ^ half;

        if (my_id % (2 * half) == 0) peal_send(me, peal_block(X, m, partner), (size_t)(half * m), partner);
        else if (my_id % half == 0) peal_recv(me, peal_block(X, m, my_id), (size_t)(half * m), partner);
    }
}

static void
gather(struct peal_node *me, void *arg)
{
    int my_id = peal_rank(me), p = peal_size(me);
    int64_t *X = peal_alloc(me, (size_t)(p * m));

    (void)arg;
    for (int half = 1; half < p; half *= 2) {             /* the lowest dimension first */
        int partner = my_id ^ half;

        if (my_id % (2 * half) == 0) {
            peal_recv(me, peal_block(X, m, partner), (size_t)(half * m), partner);
        } else {
            peal_send(me, peal_block(X, m, my_id), (size_t)(half * m), partner);
            break;
        }
    }
}

/* Run both on a network; return whether both cost t_s·log₂p + t_w·m(p-1) on it, without two messages on any link. */
static bool
unaltered(struct peal_board *board, int p, const char *network)
{
    struct peal_cost expected = lesson_cost(lesson_log2(p), m * (p - 1), 0);
    const struct peal_machine *forth = lesson_try(board, lesson_options(p, network), scatter, NULL),
                              *back = lesson_try(board, lesson_options(p, network), gather, NULL);

    if (p == 16)
        lesson_show(board, "  %s%s%s", lesson_cell(peal_network_name(peal_machine_network(forth)), 18),
                    lesson_cell(lesson_text(peal_machine_cost(forth)), 14), lesson_text(peal_machine_cost(back)));
    return peal_cost_equal(peal_machine_cost(forth), expected) && peal_cost_equal(peal_machine_cost(back), expected)
           && lesson_uncongested(forth) && lesson_uncongested(back);
}

static void
run(struct peal_board *board)
{
    static const char *const networks[] = {"hypercube", "line", "ring", "mesh", "torus"};
    int right = 0, all = 0;
    const struct peal_machine *machine = lesson_run(board, lesson_options(8, "line"), scatter, NULL,
                                                    "the scatter on a linear array, m = %d", m);

    lesson_draw_line(board, machine, 1);
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(3, m * 7, 0), "t_s·log₂p + t_w·m(p-1)");
    machine = lesson_run(board, lesson_options(16, "mesh:4x4"), scatter, NULL, "the scatter on a mesh");
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(4, m * 15, 0), "t_s·log₂p + t_w·m(p-1)");
    lesson_show(board, "  p = 16            scatter       gather");
    for (int p = 2; p <= MAX; p *= 2)
        for (int i = 0; i < 5; i++, all++)
            right += unaltered(board, p, networks[i]);
    lesson_check_all(board, right, all,
                     "k = 1 and t_s·log₂p + t_w·m(p-1) for both, on all five networks of 2, 4, .. 256 nodes");

    lesson_answer(board, "They run unaltered at the same cost. In every step the messages of different subcubes use "
                         "different parts of the line, or of a row or column: no link has two. This requires the "
                         "right order of the dimensions; ORDER shows the cost of the other one.");
}

const struct peal_lesson lesson_line_and_mesh_unaltered = {
    .id       = "LINE",
    .title    = "Linear array and mesh, unaltered",
    .source   = "Grama et al. 2003, section 4.4",
    .code     = "line_and_mesh_unaltered.c",
    .question = "Can the hypercube algorithms for scatter and gather be applied unaltered to linear array and mesh, "
                "without any increase in the communication time?",
    .run      = run,
};
