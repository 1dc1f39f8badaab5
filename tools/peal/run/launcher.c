/* SPDX-License-Identifier: MIT */
/* Finds the installed launcher of MPI jobs, and the options and environment that it needs. */
#include "run/launcher.h"
#include "lib/base/process.h"
#include "lib/base/text.h"
#include <peal/cluster.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

void
line_add(struct command_line *line, const char *word)
{
    if (line->count < MAX_WORDS)
        line->words[line->count++] = (char *)(uintptr_t)word; /* posix_spawn writes none */
}

enum launcher_kind
launcher_kind_of(const char *command)
{
    enum { PATIENCE = 10000 }; /* milliseconds for each part of its output */
    char text[4096];
    struct pollfd output = {.events = POLLIN};
    pid_t child;
    char *words[] = {(char *)(uintptr_t)command, "--version", NULL};
    size_t used = 0;
    ssize_t got;

    if (peal_spawn(words, (int[]){PEAL_SPAWN_SAME, PEAL_SPAWN_PIPE, PEAL_SPAWN_PIPE}, &child, &output.fd) != 0)
        return KIND_NONE;
    while (used < sizeof text - 1 && poll(&output, 1, PATIENCE) > 0 &&
           (got = read(output.fd, text + used, sizeof text - 1 - used)) > 0)
        used += (size_t)got;
    close(output.fd);
    kill(child, SIGKILL); /* its answer is complete */
    peal_spawn_wait(child, 0);
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

char *
launcher_usual(enum launcher_kind *kind, struct peal_error *error)
{
    static const struct {
        const char *name;
        enum launcher_kind kind;
        const char *commands[4];
    } launchers[] = {
        {"openmpi", KIND_OPENMPI, {"mpirun.openmpi", "mpirun"}},
        {"mpich", KIND_MPICH, {"mpirun.mpich", "mpiexec.hydra", "mpirun"}},
    };
    const char *wanted = getenv("PEAL_MPI");

    for (int i = 0; i < 2; i++) {
        if ((wanted && *wanted && strcmp(wanted, launchers[i].name) != 0) || !is_built(launchers[i].name))
            continue;
        for (int j = 0; launchers[i].commands[j]; j++) {
            char *found = peal_along_path(launchers[i].commands[j], X_OK);

            if (found &&
                (strcmp(launchers[i].commands[j], "mpirun") != 0 || launcher_kind_of(found) == launchers[i].kind)) {
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

void
launcher_environment(enum launcher_kind kind, bool crowded)
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
         false},                           /* do not wait for a job that is ended: the default is a second */
        {"UCX_LOG_LEVEL", "error", false}, /* it warns about the remains of a failed run, on standard output */
        {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe", false},
        {"PMIX_MCA_mca_base_suppress_deprecated_warning", "1", false}, /* PRRTE 5 has other names, and knows these */
        /* a waiting process lets others run */
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

bool
line_says_how_many(const struct command_line *line)
{
    static const char *const words[] = {"-n", "-np", "-c", "--n", "--np", "--ntasks", NULL};

    for (int i = 1; i < line->count; i++)
        if (names_have(words, line->words[i]) || strncmp(line->words[i], "--ntasks=", 9) == 0)
            return true;
    return false;
}
