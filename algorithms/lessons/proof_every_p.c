/* SPDX-License-Identifier: MIT */
/* Why runs prove nothing about larger P, and how a ring and a binomial tree are proved for every P. */
#include "lesson.h"

enum { MAX = 40, SHOWN = 5, NODES = 128 };

/* ------------------------------------------------------------------ the ring */

/* All-gather on a ring of P nodes; a wrong one leaves its last round out above 100 nodes.  Notes: the blocks that the
 * node sent, and got, round after round; how many are not here at the end. */
static void
ring(struct peal_node *me, void *arg)
{
    const bool wrong = *(const bool *)arg;
    const int P = peal_size(me), r = peal_rank(me);
    int64_t x[NODES], sent[NODES], got[NODES], missing = 0;
    int rounds = 0;

    for (int b = 0; b < P; b++)
        x[b] = b == r ? r + 1 : 0;
    for (int k = 0; k < P - 1 - (wrong && P > 100); k++) {
        int from = (r - k + P) % P, to = (r - k - 1 + P) % P;

        peal_sendrecv(me, &x[from], 1, (r + 1) % P, &x[to], 1, (r - 1 + P) % P);
        sent[k] = from;
        got[k] = to;
        rounds++;
    }
    for (int b = 0; b < P; b++)
        missing += x[b] != b + 1;
    lesson_note(me, 0, sent, (size_t)rounds);
    lesson_note(me, 1, got, (size_t)rounds);
    lesson_note(me, 2, &missing, 1);
}

/* Whether this many blocks are missing on every node. */
static bool
all_miss(struct peal_board *board, int P, int64_t missing)
{
    for (int r = 0; r < P; r++)
        if (!lesson_noted_is(board, r, 2, &missing, 1))
            return false;
    return true;
}

/* The obligations of the ring, in a run. */
enum { MATCH, HELD, USE, END, OBLIGATIONS };

static void
ring_obligations(struct peal_board *board, int P, int right[OBLIGATIONS])
{
    bool holds[OBLIGATIONS] = {true, true, true, all_miss(board, P, 0)};

    for (int r = 0; r < P; r++) {
        size_t rounds, others;
        const int64_t *sent = lesson_noted(board, r, 0, &rounds), *got = lesson_noted(board, r, 1, &others),
                      *right_got = lesson_noted(board, (r + 1) % P, 1, &others);

        for (size_t k = 0; k < rounds; k++) {
            holds[MATCH] &= sent[k] == right_got[k];
            holds[HELD]  &= sent[k] == (k == 0 ? r : got[k - 1]);
            holds[USE]   &= sent[k] != got[k];
        }
    }
    for (int i = 0; i < OBLIGATIONS; i++)
        right[i] += holds[i];
}

static void
prove_ring(struct peal_board *board)
{
    int right[OBLIGATIONS] = {0}, fine = 0;
    bool wrong = true, correct = false;

    for (int P = 2; P <= 16; P++) {
        lesson_try(board, lesson_options(P, "ring"), ring, &wrong);
        fine += all_miss(board, P, 0);
    }
    lesson_say(board, "A ring whose last round is left out if P > 100:");
    lesson_check_all(board, fine, 15, "right for every P from 2 to 16");
    lesson_try(board, lesson_options(101, "ring"), ring, &wrong);
    lesson_check(board, all_miss(board, 101, 1), "wrong for P = 101: every node misses one block");
    lesson_say(board, "No number of runs would have told. The code does: a node is any r of any P, a round any k.");

    lesson_run(board, lesson_options(SHOWN, "ring"), ring, &correct, "the ring, P = %d", SHOWN);
    lesson_show(board, "for (int k = 0; k < P - 1; k++)");
    lesson_show(board, "    send block (r - k) mod P to (r + 1) mod P,");
    lesson_show(board, "    receive block (r - k - 1) mod P from (r - 1) mod P");
    lesson_say(board, "Invariant: before round k node r has the blocks r - k, ..., r, modulo P. Its obligations, "
                      "each of them for all r, k and P with 0 <= r < P and 0 <= k < P - 1:");
    lesson_show(board, "match  r receives block r-k-1 from r-1, whose send is of block (r-1)-k: equal");
    lesson_show(board, "held   block r-k is r's own if k = 0, or came in round k-1: r-(k-1)-1 = r-k");
    lesson_show(board, "use    r-k and r-k-1 differ by 1, so not by P: P > 1 where there is a round");
    lesson_show(board, "end    block b came to r in round (r-b) mod P - 1 < P-1; or b = r");
    lesson_show(board, "order  round k of a node waits for rounds k of its neighbours only: no circle");
    lesson_say(board, "None of these lines names a P. Runs may at most show that the code is what was read:");
    for (int P = 2; P <= MAX; P++) {
        lesson_try(board, lesson_options(P, "ring"), ring, &correct);
        ring_obligations(board, P, right);
    }
    lesson_check_all(board, right[MATCH], MAX - 1, "match: what is sent is what is received");
    lesson_check_all(board, right[HELD], MAX - 1, "held: what is sent is the own block, or came in the round before");
    lesson_check_all(board, right[USE], MAX - 1, "use: the block that is sent is not the one that comes");
    lesson_check_all(board, right[END], MAX - 1, "end: every block has come");
}

/* ------------------------------------------------------------------ the tree */

/* Broadcast along a binomial tree, root 0.  Notes: the parent, -1 of the root; the children, in their order. */
static void
tree(struct peal_node *me, void *arg)
{
    const int P = peal_size(me), r = peal_rank(me);
    int64_t x = r == 0 ? 7 : 0, parent = -1, children[32];
    int mask = 1, count = 0;

    (void)arg;
    while (mask < P && !(r & mask))                       /* the lowest bit of r */
        mask <<= 1;
    if (r > 0) {
        parent = r - mask;
        peal_recv(me, &x, 1, r - mask);
    }
    for (mask >>= 1; mask > 0; mask >>= 1)
        if (r + mask < P) {
            peal_send(me, &x, 1, r + mask);
            children[count++] = r + mask;
        }
    lesson_note(me, 0, &parent, 1);
    lesson_note(me, 1, children, (size_t)count);
    lesson_note(me, 2, &x, 1);
}

static bool
is_child(struct peal_board *board, int parent, int child)
{
    size_t count;
    const int64_t *children = lesson_noted(board, parent, 1, &count);

    for (size_t i = 0; children && i < count; i++)
        if (children[i] == child)
            return true;
    return false;
}

/* match both ways, order, and end, in a run on P nodes. */
static void
tree_obligations(struct peal_board *board, int P, int right[3])
{
    int children = 0, met = 0, above = 0, ends = 0;
    const int64_t word = 7;

    for (int r = 0; r < P; r++) {
        size_t count, sends = 0;
        const int64_t *parent = lesson_noted(board, r, 0, &count);

        if (lesson_noted(board, r, 1, &sends))
            children += (int)sends;
        if (r > 0) {
            met += is_child(board, (int)*parent, r);
            above += *parent < r;
        }
        ends += lesson_noted_is(board, r, 2, &word, 1);
    }
    right[0] += met == P - 1 && children == P - 1;
    right[1] += above == P - 1;
    right[2] += ends == P;
}

static void
prove_tree(struct peal_board *board)
{
    int right[3] = {0};

    lesson_run(board, lesson_options(6, "full"), tree, NULL, "a broadcast along a binomial tree, P = 6");
    lesson_say(board, "Node r > 0 receives from r - m, where m is the lowest bit of r; then, or as the root, it sends "
                      "to r + h for each power of two h < m (the root: h < P) with r + h < P. There is no loop of P "
                      "rounds: for each q with 2^(q-1) < P <= 2^q the loops have q rounds, m is one of q powers, and "
                      "each of the 25 classes of P up to 2^24 is proved alone. Obligations, for all r and P of the "
                      "class:");
    lesson_show(board, "match  r + h has the lowest bit h, as h < m: it receives from r + h - h = r");
    lesson_show(board, "       r - m has a higher lowest bit, or is 0, and r < P: it sends to r");
    lesson_show(board, "held   a node sends after its receive, and the root has the word");
    lesson_show(board, "order  r - m < r: nobody waits, over others, for itself");
    lesson_show(board, "end    each r > 0 receives once");
    for (int P = 2; P <= MAX; P++) {
        lesson_try(board, lesson_options(P, "full"), tree, NULL);
        tree_obligations(board, P, right);
    }
    lesson_check_all(board, right[0], MAX - 1, "match: each send meets one receive, and each receive one send");
    lesson_check_all(board, right[1], MAX - 1, "order: parents have lower ranks");
    lesson_check_all(board, right[2], MAX - 1, "end: every node has the word");
}

static void
run(struct peal_board *board)
{
    prove_ring(board);
    prove_tree(board);
    lesson_answer(board, "No: a check of P = 1..16 says nothing of P = 101. A proof for every P is an invariant and a "
                         "few obligations, each of them a line of arithmetic with unknown r, k and P. peal check "
                         "allgather/ring --every makes them from the C code and has a solver decide each; peal explain "
                         "allgather/ring --every, and peal explain broadcast/binomial --every, write them out.");
}

const struct peal_lesson lesson_proof_every_p = {
    .id       = "PROOF",
    .title    = "Proved for every number of nodes",
    .source   = "peal explain ... --every",
    .code     = "proof_every_p.c",
    .question = "An all-gather on a ring is right in all runs on 1 to 16 nodes. Is it right on 101? Prove a ring, and "
                "a broadcast along a binomial tree, for every P.",
    .run      = run,
};
