/* SPDX-License-Identifier: MIT */
#include "lib/cost/schedule.h"
#include <stdlib.h>

/* Make room for `count` entries of `bytes` in *array; false without memory. */
static bool
reserve(void **array, size_t *capacity, size_t count, size_t bytes)
{
    size_t larger = *capacity ? *capacity : 64;
    void *moved;

    if (count <= *capacity && *array)
        return true;
    while (larger < count)
        larger = larger > SIZE_MAX / 2 ? count : larger * 2;
    if (larger > SIZE_MAX / bytes)
        return false;
    moved = realloc(*array, larger * bytes);
    if (!moved)
        return false;
    *array = moved;
    *capacity = larger;
    return true;
}

struct peal_transfer *
recorder_room(struct recorder *recorder, size_t count)
{
    struct peal_schedule *schedule = &recorder->schedule;
    void *transfers = schedule->transfers;
    bool memory = count <= SIZE_MAX - schedule->transfer_count &&
                  reserve(&transfers, &recorder->transfers_capacity, schedule->transfer_count + count,
                          sizeof *schedule->transfers);

    schedule->transfers = transfers;
    return memory ? schedule->transfers + schedule->transfer_count : NULL;
}

struct peal_transfer *
recorder_round(struct recorder *recorder, size_t count)
{
    struct peal_schedule *schedule = &recorder->schedule;
    struct peal_transfer *first = recorder_room(recorder, count);
    void *rounds = schedule->rounds;

    if (!first || !reserve(&rounds, &recorder->rounds_capacity, schedule->round_count + 1, sizeof *schedule->rounds))
        return NULL;
    schedule->rounds = rounds;
    schedule->rounds[schedule->round_count++] = (struct peal_round){.first = schedule->transfer_count, .count = count};
    schedule->transfer_count += count;
    return first;
}

void
recorder_clear(struct recorder *recorder)
{
    recorder->schedule.round_count = 0;
    recorder->schedule.transfer_count = 0;
}

void
recorder_fini(struct recorder *recorder)
{
    free(recorder->schedule.rounds);
    free(recorder->schedule.transfers);
    *recorder = (struct recorder){0};
}
