/* SPDX-License-Identifier: MIT */
/* Starts this command again as the processes of an MPI job, waits for them, and finds out how they ended. */
#include "run/launch.h"
#include "lib/base/clock.h"
#include "lib/base/process.h"
#include "lib/base/text.h"
#include "lib/cluster/part.h"
#include "run/launcher.h"
#include "run/session.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The file in which node 0's process leaves its exit code: launchers replace other codes by their own codes and
 * messages. */
static const char result_name[] = "PEAL_MPI_RESULT";

enum { GRACE_SECONDS = 15, PATIENCE_SECONDS = 5 };

/* MPICH's launcher considers a process that ends before MPI_Init done, and the others wait for it forever; a process
 * ended by a signal ends the job.  So a peal that cannot be loaded (126, 127), as during a build, ends by a signal. */
static const char loads_or_dies[] = "\"$0\" --version >/dev/null; [ $? -lt 126 ] || kill -9 $$; exec \"$0\" \"$@\"";

/* On a host that does not see that file the process leaves its code in one of the same name in the working directory,
 * which is usually shared; where that fails, it exits with AFAR plus its code's place in this list.  So a launcher that
 * starts nothing and ends with 0 is recognized. */
static const int codes[] = {0, PEAL_FAILED, PEAL_USAGE, PEAL_PROGRAM, PEAL_RESOURCES, PEAL_TIMEOUT};
enum { CODES = sizeof codes / sizeof *codes, AFAR = 80 };

static bool joined, silent;

static bool
asks_for_mpi(const struct command_request *request)
{
    return command_is(request->command, OF_MPI) && strcmp(request->machine.engine, "mpi") == 0 &&
           !request->document.help;
}

/* Whether srun started several processes that cannot find one another. */
static bool
is_lost(void)
{
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");

    return tasks && atoi(tasks) > 1 && !peal_mpi_in_job();
}

bool
launch_needed(const struct command_request *request)
{
    return asks_for_mpi(request) && !getenv(result_name) && !peal_mpi_in_job() && !is_lost();
}

/* ------------------------------------------------------------------ the job */

/* The number of processes that the request needs: the nodes of the largest of its machines. */
static int
job_size(const struct command_request *request)
{
    const struct range *nodes = request->sweep ? &request->sweep->nodes : NULL;

    return nodes && nodes->step > 0 ? (int)peal_range_get(nodes, peal_range_count(nodes) - 1) : request->machine.nodes;
}

static volatile sig_atomic_t job, passed_on;

/* A launcher handles an interrupt, but not always the loss of its terminal. */
static void
launch_forward_signal(int number)
{
    passed_on = number;
    if (job > 0)
        kill((pid_t)job, number == SIGHUP || number == SIGPIPE ? SIGTERM : number);
}

/* Pass on its output; a job whose output nobody reads is ended. */
static void
relay_on(struct relay *relay, int milliseconds)
{
    if (relay_some(relay, milliseconds))
        return;
    close(relay->from);
    relay->from = -1;
    if (relay->why)
        launch_forward_signal(relay->why == EPIPE ? SIGPIPE : SIGTERM);
}

/* Wait for the launcher; end it if it stays far beyond the run's own limit, or in spite of a signal that was passed on
 * to it.  Returns its status. */
static int
launch_wait(pid_t child, struct relay *relay, double limit, bool *late)
{
    enum { MOMENT = 5 }; /* milliseconds */
    int status = 0;
    double began = peal_spent_seconds(), end = limit > 0 ? began + limit + GRACE_SECONDS : 0;
    bool forwarded = false;

    *late = false;
    for (;;) {
        bool blocks = relay->from < 0 && end <= 0 && !passed_on;
        pid_t gone = waitpid(child, &status, blocks ? 0 : WNOHANG);

        if (gone == child || (gone < 0 && errno != EINTR))
            break;
        if (passed_on && !forwarded) {
            forwarded = true;
            end = peal_spent_seconds() + PATIENCE_SECONDS;
        }
        if (end > 0 && peal_spent_seconds() > end) {
            kill(child, *late || forwarded ? SIGKILL : SIGTERM);
            *late = !forwarded;
            end += PATIENCE_SECONDS;
        }
        if (relay->from < 0 && !blocks)
            nanosleep(&(struct timespec){.tv_nsec = MOMENT * 1000 * 1000}, NULL);
        else if (relay->from >= 0)
            relay_on(relay, MOMENT);
    }
    for (double last = peal_spent_seconds() + 1;
         relay->from >= 0 && peal_spent_seconds() < last;) /* a remaining process may hold it open */
        relay_on(relay, MOMENT);
    return status;
}

/* The name of the file that replaces this one in the working directory. */
static const char *
name_here(const char *path, char here[64])
{
    snprintf(here, 64, ".%.60s", file_name(path));
    return here;
}

/* The exit code that node 0's process left; -1: none. */
static int
read_result(const char *path)
{
    char text[16] = "", here[64];
    int code = -1;

    for (int i = 0; i < 2 && code < 0; i++) {
        int file = open(i ? name_here(path, here) : path, O_RDONLY | O_CLOEXEC);

        if (file >= 0 && read(file, text, sizeof text - 1) > 0)
            code = atoi(text);
        if (file >= 0)
            close(file);
    }
    unlink(name_here(path, here));
    return code;
}

/* The code that node 0's process passed by its own exit code, from a host that does not see the file; -1: none. */
static int
read_status(int status)
{
    int code = WIFEXITED(status) && !passed_on ? WEXITSTATUS(status) : -1;

    return code > AFAR && code <= AFAR + CODES ? codes[code - AFAR - 1] : -1;
}

/* Node 0's process reported nothing: find out why, and the kind of failure. */
static enum peal_failure_kind
how_it_ended(const struct command_request *request, const char *launcher, int status, bool late,
             struct peal_error *error)
{
    if (late) {
        peal_refuse(error, PEAL_TIMEOUT, "the job had not ended %d seconds after its --timeout of %g, and was ended",
                    GRACE_SECONDS, request->machine.timeout_seconds);
        return PEAL_TIMED_OUT;
    }
    if (WIFSIGNALED(status))
        peal_refuse(error, PEAL_FAILED, "the job ended before node 0 could report: signal %d ended %s",
                    WTERMSIG(status), launcher);
    else if (WEXITSTATUS(status) == 0)
        peal_refuse(
            error, PEAL_FAILED,
            "nothing ran: %s ended with code 0, and no node 0 reported; --launcher is a command that starts the "
            "processes that are named after it, as mpirun does",
            launcher);
    else
        peal_refuse(
            error, PEAL_FAILED,
            "the job ended before node 0 could report: a process of it was killed, or never began (%s ended with "
            "code %d)",
            launcher, WEXITSTATUS(status));
    return PEAL_CRASH;
}

static int
say_how_it_ended(const struct command_request *request, const char *launcher, int status, bool late)
{
    struct peal_error error;
    enum peal_failure_kind kind = how_it_ended(request, launcher, status, late, &error);

    bool one_run = command_is(request->command, OF_RUNS); /* run and explain */

    return one_run ? session_lost(request, kind, &error) : complain(&error);
}

/* The run was right, but one of its processes ended badly afterwards. */
static int
say_who_died(const char *launcher, int status)
{
    return WIFSIGNALED(status)
               ? complain_of(PEAL_FAILED, "a process of the job ended badly after the run: signal %d ended %s",
                             WTERMSIG(status), launcher)
               : complain_of(PEAL_FAILED, "a process of the job ended badly after the run: %s ended with code %d",
                             launcher, WEXITSTATUS(status));
}

/* Pass signals that end this process on to the job; an ignored one stays ignored. */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
enum { SIGNALS = sizeof signals / sizeof *signals };

static void
launch_catch_signals(struct sigaction before[SIGNALS])
{
    struct sigaction action = {.sa_handler = launch_forward_signal};

    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

/* Start the job and wait for it; node 0's process leaves its code in `path`.  Returns the exit code. */
static int
run_job(const struct command_request *request, const struct command_line *line, const char *path)
{
    const char *mpi = getenv("PEAL_MPI");
    int out = mpi && strcmp(mpi, "mpich") == 0 ? PEAL_SPAWN_PIPE : PEAL_SPAWN_SAME; /* to the relay, or as it is */
    struct relay relay = {0};
    struct sigaction before[SIGNALS];
    pid_t child = 0;
    bool late = false;
    int trouble;

    fflush(stdout);
    launch_catch_signals(before);
    trouble = peal_spawn(line->words, (int[]){PEAL_SPAWN_SAME, out, PEAL_SPAWN_SAME}, &child, &relay.from);
    job = child;
    int status = trouble ? 0 : launch_wait(child, &relay, request->machine.timeout_seconds, &late),
        code = read_result(path);

    job = 0;
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
    if (trouble)
        return complain_of(PEAL_USAGE, "the launcher %s cannot be started: %s", line->words[0], strerror(trouble));
    if (relay.why && relay.why != EPIPE)
        return complain_of(PEAL_RESOURCES, "standard output could not be written: %s", strerror(relay.why));
    if (passed_on && (code < 0 || passed_on == SIGPIPE)) {
        unlink(path);
        raise(passed_on); /* as a run in one process ends */
    }
    if (code == 0 && status != 0 && !passed_on)
        return say_who_died(line->words[0], status);
    if (code < 0 && !late)
        code = read_status(status);
    return code >= 0 ? code : say_how_it_ended(request, line->words[0], status, late);
}

static int
launch_start(const struct command_request *request, struct command_line *line, char **argv)
{
    char path[] = "/tmp/peal-mpi-XXXXXX", self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    int file = length > 0 ? mkostemp(path, O_CLOEXEC) : -1, code;

    if (file < 0)
        return complain_of(PEAL_RESOURCES, "no file for the job's result: %s", strerror(errno));
    close(file);
    self[length] = '\0';
    if (getenv("PEAL_MPI") && strcmp(getenv("PEAL_MPI"), "mpich") == 0) {
        line_add(line, "/bin/sh");
        line_add(line, "-c");
        line_add(line, loads_or_dies);
    }
    line_add(line, self);
    for (int i = 1; argv[i]; i++)
        line_add(line, argv[i]);
    setenv(result_name, path, 1);
    code = line->count < MAX_WORDS
               ? run_job(request, line, path)
               : complain_of(PEAL_USAGE, "--engine mpi: the command line has more than %d words", MAX_WORDS);
    unlink(path);
    unsetenv(result_name);
    return code;
}

int
launch(const struct command_request *request, char **argv)
{
    struct command_line line = {.count = 0};
    struct peal_error error;
    enum launcher_kind kind = KIND_NONE;
    char *found = NULL, *words = NULL, *rest = NULL, nodes[16];
    bool crowded = job_size(request) > sysconf(_SC_NPROCESSORS_ONLN);
    int code;

    if (request->launch.launcher) {
        words = strdup(request->launch.launcher);
        for (char *word = words ? strtok_r(words, " \t", &rest) : NULL; word; word = strtok_r(NULL, " \t", &rest))
            line_add(&line, word);
        if (line.count == 0) {
            free(words);
            return complain_of(PEAL_USAGE, "--launcher: expected a command, as in srun");
        }
        if (!getenv("PEAL_MPI"))
            kind = launcher_kind_of(line.words[0]);
    } else {
        found = launcher_usual(&kind, &error);
        if (!found)
            return complain(&error);
        line_add(&line, found);
        if (kind == KIND_OPENMPI) {
            if (geteuid() == 0)
                line_add(&line, "--allow-run-as-root");
            line_add(&line, "--oversubscribe");
        }
    }
    if (!isatty(STDOUT_FILENO))
        setenv("NO_COLOR", "1", 1); /* a launcher may give its processes a terminal although there is none */
    launcher_environment(kind, crowded);
    if (!line_says_how_many(&line)) {
        snprintf(nodes, sizeof nodes, "%d", job_size(request));
        line_add(&line, "-n");
        line_add(&line, nodes);
    }
    code = launch_start(request, &line, argv);
    free(found);
    free(words);
    return code;
}

/* ------------------------------------------------------------------ a process of the job */

/* This process prints and writes nothing. */
static void
fall_silent(void)
{
    FILE *nowhere = fopen("/dev/null", "we");

    silent = true;
    output_silence();
    if (nowhere)
        stdout = stderr = nowhere;
}

/* Whether the files of the request can be written.  All processes check: only node 0's writes them, but the others
 * would wait for it in the run. */
static enum peal_status
agree_on_files(const struct command_request *request, struct peal_error *error)
{
    const char *const paths[] = {request->document.json_file, request->document.csv_file, request->document.report_file,
                                 request->document.svg_file,  request->document.png_file, request->document.trace_file,
                                 request->session.output};
    enum peal_status status = PEAL_OK;

    for (size_t i = 0; i < sizeof paths / sizeof *paths && status == PEAL_OK && !silent; i++)
        status = paths[i] ? output_try(paths[i], "", error) : PEAL_OK;
    if (request->sweep && request->sweep->plot && status == PEAL_OK && !silent)
        status = output_try(request->sweep->plot, ".dat", error);
    enum peal_status agreed = (enum peal_status)peal_mpi_widen((int)status);

    return agreed == status ? status : peal_refuse(error, agreed, "node 0 cannot write its files");
}

enum peal_status
launch_join(struct command_request *request, struct peal_error *error)
{
    int rank, size;

    if (!asks_for_mpi(request) || launch_needed(request))
        return PEAL_OK;
    if (is_lost()) {
        const char *place = getenv("SLURM_PROCID");

        joined = getenv(result_name); /* the process that started the job expects it */
        if (place && atoi(place) > 0)
            fall_silent();
        return peal_refuse(error, PEAL_USAGE,
                           "srun started %s processes that cannot find one another: Open MPI wants srun --mpi=pmix, "
                           "MPICH srun --mpi=pmi2",
                           getenv("SLURM_STEP_NUM_TASKS"));
    }
    enum peal_status status = peal_mpi_begin(&rank, &size, error);

    if (status != PEAL_OK)
        return status;
    joined = true;
    if (rank > 0)
        fall_silent();
    if (!option_given(request, "nodes") && !option_given(request, "topology"))
        request->machine.nodes = size;
    return agree_on_files(request, error);
}

bool
launch_is_silent(void)
{
    return silent;
}

/* Report to the command that started the job, if any, how it ended; returns the exit code. */
static int
tell_result(int code)
{
    const char *path = getenv(result_name);
    char text[16], here[64];

    if (!path)
        return code;
    int file = open(path, O_WRONLY | O_CLOEXEC);

    if (file < 0)
        file = open(name_here(path, here), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0) {
        int length = snprintf(text, sizeof text, "%d", code);
        bool written = write(file, text, (size_t)length) == length;

        close(file);
        if (written) /* the launcher need not report that a process ended with a code */
            return 0;
    }
    for (int i = 0; i < CODES; i++)
        if (codes[i] == code)
            return AFAR + 1 + i;
    return code;
}

int
launch_leave(int code)
{
    if (joined && !silent)
        code = tell_result(code);
    if (joined)
        peal_mpi_end();
    return silent ? 0 : code;
}
