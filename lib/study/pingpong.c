/* SPDX-License-Identifier: MIT */
/* Measures a message's round trip between two nodes of a job, by the host's clock. */
#include "lib/study/pingpong.h"
#include "lib/base/grow.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PASSES = 10, HOST_WORDS = 8 };

static void
pingpong_exchange(struct peal_node *me, const struct pingpong *game, void *buffer, size_t words)
{
    if (peal_rank(me) == game->ranks[0]) {
        peal_send(me, buffer, words, game->ranks[1]);
        peal_recv(me, buffer, words, game->ranks[1]);
    } else {
        peal_recv(me, buffer, words, game->ranks[0]);
        peal_send(me, buffer, words, game->ranks[0]);
    }
}

static void
pingpong_measure(struct peal_node *me, struct pingpong *game)
{
    size_t repetitions = (size_t)game->repetitions, passes = repetitions < PASSES ? repetitions : PASSES;
    void *buffer = peal_alloc(me, game->sizes.last);

    memset(buffer, 0, game->sizes.last * peal_word_bytes(me));
    for (size_t pass = 0; pass < passes; pass++)
        for (size_t i = 0; i < game->count; i++) {
            size_t words = peal_range_get(&game->sizes, i);

            pingpong_exchange(me, game, buffer, words);
            for (size_t j = repetitions * pass / passes; j < repetitions * (pass + 1) / passes; j++) {
                double began = peal_clock(me);

                pingpong_exchange(me, game, buffer, words);
                game->times[i * repetitions + j] = (peal_clock(me) - began) / 2;
            }
        }
}

static void
pingpong_send_results(struct peal_node *me, void *data, size_t words, int from)
{
    if (from == 0)
        return;
    if (peal_rank(me) == from)
        peal_send(me, data, words, 0);
    else if (peal_rank(me) == 0)
        peal_recv(me, data, words, from);
}

static void
pingpong_program(struct peal_node *me, void *arg)
{
    struct pingpong *game = arg;
    int rank = peal_rank(me), which = rank == game->ranks[0] ? 0 : rank == game->ranks[1] ? 1 : -1;

    if (which >= 0) {
        gethostname(game->hosts[which], sizeof game->hosts[which] - 1);
        pingpong_measure(me, game);
    }
    pingpong_send_results(me, game->times, game->count * (size_t)game->repetitions, game->ranks[0]);
    for (int i = 0; i < 2; i++)
        pingpong_send_results(me, game->hosts[i], HOST_WORDS, game->ranks[i]);
}

enum peal_status
peal_pingpong_run(struct pingpong *game, const struct peal_options *options, struct peal_error *error)
{
    size_t repetitions = (size_t)game->repetitions;
    struct peal_machine *machine = peal_machine_create(options, error);
    const struct peal_failure *failure;

    _Static_assert(sizeof game->hosts[0] == HOST_WORDS * sizeof(double) && sizeof(double) == 8, "of words");
    if (!machine)
        return error->status;
    game->count = peal_range_count(&game->sizes);
    game->times = calloc(game->count * repetitions, sizeof *game->times);
    if (!game->times) {
        peal_machine_destroy(machine);
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for %zu times", game->count * repetitions);
    }
    failure = peal_run(machine, pingpong_program, game);
    if (failure)
        peal_refuse(error, failure->status, "%s: %s", peal_failure_name(failure->kind), failure->message);
    for (size_t i = 0; !failure && i < game->count; i++)
        qsort(game->times + i * repetitions, repetitions, sizeof *game->times, compare_doubles);
    peal_machine_destroy(machine);
    return failure ? error->status : PEAL_OK;
}

struct peal_spread
peal_pingpong_spread(const struct pingpong *game, size_t i)
{
    size_t count = (size_t)game->repetitions;
    const double *times = game->times + i * count;

    return (struct peal_spread){
        .median = (times[(count - 1) / 2] + times[count / 2]) / 2, .minimum = times[0], .maximum = times[count - 1]};
}
