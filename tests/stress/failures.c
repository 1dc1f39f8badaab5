/* SPDX-License-Identifier: MIT */
/* Nodes that fail at random, at a random place of lively traffic, several at once or none: the machine must stop,
 * report the same first failure every way, free everything, and the next one must run as if nothing had happened.
 *
 *   failures [PROGRAMS] */
#include "tests/stress/stress.h"

#include <stdio.h>

enum { PHASES = 6, WORDS = 8 };

enum mishap { ABORT, BAD_RANK, BAD_TAG, DOUBLE_WAIT, TRUNCATION, LOST, DEADLOCK, UNMATCHED, LEAVE, MISHAPS };

static void
fail(struct peal_node *me, enum mishap mishap)
{
    uint64_t words[WORDS] = {0};
    int right = (peal_rank(me) + 1) % peal_size(me);
    struct peal_handle handle;

    switch (mishap) {
    case ABORT:
        peal_abort(me, "enough");
    case BAD_RANK:
        peal_send(me, words, 1, peal_size(me));
        break;
    case BAD_TAG:
        peal_send_tag(me, words, 1, right, -5);
        break;
    case DOUBLE_WAIT:
        handle = peal_send_async_tag(me, words, 1, peal_rank(me), 1000);
        peal_recv_tag(me, words + 1, 1, peal_rank(me), 1000);
        peal_wait(me, handle);
        peal_wait(me, handle);
        break;
    case TRUNCATION:
        peal_send_async_tag(me, words, 2, peal_rank(me), 1000);
        peal_recv_tag(me, words + 2, 1, peal_rank(me), 1000);
        break;
    case LOST:
        peal_recv_async_tag(me, peal_alloc(me, 1), 1, right, 1000);
        peal_exit(me);
    case DEADLOCK:
        peal_recv_tag(me, words, 1, right, 1000);
        break;
    case UNMATCHED:
        peal_send_async_tag(me, words, 0, right, 1000); /* complete at once when eager, lost else */
        break;
    case LEAVE:
        peal_exit(me);
    case MISHAPS:
        break;
    }
}

static void
program(struct peal_node *me, void *arg)
{
    struct stage *stage = arg;
    uint64_t whim = chance(stage->seed, 0, (uint64_t)peal_rank(me), 0);
    bool bad = whim % (uint64_t)peal_size(me) == 0; /* one per machine on average */

    for (int phase = 0; phase < PHASES; phase++) {
        int step = 1 + (int)(chance(stage->seed, 1, (uint64_t)phase, 0) % (uint64_t)peal_size(me));
        int to = (peal_rank(me) + step) % peal_size(me);
        uint64_t *out = peal_alloc(me, WORDS), *in = peal_alloc(me, WORDS);

        dawdle();
        if (bad && (int)(whim >> 32 & 0xFFFF) % PHASES == phase)
            fail(me, (enum mishap)((whim >> 16) % MISHAPS));
        out[0] = (uint64_t)peal_rank(me);
        peal_sendrecv_tag(me, out, WORDS, to, phase, in, WORDS, PEAL_ANY_SOURCE, phase);
        if (in[0] != (uint64_t)((peal_rank(me) + peal_size(me) - step % peal_size(me)) % peal_size(me)))
            peal_abort(me, "wrong data");
        saw(stage, me, in[0]);
        if (phase % 2)
            peal_free(me, in); /* the machine frees the rest, however the node ends */
    }
}

int
main(int argc, char **argv)
{
    int programs = how_many(argc, argv, 120);
    bool good = true;

    for (int i = 0; i < programs && good; i++) {
        struct stage stage = {.seed = (uint64_t)i};
        struct peal_options options;

        peal_options_init(&options);
        options.nodes = 1 + (int)(mix((uint64_t)i) % 16);
        options.eager = i % 2;
        options.timeout_seconds = 100;
        good = same_every_way(&options, program, &stage);
    }
    if (good && (totals.failures == 0 || totals.failures == totals.runs)) {
        printf("failures: %d programs must fail and succeed\n", programs);
        good = false;
    }
    return tell("failures", good);
}
