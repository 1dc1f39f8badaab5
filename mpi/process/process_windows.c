/* SPDX-License-Identifier: MIT */
/* Windows of processes: their memory has a copy here, which other nodes access.  When the process calls, what it has
 * written since is copied here; when the call returns, what others have written is copied back.  Both may write at
 * different places meanwhile, so only bytes that differ from the last common contents are copied. */
#include "mpi/process/process_windows.h"
#include <stdlib.h>
#include <string.h>

/* Buffers of accesses that are not complete. */
struct window_access {
    struct window_access *next;
    int target;
    struct buffer_copy *shadows;
    struct process_block *blocks;
};

struct process_window {
    struct process_window *next;
    MPI_Win win;
    uint64_t theirs;
    char *ours, *common; /* the last contents that both had in common */
    char *seen;          /* room for theirs */
    size_t bytes;
    bool allocated; /* by MPI_Win_allocate */
    struct window_access *accesses;
};

static struct process_window *
window_of(struct process *process, MPI_Win win)
{
    struct process_window *window = process->windows;

    while (window && window->win != win)
        window = window->next;
    return window;
}

char *
window_memory(struct process *process, uint64_t theirs, size_t bytes)
{
    char *memory = calloc(1, bytes ? bytes : 1);

    if (!memory || !process_read(process, theirs, memory, bytes))
        mpi_fail(process->mpi, memory ? PEAL_INVALID_ARGUMENT : PEAL_OUT_OF_MEMORY,
                 "the window's %zu bytes at %#llx do not lie in the memory of the process, or here is none for a copy",
                 bytes, (unsigned long long)theirs);
    return memory;
}

void
window_add(struct process *process, MPI_Win win, uint64_t theirs, char *ours, size_t bytes, bool allocated)
{
    struct process_window *window = calloc(1, sizeof *window);

    if (!window || !(window->common = malloc(bytes + 1)) || !(window->seen = malloc(bytes + 1)))
        mpi_fail(process->mpi, PEAL_OUT_OF_MEMORY, "no memory for a copy of its process's window");
    memcpy(window->common, ours, bytes);
    window->win = win;
    window->theirs = theirs;
    window->ours = ours;
    window->bytes = bytes;
    window->allocated = allocated;
    window->next = process->windows;
    process->windows = window;
}

uint64_t
window_base(struct process *process, MPI_Win win, bool *allocated)
{
    const struct process_window *window = window_of(process, win);

    *allocated = window && window->allocated;
    return window ? window->theirs : 0;
}

void
windows_pull(struct process *process)
{
    for (struct process_window *window = process->windows; window; window = window->next) {
        if (!process_read(process, window->theirs, window->seen, window->bytes) ||
            memcmp(window->seen, window->common, window->bytes) == 0)
            continue;
        for (size_t i = 0; i < window->bytes; i++)
            if (window->seen[i] != window->common[i])
                window->ours[i] = window->common[i] = window->seen[i];
    }
}

void
windows_push(struct process *process)
{
    for (struct process_window *window = process->windows; window; window = window->next)
        for (size_t i = 0, end; i < window->bytes; i = end) {
            end = i + 1;
            if (i == 0 && memcmp(window->ours, window->common, window->bytes) == 0)
                break;
            if (window->ours[i] == window->common[i])
                continue;
            while (end < window->bytes && window->ours[end] != window->common[end])
                end++;
            process_write(process, window->theirs + i, window->ours + i, end - i);
            memcpy(window->common + i, window->ours + i, end - i);
        }
}

void
window_keep(struct process *process, MPI_Win win, int target)
{
    struct process_window *window = window_of(process, win);
    struct window_access *access = window ? calloc(1, sizeof *access) : NULL;

    if (!window)
        return;
    if (!access)
        mpi_fail(process->mpi, PEAL_OUT_OF_MEMORY, "no memory for an access of its process");
    *access = (struct window_access){window->accesses, target, process->shadows, process->blocks};
    window->accesses = access;
    process->shadows = NULL;
    process->blocks = NULL;
}

static void
served_access_free(struct process *process, struct window_access *access)
{
    shadows_free(process, access->shadows);
    process_free(access->blocks);
    free(access);
}

void
window_complete(struct process *process, MPI_Win win, int target)
{
    struct process_window *window = window_of(process, win);
    struct window_access **at = window ? &window->accesses : NULL;

    for (struct window_access *one; at && (one = *at);) {
        if (target >= 0 && one->target != target) {
            at = &one->next;
            continue;
        }
        for (struct buffer_copy *shadow = one->shadows; shadow; shadow = shadow->next)
            shadow_empty(process, shadow);
        *at = one->next;
        served_access_free(process, one);
    }
}

static void
window_fini(struct process *process, struct process_window *window)
{
    for (struct window_access *one; (one = window->accesses);) {
        window->accesses = one->next;
        served_access_free(process, one);
    }
    free(window->ours);
    free(window->common);
    free(window->seen);
    free(window);
}

void
window_remove(struct process *process, MPI_Win win)
{
    for (struct process_window **at = &process->windows, *one; (one = *at); at = &one->next)
        if (one->win == win) {
            *at = one->next;
            window_fini(process, one);
            return;
        }
}

void
windows_forget(struct process *process)
{
    for (struct process_window *one; (one = process->windows);) {
        process->windows = one->next;
        window_fini(NULL, one);
    }
}
