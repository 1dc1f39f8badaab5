/* SPDX-License-Identifier: MIT */
/* A schedule that grows round by round, and a run's first and last rounds where it is not recorded. */
#include "lib/cost/schedule.h"
#include "lib/base/grow.h"
#include <stdlib.h>

struct peal_transfer *
recorder_room(struct recorder *recorder, size_t count)
{
    struct peal_schedule *schedule = &recorder->schedule;

    return count < SIZE_MAX - schedule->kept_transfers && /* one more, so that there is an array even for none */
                   array_grow(&schedule->transfers, &recorder->transfers_capacity, schedule->kept_transfers + count + 1,
                              sizeof *schedule->transfers)
               ? schedule->transfers + schedule->kept_transfers
               : NULL;
}

bool
recorder_round(struct recorder *recorder, size_t count, struct peal_cost charge)
{
    struct peal_schedule *schedule = &recorder->schedule;
    size_t first, number;

    if (!array_grow(&schedule->order, &recorder->order_capacity, schedule->round_count + 1, sizeof *schedule->order) ||
        !array_grow(&schedule->rounds, &recorder->rounds_capacity, schedule->kept_rounds + 1,
                    sizeof *schedule->rounds) ||
        !map_intern(&recorder->transfer_map, schedule->transfers, &schedule->kept_transfers, count,
                    sizeof *schedule->transfers, &first))
        return false;
    schedule->rounds[schedule->kept_rounds] = (struct peal_round){charge, first, count};
    if (schedule->kept_rounds > UINT32_MAX || !map_intern(&recorder->round_map, schedule->rounds,
                                                          &schedule->kept_rounds, 1, sizeof *schedule->rounds, &number))
        return false;
    schedule->order[schedule->round_count++] = (uint32_t)number;
    schedule->transfer_count += count;
    return true;
}

static void
empty(struct map *map)
{
    free(map->places);
    *map = (struct map){0};
}

void
recorder_clear(struct recorder *recorder)
{
    struct peal_schedule *schedule = &recorder->schedule;

    schedule->round_count = schedule->transfer_count = schedule->kept_rounds = schedule->kept_transfers = 0;
    empty(&recorder->round_map);
    empty(&recorder->transfer_map);
}

struct peal_schedule
recorder_end(struct recorder *recorder)
{
    struct peal_schedule schedule = recorder->schedule;

    recorder_clear(recorder);
    *recorder = (struct recorder){0};
    return schedule;
}

void
recorder_fini(struct recorder *recorder)
{
    struct peal_schedule schedule = recorder_end(recorder);

    free(schedule.order);
    free(schedule.rounds);
    free(schedule.transfers);
}

bool
recorder_repeat(struct recorder *recorder, uint32_t number)
{
    struct peal_schedule *schedule = &recorder->schedule;

    if (!array_grow(&schedule->order, &recorder->order_capacity, schedule->round_count + 1, sizeof *schedule->order))
        return false;
    schedule->order[schedule->round_count++] = number;
    schedule->transfer_count += schedule->rounds[number].count;
    return true;
}

void
course_note(struct course *course, struct peal_round_summary summary)
{
    if (course->rounds < PEAL_FIRST_ROUNDS)
        course->first[course->rounds] = summary;
    course->last[course->rounds++ % PEAL_LAST_ROUNDS] = summary;
}

void
course_add(struct course *course, const struct peal_transfer *transfers, size_t count, struct peal_cost charge,
           struct peal_cost total)
{
    struct peal_round_summary summary = {charge, total, count, 0};

    for (size_t i = 0; i < count; i++)
        summary.k = transfers[i].k > summary.k ? transfers[i].k : summary.k;
    course_note(course, summary);
}

const struct peal_round_summary *
course_at(const struct course *course, uint64_t number)
{
    if (number >= course->rounds)
        return NULL;
    if (number < PEAL_FIRST_ROUNDS)
        return &course->first[number];
    return course->rounds - number <= PEAL_LAST_ROUNDS ? &course->last[number % PEAL_LAST_ROUNDS] : NULL;
}
