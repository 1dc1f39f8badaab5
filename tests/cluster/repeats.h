/* SPDX-License-Identifier: MIT */
/* Programs that repeat messages, and that fail when they have; of failures.c's. */
#ifndef TESTS_CLUSTER_REPEATS_H
#define TESTS_CLUSTER_REPEATS_H

#include <peal/peal.h>
#include <time.h>

void repeated_messages(struct peal_node *me, void *arg);
void not_waited_for(struct peal_node *me, void *arg);
void too_long_at_the_end(struct peal_node *me, void *arg);
void comes_too_late(struct peal_node *me, void *arg);
void keeps_a_handle(struct peal_node *me, void *arg);
void uses_the_handle(struct peal_node *me, void *arg);
void waited_for_twice(struct peal_node *me, void *arg);
void floods(struct peal_node *me, void *arg);
void to_oneself(struct peal_node *me, void *arg);
void nothing_to_oneself(struct peal_node *me, void *arg);

static inline void
compute_for(double seconds)
{
    struct timespec begin, now;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) < seconds);
}

#endif
