/* SPDX-License-Identifier: MIT */
/* Recording a schedule: rounds and their transfers, appended in order; and a run's rounds in short. */
#pragma once

#include "lib/base/map.h"
#include <peal/machine.h>

/* A peal_schedule that grows.  Zeroed is empty. */
struct recorder {
    struct peal_schedule schedule;
    size_t order_capacity, rounds_capacity, transfers_capacity;
    struct map round_map, transfer_map;
};

/* Give room for `count` transfers, to be filled by the caller: those of the next round.  NULL without memory; with
 * count 0 some non-NULL pointer. */
struct peal_transfer *recorder_room(struct recorder *recorder, size_t count);
/* Append a round of the first `count` transfers in that room.  False without memory: the schedule is unchanged. */
bool recorder_round(struct recorder *recorder, size_t count, struct peal_cost charge);
/* Append a round equal to a recorded one of this number.  False without memory: the schedule is unchanged. */
bool recorder_repeat(struct recorder *recorder, uint32_t number);
void recorder_clear(struct recorder *recorder); /* keeps the memory */
void recorder_fini(struct recorder *recorder);
/* Give the schedule away, to be freed by the caller; the recorder is empty then. */
struct peal_schedule recorder_end(struct recorder *recorder);

/* What is known of a run's rounds, recorded or not: their number, and the first and last of them.  Zeroed: none. */
struct course {
    uint64_t rounds;
    struct peal_round_summary first[PEAL_FIRST_ROUNDS], last[PEAL_LAST_ROUNDS]; /* of round r, last[r % the size] */
};

void course_add(struct course *course, const struct peal_transfer *transfers, size_t count, struct peal_cost charge,
                struct peal_cost total);
void course_note(struct course *course, struct peal_round_summary summary);
/* Give round `number`, from 0; NULL when it is not among them. */
const struct peal_round_summary *course_at(const struct course *course, uint64_t number);
