/* SPDX-License-Identifier: MIT */
/* The arguments of a process's call: converted to Peal's before it, and back to the process's after it. */
#include "mpi/process/served.h"
#include <string.h>

/* ------------------------------------------------------------------ elements */

/* Peal's handle for this name of the process's library. */
uint64_t
handle_in(const struct process *process, uint64_t theirs)
{
    const struct known_name *names = process->channel->names;

    for (int i = 0; i < PREDEFINED && names[i].theirs; i++)
        if (names[i].theirs == theirs)
            return names[i].ours;
    return theirs;
}

uint64_t
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

int
number_out(int value)
{
    return value == MPI_PROC_NULL                            ? THEIR_NOBODY
           : value == MPI_ANY_SOURCE || value == MPI_ANY_TAG ? THEIR_ANY
           : value == MPI_ROOT                               ? THEIR_ROOT
                                                             : value;
}

/* Convert elements in place. */
void
elements_change(const struct process *process, int element, void *at, long count, bool out)
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
served_length(const struct served *s, const struct served_argument *a)
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
    long length = ignored || s->values[i] <= SENTINELS ? 0 : served_length(s, a);

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
    elements_change(s->process, a->element, (void *)s->real[i], length, false);
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
    case ALONE:
        return 1;
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
served_parts(struct served *s, const struct served_argument *a, size_t *count)
{
    struct process *process = s->process;
    const struct served_argument *counts = a->count >= 0 ? &s->row->arguments[a->count] : NULL;
    bool types = a->type >= 0 && s->row->arguments[a->type].kind == LIST;
    struct type *type = a->type >= 0 && !types ? type_find(process->mpi, (MPI_Datatype)s->real[a->type]) : NULL;
    long times = times_of(s, a), number = 0;
    bool several = a->displs >= 0;

    if (times <= 0 || (!counts && a->times != ALONE) || (a->type >= 0 && !types && !type))
        return NULL;
    if (!several) {
        struct copied_part *part = process_alloc(process, sizeof *part);

        if (!counts)
            number = 1;
        else if (counts->kind != LIST)
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
    const struct copied_part *parts = served_parts(s, a, &count);

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

void
arguments_in(struct served *s)
{
    struct channel *channel = s->process->channel;
    int texts = 0;

    for (int i = 0; i < s->row->count; i++) { /* numbers and handles first, which lengths depend on */
        const struct served_argument *a = &s->row->arguments[i];

        s->real[i] = a->kind == NOTHING ? 0 : s->values[i];
        if (a->kind == VALUE)
            elements_change(s->process, a->element, &s->real[i], 1, false);
        if (a->kind == SLOT && s->values[i]) {
            elements_change(s->process, a->element, s->slots[i], 1, false);
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

void
arguments_out(struct served *s)
{
    struct channel *channel = s->process->channel;
    int texts = 0;

    for (int i = 0; i < s->row->count; i++) {
        const struct served_argument *a = &s->row->arguments[i];

        if (a->kind == SLOT && a->out) {
            elements_change(s->process, a->element, s->slots[i], 1, true);
            memcpy(channel->slots[i], s->slots[i], SLOT_BYTES);
        }
        if (a->kind == LIST && a->out && s->lengths[i] > 0) {
            elements_change(s->process, a->element, (void *)s->real[i], s->lengths[i], true);
            process_write(s->process, s->values[i], (void *)s->real[i], (size_t)s->lengths[i] * a->size);
        }
        if (a->kind == TEXT_OUT && s->values[i])
            memcpy(channel->texts[texts], (void *)s->real[i], TEXT_BYTES);
        texts += a->kind == TEXT_IN || a->kind == TEXT_OUT;
    }
}
