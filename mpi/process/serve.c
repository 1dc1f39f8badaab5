/* SPDX-License-Identifier: MIT */
/* A call that a process has handed over: its arguments as they are here, the call, its results as they are there.  The
 * table of calls (calls.py) says what each argument is. */
#include "mpi/comm.h"
#include "mpi/lengths.h"
#include "mpi/mpi_request.h"
#include "mpi/process/node_process.h"
#include <peal/outside.h>
#include <stdlib.h>
#include <string.h>

enum argument_kind {
    VALUE,   /* a number, a handle, an address that is not followed */
    NOTHING, /* NULL is given instead */
    SLOT,    /* what lies at an address, of so many bytes: it comes in the channel */
    LIST,    /* of elements of so many bytes */
    BUFFER,  /* data */
    TEXT_IN,
    TEXT_OUT,
    FUNCTION, /* the program's: its address there */
};

/* What must be changed between the program's interface and Peal's. */
enum element_kind { ELEMENT_PLAIN, ELEMENT_RANK, ELEMENT_TAG, ELEMENT_STATUS, ELEMENT_HANDLE /* and the kind of it */ };

/* How long a list is, or how often a buffer has its count; the first are those of lengths.h. */
enum { ONCE = DIMENSIONS + 1, SUM, LAST, MINE, ROOT_ONCE, OWN_SIDE };

struct served_argument {
    uint8_t kind, out, element, size, times;
    int8_t count; /* the argument that has the length; -1 */
    int8_t
        type; /* of a buffer, likewise; of a list: the buffer beside which it counts for nothing, if that is MPI_IN_PLACE */
    int8_t displs; /* of a buffer with a list of counts, likewise */
};

static const struct call_row {
    void (*function)(void); /* NULL: functions of windows */
    int8_t count, comm, root, request;
    uint8_t persistent, result; /* the last: an element_kind */
    struct served_argument arguments[MAX_ARGUMENTS];
} rows[CALLS] = {
#include "mpi/server_calls.inc"
};

/* A call that is made. */
struct served {
    struct process *process;
    const struct call_row *row;
    int call;
    uint64_t values[MAX_ARGUMENTS]; /* as the process gave them, but for numbers and handles */
    uint64_t real[MAX_ARGUMENTS];   /* as they are given here */
    long lengths[MAX_ARGUMENTS];    /* of the lists that are copied here */
    unsigned char slots[MAX_ARGUMENTS][SLOT_BYTES];
    MPI_Datatype *drawn; /* types that were made for the call */
    size_t drawn_count;
};

/* ------------------------------------------------------------------ elements */

/* The handle here that the process's library has this name for. */
static uint64_t
handle_in(const struct process *process, uint64_t theirs)
{
    const struct known_name *names = process->channel->names;

    for (int i = 0; i < PREDEFINED && names[i].theirs; i++)
        if (names[i].theirs == theirs)
            return names[i].ours;
    return theirs;
}

static uint64_t
handle_out(const struct process *process, uint64_t ours)
{
    const struct known_name *names = process->channel->names;

    for (int i = 0; i < PREDEFINED && names[i].theirs; i++)
        if (names[i].ours == ours)
            return names[i].theirs;
    return ours;
}

enum { THEIR_ANY = -1, THEIR_NOBODY = -2, THEIR_ROOT = -4 };

static int
number_in(int value, bool tag)
{
    return value == THEIR_ANY              ? (tag ? MPI_ANY_TAG : MPI_ANY_SOURCE)
           : value == THEIR_NOBODY && !tag ? MPI_PROC_NULL
           : value == THEIR_ROOT && !tag   ? MPI_ROOT
                                           : value;
}

static int
number_out(int value)
{
    return value == MPI_PROC_NULL                            ? THEIR_NOBODY
           : value == MPI_ANY_SOURCE || value == MPI_ANY_TAG ? THEIR_ANY
           : value == MPI_ROOT                               ? THEIR_ROOT
                                                             : value;
}

/* Change elements where they lie. */
static void
change(const struct process *process, int element, void *at, long count, bool out)
{
    for (long i = 0; i < count && element >= ELEMENT_HANDLE; i++) {
        uint64_t *handle = (uint64_t *)at + i;

        *handle = out ? handle_out(process, *handle) : handle_in(process, *handle);
    }
    for (long i = 0; i < count && (element == ELEMENT_RANK || element == ELEMENT_TAG); i++) {
        int *number = (int *)at + i;

        *number = out ? number_out(*number) : number_in(*number, element == ELEMENT_TAG);
    }
    for (long i = 0; i < count && element == ELEMENT_STATUS; i++) {
        MPI_Status *status = (MPI_Status *)at + i;

        status->MPI_SOURCE = out ? number_out(status->MPI_SOURCE) : number_in(status->MPI_SOURCE, false);
        status->MPI_TAG = out ? number_out(status->MPI_TAG) : number_in(status->MPI_TAG, true);
    }
}

/* ------------------------------------------------------------------ arguments */

static MPI_Comm
comm_of(const struct served *s)
{
    return s->row->comm >= 0   ? (MPI_Comm)s->real[s->row->comm]
           : s->row->count > 0 ? (MPI_Comm)s->real[0]
                               : MPI_COMM_NULL;
}

static int
root_of(const struct served *s)
{
    return s->row->root >= 0 ? (int)s->real[s->row->root] : 0;
}

/* Entry i of a list of numbers that is here. */
static long
entry(const struct served *s, int list, long i)
{
    const struct served_argument *a = &s->row->arguments[list];

    if (i >= s->lengths[list])
        return 0;
    return a->size == sizeof(int) ? ((const int *)s->real[list])[i] : ((const MPI_Aint *)s->real[list])[i];
}

static long
length_of(const struct served *s, const struct served_argument *a)
{
    long sum = 0;

    switch (a->times) {
    case ONCE:
        return a->count < 0 ? 0 : (long)(int)s->real[a->count];
    case SUM:
        for (long i = 0; i < s->lengths[a->count]; i++)
            sum += entry(s, a->count, i);
        return sum;
    case LAST:
        return entry(s, a->count, s->lengths[a->count] - 1);
    default:
        return peal_mpi_length(comm_of(s), a->times, root_of(s));
    }
}

static void
unreadable(struct served *s, int i)
{
    mpi_fail(s->process->mpi, PEAL_INVALID_ARGUMENT, "argument %d, at %#llx, does not lie in the memory of the process",
             i + 1, (unsigned long long)s->values[i]);
}

static void
list_in(struct served *s, int i)
{
    enum { SENTINELS = 3 }; /* NULL, MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY */
    const struct served_argument *a = &s->row->arguments[i];
    bool ignored = a->type >= 0 && s->values[a->type] == (uintptr_t)MPI_IN_PLACE;
    long length = ignored || s->values[i] <= SENTINELS ? 0 : length_of(s, a);

    if (length <= 0) { /* no address of the process is given to a call that may look there */
        bool empty = s->values[i] > SENTINELS && a->times == ONCE;

        s->real[i] = empty                      ? (uintptr_t)process_alloc(s->process, SLOT_BYTES)
                     : s->values[i] > SENTINELS ? 0
                                                : s->values[i];
        return;
    }
    s->lengths[i] = length;
    s->real[i] = (uintptr_t)process_alloc(s->process, (size_t)length * a->size);
    if (!process_read(s->process, s->values[i], (void *)s->real[i], (size_t)length * a->size))
        unreadable(s, i);
    change(s->process, a->element, (void *)s->real[i], length, false);
}

/* Whether a message has no partner: its buffer is not looked at. */
static bool
to_nobody(const struct served *s)
{
    for (int i = 0; i < s->row->count && s->row->root < 0; i++)
        if (s->row->arguments[i].element == ELEMENT_RANK && (int)s->real[i] == MPI_PROC_NULL)
            return true;
    return false;
}

/* How often a buffer has its count; 0: it is not used. */
static long
times_of(const struct served *s, const struct served_argument *a)
{
    MPI_Comm comm = comm_of(s);
    int root = root_of(s), rank = 0;
    bool in_place = s->values[0] == (uintptr_t)MPI_IN_PLACE && s->row->arguments[0].kind == BUFFER;

    if (s->row->root >= 0 && root == MPI_PROC_NULL)
        return 0;
    switch (a->times) {
    case ONCE:
        return in_place && (s->call == CALL_Reduce_scatter_block || s->call == CALL_Ireduce_scatter_block)
                   ? peal_mpi_length(comm, OWN, 0)
                   : 1;
    case OWN_SIDE:
        return root != MPI_ROOT;
    case ROOT_ONCE:
        return peal_mpi_length(comm, AT_ROOT, root) > 0;
    case SUM:
    case MINE:
        if (a->times == SUM || in_place)
            return 1;
        PMPI_Comm_rank(comm, &rank);
        return 1 + rank; /* the entry, counted from 1 */
    default:
        return peal_mpi_length(comm, a->times, root);
    }
}

/* The parts of a buffer; *count: how many.  NULL: it is not copied. */
static const struct copied_part *
parts_of(struct served *s, const struct served_argument *a, size_t *count)
{
    struct process *process = s->process;
    const struct served_argument *counts = a->count >= 0 ? &s->row->arguments[a->count] : NULL;
    bool types = a->type >= 0 && s->row->arguments[a->type].kind == LIST;
    struct type *type = a->type >= 0 && !types ? type_find(process->mpi, (MPI_Datatype)s->real[a->type]) : NULL;
    long times = times_of(s, a), number = 0;
    bool several = a->displs >= 0;

    if (times <= 0 || !counts || (a->type >= 0 && !types && !type))
        return NULL;
    if (!several) {
        struct copied_part *part = process_alloc(process, sizeof *part);

        if (counts->kind != LIST)
            number = (long)(int)s->real[a->count] * times;
        else if (a->times == MINE && s->values[0] != (uintptr_t)MPI_IN_PLACE)
            number = entry(s, a->count, times - 1);
        else
            for (long i = 0; i < s->lengths[a->count]; i++)
                number += entry(s, a->count, i);
        *part = (struct copied_part){type, number > 0 ? (size_t)number : 0, 0, 0};
        *count = 1;
        return part;
    }
    if (s->lengths[a->count] < times || s->lengths[a->displs] < times || (types && s->lengths[a->type] < times))
        return NULL;
    struct copied_part *parts = process_alloc(process, (size_t)times * sizeof *parts);

    for (long i = 0; i < times; i++) {
        struct type *of = types ? type_find(process->mpi, ((const MPI_Datatype *)s->real[a->type])[i]) : type;
        long each = entry(s, a->count, i);

        ptrdiff_t at = entry(s, a->displs, i) * (types || !of ? 1 : type_extent(of));

        parts[i] = (struct copied_part){of, of && each > 0 ? (size_t)each : 0, at, at};
    }
    *count = (size_t)times;
    return parts;
}

/* The data has absolute addresses, which may lie far apart: its blocks are copied side by side, and types are made that
 * find them there.  Gives the parts; *count: how many there were, and are. */
static const struct copied_part *
draw_together(struct served *s, const struct served_argument *a, const struct copied_part *of, size_t *count)
{
    struct mpi *mpi = s->process->mpi;
    MPI_Datatype *handles = s->row->arguments[a->type].kind == LIST ? (MPI_Datatype *)s->real[a->type] : NULL;
    size_t all = 0, used = 0;
    ptrdiff_t end = 0;

    for (size_t i = 0; i < *count; i++)
        all += of[i].type && of[i].count ? of[i].type->part_count : 0;
    struct copied_part *parts = process_alloc(s->process, all * sizeof *parts);
    struct type_part *blocks = process_alloc(s->process, all * sizeof *blocks);

    MPI_Datatype *drawn = process_alloc(s->process, (s->drawn_count + *count) * sizeof *s->drawn);

    if (s->drawn_count > 0) /* of another buffer */
        memcpy(drawn, s->drawn, s->drawn_count * sizeof *drawn);
    s->drawn = drawn;
    for (size_t i = 0; i < *count; i++) {
        const struct type *type = of[i].type;

        if (!type || !of[i].count)
            continue;
        for (size_t p = 0; p < type->part_count; p++) {
            const struct type_part *part = &type->parts[p];
            struct type *row = type_row(mpi, part->count, part->stride, part->of);
            ptrdiff_t at = end - row->true_lb;

            blocks[p] = (struct type_part){at - of[i].offset, 1, 0, row};
            parts[used++] = (struct copied_part){row, 1, at, of[i].theirs + part->offset};
            end += (row->true_ub - row->true_lb + 15) / 16 * 16;
        }
        struct type *made = type_make(mpi, blocks, type->part_count, &(struct recipe){.combiner = MPI_COMBINER_STRUCT});

        made->committed = true;
        s->drawn[s->drawn_count++] = made->handle;
        if (handles)
            handles[i] = made->handle;
        else
            s->real[a->type] = (uintptr_t)made->handle;
    }
    *count = used;
    return parts;
}

/* Whether each part is at most one element of a type with blocks. */
static bool
can_be_drawn(const struct copied_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (parts[i].count > 1 || (parts[i].count && (!parts[i].type || parts[i].type->number)))
            return false;
    return true;
}

static void
buffer_in(struct served *s, int i)
{
    const struct served_argument *a = &s->row->arguments[i];
    size_t count = 0;
    bool nobody = to_nobody(s);

    s->real[i] = s->values[i];
    if (s->values[i] == (uintptr_t)MPI_IN_PLACE)
        return;
    const struct copied_part *parts = parts_of(s, a, &count);

    if (!parts || (s->values[i] == 0 && count == 1 && parts[0].type && parts[0].type->number))
        return;
    bool far = s->values[i] == 0 && a->type >= 0 && can_be_drawn(parts, count);

    if (far)
        parts = draw_together(s, a, parts, &count);
    struct buffer_copy *shadow = shadow_make(s->process, s->values[i], parts, count, a->out);

    for (size_t p = 0; far && p < count; p++)
        type_drop(s->process->mpi, parts[p].type); /* the made type, and the copy, have it */
    if (!shadow_fill(s->process, shadow) && !nobody)
        unreadable(s, i);
    s->real[i] = (uintptr_t)shadow->copy;
}

static void
arguments_in(struct served *s)
{
    struct channel *channel = s->process->channel;
    int texts = 0;

    for (int i = 0; i < s->row->count; i++) { /* numbers and handles first, which lengths depend on */
        const struct served_argument *a = &s->row->arguments[i];

        s->real[i] = a->kind == NOTHING ? 0 : s->values[i];
        if (a->kind == VALUE)
            change(s->process, a->element, &s->real[i], 1, false);
        if (a->kind == SLOT && s->values[i]) {
            change(s->process, a->element, s->slots[i], 1, false);
            s->real[i] = (uintptr_t)s->slots[i];
        }
        if ((a->kind == TEXT_IN || a->kind == TEXT_OUT) && s->values[i]) {
            char *text = process_alloc(s->process, TEXT_BYTES);

            memcpy(text, a->kind == TEXT_IN ? channel->texts[texts] : "\1", a->kind == TEXT_IN ? TEXT_BYTES : 2);
            s->real[i] = (uintptr_t)text;
        }
        texts += a->kind == TEXT_IN || a->kind == TEXT_OUT;
    }
    for (int pass = 0; pass < 2; pass++) /* lists of sums after those that they are of */
        for (int i = 0; i < s->row->count; i++) {
            const struct served_argument *a = &s->row->arguments[i];
            bool later = a->times == SUM || a->times == LAST;

            if (a->kind == LIST && later == (pass == 1))
                list_in(s, i);
        }
    for (int i = 0; i < s->row->count; i++)
        if (s->row->arguments[i].kind == BUFFER)
            buffer_in(s, i);
}

static void
arguments_out(struct served *s)
{
    struct channel *channel = s->process->channel;
    int texts = 0;

    for (int i = 0; i < s->row->count; i++) {
        const struct served_argument *a = &s->row->arguments[i];

        if (a->kind == SLOT && a->out) {
            change(s->process, a->element, s->slots[i], 1, true);
            memcpy(channel->slots[i], s->slots[i], SLOT_BYTES);
        }
        if (a->kind == LIST && a->out && s->lengths[i] > 0) {
            change(s->process, a->element, (void *)s->real[i], s->lengths[i], true);
            process_write(s->process, s->values[i], (void *)s->real[i], (size_t)s->lengths[i] * a->size);
        }
        if (a->kind == TEXT_OUT && s->values[i])
            memcpy(channel->texts[texts], (void *)s->real[i], TEXT_BYTES);
        texts += a->kind == TEXT_IN || a->kind == TEXT_OUT;
    }
}

/* ------------------------------------------------------------------ requests */

/* The requests of a call that looks at some: how many; *list. */
static long
requests_of(struct served *s, MPI_Request **list)
{
    const int request = ELEMENT_HANDLE + KIND_REQUEST;

    for (int i = 0; i < s->row->count; i++) {
        const struct served_argument *a = &s->row->arguments[i];

        if (a->element != request || s->row->request >= 0)
            continue;
        *list = (MPI_Request *)(a->kind == VALUE ? (uintptr_t)&s->real[i] : (uintptr_t)s->real[i]);
        return a->kind == LIST ? s->lengths[i] : s->values[i] != 0;
    }
    return 0;
}

static struct kept_request **
pending_of(struct process *process, MPI_Request request)
{
    struct kept_request **at = &process->pending;

    while (*at && (*at)->request != request)
        at = &(*at)->next;
    return at;
}

static void
pending_free(struct process *process, struct kept_request *pending)
{
    shadows_free(process, pending->shadows);
    process_free(pending->blocks);
    free(pending);
}

/* A request was looked at, and is `after` now: the process gets what has come, if it is complete. */
static void
look(struct served *s, MPI_Request before, MPI_Request after)
{
    struct process *process = s->process;
    struct kept_request **at = pending_of(process, before), *one = *at;
    bool gone = after == MPI_REQUEST_NULL, freed = s->call == CALL_Request_free;

    if (!one || before == MPI_REQUEST_NULL || (!gone && !one->persistent && s->call != CALL_Request_get_status))
        return;
    for (struct buffer_copy *shadow = one->shadows; shadow && !freed; shadow = shadow->next)
        shadow_empty(process, shadow);
    if (one->late && gone && !freed) {
        uint64_t handle = (uintptr_t)*one->late;

        change(process, ELEMENT_HANDLE + KIND_COMM, &handle, 1, true);
        process_write(process, one->late_at, &handle, sizeof handle);
    }
    if (!gone)
        return;
    if (freed) { /* the message may still come: what it needs stays until the end */
        one->request = MPI_REQUEST_NULL;
        return;
    }
    *at = one->next;
    pending_free(process, one);
}

/* Persistent requests are started: what they send is that of now. */
static void
start(struct served *s, const MPI_Request *list, long count)
{
    for (long i = 0; i < count; i++) {
        struct kept_request *one = *pending_of(s->process, list[i]);

        for (struct buffer_copy *shadow = one ? one->shadows : NULL; shadow; shadow = shadow->next)
            shadow_fill(s->process, shadow);
    }
}

/* The request of this call keeps what it needs. */
static void
keep(struct served *s, MPI_Comm *late)
{
    struct kept_request *one = calloc(1, sizeof *one);

    if (!one)
        mpi_fail(s->process->mpi, PEAL_OUT_OF_MEMORY, "no memory for a request of its process");
    *one = (struct kept_request){.next = s->process->pending,
                                 .persistent = s->row->persistent,
                                 .shadows = s->process->shadows,
                                 .blocks = s->process->blocks,
                                 .late = late,
                                 .late_at = late ? s->values[1] : 0};
    memcpy(&one->request, s->slots[s->row->request], sizeof one->request);
    s->process->pending = one;
    s->process->shadows = NULL;
    s->process->blocks = NULL;
}

void
process_forget(struct process *process)
{
    for (struct kept_request *one; (one = process->pending);) {
        process->pending = one->next;
        pending_free(NULL, one);
    }
    shadows_free(NULL, process->shadows);
    process_free(process->blocks);
    process->shadows = NULL;
    process->blocks = NULL;
}

/* ------------------------------------------------------------------ the call */

static int64_t
make(const struct served *s)
{
    typedef int64_t any(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                        uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
    const uint64_t *r = s->real;

    return ((any *)s->row->function)(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11], r[12],
                                     r[13]);
}

/* Attributes of MPI's own are pointers to what lies here. */
static void
attribute_out(struct served *s)
{
    enum { FIRST_OF_PROGRAM = 100 };
    int key = (int)s->real[1], flag, *object;
    struct channel *channel = s->process->channel;

    if (s->call != CALL_Comm_get_attr && s->call != CALL_Attr_get)
        return;
    memcpy(&flag, s->slots[3], sizeof flag);
    memcpy(&object, s->slots[2], sizeof object);
    if (!flag || !object || key < 0 || key >= FIRST_OF_PROGRAM ||
        (size_t)key >= sizeof channel->objects / sizeof *channel->objects)
        return;
    channel->objects[key] = (uint64_t)(int64_t)number_out(*object); /* MPI_HOST is a rank */
    uint64_t address = channel->self + offsetof(struct channel, objects) + (size_t)key * sizeof *channel->objects;

    memcpy(s->slots[2], &address, sizeof address);
}

/* MPI_Bsend's buffer: here it is one of our own. */
static void
attach(struct served *s)
{
    static char *none;

    if (s->call == CALL_Buffer_attach && s->values[0]) {
        int size = (int)s->values[1];
        char *own = size > 0 ? malloc((size_t)size) : none;

        s->process->attached = s->values[0];
        s->real[0] = own ? (uintptr_t)own : s->values[0];
    }
}

static void
detach(struct served *s, int64_t result)
{
    void *own;

    if (s->call != CALL_Buffer_detach || result != MPI_SUCCESS)
        return;
    memcpy(&own, s->slots[0], sizeof own);
    if ((uintptr_t)own != s->process->attached)
        free(own);
    memcpy(s->slots[0], &s->process->attached, sizeof s->process->attached);
}

/* The call that is made, and where: mpi->from is for all that it enters. */
static void
note_call(struct process *process, int call)
{
    const struct channel *channel = process->channel;
    struct mpi *mpi = process->mpi;
    bool text = channel->line > 0;

    mpi->from = channel->file[0] ? peal_place_of(channel->file, channel->line, text ? channel->function : "",
                                                 text ? 0 : channel->offset)
                                 : NULL;
    mpi->call = mpi_call_names[call];
    mpi->file = mpi->from;
    mpi->line = PEAL_CODE_OF(call);
}

/* Make the call, with the memory that it needs. */
static int64_t
serve(struct served *s)
{
    struct process *process = s->process;
    MPI_Request *list = NULL, *before = NULL;
    MPI_Comm *late = NULL;

    arguments_in(s);
    attach(s);
    long count = process->pending ? requests_of(s, &list) : 0;

    if (count > 0) {
        before = process_alloc(process, (size_t)count * sizeof *before);
        memcpy(before, list, (size_t)count * sizeof *before);
    }
    if (s->call == CALL_Start || s->call == CALL_Startall)
        start(s, list, count);
    if (s->call == CALL_Comm_idup && s->values[1])
        s->real[1] = (uintptr_t)(late = process_alloc(process, sizeof *late));
    int64_t result = make(s);

    for (size_t i = 0; i < s->drawn_count; i++)
        PMPI_Type_free(&s->drawn[i]);
    for (long i = 0; i < count; i++)
        look(s, before[i], list[i]);
    attribute_out(s);
    detach(s, result);
    arguments_out(s);
    if (s->row->request >= 0 && result == MPI_SUCCESS) {
        change(process, ELEMENT_HANDLE + KIND_REQUEST, s->slots[s->row->request], 1, false); /* as it was before */
        keep(s, late);
    }
    for (struct buffer_copy *shadow = process->shadows; shadow; shadow = shadow->next)
        shadow_empty(process, shadow);
    return result;
}

void
process_serve(struct process *process)
{
    struct channel *channel = process->channel;
    struct mpi *mpi = process->mpi;
    struct served s = {.process = process, .call = channel->call, .row = &rows[channel->call]};
    struct process_block *blocks = process->blocks; /* of a call whose function has made this one */
    struct buffer_copy *shadows = process->shadows;

    process->blocks = NULL;
    process->shadows = NULL;
    memcpy(s.values, channel->values, sizeof s.values);
    memcpy(s.slots, channel->slots, sizeof s.slots);
    note_call(process, s.call);
    if (s.call == CALL_Wtime) {
        channel->seconds = PMPI_Wtime();
    } else if (!s.row->function) {
        mpi_fail(mpi, PEAL_UNSUPPORTED, "the windows of nodes that are processes are not supported");
    } else if (s.call == CALL_Finalize && channel->said[0]) {
        peal_program_abort_at(mpi->me, 1, mpi->file, mpi->line, "%s", channel->said);
    } else {
        int64_t result = serve(&s);

        if (s.row->result >= ELEMENT_HANDLE)
            result = (int64_t)handle_out(process, (uint64_t)result);
        channel->result = result;
    }
    mpi->call = mpi_call_names[s.call]; /* not one that was made for it */
    mpi->line = PEAL_CODE_OF(s.call);
    shadows_free(process, process->shadows);
    process_free(process->blocks);
    process->shadows = shadows;
    process->blocks = blocks;
}
