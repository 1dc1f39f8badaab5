/* SPDX-License-Identifier: MIT */
#include "launch.h"
#include "files.h"
#include <errno.h>
#include <fcntl.h>
#include <peal/cluster.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* The file in which node 0's process leaves its exit code: launchers have codes and messages of their own for others. */
static const char result_name[] = "PEAL_MPI_RESULT";

enum { MOST_WORDS = 64, GRACE_SECONDS = 15 };

/* MPICH's launcher takes a process that ends before MPI_Init for one that is done, and the others wait for it for ever;
 * one that a signal ended ends the job.  So a peal that cannot be loaded (126, 127), as while it is linked anew, ends so. */
static const char loads_or_dies[] = "\"$0\" --version >/dev/null; [ $? -lt 126 ] || kill -9 $$; exec \"$0\" \"$@\"";

/* On a host that does not see that file the process exits with its code's place in this list beyond AFAR, 0 as it is: so
 * a launcher that starts nothing and ends with 0 is not told from one whose node 0 is there. */
static const int codes[] = {PEAL_FAILED, PEAL_USAGE, PEAL_PROGRAM, PEAL_RESOURCES, PEAL_TIMEOUT};
enum { CODES = sizeof codes / sizeof *codes, AFAR = 80 };

static bool joined, silent;

static bool
asks_for_mpi(const struct request *request)
{
    return request->machine.engine && strcmp(request->machine.engine, "mpi") == 0 && !request->help;
}

/* Whether srun started several processes without a way to find one another. */
static bool
is_lost(void)
{
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");

    return tasks && atoi(tasks) > 1 && !peal_mpi_in_job();
}

bool
launch_needed(const struct request *request)
{
    return asks_for_mpi(request) && !getenv(result_name) && !peal_mpi_in_job() && !is_lost();
}

/* ------------------------------------------------------------------ what is started */

enum kind { KIND_NONE, KIND_OPENMPI, KIND_MPICH };

struct line {
    char *words[MOST_WORDS + 1];
    int count;
};

static void
add(struct line *line, const char *word)
{
    if (line->count < MOST_WORDS)
        line->words[line->count++] = (char *)(uintptr_t)word; /* posix_spawn writes none */
}

/* The whole path of a command, or NULL. */
static char *
find_command(const char *name)
{
    const char *path = getenv("PATH");
    char *copy, *rest = NULL, *found = NULL;

    if (strchr(name, '/'))
        return access(name, X_OK) == 0 ? strdup(name) : NULL;
    if (!path || !(copy = strdup(path)))
        return NULL;
    for (char *folder = strtok_r(copy, ":", &rest); folder && !found; folder = strtok_r(NULL, ":", &rest)) {
        if (asprintf(&found, "%s/%s", folder, name) < 0)
            found = NULL;
        if (found && access(found, X_OK) != 0) {
            free(found);
            found = NULL;
        }
    }
    free(copy);
    return found;
}

/* Ask a launcher whose it is, for some seconds. */
static enum kind
kind_of(const char *command)
{
    enum { PATIENCE = 10000 }; /* milliseconds for each thing it says */
    char text[4096];
    int ends[2];
    struct pollfd said;
    pid_t child;
    posix_spawn_file_actions_t actions;
    char *words[] = {(char *)(uintptr_t)command, "--version", NULL};
    size_t used = 0;
    ssize_t got;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return KIND_NONE;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    bool started = posix_spawnp(&child, command, &actions, NULL, words, environ) == 0;

    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    said = (struct pollfd){.fd = ends[0], .events = POLLIN};
    while (started && used < sizeof text - 1 && poll(&said, 1, PATIENCE) > 0 &&
           (got = read(ends[0], text + used, sizeof text - 1 - used)) > 0)
        used += (size_t)got;
    close(ends[0]);
    if (started) { /* it has said what it had to say */
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    text[used] = '\0';
    return strstr(text, "Open MPI") || strstr(text, "OpenRTE") || strstr(text, "PRRTE") ? KIND_OPENMPI
           : strstr(text, "HYDRA") || strstr(text, "MPICH") || strstr(text, "mpich")    ? KIND_MPICH
                                                                                        : KIND_NONE;
}

static bool
is_built(const char *name)
{
    const char *built;

    for (int i = 0; (built = peal_mpi_built(i)); i++)
        if (strcmp(built, name) == 0)
            return true;
    return false;
}

/* The launcher of an MPI that this Peal was built for, PEAL_MPI's if that says one. */
static char *
usual_launcher(enum kind *kind, struct peal_error *error)
{
    static const struct {
        const char *name, *package;
        enum kind kind;
        const char *commands[4];
    } launchers[] = {
        {"openmpi", "openmpi-bin", KIND_OPENMPI, {"mpirun.openmpi", "mpirun"}},
        {"mpich", "mpich", KIND_MPICH, {"mpirun.mpich", "mpiexec.hydra", "mpirun"}},
    };
    const char *wanted = getenv("PEAL_MPI");

    for (int i = 0; i < 2; i++) {
        if ((wanted && *wanted && strcmp(wanted, launchers[i].name) != 0) || !is_built(launchers[i].name))
            continue;
        for (int j = 0; launchers[i].commands[j]; j++) {
            char *found = find_command(launchers[i].commands[j]);

            if (found && (strcmp(launchers[i].commands[j], "mpirun") != 0 || kind_of(found) == launchers[i].kind)) {
                *kind = launchers[i].kind;
                return found;
            }
            free(found);
        }
    }
    if (!peal_mpi_built(0))
        peal_refuse(
            error, PEAL_USAGE,
            "--engine mpi: this Peal was built without MPI: install openmpi-bin and libopenmpi-dev (or mpich and "
            "libmpich-dev) and build it again");
    else
        peal_refuse(error, PEAL_USAGE, "--engine mpi: %s%s: install %s, or name a launcher with --launcher",
                    wanted && *wanted ? "no launcher of PEAL_MPI=" : "there is no mpirun",
                    wanted && *wanted ? wanted : "", wanted && strcmp(wanted, "mpich") == 0 ? "mpich" : "openmpi-bin");
    return NULL;
}

/* More processes than cores, and root in a container, are no reason for Open MPI to refuse. */
static void
set_environment(enum kind kind, bool crowded)
{
    static const struct {
        const char *name, *value;
        bool crowded;
    } settings[] = {
        {"OMPI_ALLOW_RUN_AS_ROOT", "1", false},
        {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", false},
        {"PRTE_ALLOW_RUN_AS_ROOT", "1", false},
        {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1", false},
        {"OMPI_MCA_rmaps_base_oversubscribe", "1", false},
        {"OMPI_MCA_odls_base_sigkill_timeout", "0",
         false},                           /* a job that is ended is not waited for, a second by default */
        {"UCX_LOG_LEVEL", "error", false}, /* it warns of what a failed run leaves behind, on standard output */
        {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", false},
        /* who waits lets others run */
        {"OMPI_MCA_mpi_yield_when_idle", "1", true},
        {"OMPI_MCA_hwloc_base_binding_policy", "none", true},
        {"PRTE_MCA_hwloc_default_binding_policy", "none", true},
        {"MPIR_CVAR_POLLS_BEFORE_YIELD", "1", true},
    };

#ifdef __SANITIZE_ADDRESS__
    setenv("LSAN_OPTIONS", "detect_leaks=0", 1); /* MPI's own */
#endif
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (crowded || !settings[i].crowded)
            setenv(settings[i].name, settings[i].value, 0);
    if (kind != KIND_NONE)
        setenv("PEAL_MPI", kind == KIND_OPENMPI ? "openmpi" : "mpich", 1);
}

/* How many processes the request needs: as many as the largest of its machines has nodes. */
static int
job_size(const struct request *request)
{
    const struct range *nodes = &request->nodes_range;

    return nodes->step > 0 ? (int)range_get(nodes, range_count(nodes) - 1) : request->machine.nodes;
}

/* Whether a launcher's words say how many processes there are to be. */
static bool
says_how_many(const struct line *line)
{
    static const char *const words[] = {"-n", "-np", "-c", "--n", "--np", "--ntasks"};

    for (int i = 1; i < line->count; i++) {
        for (size_t j = 0; j < sizeof words / sizeof *words; j++)
            if (strcmp(line->words[i], words[j]) == 0)
                return true;
        if (strncmp(line->words[i], "--ntasks=", 9) == 0)
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ the job */

static volatile sig_atomic_t job, passed_on;

static void
pass_on(int number)
{
    passed_on = number;
    if (job > 0)
        kill((pid_t)job, number);
}

static double
now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Wait for the launcher; one that stays far beyond the run's own limit is ended.  Gives its status. */
static int
wait_for(pid_t child, double limit, bool *late)
{
    int status = 0;

    *late = false;
    if (limit <= 0) {
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        return status;
    }
    double began = now();

    while (waitpid(child, &status, WNOHANG) == 0) {
        if (now() - began > limit + GRACE_SECONDS) {
            kill(child, *late ? SIGKILL : SIGTERM);
            *late = true;
            limit += 5;
        }
        nanosleep(&(struct timespec){.tv_nsec = 5 * 1000 * 1000}, NULL);
    }
    return status;
}

/* What node 0's process left; -1: nothing. */
static int
read_result(const char *path)
{
    char text[16] = "";
    int file = open(path, O_RDONLY | O_CLOEXEC), code = -1;

    if (file >= 0 && read(file, text, sizeof text - 1) > 0)
        code = atoi(text);
    if (file >= 0)
        close(file);
    return code;
}

/* What node 0's process said by its exit code, from a host that does not see the file; -1: nothing. */
static int
read_status(int status)
{
    int code = WIFEXITED(status) && !passed_on ? WEXITSTATUS(status) : -1;

    if (code > AFAR && code <= AFAR + CODES)
        return codes[code - AFAR - 1];
    return code == 0 ? 0 : -1;
}

static int
say_how_it_ended(const struct request *request, const char *launcher, int status, bool late)
{
    struct peal_error error;

    if (late)
        peal_refuse(&error, PEAL_TIMEOUT, "the job had not ended %d seconds after its --timeout of %g, and was ended",
                    GRACE_SECONDS, request->machine.timeout_seconds);
    else if (WIFSIGNALED(status))
        peal_refuse(&error, PEAL_FAILED, "the job ended before node 0 could tell how: signal %d ended %s",
                    WTERMSIG(status), launcher);
    else
        peal_refuse(
            &error, PEAL_FAILED,
            "the job ended before node 0 could tell how: a process of it was killed, or never began (%s ended with "
            "code %d)",
            launcher, WEXITSTATUS(status));
    return complain(&error);
}

static int
start(const struct request *request, struct line *line, char **argv, struct peal_error *error)
{
    char path[] = "/tmp/peal-mpi-XXXXXX", self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    struct sigaction action = {.sa_handler = pass_on}, before[2];
    int file = length > 0 ? mkostemp(path, O_CLOEXEC) : -1;
    pid_t child = 0;
    bool late;

    if (file < 0)
        return complain(
            (peal_refuse(error, PEAL_RESOURCES, "no file for the job's result: %s", strerror(errno)), error));
    close(file);
    self[length] = '\0';
    if (getenv("PEAL_MPI") && strcmp(getenv("PEAL_MPI"), "mpich") == 0) {
        add(line, "/bin/sh");
        add(line, "-c");
        add(line, loads_or_dies);
    }
    add(line, self);
    for (int i = 1; argv[i]; i++)
        add(line, argv[i]);
    setenv(result_name, path, 1);
    if (line->count >= MOST_WORDS) {
        unlink(path);
        return complain(
            (peal_refuse(error, PEAL_USAGE, "--engine mpi: the command line has more than %d words", MOST_WORDS),
             error));
    }
    fflush(stdout);
    int trouble = posix_spawnp(&child, line->words[0], NULL, NULL, line->words, environ);

    if (trouble) {
        unlink(path);
        return complain(
            (peal_refuse(error, PEAL_USAGE, "the launcher %s cannot be started: %s", line->words[0], strerror(trouble)),
             error));
    }
    job = child;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before[0]);
    sigaction(SIGTERM, &action, &before[1]);
    int status = wait_for(child, request->machine.timeout_seconds, &late), code = read_result(path);

    job = 0;
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGTERM, &before[1], NULL);
    unlink(path);
    unsetenv(result_name);
    if (code < 0 && passed_on)
        raise(passed_on); /* as a run in one process ends */
    if (code < 0 && !late)
        code = read_status(status);
    return code >= 0 ? code : say_how_it_ended(request, line->words[0], status, late);
}

int
launch(const struct request *request, char **argv)
{
    struct line line = {.count = 0};
    struct peal_error error;
    enum kind kind = KIND_NONE;
    char *found = NULL, *words = NULL, *rest = NULL, nodes[16];
    bool crowded = job_size(request) > sysconf(_SC_NPROCESSORS_ONLN);
    int code;

    if (request->launcher) {
        words = strdup(request->launcher);
        for (char *word = words ? strtok_r(words, " \t", &rest) : NULL; word; word = strtok_r(NULL, " \t", &rest))
            add(&line, word);
        if (line.count == 0) {
            free(words);
            return complain((peal_refuse(&error, PEAL_USAGE, "--launcher: name a command, as in srun"), &error));
        }
        if (!getenv("PEAL_MPI"))
            kind = kind_of(line.words[0]);
    } else {
        found = usual_launcher(&kind, &error);
        if (!found)
            return complain(&error);
        add(&line, found);
        if (kind == KIND_OPENMPI) {
            if (geteuid() == 0)
                add(&line, "--allow-run-as-root");
            add(&line, "--oversubscribe");
        }
    }
    if (!isatty(STDOUT_FILENO))
        setenv("NO_COLOR", "1", 1); /* a launcher may give its processes a terminal that is none */
    set_environment(kind, crowded);
    if (!says_how_many(&line)) {
        snprintf(nodes, sizeof nodes, "%d", job_size(request));
        add(&line, "-n");
        add(&line, nodes);
    }
    code = start(request, &line, argv, &error);
    free(found);
    free(words);
    return code;
}

/* ------------------------------------------------------------------ a process of the job */

/* This process is not to be heard of. */
static void
fall_silent(void)
{
    FILE *nowhere = fopen("/dev/null", "we");

    silent = true;
    output_silence();
    if (nowhere)
        stdout = stderr = nowhere;
}

/* Whether the files of the request can be written; all processes know, as node 0's alone writes them and the others would
 * wait for it in the run. */
static enum peal_status
agree_on_files(const struct request *request, struct peal_error *error)
{
    const char *const paths[] = {request->json_file, request->csv_file, request->report_file, request->trace_file,
                                 request->output};
    enum peal_status status = PEAL_OK;

    for (size_t i = 0; i < sizeof paths / sizeof *paths && status == PEAL_OK && !silent; i++)
        status = paths[i] ? output_try(paths[i], "", error) : PEAL_OK;
    if (request->plot && status == PEAL_OK && !silent)
        status = output_try(request->plot, ".dat", error);
    enum peal_status agreed = (enum peal_status)peal_mpi_widen((int)status);

    return agreed == status ? status : peal_refuse(error, agreed, "node 0 cannot write its files");
}

enum peal_status
launch_join(struct request *request, struct peal_error *error)
{
    int rank, size;

    if (!asks_for_mpi(request) || launch_needed(request))
        return PEAL_OK;
    if (is_lost()) {
        const char *place = getenv("SLURM_PROCID");

        joined = getenv(result_name); /* who started it is to be told */
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

/* Tell the command that started the job, if one did, how it ended; gives what to exit with. */
static int
tell_result(int code)
{
    const char *path = getenv(result_name);
    int file = path ? open(path, O_WRONLY | O_CLOEXEC) : -1;
    char text[16];

    if (!path)
        return code;
    if (file >= 0) {
        int length = snprintf(text, sizeof text, "%d", code);
        bool written = write(file, text, (size_t)length) == length;

        close(file);
        if (written) /* the launcher need not say that a process ended with a code */
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
