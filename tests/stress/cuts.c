/* SPDX-License-Identifier: MIT */
/* Threads that ask for the cuts of many situations at the same time get those that one thread alone gets: all threads
 * share the table of cuts found before. */
#include "lib/collective/cuts.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4, TURNS = 200, SITUATIONS = 100 }; /* more than the table has places */

static struct peal_network *networks[SITUATIONS];
static struct peal_cut alone[SITUATIONS];

static struct peal_cut
find(int i)
{
    struct peal_situation situation = {.collective = PEAL_SCATTER,
                                       .nodes = peal_network_nodes(networks[i]),
                                       .root = i / 2 % 4,
                                       .words = 5 + (size_t)i,
                                       .network = networks[i],
                                       .ports = PEAL_PORTS_ALL};
    struct peal_cut cut = {0};

    cut_find(&situation, &cut);
    return cut;
}

static bool
is_same(const struct peal_cut *a, const struct peal_cut *b)
{
    return a->count == b->count && a->into == b->into && a->words == b->words && a->capacity == b->capacity &&
           memcmp(a->member, b->member, sizeof a->member) == 0;
}

static void *
find_all(void *arg)
{
    int *wrong = arg;

    for (int turn = 0; turn < TURNS; turn++) {
        int i = (turn * 7 + *wrong) % SITUATIONS;
        struct peal_cut cut = find(i);

        if (!is_same(&cut, &alone[i])) {
            *wrong = -1;
            return NULL;
        }
    }
    *wrong = 0;
    return NULL;
}

int
main(void)
{
    pthread_t thread[THREADS];
    int wrong[THREADS], count = 0;

    for (int i = 0; i < SITUATIONS; i++) {
        networks[i] = peal_network_create(i % 2 == 0 ? "ring" : "line", 4 + i / 8, NULL, NULL);
        alone[i] = find(i);
        if (alone[i].count == 0)
            return fprintf(stderr, "situation %d has no cut\n", i), 1;
    }
    for (int i = 0; i < THREADS; i++) {
        wrong[i] = 13 * i; /* where it begins */
        if (pthread_create(&thread[i], NULL, find_all, &wrong[i]) != 0)
            return perror("pthread_create"), 1;
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        count += wrong[i] != 0;
    }
    for (int i = 0; i < SITUATIONS; i++)
        peal_network_destroy(networks[i]);
    if (count > 0)
        fprintf(stderr, "%d of %d threads found another cut than one thread alone\n", count, THREADS);
    return count > 0;
}
