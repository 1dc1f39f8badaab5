/* SPDX-License-Identifier: MIT */
/* Finds what strict runs note about tags, pairs, freed requests, structs and operators. */
#include "mpi/p2p/mpi_request.h"

/* ------------------------------------------------------------------ tags */

static _Atomic uint64_t asked_phase; /* in which a node first asked for MPI_TAG_UB */

void
notes_tag_asked(struct mpi *mpi)
{
    uint64_t phase = peal_phase(mpi->me), before = atomic_load(&asked_phase);

    mpi->asked_tag = true;
    while (phase < before && !atomic_compare_exchange_weak(&asked_phase, &before, phase))
        ;
}

/* Other nodes may learn the answer in later phases. */
void
notes_large_tag(struct mpi *mpi, int tag)
{
    static const struct peal_rule rule = {
        "MPI 3.1, 3.2.3 and 8.1.2: tags go up to the value of MPI_TAG_UB, which is 32767 or more",
        "use tags up to 32767, or ask MPI_Comm_get_attr for MPI_TAG_UB"};

    if (!mpi->asked_tag && atomic_load(&asked_phase) >= peal_phase(mpi->me))
        mpi_remark(mpi, &(struct remark){.kind = PEAL_INVALID_ARGUMENT, .note = true, .rule = &rule},
                   "tag %d is above %d: some libraries do not have it", tag, SURE_TAG);
}

/* ------------------------------------------------------------------ pairs that are mistaken for integers */

enum { LONG_INT = 35, SHORT_INT = 37 }; /* as mpi.h numbers them */

static atomic_bool reduced[2];

void
notes_start(void)
{
    atomic_store(&asked_phase, UINT64_MAX);
    atomic_store(&reduced[0], false);
    atomic_store(&reduced[1], false);
}

void
notes_moved(struct mpi *mpi, const struct type *type)
{
    if (!type || (type->basic != LONG_INT && type->basic != SHORT_INT) || !finding_strict())
        return;
    struct moved *moved = &mpi->moved[type->basic == SHORT_INT];

    if (!moved->site)
        *moved = (struct moved){mpi->call, mpi->file};
}

void
notes_reduced(const struct type *type)
{
    if (type->basic == LONG_INT || type->basic == SHORT_INT)
        atomic_store(&reduced[type->basic == SHORT_INT], true);
}

static void
find_pairs(struct mpi *mpi)
{
    static const struct peal_rule rule = {
        "MPI 3.1, 5.9.4: MPI_LONG_INT is a long and an int, MPI_SHORT_INT a short and an int, for MPI_MAXLOC and "
        "MPI_MINLOC",
        "use MPI_LONG for long, MPI_SHORT for short"};

    for (int i = 0; i < 2; i++)
        if (mpi->moved[i].site && !atomic_load(&reduced[i]))
            mpi_remark(mpi,
                       &(struct remark){.kind = PEAL_TYPE_MISMATCH,
                                        .note = true,
                                        .rule = &rule,
                                        .call = mpi->moved[i].call,
                                        .at = mpi->moved[i].site},
                       "%s, whose elements are %s and an int, is moved here and never reduced: is a %s meant?",
                       type_basic_name(i == 0 ? LONG_INT : SHORT_INT), i == 0 ? "a long" : "a short",
                       i == 0 ? "long" : "short");
}

/* ------------------------------------------------------------------ receives that were freed */

struct freed {
    struct freed *next;
    int source; /* in the machine; PEAL_ANY_SOURCE */
    const char *call, *site, *at;
};

void
notes_freed(struct mpi *mpi, const struct message_end *end)
{
    struct freed *freed = mpi_alloc(mpi, sizeof *freed);
    int source = end->post.peer;

    source = source == PEAL_ANY_SOURCE ? source : peal_rank_in_world(end->comm->view, source);
    *freed = (struct freed){mpi->freed, source, end->call, end->site, mpi->file};
    mpi->freed = freed;
}

void
notes_came(struct mpi *mpi, const struct message_end *end, int source)
{
    int rank = peal_rank_in_world(end->comm->view, source);

    for (struct freed **at = &mpi->freed; *at;) {
        struct freed *freed = *at;

        if (freed->source != rank && freed->source != PEAL_ANY_SOURCE) {
            at = &freed->next;
            continue;
        }
        *at = freed->next;
        mpi_free(mpi, freed);
    }
}

static void
find_freed(struct mpi *mpi)
{
    static const struct peal_rule rule = {
        "MPI 3.1, 3.7.3: an active receive should not be freed, since nothing says then that its buffer may be used",
        "wait for the receive, or test it until it is complete"};
    int rank = peal_world_rank(mpi->me);

    for (const struct freed *freed = mpi->freed; freed; freed = freed->next)
        mpi_remark(mpi,
                   &(struct remark){.kind = PEAL_LOST_REQUEST,
                                    .note = true,
                                    .rule = &rule,
                                    .call = "MPI_Request_free",
                                    .at = freed->at,
                                    .rank = rank,
                                    .site = freed->site},
                   "node %d frees an active %s, and no later message of the sender shows that the data are there", rank,
                   freed->call);
}

void
notes_left(struct mpi *mpi)
{
    find_freed(mpi);
    find_pairs(mpi);
}

/* ------------------------------------------------------------------ structs and their members */

void
notes_extent(struct mpi *mpi, const struct type *type)
{
    static const struct peal_rule rule = {
        "MPI 3.1, 4.1.7: what MPI_Type_create_resized, or an array's type, marks as its bounds marks those of a struct "
        "that has it as a member",
        "set the bounds of the struct itself, by MPI_Type_create_resized"};

    if (type->recipe.combiner == MPI_COMBINER_STRUCT && (type->lb != type->plain_lb || type->ub != type->plain_ub))
        mpi_remark(mpi, &(struct remark){.kind = PEAL_INVALID_ARGUMENT, .note = true, .rule = &rule},
                   "the struct has lb %td and extent %td by the explicit bounds of a member; libraries that ignore "
                   "these, as MPICH does, have lb %td and extent %td",
                   type->lb, type_extent(type), type->plain_lb, type->plain_ub - type->plain_lb);
}

void
notes_member(struct mpi *mpi, int i, const struct type *type, ptrdiff_t offset)
{
    static const struct peal_rule rule = {
        "MPI 3.1, 4.1: displacements and the extent are those of the struct in memory, where each member is aligned",
        "take displacements from offsetof and the extent from sizeof, by MPI_Type_create_resized; for a packed struct, "
        "or bytes that the program itself packs, it is right"};
    ptrdiff_t align = (ptrdiff_t)type->align;

    if (align > 1 && offset % align != 0 && type->size > 0)
        mpi_remark(mpi, &(struct remark){.kind = PEAL_INVALID_ARGUMENT, .note = true, .rule = &rule},
                   "block %d, of %s, has displacement %td, but in a struct such a member lies at a multiple of %td", i,
                   type->name ? type->name : type_basic_name(type->basic), offset, align);
}
