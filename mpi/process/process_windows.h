/* SPDX-License-Identifier: MIT */
/* Windows of processes. */
#pragma once

#include "mpi/process/node_process.h"

/* Memory for the copy of a window, filled from the process's memory. */
char *window_memory(struct process *process, uint64_t theirs, size_t bytes);

/* The process has made a window, or attached memory: `ours` is its copy.  It has freed a window (NULL: all are), or
 * detached the memory at an address (0: all of it is): the copies are freed. */
void window_add(struct process *process, MPI_Win win, uint64_t theirs, char *ours, size_t bytes);
void window_attach(struct process *process, MPI_Win win, uint64_t theirs, char *ours, size_t bytes);
void windows_forget(struct process *process, MPI_Win win, uint64_t theirs);

/* The address in the process of a window's memory, which is `ours` here; 0: none. */
uint64_t window_base(struct process *process, MPI_Win win, const void *ours);

/* Memory that all processes can map, from `end` on in the file of the channels; the next call frees the last run's.
 * Allocate some; free it; the address of memory within it in a process, which maps it. */
void shared_begin(int file, size_t end);
void *shared_allocate(struct mpi *mpi, size_t bytes);
void shared_free(struct mpi *mpi, void *memory);
uint64_t shared_address(struct process *process, const void *ours);

/* A call begins, and ends. */
void windows_pull(struct process *process);
void windows_push(struct process *process);
