/* SPDX-License-Identifier: MIT */
/* Strands: each node starts collectives of the machine and of a half of it, up to five at once, sends messages and
 * makes blocking collectives beside them, and joins them in an order of its own, some by asking.  A strand meets other
 * nodes, and calls collectives of a part of its nodes, too.
 *
 *   strands [PROGRAMS] */
#include "tests/stress/stress.h"

enum { AT_ONCE = 5, WORDS = 3 };

/* What one strand does. */
struct work {
    struct peal_node *half; /* of the node, which the strand sees as a part of the machine; NULL: it is the half's */
    int kind, root;
    int64_t x[WORDS];
};

static void
expect(struct peal_node *me, int64_t got, int64_t wanted)
{
    if (got != wanted)
        peal_abort(me, "a wrong result in a strand");
}

static void
run_strand(struct peal_node *me, void *arg)
{
    struct work *work = arg;
    int64_t rank = peal_rank(me), P = peal_size(me), sum = P * (P - 1) / 2;

    dawdle();
    if (work->kind == 0) {
        work->x[0] = rank == work->root ? 77 : -1;
        peal_broadcast(me, work->x, WORDS, work->root);
        expect(me, work->x[0], 77);
    } else if (work->kind == 1) {
        work->x[0] = rank;
        peal_allreduce(me, PEAL_SUM_INT64, work->x, WORDS);
        expect(me, work->x[0], sum);
    } else if (work->kind == 2) {
        peal_barrier(me);
        work->x[0] = rank;
        peal_scan(me, PEAL_SUM_INT64, work->x, 1);
        expect(me, work->x[0], rank * (rank + 1) / 2);
    } else if (work->kind == 3 && work->half) {
        struct peal_node *half = peal_view_part(me, work->half);

        work->x[0] = 1;
        peal_allreduce(half, PEAL_SUM_INT64, work->x, 1);
        expect(me, work->x[0], peal_size(half));
        peal_view_end(half);
    } else {
        const struct peal_meeting meeting = {.number = work->root, .group = true};
        struct peal_node *met = peal_meet(me, &meeting);

        work->x[0] = peal_rank(met);
        expect(me, work->x[0], rank);
    }
}

/* A word to the right and one from the left, beside the strands. */
static void
round_the_ring(struct peal_node *me, struct stage *stage, int tag)
{
    int P = peal_size(me), r = peal_rank(me);
    int64_t mine = r, theirs = -1;

    peal_sendrecv_tag(me, &mine, 1, (r + 1) % P, tag, &theirs, 1, (r + P - 1) % P, tag);
    saw(stage, me, (uint64_t)theirs);
}

static void
program(struct peal_node *me, void *arg)
{
    struct stage *stage = arg;
    uint64_t seed = stage->seed, own = (uint64_t)peal_rank(me);
    struct peal_node *half = peal_split(me, peal_rank(me) % 2, -peal_rank(me));
    struct work work[AT_ONCE];
    struct peal_handle handles[AT_ONCE];

    for (uint64_t turn = 0; turn < 3; turn++) {
        int count = 1 + (int)(chance(seed, turn, 0, 0) % AT_ONCE);

        for (int i = 0; i < count; i++) {
            uint64_t what = chance(seed, turn, 1, (uint64_t)i);
            bool of_half = what >> 8 & 1;

            work[i] = (struct work){of_half ? NULL : half, (int)(what % 5), 0, {0}};
            if (work[i].kind == 0)
                work[i].root = (int)(what >> 16 & 0xFF) % (peal_size(me) / 2 > 0 ? peal_size(me) / 2 : 1);
            else /* meetings that are open at once have numbers of their own */
                work[i].root = (int)turn * AT_ONCE + i + 1;
            handles[i] = peal_start(of_half ? half : me, NULL, run_strand, &work[i]);
            if (what >> 24 & 1)
                round_the_ring(me, stage, i);
        }
        if (chance(seed, turn, 2, 0) % 2)
            peal_barrier(half);
        int first = (int)(chance(seed, turn, 3, own) % (uint64_t)count);

        for (int n = 0; n < count; n++) { /* each node in its own order */
            int i = (first + n) % count;

            if (chance(seed, turn, own, (uint64_t)i) % 4 == 0)
                while (!peal_join_test(me, handles[i]))
                    dawdle();
            else
                peal_join(me, handles[i]);
            saw(stage, me, (uint64_t)work[i].x[0]);
        }
    }
}

int
main(int argc, char **argv)
{
    int programs = how_many(argc, argv, 30);
    bool good = true;

    for (int i = 0; i < programs && good && peal_fibers_built(); i++) { /* strands need what fibers need */
        struct stage stage = {.seed = (uint64_t)i};
        struct peal_options options;

        peal_options_init(&options);
        options.nodes = 1 + (int)(mix((uint64_t)i) % 17);
        options.eager = i % 3 == 2;
        options.eager_words = 4;
        options.timeout_seconds = 100;
        good = same_every_way(&options, program, &stage);
    }
    return tell("strands", good && totals.failures == 0);
}
