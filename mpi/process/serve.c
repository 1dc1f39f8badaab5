/* SPDX-License-Identifier: MIT */
/* Makes a call that a process has handed over: converts its arguments, makes it, converts its results back.  The table
 * of calls (calls.py) gives the kind of each argument. */
#include "mpi/call/handle.h"
#include "mpi/call/mpi_advice.h"
#include "mpi/p2p/mpi_request.h"
#include "mpi/process/process_windows.h"
#include "mpi/process/served.h"
#include <ctype.h>
#include <peal/outside.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct call_row rows[CALLS] = {
#include "mpi/server_calls.inc"
};

/* ------------------------------------------------------------------ requests */

/* The requests of a call that tests or waits for some: how many; *list. */
static long
serve_requests(struct served *s, MPI_Request **list)
{
    const int request = OF_KIND(ELEMENT_HANDLE, KIND_REQUEST);

    for (int i = 0; i < s->row->count; i++) {
        const struct served_argument *a = &s->row->arguments[i];

        if (a->element != request || s->row->request >= 0)
            continue;
        *list = (MPI_Request *)(a->kind == VALUE ? (uintptr_t)&s->real[i] : (uintptr_t)s->real[i]);
        return a->kind == LIST ? s->lengths[i] : s->values[i] != 0;
    }
    return 0;
}

static struct kept_call **
serve_pending(struct process *process, MPI_Request request)
{
    struct kept_call **at = &process->pending;

    while (*at && ((*at)->request != request || request == MPI_REQUEST_NULL))
        at = &(*at)->next;
    return at;
}

static void
kept_free(struct process *process, struct kept_call *kept)
{
    shadows_free(process, kept->shadows);
    process_free(kept->blocks);
    free(kept);
}

/* Report the first buffer that the program has changed since the call began, if any. */
static bool
find_changed(struct process *process, const struct kept_call *one)
{
    char words[PLACE_WORDS];

    for (const struct buffer_copy *shadow = one->shadows; shadow && !one->overwritten; shadow = shadow->next)
        if ((shadow->out ? shadow->before != NULL : finding_strict()) && !shadow_is_current(process, shadow)) {
            peal_advise(process->mpi->me, one->win ? PEAL_HINT(changed_or_freed) : PEAL_HINT(changed_before_wait),
                        place_words(process->mpi, one->call, one->site, words));
            mpi_find(process->mpi, PEAL_BUFFER_REUSE, process->rank, one->site,
                     "the buffer of this %s was changed before it was complete", one->call);
            return true;
        }
    return false;
}

static bool
overlap(const struct buffer_copy *one, const struct buffer_copy *other)
{
    uint64_t first = one->block ? one->theirs + (uint64_t)(one->block->bytes - one->copy) : 0,
             second = other->block ? other->theirs + (uint64_t)(other->block->bytes - other->copy) : 0;

    return first < second + other->bytes && second < first + one->bytes;
}

/* The process gets what the call has written, possibly into memory that other calls use. */
static void
kept_give(struct process *process, const struct kept_call *one)
{
    for (struct buffer_copy *shadow = one->shadows; shadow; shadow = shadow->next) {
        if (shadow->out)
            shadow_move(process, shadow, true);
        for (struct kept_call *other = shadow->out ? process->pending : NULL; other; other = other->next)
            for (const struct buffer_copy *its = other->shadows; its && other != one; its = its->next)
                other->overwritten |= overlap(shadow, its);
    }
}

/* A request was looked at, and is `after` now: the process gets what has come, if it is complete. */
static void
look(struct served *s, MPI_Request before, MPI_Request after)
{
    struct process *process = s->process;
    struct kept_call **at = serve_pending(process, before), *one = *at;
    bool gone = after == MPI_REQUEST_NULL, freed = s->call == CALL_Request_free;

    if (!one || (!gone && !one->persistent && s->call != CALL_Request_get_status))
        return;
    if (!freed) {
        find_changed(process, one);
        kept_give(process, one);
    }
    if (one->late && gone && !freed) {
        uint64_t handle = handle_out(process, (uintptr_t)*one->late);

        process_write(process, one->late_at, &handle, (size_t)process->handle_bytes);
    }
    if (!gone)
        return;
    *at = one->next;
    if (s->lets_go) {
        one->next = process->let_go;
        process->let_go = one;
    } else
        kept_free(process, one);
}

/* Persistent requests are started: they send what their buffers hold now. */
static void
start(struct served *s, const MPI_Request *list, long count)
{
    for (long i = 0; i < count; i++) {
        struct kept_call *one = *serve_pending(s->process, list[i]);

        for (struct buffer_copy *shadow = one ? one->shadows : NULL; shadow; shadow = shadow->next) {
            one->overwritten = false;
            shadow_move(s->process, shadow, false);
            if (shadow->before)
                shadow_remember(s->process, shadow);
        }
    }
}

/* The request of this call, or the access to the rank, keeps what it needs. */
static void
keep(struct served *s, MPI_Comm *late, MPI_Win win, int rank)
{
    struct kept_call *one = calloc(1, sizeof *one);

    if (!one)
        mpi_fail(s->process->mpi, PEAL_OUT_OF_MEMORY, "no memory for a request of its process");
    *one = (struct kept_call){.next = s->process->pending,
                              .request = MPI_REQUEST_NULL,
                              .win = win,
                              .rank = rank,
                              .persistent = s->row->persistent,
                              .call = mpi_call_names[s->call],
                              .site = s->process->mpi->from,
                              .shadows = s->process->shadows,
                              .blocks = s->process->blocks,
                              .late = late,
                              .late_at = late ? s->values[1] : 0};
    if (!win)
        memcpy(&one->request, s->slots[s->row->request], sizeof one->request);
    s->process->pending = one;
    s->process->shadows = NULL;
    s->process->blocks = NULL;
}

void
process_forget(struct process *process)
{
    struct kept_call **const lists[] = {&process->pending, &process->let_go};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (struct kept_call *one; (one = *lists[i]);) {
            *lists[i] = one->next;
            kept_free(NULL, one);
        }
    shadows_free(NULL, process->shadows);
    process_free(process->blocks);
    process->shadows = NULL;
    process->blocks = NULL;
    windows_forget(process, NULL, 0);
}

/* ------------------------------------------------------------------ the call */

static int64_t
make(const struct served *s)
{
    typedef int64_t any(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                        uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
    const uint64_t *r = s->real;

    const int64_t result = ((any *)s->row->function)(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10],
                                                     r[11], r[12], r[13]);

    return s->row->result >= ELEMENT_HANDLE ? result : (int)result; /* an int does not fill its register */
}

/* The values of MPI's own attributes lie here: the process gets pointers to copies. */
static void
attribute_out(struct served *s)
{
    enum { FIRST_OF_PROGRAM = 100 };
    int key = (int)s->real[1], flag;
    struct channel *channel = s->process->channel;
    void *object;
    bool of_window = s->call == CALL_Win_get_attr;

    if (s->call != CALL_Comm_get_attr && s->call != CALL_Attr_get && !of_window)
        return;
    memcpy(&flag, s->slots[3], sizeof flag);
    memcpy(&object, s->slots[2], sizeof object);
    if (!flag || !object || key < 0 || key >= FIRST_OF_PROGRAM ||
        (size_t)key >= sizeof channel->objects / sizeof *channel->objects)
        return;
    uint64_t address = channel->self + offsetof(struct channel, objects) + (size_t)key * sizeof *channel->objects;

    if (of_window && key == MPI_WIN_SIZE)
        memcpy(&channel->objects[key], object, sizeof(MPI_Aint));
    else
        channel->objects[key] = (uint64_t)number_out(s->process,
                                                     key == MPI_HOST || key == MPI_IO ? ELEMENT_RANK
                                                     : key == MPI_WIN_CREATE_FLAVOR   ? ELEMENT_FLAVOR
                                                     : key == MPI_WIN_MODEL           ? ELEMENT_MODEL
                                                                                      : ELEMENT_PLAIN,
                                                     *(int *)object);
    if (of_window && key == MPI_WIN_BASE)
        address = window_base(s->process, (MPI_Win)s->real[0], object);
    memcpy(s->slots[2], &address, sizeof address);
}

/* ------------------------------------------------------------------ windows */

/* The address of shared memory that the call has given, in the process. */
static void
give_address(struct served *s, int i)
{
    void *ours;

    memcpy(&ours, s->slots[i], sizeof ours);
    uint64_t theirs = shared_address(s->process, ours);

    memcpy(s->slots[i], &theirs, sizeof theirs);
}

/* Make the call.  Of windows, the process's own memory has a copy here, and memory that MPI allocates is shared. */
static int64_t
make_with_memory(struct served *s)
{
    struct process *process = s->process;
    const uint64_t *r = s->real;
    const bool creates = s->call == CALL_Win_create, attaches = s->call == CALL_Win_attach;
    const size_t bytes = r[attaches ? 2 : 1];
    const uint64_t theirs = r[attaches];
    char *ours = (creates || attaches) && theirs && (int64_t)bytes >= 0 ? window_memory(process, theirs, bytes) : NULL;

    if (creates && ours)
        s->real[0] = (uintptr_t)ours;
    int64_t result = make(s);

    if (result != MPI_SUCCESS) {
        free(ours);
        return result;
    }
    switch (s->call) {
    case CALL_Win_attach:
        if (ours)
            window_attach(process, (MPI_Win)r[0], theirs, ours, bytes);
        break;
    case CALL_Win_detach:
        if (theirs)
            windows_forget(process, (MPI_Win)r[0], theirs);
        break;
    case CALL_Win_create:
        if (ours)
            window_add(process, *(MPI_Win *)r[5], theirs, ours, bytes);
        break;
    case CALL_Win_allocate:
    case CALL_Win_allocate_shared:
    case CALL_Win_shared_query:
        give_address(s, 4);
        break;
    default:
        break;
    }
    return result;
}

/* The window of a call; NULL: it has none. */
static MPI_Win
win_of(const struct served *s)
{
    for (int i = 0; i < s->row->count; i++)
        if (s->row->arguments[i].element == OF_KIND(ELEMENT_HANDLE, KIND_WIN) && s->values[i])
            return s->row->arguments[i].kind == SLOT ? *(const MPI_Win *)s->real[i] : (MPI_Win)s->real[i];
    return NULL;
}

/* The argument with the rank of a call that accesses a window without a request; -1: the call is none. */
static int
target_of(const struct served *s, MPI_Win win)
{
    for (int i = 0; win && s->row->request < 0 && s->process->shadows && i < s->row->count; i++)
        if (s->row->arguments[i].element == ELEMENT_RANK)
            return i;
    return -1;
}

/* If the call completes accesses of the window, to one rank or all, the process gets what has come, except in memory
 * that it has changed since, which it may have freed. */
static void
end_accesses(struct served *s, MPI_Win win)
{
    const bool one_rank = s->call == CALL_Win_unlock || s->call == CALL_Win_flush || s->call == CALL_Win_flush_local;

    if (!one_rank && s->call != CALL_Win_fence && s->call != CALL_Win_complete && s->call != CALL_Win_unlock_all &&
        s->call != CALL_Win_flush_all && s->call != CALL_Win_flush_local_all)
        return;
    for (struct kept_call **at = &s->process->pending, *one; (one = *at);) {
        if (one->win != win || (one_rank && one->rank != (int)s->real[0])) {
            at = &one->next;
            continue;
        }
        if (!find_changed(s->process, one))
            kept_give(s->process, one);
        *at = one->next;
        kept_free(s->process, one);
    }
}

bool *process_refused_calls;

/* Take what the process says of its library, once. */
static void
serve_learn_names(struct process *process)
{
    const struct channel *channel = process->channel;
    const bool known = channel->status_form >= STATUS_OF_OPENMPI && channel->status_form <= STATUS_OF_ABI;
    struct known_name told[MAX_NAMES];

    if (process->handle_bytes)
        return;
    memcpy(told, channel->names, sizeof told);
    for (int kind = 0, count = 0; kind < NAME_KINDS; process->first_names[++kind] = (short)count)
        for (int i = 0; i < MAX_NAMES; i++)
            if ((int)told[i].kind + (told[i].kind == ELEMENT_HANDLE ? (int)(told[i].ours >> KIND_SHIFT) : 0) == kind)
                process->names[count++] = told[i];
    process->handle_bytes = channel->handle_bytes == (int)sizeof(int) ? (int)sizeof(int) : (int)sizeof(void *);
    process->status_form = known ? channel->status_form : STATUS_OF_OPENMPI;
}

const char *
process_place(const struct call_place *place, struct call_place *taken)
{
    *taken = *place; /* the process can change it at any time */
    const bool text = taken->line > 0;

    taken->file[sizeof taken->file - 1] = '\0';
    taken->function[text ? sizeof taken->function - 1 : 0] = '\0';
    taken->through[text ? sizeof taken->through - 1 : 0] = '\0';
    return taken->file[0]
               ? peal_place_of(taken->file, taken->line, taken->function, taken->through, text ? 0 : taken->offset)
               : NULL;
}

/* The call that is made, and where: mpi->from is for all that it enters. */
static void
note_call(struct process *process, int call)
{
    const struct channel *channel = process->channel;
    struct mpi *mpi = process->mpi;
    struct call_place place;

    memcpy(process->lacks, channel->lacks, sizeof process->lacks - 1);
    mpi->from = process_place(&channel->place, &place);
    if (!channel->said[0]) {
        memcpy(process->through, place.through, sizeof place.through);
        if (call != CALL_Error_string && call != CALL_Error_class && call != CALL_Initialized &&
            call != CALL_Finalized) /* what Python makes an exception by */
            peal_advise_nothing(mpi->me);
    }
    mpi->call = mpi_call_names[call];
    mpi->file = mpi->from;
    mpi->line = PEAL_CODE_OF(call);
    if (process_refused_calls && process_refused_calls[call])
        peal_fail_at(mpi->me, PEAL_UNSUPPORTED, mpi->file, mpi->line, "node %d calls %s, which is forbidden here",
                     process->rank, mpi->call);
}

/* Advise on an exception of Python, by what it says and the last call of MPI. */
static void
advise_exception(const struct process *process, const char *said)
{
    const char *dot = strrchr(process->through, '.'), *name = dot ? dot + 1 : process->through;
    struct peal_node *me = process->mpi->me;

    if (strstr(said, "UnpicklingError"))
        peal_advise(me, PEAL_HINT(object_of_array), name);
    else if (strstr(said, "NoneType") && strcmp(name, "bcast") == 0)
        peal_advise(me, PEAL_HINT(result_of_bcast));
    else if (strstr(said, "NoneType") && (strcmp(name, "reduce") == 0 || strcmp(name, "gather") == 0))
        peal_advise(me, PEAL_HINT(result_at_root), name, name);
    else if (strstr(said, "NoneType") && isupper((unsigned char)name[0]))
        peal_advise(me, PEAL_HINT(result_in_buffer), name);
    else if (strstr(said, "expecting ") && (strcmp(name, "scatter") == 0 || strcmp(name, "alltoall") == 0))
        peal_advise(me, PEAL_HINT(part_for_each), name);
    else if (strstr(said, "EOF when reading a line") && process->rank > 0)
        peal_advise(me, PEAL_HINT(input_of_one));
    else if (strstr(said, "is not contiguous"))
        peal_advise(me, PEAL_HINT(not_contiguous));
    else if (strstr(said, "cannot infer count"))
        peal_advise(me, PEAL_HINT(array_for_all));
    else if (strstr(said, "a bytes-like object is required") && !strstr(said, "'str'")) /* a file's is of text */
        peal_advise(me, PEAL_HINT(array_for_capital));
}

/* An exception ends the program: an error that a call has returned, or another one. */
_Noreturn static void
end_by_exception(struct process *process)
{
    const struct returned_error *error = &process->returned;
    struct mpi *mpi = process->mpi;
    char said[sizeof process->channel->said];

    snprintf(said, sizeof said, "%.*s", (int)sizeof said - 1, process->channel->said);
    if (error->call && strstr(said, error->class_text) && error->kind == PEAL_TRUNCATION &&
        strstr(error->text, "it receives at most ") && /* a message, and not a node's own block of a collective */
        !strstr(error->text, " of MPI_"))              /* else the sender's is an array: finding_long has advised */
        peal_advise(mpi->me, PEAL_HINT(array_of_object));
    if (error->call && strstr(said, error->class_text))
        peal_fail_at(mpi->me, error->kind, error->file, error->line, "%s of node %d: %s", error->call, process->rank,
                     error->text);
    advise_exception(process, said);
    peal_program_abort_at(mpi->me, 1, mpi->file, mpi->line, "%s", said);
}

/* Make the call, with the memory that it needs. */
static int64_t
serve_calls(struct served *s)
{
    struct process *process = s->process;
    MPI_Request *list = NULL, *before = NULL;
    MPI_Comm *late = NULL;

    arguments_in(s);
    long count = process->pending ? serve_requests(s, &list) : 0;

    if (count > 0) {
        before = process_alloc(process, (size_t)count * sizeof *before);
        memcpy(before, list, (size_t)count * sizeof *before);
    }
    if (s->call == CALL_Start || s->call == CALL_Startall)
        start(s, list, count);
    if (s->call == CALL_Request_free && count > 0) {
        const struct mpi_request *request = handle_find(process->mpi, KIND_REQUEST, (uintptr_t)*list);

        s->lets_go = request && request->active;
    }
    if (s->call == CALL_Comm_idup && s->values[1])
        s->real[1] = (uintptr_t)(late = process_alloc(process, sizeof *late));
    MPI_Win win = win_of(s);
    const int rank = target_of(s, win);
    const bool keeps = rank >= 0 || s->row->request >= 0;

    windows_pull(process);
    for (struct buffer_copy *shadow = rank >= 0 || (keeps && finding_strict()) ? process->shadows : NULL; shadow;
         shadow = shadow->next)
        if (shadow->out)
            shadow_remember(process, shadow);
    int64_t result = make_with_memory(s);

    for (size_t i = 0; i < s->drawn_count; i++)
        PMPI_Type_free(&s->drawn[i]);
    for (long i = 0; i < count; i++)
        look(s, before[i], list[i]);
    windows_push(process);
    if (win && result == MPI_SUCCESS)
        end_accesses(s, win);
    if (s->call == CALL_Win_free && result == MPI_SUCCESS)
        windows_forget(process, win, 0);
    attribute_out(s);
    arguments_out(s);
    if (keeps && result == MPI_SUCCESS)
        keep(s, late, rank >= 0 ? win : NULL, rank >= 0 ? (int)s->real[rank] : 0);
    shadows_empty(process);
    return result;
}

void
process_serve(struct process *process)
{
    struct channel *channel = process->channel;
    struct mpi *mpi = process->mpi;
    const int call = channel->call;
    struct served s = {.process = process,
                       .call = call > 0 && call < CALLS ? call : CALL_NONE,
                       .large = channel->large,
                       .row = &rows[call > 0 && call < CALLS ? call : CALL_NONE]};
    struct process_block *blocks = process->blocks; /* of a call whose function has made this one */
    struct buffer_copy *shadows = process->shadows;
    uint64_t cells[2];

    process->blocks = NULL;
    process->shadows = NULL;
    memcpy(cells, channel->cells, sizeof cells);
    memcpy(s.values, channel->values, sizeof s.values);
    serve_learn_names(process);
    note_call(process, s.call);
    if (process->lacks[0] || s.call == CALL_NONE) {
        mpi->call = process->lacks;
        mpi_fail(mpi, PEAL_UNSUPPORTED, "Peal has no such function (peal-mpi(7) lists those it has)");
    }
    if (s.call == CALL_Wtime) {
        channel->seconds = PMPI_Wtime();
    } else if (s.call == CALL_Finalize && channel->said[0]) {
        end_by_exception(process);
    } else {
        int64_t result = serve_calls(&s);

        channel->result = s.row->result >= ELEMENT_HANDLE ? (int64_t)handle_out(process, (uint64_t)result)
                                                          : number_out(process, s.row->result, result);
        channel->runs = mpi->phase == PHASE_RUNS;
    }
    mpi->call = mpi_call_names[s.call]; /* not one that was made for it */
    mpi->line = PEAL_CODE_OF(s.call);
    shadows_free(process, process->shadows);
    process_free(process->blocks);
    process->shadows = shadows;
    process->blocks = blocks;
    memcpy(channel->cells, cells, sizeof cells);
}
