/* SPDX-License-Identifier: MIT */
/* Combining scatter on a mesh as a Cartesian product: one dimension after the other. */
#include "halving.h"

enum { mu = 10 };

struct product {
    int z1, z2;
    bool greater;
};

/* First along the source's column, a bundle for each row; then along all rows, a packet for each node. */
static void
program(struct peal_node *me, void *arg)
{
    const struct product *mesh = arg;
    int RANK = peal_rank(me), N = mesh->z1 * mesh->z2, row = RANK / mesh->z2, column = RANK % mesh->z2;
    struct halved_line rows = {
        .z = mesh->z1, .stride = mesh->z2, .words = (size_t)(mu * mesh->z2), .greater = mesh->greater};
    struct halved_line packets = {
        .z = mesh->z2, .first = row * mesh->z2, .stride = 1, .words = mu, .greater = mesh->greater};
    int64_t *X = peal_alloc(me, (size_t)(mu * N));

    for (int i = 0; i < N && RANK == 0; i++)
        *peal_block(X, mu, i) = 1 + i;
    halve(me, &rows, column == 0 ? row : -1, X);
    halve(me, &packets, column, peal_block(X, mu, row * mesh->z2));
    lesson_note(me, 0, peal_block(X, mu, RANK), 1);
}

/* What the construction costs from a corner: the sum over the dimensions. */
static struct peal_cost
derived(const struct product *mesh)
{
    int z[] = {mesh->z1, mesh->z2}, bundle[] = {mesh->z2, 1};
    int64_t alpha = 0, beta = 0, hop = 0;

    for (int i = 0; i < 2; i++) {
        int f = lesson_zeros(z[i]);

        alpha += lesson_log2(z[i]);
        hop += z[i] - 1 + (mesh->greater ? f : 0);
        beta += (z[i] - 1 + (mesh->greater ? 0 : f)) * bundle[i] * mu;
    }
    return lesson_cost(alpha, beta, hop);
}

static void
run(struct peal_board *board)
{
    static const int sizes[][2] = {{4, 4}, {3, 3}, {3, 5}, {5, 3}, {5, 5}, {9, 9}};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    struct product shown = {3, 5, true};
    struct peal_options options = lesson_options(15, "mesh:3x5");
    bool served = true;
    int right = 0, beta = 0;

    options.switching = PEAL_WORMHOLE;
    lesson_run(board, options, program, &shown, "a mesh 3x5 from its corner: 2 rounds by column, 3 by rows, μ = %d",
               mu);
    lesson_say(board, "Both rules on meshes, and Lemma 7's bound:");
    lesson_show(board, "  mesh     keep the greater       keep the smaller       Lemma 7");
    for (int i = 0; i < SIZES; i++) {
        int N = sizes[i][0] * sizes[i][1];
        char name[20], greater[40];

        snprintf(name, sizeof name, "mesh:%dx%d", sizes[i][0], sizes[i][1]);
        for (int rule = 0; rule < 2; rule++) {
            struct product mesh = {sizes[i][0], sizes[i][1], rule == 0};
            struct peal_options one = lesson_options(N, name);

            one.switching = PEAL_WORMHOLE;
            struct peal_cost cost = peal_machine_cost(lesson_try(board, one, program, &mesh));

            for (int node = 0; node < N; node++) {
                int64_t packet = 1 + node;

                served = served && lesson_noted_is(board, node, 0, &packet, 1);
            }
            right += peal_cost_equal(cost, derived(&mesh));
            beta += rule == 0 && cost.beta == (N - 1) * mu;
            if (rule == 0)
                snprintf(greater, sizeof greater, "%s", lesson_text(cost));
            else
                lesson_show(board, "  %d x %d    %s%s%s", sizes[i][0], sizes[i][1], lesson_cell(greater, 23),
                            lesson_cell(lesson_text(cost), 23),
                            lesson_text(lesson_cost(lesson_log2(N), (N - 1) * mu, sizes[i][0] + sizes[i][1] - 2)));
        }
    }
    lesson_check(board, served, "every node of every run has its packet");
    lesson_check_all(board, right, 2 * SIZES,
                     "the run costs the sum of both dimensions, with f(z) in t_d (greater) or in t_m (smaller)");
    lesson_check_all(board, beta, SIZES, "keeping the greater part, the data term is (N-1)μ: Lemma 7's");

    lesson_answer(board,
                  "A mesh M(z1, z2) is the product of two lines. The source scatters along its column first, in "
                  "bundles of z2 packets, one bundle a row; then every row's holder scatters its bundle along "
                  "the row, all at the same time and on links of their own. The data term telescopes: "
                  "(z1-1)z2 + (z2-1) = N-1. The rule applies inside of each dimension, at every split of an odd "
                  "part: in the first a packet too much is a bundle of z2 packets, so keeping the smaller part "
                  "there costs f(z1)·z2·μt_m. Between the dimensions there is nothing to choose. The start-ups "
                  "are ⌈lg z1⌉ + ⌈lg z2⌉, which can exceed ⌈lg N⌉ by one: 3x5 takes 5, not 4.");
}

const struct peal_lesson lesson_cartesian_mesh = {
    .id       = "CART",
    .title    = "The Cartesian construction on a mesh",
    .source   = "PDP course, OAS on meshes",
    .code     = "cartesian_mesh.c",
    .question =
        "How does the Cartesian product construction extend the 1-D combining OAS to a mesh, and where does the rule "
        "\"keep the greater part\" apply in it?",
    .run      = run,
};
