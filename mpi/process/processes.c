/* SPDX-License-Identifier: MIT */
/* Nodes whose programs are processes: the spawner starts these, and reports how each ends; a node waits for the calls
 * of its process, while its carrier runs other nodes. */
#include "mpi/call/mpi_advice.h"
#include "mpi/process/children.h"
#include "mpi/process/process_windows.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <peal/outside.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* The main function of every node: instead.c calls it. */
PEAL_API int peal_mpi_process(int argc, char **argv);

static struct {
    struct hall *hall; /* NULL: no run has begun */
    struct process *processes;
    size_t bytes;
    pid_t spawner;
    int lost;       /* how the spawner has ended, as wait gave it; 0: it has not */
    uint32_t heard; /* of the bell */
    int dead;     /* the rank of a process that has ended while its node was in a call; -1: none, or it was reported */
    int patience; /* milliseconds for which other threads were waited for */
    uint32_t seen_states[MAX_ENCLOSED + 1]; /* of enclosed nodes when they were last looked at, and the bell */
} run;

enum { LOOK_MILLISECONDS = 50 };

/* ------------------------------------------------------------------ waiting */

/* If the spawner was killed, the system kills its processes. */
static void
look_at_spawner(void)
{
    if (run.spawner <= 0 || waitpid(run.spawner, &run.lost, WNOHANG) != run.spawner)
        return;
    run.spawner = 0;
    children_end();                                             /* those that it would have ended */
    if (WIFSIGNALED(run.lost) && WTERMSIG(run.lost) == SIGTERM) /* it may be for all: then pealrun says so meanwhile */
        sleep(1);
    for (int i = 0; i < run.hall->count; i++)
        if (!atomic_load(&run.processes[i].channel->ended))
            atomic_store(&run.processes[i].channel->ended, 1 + SIGKILL);
    atomic_fetch_add(&run.hall->bell.word, 1);
}

/* Wait for a change of an enclosed node's state, which counts as one of the bell, or of the bell. */
static void
wait_for_states(void)
{
    const int count = run.hall->count;
    struct futex_waitv words[MAX_ENCLOSED + 1];
    struct timespec until;
    bool changed = false;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_MILLISECONDS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    for (int i = 0; i <= count; i++)
        words[i] = (struct futex_waitv){
            .val = run.seen_states[i],
            .uaddr = (uintptr_t)(i < count ? &run.processes[i].channel->state.word : &run.hall->bell.word),
            .flags = FUTEX_32};
    if (syscall(SYS_futex_waitv, words, count + 1, 0, &until, CLOCK_MONOTONIC) < 0 && errno == ENOSYS)
        usleep(1000);
    for (int i = 0; i <= count; i++) {
        uint32_t now = atomic_load(i < count ? &run.processes[i].channel->state.word : &run.hall->bell.word);

        changed |= now != run.seen_states[i];
        run.seen_states[i] = now;
    }
    if (changed)
        run.heard++;
    else
        look_at_spawner();
}

static void
wait_for_bell(void)
{
    const struct timespec time = {0, LOOK_MILLISECONDS * 1000000L};

    if (run.hall->enclosed) {
        wait_for_states();
        return;
    }
    awaited_wait(&run.hall->bell, run.heard, &time, &run.hall->yields_not_before);
    if (run.heard == atomic_load(&run.hall->bell.word))
        look_at_spawner();
    run.heard = atomic_load(&run.hall->bell.word);
}

/* Print what the process has printed. */
static void
take_output(struct process *process)
{
    char text[1 << 14];
    ssize_t count;

    while (process->output >= 0 && (count = read(process->output, text, sizeof text)) != 0) {
        if (count < 0 && errno != EINTR)
            return;
        if (count > 0)
            peal_write(process->mpi->me, text, (size_t)count);
    }
    if (process->output >= 0)
        close(process->output);
    process->output = -1;
}

/* Look whether a process that does not know Peal's library yet has loaded only another MPI's. */
static void
find_another(struct process *process)
{
    char line[PATH_MAX + 100], path[PATH_MAX], found[PATH_MAX] = "";
    enum peal_mpi_library whose = PEAL_MPI_NONE;

    snprintf(path, sizeof path, "/proc/%d/maps", (int)atomic_load(&process->channel->pid));
    FILE *maps = fopen(path, "re");

    while (maps && whose != PEAL_MPI_OWN && fgets(line, sizeof line, maps))
        if (sscanf(line, "%*s %*s %*s %*s %*s %4095[^\n]", path) == 1 && peal_mpi_library_of(path) != PEAL_MPI_NONE) {
            whose = peal_mpi_library_of(path);
            memcpy(found, path, sizeof found);
        }
    if (maps)
        fclose(maps);
    if (whose == PEAL_MPI_OTHER)
        process->another = strdup(found);
}

/* Sleep until one of the processes may have called; read their output, so that none waits to print. */
static void
sleep_outside(void)
{
    uint32_t before = run.heard;

    wait_for_bell();
    for (int i = 0; run.heard == before && !run.hall->enclosed && i < run.hall->count; i++)
        if (!run.processes[i].channel->self && run.processes[i].mpi) {
            find_another(&run.processes[i]);
            break;
        }
    for (int i = 0; i < run.hall->count; i++) {
        struct process *process = &run.processes[i];

        if (run.heard == before && process->mpi && !process->in_call)
            take_output(process);
        if (run.heard != before && process->in_call && !process->reported && atomic_load(&process->channel->ended))
            run.dead = i;
    }
}

/* Whether the node has to look at its process. */
static bool
has_news(const struct process *process)
{
    struct channel *channel = process->channel;
    uint32_t state = atomic_load(&channel->state.word);

    return state == HAS_CALLED || atomic_load(&channel->ended) || process->another;
}

static bool
has_come(void *arg)
{
    return run.dead >= 0 || has_news(arg);
}

static void
set_state(struct channel *channel, enum channel_state state)
{
    atomic_store(&channel->state.word, state);
    awaited_wake(&channel->state);
}

/* ------------------------------------------------------------------ how a process ends */

enum { END_WORDS = 200 };

/* How a process has ended that should not have: by a signal, which may only have stopped it, with an exit code, or with
 * the spawner, which ends all. */
static const char *
end_words(const struct process *process, char words[END_WORDS])
{
    const int status = (int)atomic_load(&process->channel->ended) - 1, rank = process->rank;
    const char *call = process->mpi->call ? process->mpi->call : "no call of MPI",
               *when = process->in_call ? "in" : "after";

    if (WIFSIGNALED(run.lost))
        snprintf(words, END_WORDS, "the spawner of the nodes' processes was ended by signal %d (%s), and they with it",
                 WTERMSIG(run.lost), strsignal(WTERMSIG(run.lost)));
    else if (WIFSIGNALED(status))
        snprintf(words, END_WORDS, "node %d crashed: signal %d (%s), %s %s", rank, WTERMSIG(status),
                 strsignal(WTERMSIG(status)), when, call);
    else if (WIFSTOPPED(status))
        snprintf(words, END_WORDS, "node %d: its process was stopped by signal %d (%s), %s %s", rank, WSTOPSIG(status),
                 strsignal(WSTOPSIG(status)), when, call);
    else
        snprintf(words, END_WORDS, "node %d: its process has ended with code %d, in %s", rank, WEXITSTATUS(status),
                 call);
    return words;
}

/* Fail at the process's node, or give the exit code of a process that has ended outside of calls. */
static int
processes_end_of(struct process *process)
{
    struct channel *channel = process->channel;
    struct mpi *mpi = process->mpi;
    int status = (int)atomic_load(&channel->ended) - 1, refused = (int)atomic_load(&channel->refused);
    char words[END_WORDS];

    if (refused)
        peal_fail_at(mpi->me, PEAL_CRASH, NULL, 0, "node %d: its process could not be started: %s", process->rank,
                     strerror(refused));
    if (process->another)
        peal_fail_at(
            mpi->me, PEAL_UNSUPPORTED, NULL, 0,
            "node %d is alone in its MPI_COMM_WORLD: its process has loaded %s, not Peal's library: remove the "
            "path to that from what loads it (patchelf --remove-rpath FILE), or build that with CC=pealcc",
            process->rank, process->another);
    take_output(process);
    if (!WIFEXITED(status) || process->in_call)
        peal_fail_at(mpi->me, PEAL_CRASH, run.lost ? NULL : mpi->file, mpi->line, "%s", end_words(process, words));
    return WEXITSTATUS(status);
}

/* A process has ended while its node waits in a call. */
static void
report_dead(struct peal_node *me)
{
    struct process *process = &run.processes[run.dead];
    const struct mpi *mpi = process->mpi;
    char words[END_WORDS];

    process->reported = true;
    run.dead = -1;
    peal_fail_other(me, process->rank, PEAL_CRASH, run.lost ? NULL : mpi->file, mpi->line, "%s",
                    end_words(process, words));
}

static void
processes_answer(struct process *process)
{
    const bool within = process->in_call; /* a function that a call runs has made this one */

    process->in_call = true;
    process_serve(process);
    process->in_call = within;
    set_state(process->channel, ANSWERED);
}

/* Have the process do something, in a node's call, and serve calls that it makes meanwhile.  The carrier waits, too,
 * since an operator's function may be called within a round.  false: the process has ended, or was stopped. */
static bool
processes_do(struct process *process, enum process_request what)
{
    struct channel *channel = process->channel;

    channel->asked = (int32_t)what;
    for (set_state(channel, ASKS); atomic_load(&channel->state.word) != GIVEN;) {
        const uint32_t before = run.heard;

        if (atomic_load(&channel->ended))
            return false;
        if (atomic_load(&channel->state.word) == HAS_CALLED) {
            const struct mpi site = *process->mpi;

            processes_answer(process);
            process->mpi->call = site.call;
            process->mpi->file = site.file;
            process->mpi->line = site.line;
        }
        wait_for_bell();
        if (run.heard == before)
            take_output(process);
    }
    return true;
}

static void
ask(struct process *process, enum process_request what)
{
    if (!processes_do(process, what))
        processes_end_of(process);
}

/* ------------------------------------------------------------------ threads of the processes */

/* Whether the process, in a call, has threads that wait for the end of that, or may call. */
static bool
has_others(struct process *process)
{
    struct channel *channel = process->channel;

    if (!process->in_call || atomic_load(&channel->ended))
        return false;
    if (atomic_load(&channel->waiting) || process->mpi->thread_level < MPI_THREAD_MULTIPLE)
        return atomic_load(&channel->waiting);
    return processes_do(process, ASK_THREADS) && channel->result != 0;
}

/* Threads that have just done their work wait for more soon, or call.  Where a node polls, they call in between. */
static bool
process_threads_may_call(int rank, bool polls)
{
    enum { PATIENCE = 1000, LOOK = 10 }; /* milliseconds: a run spends the first at most */
    struct process *process = &run.processes[rank];
    bool found;

    (void)polls;
    while ((found = has_others(process)) && atomic_load(&process->channel->next_call) <= CALL_NONE &&
           run.patience < PATIENCE) {
        usleep(LOOK * 1000);
        run.patience += LOOK;
    }
    return found;
}

/* Nothing moves, and a thread of the node's process waits to call, or may call. */
static void
process_refuse_threads(int rank)
{
    const struct process *process = &run.processes[rank];
    const struct channel *channel = process->channel;
    const struct mpi *mpi = process->mpi;
    const int call = atomic_load(&channel->next_call);
    const bool calls = atomic_load(&channel->waiting);
    struct call_place taken;
    const char *place = process_place(&channel->next_place, &taken);
    char words[PLACE_WORDS];

    peal_advise(mpi->me, PEAL_HINT(one_thread));
    peal_fail_other(mpi->me, rank, PEAL_UNSUPPORTED, mpi->file, mpi->line,
                    "%s of node %d waits, and nothing else moves, while another thread of its process %s %s: Peal "
                    "carries out one call of a process at a time%s",
                    mpi->call, rank, calls ? "calls" : "may call",
                    call > 0 && call < CALLS
                        ? place_words(mpi, taken.through[0] ? taken.through : mpi_call_names[call], place, words)
                        : "MPI",
                    calls
                        ? ""
                        : "; if that thread never calls, this is a deadlock, and where the program asks for less than "
                          "MPI_THREAD_MULTIPLE, Peal says who waits for whom");
}

static const struct peal_other_threads others = {process_threads_may_call, process_refuse_threads};

/* ------------------------------------------------------------------ a run */

static void
processes_end_run(void)
{
    if (!run.hall)
        return;
    if (run.spawner > 0 && !run.hall->enclosed) { /* enclosed processes end with this one */
        kill(run.spawner, SIGTERM);
        waitpid(run.spawner, NULL, 0);
    }
    process_refused_calls = NULL;
    for (int i = 0; i < run.hall->count; i++) {
        struct process *process = &run.processes[i];

        if (process->output >= 0)
            close(process->output);
        if (process->channel)
            munmap(process->channel, run.hall->channel_bytes);
        process_forget(process);
        free(process->another);
    }
    shared_begin(-1, 0);
    munmap(run.hall, run.bytes);
    free(run.processes);
    memset(&run, 0, sizeof run);
}

/* Let this process open as many files as this number of processes needs. */
static void
processes_allow_files(int count)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max &&
        limit.rlim_cur < 3U * (unsigned)count + 64) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* Map `bytes` bytes of a file; NULL with errno. */
static void *
map_file(int file, off_t offset, size_t bytes)
{
    void *memory = file < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, offset);

    return memory == MAP_FAILED ? NULL : memory;
}

/* The file with the hall and, unless they are enclosed, the channels; -1 with errno. */
static int
map_channels(int count, bool enclosed)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (sizeof(struct channel) + page - 1) / page * page,
                 all = bytes * (enclosed ? 1 : (size_t)count + 1);
    const int file = memfd_create("peal-processes", MFD_CLOEXEC);

    run.processes = calloc((size_t)count, sizeof *run.processes);
    if (!run.processes || file < 0 || ftruncate(file, (off_t)all) != 0 || !(run.hall = map_file(file, 0, page)))
        return -1;
    run.bytes = page;
    *run.hall = (struct hall){.count = count, .channel_bytes = bytes, .enclosed = enclosed, .bell.sleeps = enclosed};
    for (int i = 0; i < count; i++)
        run.processes[i] = (struct process){.rank = i, .output = -1, .ask = ask};
    for (int i = 0; i < count; i++) {
        int of = file;

        if (enclosed) {
            of = run.hall->files[i] = memfd_create("peal-process", MFD_CLOEXEC | MFD_ALLOW_SEALING);
            if (of < 0 || ftruncate(of, (off_t)bytes) != 0 ||
                fcntl(of, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
                return -1;
        }
        run.processes[i].channel = map_file(of, enclosed ? 0 : (off_t)(bytes * (size_t)(i + 1)), bytes);
        if (!run.processes[i].channel)
            return -1;
    }
    shared_begin(enclosed ? -1 : file, all);
    return file;
}

/* Make the pipe of each process: the spawner inherits the end for writing as the same number.  Whether all are made. */
static bool
pipes_make(posix_spawn_file_actions_t *actions)
{
    int pipes[2];

    for (int i = 0; i < run.hall->count; i++) {
        if (pipe2(pipes, O_CLOEXEC) != 0)
            return false;
        fcntl(pipes[0], F_SETFL, O_NONBLOCK);
        run.processes[i].output = pipes[0];
        run.processes[i].channel->output = pipes[1];
        posix_spawn_file_actions_adddup2(actions, pipes[1], pipes[1]);
        if (run.hall->enclosed)
            posix_spawn_file_actions_adddup2(actions, run.hall->files[i], run.hall->files[i]);
    }
    return true;
}

/* Start the spawner, which starts them all.  NULL, or what failed, as errno says. */
static const char *
start_spawner(int file, char **argv)
{
    posix_spawn_file_actions_t actions;
    const char *failed = "pipes for what they print";

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, file, file); /* it stays open */
    if (pipes_make(&actions))
        run.spawner = spawner_start(file, argv, &actions, &failed);
    const int error = errno;

    posix_spawn_file_actions_destroy(&actions);
    for (int i = 0; run.spawner > 0 && i < run.hall->count; i++)
        close(run.processes[i].channel->output);
    errno = error;
    return run.spawner > 0 ? NULL : failed;
}

/* Begin a run, whose nodes execute these words.  NULL, or what failed, as errno says. */
static const char *
processes_begin(const struct peal_enclosed_nodes *nodes, bool enclosed)
{
    run.dead = -1;
    mpi_run_ended = processes_end_run;
    peal_other_threads(&others);
    processes_allow_files(nodes->count);
    const int file = map_channels(nodes->count, enclosed);

    if (file < 0)
        return "their memory";
    for (int i = 0; nodes->seeds && i < nodes->count; i++)
        run.processes[i].channel->seed = nodes->seeds[i];
    return start_spawner(file, nodes->words);
}

static const char *
processes_start_enclosed(const struct peal_enclosed_nodes *nodes)
{
    static bool refused[CALLS];

    for (int i = 0; i < CALLS; i++)
        refused[i] = mpi_call_names[i] && nodes->refuses && nodes->refuses(nodes->arg, mpi_call_names[i]);
    process_refused_calls = refused;
    process_memory_forbid();
    return processes_begin(nodes, true);
}

__attribute__((constructor)) static void
processes_announce(void)
{
    mpi_run_starts = processes_start_enclosed;
}

int
peal_mpi_process(int argc, char **argv)
{
    struct peal_node *me = peal_self();
    int rank = peal_world_rank(me);
    const char *failed = NULL;

    (void)argc;
    if (!run.hall)
        failed = processes_begin(&(struct peal_enclosed_nodes){.count = peal_size(me), .words = argv}, false);
    if (failed)
        peal_fail_at(me, PEAL_OUT_OF_MEMORY, NULL, 0, "node %d: no processes for the nodes: %s: %s", rank, failed,
                     strerror(errno));
    struct process *process = &run.processes[rank];

    process->mpi = &mpi_nodes[rank];
    process->mpi->me = me;
    process->mpi->process = process;
    process->mpi->returned = &process->returned;
    process->mpi->outside = &process_calls;
    for (;;) {
        peal_wait_outside(me, has_come, process, sleep_outside);
        if (run.dead >= 0)
            report_dead(me);
        if (!has_news(process))
            continue;
        take_output(process);
        if (atomic_load(&process->channel->state.word) != HAS_CALLED)
            return processes_end_of(process);
        processes_answer(process);
    }
}
