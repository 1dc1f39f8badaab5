/* SPDX-License-Identifier: MIT */
/* How far the run is, for other threads. */
#pragma once

#include "lib/machine/machine.h"

/* Called by the thread that calls peal_run, around the run and now and then during it; nothing where the run is not
 * followed. progress_wait: for how long to sleep, at most `wait` nanoseconds (0: for ever), until progress_publish is
 * due. */
void progress_begin(struct peal_machine *machine);
int64_t progress_wait(const struct peal_machine *machine, int64_t wait);
void progress_publish(struct peal_machine *machine, int64_t now);
void progress_end(struct peal_machine *machine);
void progress_destroy(struct peal_machine *machine);
/* Called by the maker of the round: note how far the run is, if a snapshot is asked for. */
void progress_fill(struct peal_machine *machine);
static inline void
progress_note(struct peal_machine *machine)
{
    if (machine->progress)
        progress_fill(machine);
}
/* Called around printing: clear the progress display from the screen, and show nothing until the screen is released. */
void progress_take_screen(struct peal_machine *machine);
void progress_give_screen(struct peal_machine *machine);
/* Hold the last snapshot of a machine with progress, and release it: it does not change in between. */
const struct peal_progress *progress_enter(const struct peal_machine *machine);
void progress_leave(const struct peal_progress *snapshot);
