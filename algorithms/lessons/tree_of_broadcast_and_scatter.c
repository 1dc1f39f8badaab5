/* SPDX-License-Identifier: MIT */
/* Broadcast and scatter have the same tree; only the sizes differ. */
#include "lesson.h"

enum { mu = 10, MAX = 64 };

/* Which collective, by which algorithm of the catalogue. */
struct tree_call {
    bool scatter;
    const char *algorithm;
};

static void
program(struct peal_node *me, void *arg)
{
    const struct tree_call *call = arg;
    int64_t *x = peal_alloc(me, (size_t)(mu * peal_size(me))), *out = peal_alloc(me, mu);

    if (call->scatter)
        peal_scatter_by(me, call->algorithm, x, mu, 0, out);
    else
        peal_broadcast_by(me, call->algorithm, x, mu, 0);
}

/* Whether every message to v is as long as the packets of v and of all nodes below it in the tree that the run made. */
static bool
carries_subtrees(const struct peal_machine *scatter)
{
    int nodes = peal_machine_options(scatter)->nodes, parent[MAX] = {0};
    int64_t words[MAX] = {0}, below[MAX] = {0};

    for (int i = 0; i < lesson_rounds(scatter); i++) {
        struct lesson_round round = lesson_round(scatter, i);

        for (int j = 0; j < round.count; j++) {
            parent[round.transfers[j].to] = round.transfers[j].from;
            words[round.transfers[j].to] = (int64_t)round.transfers[j].words;
        }
    }
    for (int v = 1; v < nodes; v++)
        for (int u = v, steps = 0; u != 0 && steps < nodes; u = parent[u], steps++)
            below[u]++;
    for (int v = 1; v < nodes; v++)
        if (words[v] != mu * below[v])
            return false;
    return true;
}

static bool
all_messages_are(const struct peal_machine *machine, uint64_t words)
{
    const struct peal_schedule *schedule = peal_machine_schedule(machine);

    for (size_t i = 0; i < schedule->kept_transfers; i++)
        if (schedule->transfers[i].words != words)
            return false;
    return true;
}

static void
run(struct peal_board *board)
{
    static const struct tree_call broadcast = {false, "binomial"}, scatter = {true, "binomial"};
    static const struct tree_call broadcast_rda = {false, "rda"}, scatter_rda = {true, "rda"},
                                  scatter_smaller = {true, "rda-smaller"};
    const struct peal_machine *b, *s;
    int same = 0, sizes = 0;

    b = lesson_run(board, lesson_options(8, "hypercube"), program, &broadcast, "broadcast of μ = %d words", mu);
    s = lesson_run(board, lesson_options(8, "hypercube"), program, &scatter, "scatter of μ = %d words a node", mu);
    lesson_check(board, lesson_same_tree(b, s, false, false), "in every round the same nodes send to the same nodes");
    lesson_check(board, all_messages_are(b, mu), "broadcast: every message has μ words");
    lesson_check(board, carries_subtrees(s), "scatter: the message to v has μ words for v and every node below v");
    for (int nodes = 2; nodes <= MAX; nodes *= 2, sizes++) {
        b = lesson_try(board, lesson_options(nodes, "hypercube"), program, &broadcast);
        s = lesson_try(board, lesson_options(nodes, "hypercube"), program, &scatter);
        same += lesson_same_tree(b, s, false, false) && all_messages_are(b, mu) && carries_subtrees(s);
    }
    lesson_check_all(board, same, sizes, "the same holds on the hypercubes of 2 to 64 nodes");

    lesson_answer(board, "The tree is the same, the spanning binomial tree. A broadcast sends the same μ words on "
                         "every edge; a scatter sends on the edge to v the packets of v and its subtree, so bundles "
                         "halve from round to round. That is why both have the same bounds for rounds and hops.");
    lesson_correct(board, "\"Exactly the same broadcast tree\" does not hold for the notes' own rules on a line of odd "
                          "length: there a broadcast keeps the smaller part and a scatter the greater (see ODD), so "
                          "the trees differ.");
    b = lesson_run(board, lesson_options(7, "line"), program, &broadcast_rda, "broadcast, keeps the smaller part");
    s = lesson_run(board, lesson_options(7, "line"), program, &scatter_rda, "scatter, keeps the greater part");
    lesson_check(board, !lesson_same_tree(b, s, false, false), "the trees of z = 7 differ");
    s = lesson_try(board, lesson_options(7, "line"), program, &scatter_smaller);
    lesson_check(board, lesson_same_tree(b, s, false, false),
                 "a scatter that kept the smaller part would have the broadcast's tree");
    b = lesson_try(board, lesson_options(8, "line"), program, &broadcast_rda);
    s = lesson_try(board, lesson_options(8, "line"), program, &scatter_rda);
    lesson_check(board, lesson_same_tree(b, s, false, false), "with z = 8 no split is odd, and the trees are the same");
}

const struct peal_lesson lesson_tree_of_broadcast_and_scatter = {
    .id       = "TREE",
    .title    = "One tree for broadcast and scatter",
    .source   = "PDP course, combining OAS",
    .code     = "tree_of_broadcast_and_scatter.c",
    .question = "Explain why \"combining OAS is the same as OAB except that the message size decreases gradually\", "
                "and make the correspondence precise.",
    .run      = run,
};
