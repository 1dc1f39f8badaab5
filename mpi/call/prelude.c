/* SPDX-License-Identifier: MIT */
/* The beginning of every call: its node, and whether it may be made now; and the node's memory. */
#include "mpi/call/mpi_advice.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct mpi *mpi_nodes;
void (*mpi_run_ended)(void);
const char *(*mpi_run_starts)(const struct peal_enclosed_nodes *nodes);

#define PEAL_MPI(type, name, parameters) "MPI_" #name,
#define PEAL_MPI_ABSENT(type, name, parameters) "MPI_" #name,
const char *const mpi_call_names[CALLS] = {
    NULL,
#include <peal/mpi/calls.def>
};
#undef PEAL_MPI
#undef PEAL_MPI_ABSENT

/* A constructor is not a node, nor is a thread that the program made itself. */
void
mpi_refuse_stray(enum mpi_call call, const void *site)
{
    peal_program_refuse_stray(site, mpi_call_names[call]);
}

/* Whether a call of this name communicates; the list has names in their blocking form, without neighbor_. */
static bool
communicates(const char *call)
{
    static const char calls[] =
        " send ssend bsend rsend recv mrecv sendrecv sendrecv_replace probe mprobe barrier bcast gather gatherv "
        "scatter scatterv allgather allgatherv alltoall alltoallv alltoallw reduce allreduce reduce_scatter "
        "reduce_scatter_block scan exscan put get accumulate get_accumulate rput rget raccumulate rget_accumulate "
        "fetch_and_op compare_and_swap ";
    const char neighbour[] = "neighbor_";
    char name[40];

    call += strlen("MPI_");
    call += call[0] == 'I';
    call += strncasecmp(call, neighbour, strlen(neighbour)) == 0 ? strlen(neighbour) : 0;
    snprintf(name, sizeof name, " %s ", call);
    return strcasestr(calls, name);
}

/* Report that the call came too early or too late, or from the function of an operator: only then it goes on. */
void
mpi_check_phase(struct mpi *mpi)
{
    static const struct peal_rule rule = {
        "MPI 3.1, 5.9.5: the function of an operator calls no communication function of MPI",
        "let it only combine the elements that it is given"};

    if (mpi->phase == PHASE_OPERATES) {
        if (!communicates(mpi->call))
            return;
        mpi->phase = PHASE_RUNS; /* the call may wait, and the node's other calls are made meanwhile */
        mpi_remark(mpi, &(struct remark){.kind = PEAL_BAD_REQUEST, .rule = &rule},
                   "called by the function of an operator");
        return;
    }
    bool before = mpi->phase == PHASE_BEFORE;

    peal_advise(mpi->me, before ? PEAL_HINT(before_init) : PEAL_HINT(after_finalize));
    mpi_fail(mpi, PEAL_BAD_REQUEST, "%s", before ? "called before MPI_Init" : "called after MPI_Finalize");
}

void
mpi_enter_from(struct mpi *mpi)
{
    mpi->fortran = !mpi->outside;
    mpi->file = peal_passed_on(mpi->me, mpi->from);
    if (!mpi->outside)
        mpi->from = NULL;
}

struct mpi *
mpi_enter_any(enum mpi_call call, const void *site)
{
    return mpi_enter_any_inline(call, site);
}

struct mpi *
mpi_enter(enum mpi_call call, const void *site)
{
    return mpi_enter_inline(call, site);
}

void
mpi_fail(struct mpi *mpi, int kind, const char *format, ...)
{
    char text[700];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    peal_fail_at(mpi->me, kind, mpi->file, mpi->line, "%s of node %d: %s", mpi->call, peal_world_rank(mpi->me), text);
}

/* ------------------------------------------------------------------ memory */

void *
mpi_alloc(struct mpi *mpi, size_t bytes)
{
    return peal_alloc_at(mpi->me, bytes ? bytes : 1, mpi->file, mpi->line);
}

void *
mpi_scratch(struct mpi *mpi, size_t bytes)
{
    return peal_scratch_at(mpi->me, bytes ? bytes : 1, mpi->file, mpi->line);
}

void
mpi_set_name(struct mpi *mpi, char **own, const char *name)
{
    size_t length = strnlen(name, MPI_MAX_OBJECT_NAME - 1);

    mpi_free(mpi, *own);
    *own = memcpy(mpi_alloc(mpi, length + 1), name, length);
}
