/* SPDX-License-Identifier: MIT */
/* Runs of programs: how they begin and end, and a node's queries about itself. */
#include "mpi/call/mpi_advice.h"
#include "mpi/coll/op.h"
#include "mpi/comm/attribute.h"
#include "mpi/p2p/mpi_request.h"
#include "mpi/strict/conflict.h"
#include <peal/outside.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int node_count;

static bool refused_threads_may_call(int rank, bool polls);
static void refuse_waiting(int rank);
static const struct peal_other_threads others = {refused_threads_may_call, refuse_waiting};

static bool
runtime_begin_run(int count)
{
    if (!coll_configure())
        _exit(PEAL_USAGE);
    mpi_nodes = calloc((size_t)count, sizeof *mpi_nodes);
    node_count = mpi_nodes ? count : 0;
    peal_other_threads(peal_program_starts_threads() ? &others : NULL);
    strict_begin();
    notes_start();
    counter_begin(count);
    return mpi_nodes && finding_begin(count) && conflict_begin(count) && held_begin(count);
}

static void
end_run(void)
{
    if (mpi_run_ended)
        mpi_run_ended();
    peal_other_threads(NULL);
    judged_end();
    held_end();
    finding_end();
    bool whole = vclock_try_lock(); /* otherwise a node has ended while it held the lock, and lists may be half made */

    conflict_end(whole);
    meetings_end(whole);
    stamps_end(whole);
    vclock_end(whole);
    vclock_unlock();
    counter_end();
    free(mpi_nodes);
    mpi_nodes = NULL;
    node_count = 0;
}

/* The program ends in the phase in which MPI_THREAD_MULTIPLE was refused: it needs that. */
static void
refuse_threads(struct mpi *mpi, const char *ends)
{
    if (mpi->refused && mpi->refused == peal_phase(mpi->me))
        peal_fail_at(mpi->me, PEAL_UNSUPPORTED, mpi->file, mpi->line,
                     "node %d asks for MPI_THREAD_MULTIPLE, gets MPI_THREAD_FUNNELED, and %s: threads that call MPI "
                     "themselves are not supported",
                     peal_world_rank(mpi->me), ends);
}

/* The node's other threads may call if it has asked for MPI_THREAD_MULTIPLE, though it was not given that. */
static bool
refused_threads_may_call(int rank, bool polls)
{
    return !polls && mpi_nodes[rank].refused;
}

static void
refuse_waiting(int rank)
{
    const struct mpi *mpi = &mpi_nodes[rank];

    peal_advise(mpi->me, PEAL_HINT(one_thread));
    peal_fail_other(mpi->me, rank, PEAL_UNSUPPORTED, mpi->file, mpi->line,
                    "node %d asks for MPI_THREAD_MULTIPLE, gets MPI_THREAD_FUNNELED, and waits in %s, and nothing else "
                    "moves: threads that call MPI themselves are not supported",
                    rank, mpi->call);
}

/* A node's main has returned, or it has called exit. */
static void
runtime_end_node(struct peal_node *me, int code, bool returned)
{
    struct mpi *mpi = &mpi_nodes[peal_world_rank(me)];

    if (mpi->phase != PHASE_RUNS)
        return;
    returned = returned && !mpi->outside;
    if (code != 0)
        refuse_threads(mpi, "ends");
    if (code != 0 && mpi->outside)
        peal_program_abort_at(me, code, mpi->file, mpi->line, "exit with code %d before MPI_Finalize, after %s", code,
                              mpi->call);
    if (code != 0)
        peal_program_abort_at(me, code, mpi->exits, mpi->exits ? PEAL_CODE : 0, "%s %d before MPI_Finalize%s%s",
                              returned ? "main returned" : "exit with code", code,
                              mpi->said && mpi->said[0] ? ": " : "", mpi->said ? mpi->said : "");
    peal_advise(me, PEAL_HINT(no_finalize), peal_world_rank(me));
    if (mpi->exits)
        peal_fail_at(me, PEAL_BAD_REQUEST, mpi->exits, PEAL_CODE, "node %d ends without MPI_Finalize",
                     peal_world_rank(me));
    peal_fail_at(me, PEAL_BAD_REQUEST, mpi->file, mpi->line,
                 "%s without MPI_Finalize on node %d, whose last call was %s", returned ? "main returned" : "exit(0)",
                 peal_world_rank(me), mpi->call);
}

/* The C library reads the node's time, or lets it sleep. */
static void
runtime_pause(struct peal_node *me, bool ends)
{
    struct mpi *mpi = &mpi_nodes[peal_world_rank(me)];

    if (mpi->computing.on && ends)
        computing_resume(mpi);
    else if (mpi->computing.on)
        computing_pause(mpi);
}

static const char *
runtime_start(const struct peal_enclosed_nodes *nodes)
{
    return mpi_run_starts(nodes);
}

static const struct peal_runtime_hooks guest = {
    runtime_begin_run,         runtime_end_node,        end_run,      judged_calls, runtime_pause,
    computing_function_begins, computing_function_ends, runtime_start};

__attribute__((constructor)) static void
announce(void)
{
    peal_runtime_hooks(&guest);
    peal_call_names(mpi_call_names, CALLS);
}

__attribute__((destructor)) static void
leave(void)
{
    peal_runtime_hooks(NULL);
    peal_call_names(NULL, 0);
}

/* ------------------------------------------------------------------ beginning and end */

static int
runtime_init(struct mpi *mpi, int required, int *provided)
{
    if (mpi->phase != PHASE_BEFORE)
        mpi_fail(mpi, PEAL_BAD_REQUEST, "called %s", mpi->phase == PHASE_RUNS ? "a second time" : "after MPI_Finalize");
    if (peal_word_bytes(mpi->me) != 1)
        mpi_fail(mpi, PEAL_BAD_SIZE,
                 "the machine's words have %zu bytes, and those of an MPI program 1: leave out --word-bytes",
                 peal_word_bytes(mpi->me));
    mpi->phase = PHASE_RUNS;
    computing_begin(mpi);
    mpi->thread_level = mpi->outside                     ? required /* one thread after another may call */
                        : required < MPI_THREAD_FUNNELED ? MPI_THREAD_SINGLE
                                                         : MPI_THREAD_FUNNELED;
    if (provided)
        *provided = mpi->thread_level;
    comm_begin(mpi);
    mpi->refused = required == MPI_THREAD_MULTIPLE && !mpi->outside ? peal_phase(mpi->me) : 0;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Init, int *argc, char ***argv)
{
    (void)argc, (void)argv;
    struct mpi *mpi = ENTER_ANY(Init);

    return runtime_init(mpi, MPI_THREAD_SINGLE, NULL);
}

MPI_FUNCTION(int, Init_thread, int *argc, char ***argv, int required, int *provided)
{
    struct mpi *mpi = ENTER_ANY(Init_thread);

    (void)argc, (void)argv;
    if (required < MPI_THREAD_SINGLE || required > MPI_THREAD_MULTIPLE)
        return mpi_error(mpi, NULL, MPI_ERR_ARG, "required is %d: expected MPI_THREAD_SINGLE to MPI_THREAD_MULTIPLE",
                         required);
    if (!provided)
        return mpi_error(mpi, NULL, MPI_ERR_ARG, "provided is NULL");
    return runtime_init(mpi, required, provided);
}

MPI_FUNCTION(int, Initialized, int *flag)
{
    struct mpi *mpi = ENTER_ANY(Initialized);

    NEED(flag);
    *flag = mpi->phase != PHASE_BEFORE;
    return MPI_SUCCESS;
}

/* Complete what the node has left open. */
static void
runtime_settle(struct mpi *mpi)
{
    if (vclock_is_kept())
        conflict_settle(mpi);
    vclock_leave(mpi);
    win_end(mpi);
    attributes_delete(mpi, comm_owner(mpi->self));
    peal_end_calls(mpi->me);
    peal_wait_detached_at(mpi->me, mpi->file, mpi->line);
    if (!mpi->judged)
        peal_meet_at(mpi->me, &(struct peal_meeting){.ranks = NULL}, mpi->file,
                     mpi->line); /* no node leaves before all have arrived */
}

MPI_FUNCTION(int, Finalize, void)
{
    struct mpi *mpi = ENTER(Finalize);

    finding_left(mpi, __builtin_dwarf_cfa());
    held_leave(mpi);
    runtime_settle(mpi);
    mpi->computing.on = false;
    mpi->phase = PHASE_AFTER;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Finalized, int *flag)
{
    struct mpi *mpi = ENTER_ANY(Finalized);

    NEED(flag);
    *flag = mpi->phase == PHASE_AFTER;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Abort, MPI_Comm comm, int errorcode)
{
    struct mpi *mpi = ENTER(Abort);

    (void)comm;
    refuse_threads(mpi, "calls MPI_Abort");
    peal_program_abort_at(mpi->me, errorcode & 0xff ? errorcode : 1, mpi->file, mpi->line, "MPI_Abort with code %d",
                          errorcode);
}

MPI_FUNCTION(int, Query_thread, int *provided)
{
    struct mpi *mpi = ENTER(Query_thread);

    NEED(provided);
    *provided = mpi->thread_level;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Is_thread_main, int *flag)
{
    struct mpi *mpi = ENTER(Is_thread_main);

    NEED(flag);
    *flag = 1;
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ where and when */

MPI_FUNCTION(int, Get_processor_name, char *name, int *resultlen)
{
    struct mpi *mpi = ENTER(Get_processor_name);

    NEED(name, resultlen);
    *resultlen = snprintf(name, MPI_MAX_PROCESSOR_NAME, "node%d", peal_world_rank(mpi->me));
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Get_version, int *version, int *subversion)
{
    struct mpi *mpi = ENTER_ANY(Get_version);

    NEED(version, subversion);
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Get_library_version, char *version, int *resultlen)
{
    struct mpi *mpi = ENTER_ANY(Get_library_version);

    NEED(version, resultlen);
    *resultlen = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "Peal %s", peal_version());
    return MPI_SUCCESS;
}

MPI_FUNCTION(double, Wtime, void)
{
    struct mpi *mpi = ENTER(Wtime);

    return peal_program_seconds(mpi->me);
}

MPI_FUNCTION(double, Wtick, void)
{
    struct mpi *mpi = ENTER(Wtick);

    (void)mpi;
    return 1e-9;
}

MPI_FUNCTION(int, Pcontrol, const int level, ...)
{
    (void)level;
    return MPI_SUCCESS;
}
