/* SPDX-License-Identifier: MIT */
/* Lost updates.  Two nodes get an integer and find the same value, each puts another value there, and neither got the
 * other's: one change is lost, although no two accesses overlap in time.
 *
 * As in conflict.c time is counted in phases; actions within one phase are not ordered.  So the notes do not depend on
 * the engine, unless two nodes put at the same place in one phase, which is a conflict already. */
#include "mpi/strict/conflict.h"
#include <stdlib.h>
#include <string.h>

enum { PLACES = 8 }; /* places per node that are remembered */

/* What a node got: the phase of the last put before it (0: none), and the value. */
struct got {
    bool valid;
    uint64_t after;
    int64_t value;
};

struct put {
    uint64_t phase; /* 0: none */
    int node;
    struct got base;
    int64_t value;
    const char *site;
};

struct counter_place {
    const char *at;
    struct put last, before; /* of different phases */
    struct got *got;         /* by rank in the machine */
};

static struct counter_place (*places)[PLACES]; /* of each node's memory; guarded by vclock_lock */
static int node_count;

void
counter_begin(int nodes)
{
    places = finding_strict() ? calloc((size_t)nodes, sizeof *places) : NULL; /* without memory there are no notes */
    node_count = places ? nodes : 0;
}

void
counter_end(void)
{
    for (int i = 0; i < node_count; i++)
        for (int j = 0; j < PLACES; j++)
            free(places[i][j].got);
    free(places);
    places = NULL;
    node_count = 0;
}

/* The place, remembered from now on; NULL: it is not an integer's, or there is no room. */
static struct counter_place *
counter_find(const struct win *win, int rank, const struct typed_data *target)
{
    bool passive = win->all || win->targets[rank].lock != UNLOCKED;
    const struct type *type = target->type;

    if (!places || !passive || target->count != 1 || type->class != CLASS_INTEGER || type->size > sizeof(int64_t))
        return NULL;
    struct counter_place *of = places[comm_world_rank(win->comm, win->flavor == MPI_WIN_FLAVOR_SHARED ? 0 : rank)];

    for (int i = 0; i < PLACES; i++) {
        if (!of[i].got) {
            of[i].at = target->buffer;
            of[i].got = calloc((size_t)node_count, sizeof *of[i].got);
        }
        if (of[i].got && of[i].at == target->buffer)
            return &of[i];
    }
    return NULL;
}

static int64_t
value_of(const struct typed_data *target, const char *buffer)
{
    int64_t value = 0; /* both sides of a comparison have the same bytes above it */

    memcpy(&value, buffer, target->type->size);
    return value;
}

void
counter_got(struct mpi *mpi, const struct win *win, int rank, const struct typed_data *target, const char *buffer)
{
    uint64_t phase = peal_phase(mpi->me);

    if (!places)
        return;
    vclock_lock();
    struct counter_place *place = counter_find(win, rank, target);

    if (place)
        place->got[peal_world_rank(mpi->me)] = (struct got){
            true, place->last.phase < phase ? place->last.phase : place->before.phase, value_of(target, buffer)};
    vclock_unlock();
}

void
counter_put(struct mpi *mpi, const struct win *win, int rank, const struct typed_data *target, const char *buffer)
{
    static const struct peal_rule rule = {
        "MPI 3.1, 11.3.4: a get and a put are two accesses, between which others come; MPI_Fetch_and_op and "
        "MPI_Compare_and_swap change a value at once",
        "use MPI_Fetch_and_op or MPI_Accumulate, or one exclusive lock around the get and the put"};
    uint64_t phase = peal_phase(mpi->me);
    int node = peal_world_rank(mpi->me);

    if (!places)
        return;
    vclock_lock();
    struct counter_place *place = counter_find(win, rank, target);
    struct got base = place ? place->got[node] : (struct got){.valid = false};
    struct put other = place ? place->last : (struct put){.phase = 0};
    struct put put = {phase, node, base, place ? value_of(target, buffer) : 0, mpi->file};
    bool lost = base.valid && other.base.valid && other.node != node && other.phase < phase &&
                other.phase > base.after && other.base.after == base.after && other.base.value == base.value &&
                other.value != base.value && put.value != base.value;

    if (place) {
        if (other.phase < phase)
            place->before = other;
        if (other.phase < phase || node < other.node)
            place->last = put;
        place->got[node].valid = false;
    }
    vclock_unlock();
    if (lost)
        mpi_remark(
            mpi,
            &(struct remark){
                .kind = PEAL_REMOTE_CONFLICT, .note = true, .rule = &rule, .rank = other.node, .site = other.site},
            "node %d puts a changed value that node %d, too, has got, changed and put meanwhile: one of the two "
            "changes is lost",
            node, other.node);
}
