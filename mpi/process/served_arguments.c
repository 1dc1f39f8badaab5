/* SPDX-License-Identifier: MIT */
/* The arguments of a process's call: converted to Peal's before it, and back to the process's after it. */
#include "mpi/call/handle.h"
#include "mpi/process/served.h"
#include <limits.h>
#include <string.h>

/* ------------------------------------------------------------------ elements */

/* The name of this kind that Peal, or the process's library, has for the value; NULL: there is none. */
static const struct known_name *
known_name(const struct process *process, int kind, uint64_t value, bool ours)
{
    for (int i = process->first_names[kind]; i < process->first_names[kind + 1]; i++)
        if ((ours ? process->names[i].ours : process->names[i].theirs) == value)
            return &process->names[i];
    return NULL;
}

/* Peal's handle for this name of the process's library. */
uint64_t
handle_in(const struct process *process, int kind, uint64_t theirs)
{
    const struct known_name *name = known_name(process, OF_KIND(ELEMENT_HANDLE, kind), theirs, false);

    return name ? name->ours
           : process->handle_bytes == (int)sizeof theirs
               ? theirs
               : handle_numbered(process->mpi, (enum handle_kind)kind, (int)theirs);
}

uint64_t
handle_out(const struct process *process, uint64_t ours)
{
    const int kind = (int)(ours >> KIND_SHIFT);
    const struct known_name *name =
        kind < KINDS ? known_name(process, OF_KIND(ELEMENT_HANDLE, kind), ours, true) : NULL;

    return name ? name->theirs
           : process->handle_bytes == (int)sizeof ours
               ? ours
               : (uint32_t)handle_number(process->mpi, (enum handle_kind)kind, ours);
}

static int64_t
number_converted(const struct process *process, int kind, int64_t value, bool out)
{
    const struct known_name *numbers = process->names;
    int64_t sum = 0;

    for (int i = process->first_names[kind]; i < process->first_names[kind + 1]; i++) {
        int64_t from = (int64_t)(out ? numbers[i].ours : numbers[i].theirs),
                to = (int64_t)(out ? numbers[i].theirs : numbers[i].ours);

        if (kind == ELEMENT_ASSERT)
            sum += (value & from) ? to : 0;
        else if (value == from)
            return to;
        value &= kind == ELEMENT_ASSERT ? ~from : -1;
    }
    return value + sum;
}

int64_t
number_in(const struct process *process, int kind, int64_t theirs)
{
    return number_converted(process, kind, theirs, false);
}

int64_t
number_out(const struct process *process, int kind, int64_t ours)
{
    return number_converted(process, kind, ours, true);
}

/* The places of source, tag, error, and the first and second half of the bytes in a status of each form; of being
 * cancelled: in MPICH's it is the lowest bit of the second half. */
static const struct status_places {
    uint8_t source, tag, error, low, high, cancelled;
} status_places[] = {[STATUS_OF_OPENMPI] = {0, 1, 2, 4, 5, 3},
                     [STATUS_OF_MPICH] = {2, 3, 4, 0, 1, 1},
                     [STATUS_OF_ABI] = {0, 1, 2, 3, 4, 5}};

static void
status_in(const struct process *process, const void *theirs, MPI_Status *ours)
{
    const int form = process->status_form, shared = form == STATUS_OF_MPICH;
    const struct status_places *at = &status_places[form];
    int32_t words[SLOT_BYTES / sizeof(int32_t)];

    memcpy(words, theirs, status_bytes[form]);
    *ours = (MPI_Status){.MPI_SOURCE = (int)number_in(process, ELEMENT_RANK, words[at->source]),
                         .MPI_TAG = (int)number_in(process, ELEMENT_TAG, words[at->tag]),
                         .MPI_ERROR = (int)number_in(process, ELEMENT_ERROR, words[at->error]),
                         .peal_cancelled = shared ? words[at->cancelled] & 1 : words[at->cancelled],
                         .peal_bytes = (size_t)(uint32_t)words[at->low] | (size_t)((uint32_t)words[at->high] >> shared)
                                                                              << 32};
}

static void
status_out(const struct process *process, const MPI_Status *ours, void *theirs)
{
    const int form = process->status_form, shared = form == STATUS_OF_MPICH;
    const struct status_places *at = &status_places[form];
    int32_t words[SLOT_BYTES / sizeof(int32_t)] = {0};

    words[at->source] = (int32_t)number_out(process, ELEMENT_RANK, ours->MPI_SOURCE);
    words[at->tag] = (int32_t)number_out(process, ELEMENT_TAG, ours->MPI_TAG);
    words[at->error] = (int32_t)number_out(process, ELEMENT_ERROR, ours->MPI_ERROR);
    words[at->low] = (int32_t)ours->peal_bytes;
    words[at->high] = (int32_t)(ours->peal_bytes >> 32 << shared);
    if (shared)
        words[at->cancelled] |= ours->peal_cancelled != 0;
    else
        words[at->cancelled] = ours->peal_cancelled;
    memcpy(theirs, words, status_bytes[form]);
}

size_t
element_bytes(const struct process *process, int element, size_t bytes)
{
    return element == ELEMENT_STATUS   ? status_bytes[process->status_form]
           : element == ELEMENT_LARGE  ? sizeof(int64_t)
           : element >= ELEMENT_HANDLE ? (size_t)process->handle_bytes
                                       : bytes;
}

static int
served_count(const struct process *process, int64_t count)
{
    if (count != (int)count)
        mpi_fail(process->mpi, PEAL_UNSUPPORTED, "a count of %lld: Peal's are at most %d", (long long)count, INT_MAX);
    return (int)count;
}

/* The kind of element that an argument of this call is. */
static int
element_of(const struct served *s, const struct served_argument *a)
{
    return s->large && a->large ? ELEMENT_LARGE : a->element;
}

/* Convert a list, out or in. */
static void
elements_converted(const struct process *process, int element, size_t bytes, const void *list, void *result, long count,
                   bool out)
{
    const size_t theirs = element_bytes(process, element, bytes), step = out ? bytes : theirs,
                 result_step = out ? theirs : bytes;

    memcpy(result, list, element < ELEMENT_STATUS ? (size_t)count * bytes : 0);
    for (long i = 0; i < count && element != ELEMENT_PLAIN; i++) {
        const void *from = (const char *)list + (size_t)i * step;
        void *to = (char *)result + (size_t)i * result_step;
        uint64_t handle = 0;

        if (element == ELEMENT_STATUS && out) {
            status_out(process, from, to);
        } else if (element == ELEMENT_STATUS) {
            status_in(process, from, to);
        } else if (element == ELEMENT_LARGE && out) {
            *(int64_t *)to = *(const int *)from;
        } else if (element == ELEMENT_LARGE) {
            *(int *)to = served_count(process, *(const int64_t *)from);
        } else if (element >= ELEMENT_HANDLE) {
            memcpy(&handle, from, step);
            handle = out ? handle_out(process, handle) : handle_in(process, element - ELEMENT_HANDLE, handle);
            memcpy(to, &handle, result_step);
        } else {
            *(int *)to = (int)number_converted(process, element, *(const int *)to, out);
        }
    }
}

void
elements_in(const struct process *process, int element, size_t bytes, const void *theirs, void *ours, long count)
{
    elements_converted(process, element, bytes, theirs, ours, count, false);
}

void
elements_out(const struct process *process, int element, size_t bytes, const void *ours, void *theirs, long count)
{
    elements_converted(process, element, bytes, ours, theirs, count, true);
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

/* Entry i of a list of numbers that was copied here; 0 if it has none. */
static long
entry(const struct served *s, int list, long i)
{
    const struct served_argument *a = &s->row->arguments[list];

    if (i < 0 || i >= s->lengths[list])
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
    uint64_t begin = s->values[i];
    size_t bytes;
    char name[64];

    if (s->row->arguments[i].kind == BUFFER && process_array(s->process, &begin, &bytes, name, sizeof name))
        mpi_fail(s->process->mpi, PEAL_OUT_OF_BOUNDS,
                 "the data of argument %d end far behind the array in which they begin: %s, of %zu bytes", i + 1, name,
                 bytes);
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

    if (length <= 0) { /* a call that may read there gets no address of the process */
        bool empty = s->values[i] > SENTINELS && a->times == ONCE;

        s->real[i] = empty                      ? (uintptr_t)process_alloc(s->process, SLOT_BYTES)
                     : s->values[i] > SENTINELS ? 0
                                                : s->values[i];
        return;
    }
    size_t bytes = (size_t)length * element_bytes(s->process, element_of(s, a), a->size);
    void *theirs = process_alloc(s->process, bytes);

    s->lengths[i] = length;
    s->real[i] = (uintptr_t)process_alloc(s->process, (size_t)length * a->size);
    if (!process_read(s->process, s->values[i], theirs, bytes))
        unreadable(s, i);
    elements_in(s->process, element_of(s, a), a->size, theirs, (void *)s->real[i], length);
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
        if (!counts)
            number = 1;
        else if (counts->kind != LIST)
            number = (long)(int)s->real[a->count] * times;
        else if (a->times == MINE && s->values[0] != (uintptr_t)MPI_IN_PLACE)
            number = entry(s, a->count, times - 1);
        else
            for (long i = 0; i < s->lengths[a->count]; i++)
                number += entry(s, a->count, i);
        s->part = (struct copied_part){type, number > 0 ? (size_t)number : 0, 0, 0};
        *count = 1;
        return &s->part;
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
        type_drop(s->process->mpi, parts[p].type); /* the made type and the copy count their own uses */
    s->real[i] = (uintptr_t)shadow->copy;
}

/* Fill the copies one by one, since there is one that cannot be filled. */
static void
fill_each(struct served *s)
{
    for (int i = 0; i < s->row->count; i++)
        for (struct buffer_copy *one = s->process->shadows; one && s->row->arguments[i].kind == BUFFER; one = one->next)
            if (one->theirs == s->values[i] && !shadow_move(s->process, one, false) && !to_nobody(s))
                unreadable(s, i);
}

void
arguments_in(struct served *s)
{
    struct channel *channel = s->process->channel;
    bool lists = false;

    for (int i = 0; i < s->row->count; i++) { /* numbers and handles first, which lengths depend on */
        const struct served_argument *a = &s->row->arguments[i];

        s->real[i] = a->kind == NOTHING ? 0 : s->values[i];
        if (a->kind == LIST || a->kind == BUFFER)
            s->values[i] = (uint64_t)number_in(s->process, ELEMENT_SENTINEL, (int64_t)s->values[i]);
        if (a->kind == VALUE && s->large && a->large)
            s->real[i] = (uint64_t)served_count(s->process, (int64_t)s->values[i]);
        else if (a->kind == VALUE && a->element >= ELEMENT_HANDLE)
            s->real[i] = handle_in(s->process, a->element - ELEMENT_HANDLE, s->values[i]);
        else if (a->kind == VALUE && a->element != ELEMENT_PLAIN)
            s->real[i] = (uint64_t)number_in(s->process, a->element, (int)s->values[i]);
        if (a->kind == SLOT && s->values[i]) {
            if (a->out && element_of(s, a) == ELEMENT_LARGE) /* most are only written: what they hold is not a count */
                memcpy(s->slots[i], channel->slots[i], a->size);
            else
                elements_in(s->process, element_of(s, a), a->size, channel->slots[i], s->slots[i], 1);
            s->real[i] = (uintptr_t)s->slots[i];
        }
        if ((a->kind == TEXT_IN || a->kind == TEXT_OUT) && s->values[i]) {
            char *text = process_alloc(s->process, TEXT_BYTES + 1);

            memcpy(text, a->kind == TEXT_IN ? channel->texts[i] : "\1", a->kind == TEXT_IN ? TEXT_BYTES : 2);
            s->real[i] = (uintptr_t)text;
        }
    }
    for (int pass = 0; pass < 2; pass++) /* lists whose lengths are sums come after the lists that are summed */
        for (int i = 0; i < s->row->count; i++) {
            const struct served_argument *a = &s->row->arguments[i];
            bool later = a->times == SUM || a->times == LAST;

            lists |= a->kind == LIST;
            if (a->kind == LIST && later == (pass == 1))
                list_in(s, i);
        }
    for (int i = 0; i < s->row->count; i++)
        if (s->row->arguments[i].kind == BUFFER)
            buffer_in(s, i);
    if (!shadows_fill(s->process, !lists))
        fill_each(s);
}

/* Whether the process's own name for a handle is still right: of one that Peal has, its library may have several. */
static bool
keeps_name(const struct served *s, int i, int element)
{
    uint64_t theirs = 0, ours = 0;

    memcpy(&theirs, s->process->channel->slots[i], (size_t)s->process->handle_bytes);
    memcpy(&ours, s->slots[i], sizeof(void *));
    return element >= ELEMENT_HANDLE && handle_in(s->process, element - ELEMENT_HANDLE, theirs) == ours;
}

void
arguments_out(struct served *s)
{
    struct channel *channel = s->process->channel;

    for (int i = 0; i < s->row->count; i++) {
        const struct served_argument *a = &s->row->arguments[i];

        if (a->kind == SLOT && a->out && !keeps_name(s, i, element_of(s, a)))
            elements_out(s->process, element_of(s, a), a->size, s->slots[i], channel->slots[i], 1);
        if (a->kind == LIST && a->out && s->lengths[i] > 0) {
            size_t bytes = (size_t)s->lengths[i] * element_bytes(s->process, element_of(s, a), a->size);
            void *theirs = process_alloc(s->process, bytes);

            elements_out(s->process, element_of(s, a), a->size, (void *)s->real[i], theirs, s->lengths[i]);
            process_write(s->process, s->values[i], theirs, bytes);
        }
        if (a->kind == TEXT_OUT && s->values[i])
            memcpy(channel->texts[i], (void *)s->real[i], TEXT_BYTES);
    }
}
