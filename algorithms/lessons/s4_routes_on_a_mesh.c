/* SPDX-License-Identifier: MIT */
/* Scenario 4: whether two messages collide on a mesh depends on their routes. */
#include "lesson.h"

enum { SIDE = 3, P = SIDE * SIDE, n = 100, MAX_ROUTES = 6, MAX_HOPS = 4 };

static const struct lesson_messages messages = {{0, 8}, {4, 6}, n};

/* ------------------------------------------------------------------ routes by hand */

struct route {
    int hops, node[MAX_HOPS + 1];
};

static int
step(int x, int target)
{
    return (x < target) - (x > target);
}

/* All minimal routes from the last node of `way` to `to`: at every node go on along the row or along the column. */
static int
find_routes(struct route way, int to, struct route *routes, int found)
{
    int at = way.node[way.hops], rows = step(at / SIDE, to / SIDE), columns = step(at % SIDE, to % SIDE);

    if (at == to) {
        routes[found] = way;
        return found + 1;
    }
    way.hops++;
    if (columns != 0) {
        way.node[way.hops] = at + columns;
        found = find_routes(way, to, routes, found);
    }
    if (rows != 0) {
        way.node[way.hops] = at + rows * SIDE;
        found = find_routes(way, to, routes, found);
    }
    return found;
}

/* The number of minimal routes from one node to another: C(rows + columns, rows), for a target down and right of it. */
static int
count_routes(int from, int to)
{
    int rows = to / SIDE - from / SIDE, columns = to % SIDE - from % SIDE, count = 1;

    if (rows < 0 || columns < 0)
        return 0;
    for (int i = 1; i <= rows; i++)
        count = count * (columns + i) / i;
    return count;
}

/* k of two routes: 2 if they have a link in common. */
static int
collide(const struct route *a, const struct route *b)
{
    for (int i = 0; i < a->hops; i++)
        for (int j = 0; j < b->hops; j++)
            if (a->node[i] == b->node[j] && a->node[i + 1] == b->node[j + 1])
                return 2;
    return 1;
}

static const char *
route_text(const struct route *route, char text[64])
{
    int used = snprintf(text, 64, "%d", route->node[0]);

    for (int i = 1; i <= route->hops; i++)
        used += snprintf(text + used, 64 - (size_t)used, "→%d", route->node[i]);
    return text;
}

static void
enumerate(struct peal_board *board)
{
    struct route red[MAX_ROUTES], blue[MAX_ROUTES], from_0 = {0, {0}}, from_4 = {0, {4}};
    int reds = find_routes(from_0, 8, red, 0), blues = find_routes(from_4, 6, blue, 0), colliding = 0, least = P;
    char a[64], b[64], c[64];

    lesson_say(board, "By hand: every pair of minimal routes, and k, the messages on their busiest link.");
    lesson_show(board, "  0 to 8           4 to 6: %s    %s", route_text(&blue[0], a), route_text(&blue[1], b));
    for (int i = 0; i < reds; i++) {
        int k0 = collide(&red[i], &blue[0]), k1 = collide(&red[i], &blue[1]);

        lesson_show(board, "  %s                k = %d    k = %d%s", route_text(&red[i], c), k0, k1,
                    k0 + k1 > 2 ? "   collide" : "");
        colliding += (k0 > 1) + (k1 > 1);
        least = k0 < least ? k0 : least;
        least = k1 < least ? k1 : least;
    }
    lesson_check_count(board, "pairs of minimal routes", reds * blues, count_routes(0, 8) * 2, "C(4,2)·C(2,1)");
    /* both go down only on 4→7 (4→7→6) or on 3→6 (4→3→6) */
    lesson_check_count(board, "pairs that collide", colliding,
                       count_routes(0, 4) * count_routes(7, 8) + count_routes(0, 3) * count_routes(6, 8),
                       "(0 to 8 through 4→7, and through 3→6)");
    lesson_check_count(board, "least k", least, 1, "(a pair has no link in common)");
}

/* ------------------------------------------------------------------ the lesson */

static void
run(struct peal_board *board)
{
    struct peal_options options = lesson_options(P, "mesh:3x3");
    struct peal_network *best = peal_network_create("mesh:3x3", P, "best", NULL);
    const struct peal_machine *machine;

    lesson_show(board, "    0───1───2");
    lesson_show(board, "    │   │   │");
    lesson_show(board, "    3───4───5");
    lesson_show(board, "    │   │   │");
    lesson_show(board, "    6───7───8");
    options.routing = "xy";
    machine = lesson_run(board, options, lesson_two_messages, &messages, "both along the row first, n = %d", n);
    lesson_check_cost(board, "0→1→2→5→8 and 4→3→6", peal_machine_cost(machine), lesson_cost(1, n, 0), "α + βn");
    options.routing = "yx";
    machine = lesson_run(board, options, lesson_two_messages, &messages, "both along the column first, n = %d", n);
    lesson_check_cost(board, "0→3→6→7→8 and 4→7→6", peal_machine_cost(machine), lesson_cost(1, n, 0), "α + βn");
    if (best != NULL) {
        options.routing = "best";
        machine = lesson_run(board, options, lesson_two_messages, &messages, "on the best minimal routes, n = %d", n);
        lesson_check_cost(board, "best routes", peal_machine_cost(machine), lesson_cost(1, n, 0), "α + βn");
    }
    peal_network_destroy(best);
    enumerate(board);

    lesson_answer(board, "It depends on the routes. The minimum is α + βn: most pairs of minimal routes have no link "
                         "in common, and dimension order finds such a pair, rows first or columns first. The worst is "
                         "α + 2βn: if the first message goes down the column first and the second along the row first, "
                         "both need 3→6.");
}

const struct peal_lesson lesson_s4_routes_on_a_mesh = {
    .id       = "S4",
    .title    = "Scenario 4: best and worst routes",
    .source   = "Georgia Tech CS 6220, ¶ 14-15",
    .code     = "s4_routes_on_a_mesh.c",
    .question = "On a mesh of 3 x 3 nodes, node 0 sends n words to node 8 at the same time that node 4 sends n words "
                "to node 6. What is the minimum time?",
    .run      = run,
};
