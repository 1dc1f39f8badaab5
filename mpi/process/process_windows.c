/* SPDX-License-Identifier: MIT */
/* Windows of processes: their memory has a copy here, which other nodes access.  When the process calls, what it has
 * written since is copied here; when the call returns, what others have written is copied back.  Both may write at
 * different places meanwhile, so only bytes that differ from the last common contents are copied. */
#include "mpi/process/process_windows.h"
#include "mpi/call/handle.h"
#include "mpi/window/win.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct process_window {
    struct process_window *next;
    MPI_Win win;
    uint64_t theirs;
    char *ours, *common; /* the last contents that both had */
    char *seen;          /* room for theirs */
    size_t bytes;
};

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
window_add(struct process *process, MPI_Win win, uint64_t theirs, char *ours, size_t bytes)
{
    struct process_window *window = calloc(1, sizeof *window);

    if (!window || !(window->common = malloc(bytes + 1)) || !(window->seen = malloc(bytes + 1)))
        mpi_fail(process->mpi, PEAL_OUT_OF_MEMORY, "no memory for a copy of its process's window");
    memcpy(window->common, ours, bytes);
    window->win = win;
    window->theirs = theirs;
    window->ours = ours;
    window->bytes = bytes;
    window->next = process->windows;
    process->windows = window;
}

void
window_attach(struct process *process, MPI_Win win, uint64_t theirs, char *ours, size_t bytes)
{
    struct win *made = handle_find(process->mpi, KIND_WIN, (uintptr_t)win);

    window_add(process, win, theirs, ours, bytes);
    if (made)
        made->regions->shift = ours - (char *)made->regions->base; /* the latest */
}

uint64_t
window_base(struct process *process, MPI_Win win, const void *ours)
{
    const struct process_window *window = process->windows;

    while (window && window->win != win)
        window = window->next;
    return window ? window->theirs : shared_address(process, ours);
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
windows_forget(struct process *process, MPI_Win win, uint64_t theirs)
{
    for (struct process_window **at = &process->windows, *one; (one = *at);)
        if ((!win || one->win == win) && (!theirs || one->theirs == theirs)) {
            *at = one->next;
            free(one->ours);
            free(one->common);
            free(one->seen);
            free(one);
        } else {
            at = &one->next;
        }
}

/* ------------------------------------------------------------------ shared memory */

/* A piece of shared memory. */
struct shared_piece {
    struct shared_piece *next;
    char *ours;
    size_t offset, bytes;
    uint64_t theirs[]; /* by rank; 0: not mapped yet */
};

static struct {
    int file;
    size_t end;
    struct shared_piece *pieces;
} shared = {.file = -1};

static void
shared_fini(struct shared_piece *piece)
{
    madvise(piece->ours, piece->bytes, MADV_REMOVE); /* processes that still map it find zeros */
    munmap(piece->ours, piece->bytes);
    free(piece);
}

void
shared_begin(int file, size_t end)
{
    for (struct shared_piece *piece; (piece = shared.pieces);) {
        shared.pieces = piece->next;
        shared_fini(piece);
    }
    if (shared.file >= 0)
        close(shared.file);
    shared.file = file;
    shared.end = end;
}

void *
shared_allocate(struct mpi *mpi, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes / page + 1) * page;
    struct shared_piece *piece = calloc(1, sizeof *piece + (size_t)mpi->world->size * sizeof *piece->theirs);
    void *memory = piece && ftruncate(shared.file, (off_t)(shared.end + whole)) == 0
                       ? mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, shared.file, (off_t)shared.end)
                       : MAP_FAILED;

    if (memory == MAP_FAILED)
        mpi_fail(mpi, PEAL_OUT_OF_MEMORY, "no shared memory of %zu bytes for a window of processes", bytes);
    piece->ours = memory;
    piece->offset = shared.end;
    piece->bytes = whole;
    piece->next = shared.pieces;
    shared.pieces = piece;
    shared.end += whole;
    return memory;
}

void
shared_free(struct mpi *mpi, void *memory)
{
    (void)mpi;
    for (struct shared_piece **at = &shared.pieces, *piece; (piece = *at); at = &piece->next)
        if (piece->ours == memory) {
            *at = piece->next;
            shared_fini(piece);
            return;
        }
}

uint64_t
shared_address(struct process *process, const void *ours)
{
    for (struct shared_piece *piece = shared.pieces; piece; piece = piece->next) {
        size_t at = (size_t)((const char *)ours - piece->ours);
        uint64_t *theirs = &piece->theirs[process->rank];

        if (at >= piece->bytes)
            continue;
        if (*theirs == 0) {
            process->channel->with[0] = piece->offset;
            process->channel->with[1] = piece->bytes;
            process->ask(process, ASK_MAP);
            *theirs = (uint64_t)process->channel->result;
        }
        if (*theirs == (uint64_t)-1)
            mpi_fail(process->mpi, PEAL_OUT_OF_MEMORY, "the process cannot map the %zu bytes of a window",
                     piece->bytes);
        return *theirs + at;
    }
    return 0;
}
