/* SPDX-License-Identifier: MIT */
/* Runs CaDiCaL as a child that ends with its parent, and reads its answer, which moves.c or proof.c checks. */
#include "lib/synthesis/solver.h"
#include "lib/base/process.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_SATISFIABLE = 10, EXIT_UNSATISFIABLE = 20, EXIT_MISSING = 127 };

/* The new process: it ends with its parent. */
static _Noreturn void
become_solver(int out, const char *cnf, const char *proof)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execlp("cadical", "cadical", "-q", cnf, proof, (char *)NULL);
    _exit(EXIT_MISSING);
}

/* Start it with its output into a pipe, whose other end is *in; returns 0 or an error's number. */
static int
solver_start(const char *cnf, const char *proof, pid_t *process, FILE **in)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    *in = fdopen(ends[0], "r");
    *process = *in == NULL ? -1 : fork();
    if (*process == 0)
        become_solver(ends[1], cnf, proof);
    int wrong = *process < 0 ? errno : 0;

    close(ends[1]);
    if (wrong != 0 && *in != NULL)
        fclose(*in);
    else if (wrong != 0)
        close(ends[0]);
    return wrong;
}

/* Read "v 1 -2 3 ... 0" into truth. */
static void
read_values(char *line, int variables, bool *truth)
{
    for (char *rest = line + 1, *end;; rest = end) {
        long literal = strtol(rest, &end, 10);

        if (end == rest || literal == 0)
            return;
        if (labs(literal) <= variables)
            truth[labs(literal)] = literal > 0;
    }
}

/* Wait until there is something to read, or until the deadline; returns whether that is over. */
static bool
solver_wait(int from, const struct deadline *deadline)
{
    enum { MOMENT = 100 }; /* a signal may come just before poll */
    struct pollfd readable = {.fd = from, .events = POLLIN};
    bool over;

    while (!(over = deadline_is_over(deadline)) && poll(&readable, 1, MOMENT) <= 0)
        ;
    return over;
}

enum peal_status
solver_run(const char *cnf, const char *proof, const struct deadline *deadline, int variables, bool *truth,
           enum answer *answer, struct peal_error *error)
{
    char *line = NULL, complaint[200] = "";
    size_t bytes = 0;
    pid_t process = 0;
    FILE *in = NULL;
    int wrong = solver_start(cnf, proof, &process, &in);

    if (wrong != 0)
        return peal_refuse(error, PEAL_RESOURCES, "the solver cadical does not start: %s", strerror(wrong));
    const bool late = solver_wait(fileno(in), deadline); /* it prints nothing before its answer */

    if (late)
        kill(process, SIGKILL);
    while (getline(&line, &bytes, in) > 0) {
        if (line[0] == 'v')
            read_values(line, variables, truth);
        else if (line[0] != 's' && line[0] != 'c')
            snprintf(complaint, sizeof complaint, "%s", line);
    }
    free(line);
    fclose(in);
    int ended = peal_spawn_wait(process, 0), code = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;

    if (code == EXIT_MISSING)
        return peal_refuse(error, PEAL_RESOURCES, "synthesis needs the solver cadical: install the package cadical");
    *answer = code == EXIT_SATISFIABLE     ? ANSWER_SATISFIABLE
              : code == EXIT_UNSATISFIABLE ? ANSWER_UNSATISFIABLE
                                           : ANSWER_UNKNOWN;
    if (code != 0 && *answer == ANSWER_UNKNOWN && !late) {
        complaint[strcspn(complaint, "\n")] = '\0';
        return peal_refuse(error, PEAL_RESOURCES, "the solver cadical ended without an answer (%s %d)%s%s",
                           code < 0 ? "signal" : "exit code", code < 0 ? WTERMSIG(ended) : code,
                           complaint[0] ? ": " : "", complaint);
    }
    return PEAL_OK;
}
