/* SPDX-License-Identifier: MIT */
/* Windows of processes. */
#pragma once

#include "mpi/process/node_process.h"

/* Memory for the copy of a window, filled from the process's memory. */
char *window_memory(struct process *process, uint64_t theirs, size_t bytes);

/* The process has made a window: `ours` is its copy, which is freed with it.  It has freed a window. */
void window_add(struct process *process, MPI_Win win, uint64_t theirs, char *ours, size_t bytes, bool allocated);
void window_remove(struct process *process, MPI_Win win);
void windows_forget(struct process *process);

/* The address of its memory in the process; 0: unknown window.  *allocated: MPI_Win_allocate made it. */
uint64_t window_base(struct process *process, MPI_Win win, bool *allocated);

/* A call begins, and ends. */
void windows_pull(struct process *process);
void windows_push(struct process *process);

/* An access to that rank keeps the buffers of the call until it is complete.  All accesses to that rank are complete;
 * with a target below 0 all accesses. */
void window_keep(struct process *process, MPI_Win win, int target);
void window_complete(struct process *process, MPI_Win win, int target);
