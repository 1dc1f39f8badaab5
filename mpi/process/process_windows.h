/* SPDX-License-Identifier: MIT */
/* Windows of processes. */
#pragma once

#include "mpi/process/node_process.h"

/* Memory for the copy of a window, with what the process has there. */
char *window_memory(struct process *process, uint64_t theirs, size_t bytes);

/* The process has made a window: `ours` is its copy, which is freed with it; and has freed it. */
void window_add(struct process *process, MPI_Win win, uint64_t theirs, char *ours, size_t bytes, bool allocated);
void window_remove(struct process *process, MPI_Win win);
void windows_forget(struct process *process);

/* Where its memory is in the process; 0: the window is not known.  *allocated: MPI_Win_allocate made it. */
uint64_t window_base(struct process *process, MPI_Win win, bool *allocated);

/* A call begins, and ends. */
void windows_pull(struct process *process);
void windows_push(struct process *process);

/* An access to that rank needs the buffers of the call until it is complete; all to a rank are, to all with a target
 * below 0. */
void window_keep(struct process *process, MPI_Win win, int target);
void window_complete(struct process *process, MPI_Win win, int target);
