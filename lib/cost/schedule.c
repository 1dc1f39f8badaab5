/* SPDX-License-Identifier: MIT */
/* A schedule that grows round by round, and a run's first and last rounds where it is not recorded. */
#include "lib/cost/schedule.h"
#include "lib/base/grow.h"
#include <stdlib.h>

struct peal_transfer *
recorder_room(struct recorder *recorder, size_t count)
{
    struct peal_schedule *schedule = &recorder->schedule;

    return count < SIZE_MAX - schedule->transfer_count && /* one more: of none, too, there is an array */
                   grow(&schedule->transfers, &recorder->transfers_capacity, schedule->transfer_count + count + 1,
                        sizeof *schedule->transfers)
               ? schedule->transfers + schedule->transfer_count
               : NULL;
}

struct peal_transfer *
recorder_round(struct recorder *recorder, size_t count)
{
    struct peal_schedule *schedule = &recorder->schedule;
    struct peal_transfer *first = recorder_room(recorder, count);

    if (!first ||
        !grow(&schedule->rounds, &recorder->rounds_capacity, schedule->round_count + 1, sizeof *schedule->rounds))
        return NULL;
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

void
course_add(struct course *course, const struct peal_transfer *transfers, size_t count, struct peal_cost charge,
           struct peal_cost total)
{
    struct peal_round_summary summary = {charge, total, count, 0};

    for (size_t i = 0; i < count; i++)
        summary.k = transfers[i].k > summary.k ? transfers[i].k : summary.k;
    if (course->rounds < PEAL_FIRST_ROUNDS)
        course->first[course->rounds] = summary;
    course->last[course->rounds++ % PEAL_LAST_ROUNDS] = summary;
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
