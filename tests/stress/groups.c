/* SPDX-License-Identifier: MIT */
/* Groups within groups: the nodes split by random colours and keys, some stay out, those inside talk in the group while
 * the others talk in the whole machine, and split again; collectives run in groups of all sizes at the same time.
 *
 *   groups [PROGRAMS] */
#include "tests/stress/stress.h"

enum { DEPTH = 3 };

/* Send one word round the group, whatever its size; every node sees its left neighbour's. */
static void
round_the_group(struct peal_node *me, struct stage *stage, int tag)
{
    int right = (peal_rank(me) + 1) % peal_size(me), left = (peal_rank(me) + peal_size(me) - 1) % peal_size(me);
    uint64_t mine = mix((uint64_t)peal_world_rank(me)), theirs = 0;
    struct peal_message message = peal_sendrecv_tag(me, &mine, 1, right, tag, &theirs, 1, PEAL_ANY_SOURCE, tag);

    if (message.source != left || theirs != mix((uint64_t)peal_rank_in_world(me, left)))
        peal_abort(me, "a message from another group");
    saw(stage, me, theirs);
}

/* Sum the ranks of the group with a collective, and look whether it is what Gauss says. */
static void
sum_of_ranks(struct peal_node *me, struct stage *stage)
{
    int64_t sum = peal_rank(me);

    peal_allreduce(me, PEAL_SUM_INT64, &sum, 1);
    if (sum != (int64_t)peal_size(me) * (peal_size(me) - 1) / 2)
        peal_abort(me, "a wrong sum in a group");
    saw(stage, me, (uint64_t)sum);
}

static void
program(struct peal_node *world, void *arg)
{
    struct stage *stage = arg;
    struct peal_node *group[DEPTH + 1] = {world};
    int deep = 0;

    while (deep < DEPTH) {
        struct peal_node *me = group[deep];
        uint64_t whim = chance(stage->seed, (uint64_t)deep, (uint64_t)peal_world_rank(me), 0);
        int color = whim % 7 == 0 ? PEAL_NO_COLOR : (int)(whim >> 8 & 1);

        dawdle();
        group[deep + 1] = peal_split(me, color, (int)(whim >> 16 & 3));
        if (!group[deep + 1])
            break;
        deep++;
    }
    for (int i = deep; i >= 0; i--) { /* the innermost first: its neighbours may still be on their way */
        dawdle();
        round_the_group(group[i], stage, i);
        if (chance(stage->seed, 9, (uint64_t)i, 0) % 2)
            sum_of_ranks(group[i], stage);
        if (i == 0)
            peal_barrier(world);
    }
}

int
main(int argc, char **argv)
{
    int programs = how_many(argc, argv, 40);
    bool good = true;

    for (int i = 0; i < programs && good; i++) {
        struct stage stage = {.seed = (uint64_t)i};
        struct peal_options options;

        peal_options_init(&options);
        options.nodes = 1 + (int)(mix((uint64_t)i) % 33);
        options.eager = i % 3 == 2;
        options.eager_words = 4;
        options.timeout_seconds = 100;
        good = same_every_way(&options, program, &stage);
    }
    return tell("groups", good);
}
