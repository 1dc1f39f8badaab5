/* SPDX-License-Identifier: MIT */
/* Schedules from files in place of an algorithm's name. */
#pragma once

#include "options/options.h"

/* Whether an argument is the file of a schedule: by its ending, or by its first bytes. */
bool schedule_is(const char *path);

/* Read the schedule in a file, judged on no network.
 *
 *   owner    the caller destroys it; NULL after an error
 *   errors   as of file_read, peal_plan_read and peal_plan_judge */
struct peal_plan *schedule_read(const char *path, struct peal_error *error);

/* Replace each argument that is a schedule's file by the name that its algorithm has from then on,
 * "allgather/ring.xml"; unless the request has its own, the nodes, the root and the sizes are the schedule's.  A
 * schedule without data becomes request->bare, and its argument stays.
 *
 *   owner    the request; schedules_drop unloads them
 *   errors   as of schedule_read and peal_plan_load                                      */
enum peal_status schedules_take(struct command_request *request, struct peal_error *error);

/* Let the messages of --messages be request->bare, and their text the only argument.
 *
 *   errors   PEAL_USAGE with the character where the text is wrong, or for another argument; PEAL_RESOURCES */
enum peal_status schedules_scenario(struct command_request *request, struct peal_error *error);
void schedules_drop(struct command_request *request);
