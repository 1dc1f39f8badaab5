/* SPDX-License-Identifier: MIT */
/* The child process in which a run is made, and its parent, which reports if the child cannot. */
#include "show/show.h"
#include <errno.h>
#include <signal.h>
#include <unistd.h>

enum peal_status
session_fork(struct session *session, bool *parent, struct peal_error *error)
{
    const char *engine = session->request->machine.engine;

    *parent = false;
    if (session->plan || (!session->program && !session->own) || strcmp(engine, "mpi") == 0 ||
        !peal_supervisor_wanted())
        return PEAL_OK;
    session->supervisor = peal_supervisor_fork(parent, error);
    return session->supervisor ? PEAL_OK : error->status;
}

/* Make the machine, with the state of the child's. */
static enum peal_status
recover(struct session *session, struct peal_error *error)
{
    session->machine = peal_machine_create(&session->request->machine, error);
    if (!session->machine)
        return error->status;
    if (session->own && peal_exercise_expect(session->machine, &session->exercise, &session->outcome, error) != PEAL_OK)
        return error->status;
    peal_supervisor_recover(session->supervisor, session->machine);
    session->failure = peal_machine_failure(session->machine);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr); /* the progress line that the child left */
    return session->failure->status;
}

/* Print what the nodes were doing, and die of the signal as if it had not been caught. */
static enum peal_status
die(struct session *session, int number, bool ran, struct peal_error *error)
{
    bool known = ran && recover(session, error) != PEAL_OK && session->failure;

    fprintf(stderr, "peal: interrupted (%s)\n", strsignal(number));
    if (known)
        show_nodes(stderr, session);
    peal_supervisor_destroy(session->supervisor); /* and let the signal through, with its old action */
    session->supervisor = NULL;
    raise(number);
    return PEAL_FAILED; /* not reached: the signal is not ignored */
}

int
session_look_after(struct session *session, bool *lost, struct peal_error *error)
{
    int code = 0;

    *lost = false;
    enum peal_supervised how = peal_supervise(session->supervisor, session->request->machine.timeout_seconds, &code);

    switch (how) {
    case PEAL_SUPERVISED_DONE:
        return code;
    case PEAL_SUPERVISED_INTERRUPTED:
    case PEAL_SUPERVISED_UNBEGUN:
        return (int)die(session, code, how == PEAL_SUPERVISED_INTERRUPTED, error);
    case PEAL_SUPERVISED_LOST:
        break;
    }
    *lost = true;
    if (writings_again(&session->writings, error) != PEAL_OK)
        return (int)error->status;
    return (int)recover(session, error);
}

/* The other process could not load, or unload, the file: report how it ended. */
static void
refuse_loading(const struct session *session, struct peal_error *error)
{
    const struct peal_failure *failure = session->failure;
    double limit = session->request->machine.timeout_seconds;
    char where[560] = "", late[80];

    if (failure->file[0])
        snprintf(where, sizeof where, " (%s:%d)", file_name(failure->file), failure->line);
    snprintf(late, sizeof late, "its constructors and destructors did not end within %g second%s", limit,
             plural(limit));
    peal_refuse(error, failure->status, "before the first run, as the file was loaded, %s%s",
                failure->kind == PEAL_TIMED_OUT ? late : failure->message, where);
}

enum peal_status
session_try_loading(void *arg, struct peal_error *error)
{
    struct session *session = arg;
    enum peal_status status = PEAL_OK;
    bool parent = true;
    int code = 0;

    if (!peal_supervisor_wanted())
        return PEAL_OK;
    session->supervisor = peal_supervisor_fork(&parent, error);
    if (!session->supervisor)
        return error->status;
    if (!parent) {
        /* Whatever the program prints when it is loaded is printed by the parent, which loads it next. */
        fflush(NULL);
        return freopen("/dev/null", "w", stdout) && dup2(STDOUT_FILENO, STDERR_FILENO) >= 0
                   ? PEAL_OK
                   : peal_refuse(error, PEAL_RESOURCES, "/dev/null cannot be opened: %s", strerror(errno));
    }
    enum peal_supervised how = peal_supervise(session->supervisor, session->request->machine.timeout_seconds, &code);

    if (how == PEAL_SUPERVISED_INTERRUPTED || how == PEAL_SUPERVISED_UNBEGUN)
        return die(session, code, false, error);
    if (how == PEAL_SUPERVISED_LOST) {
        status = recover(session, error);
        if (session->failure)
            refuse_loading(session, error);
    }
    peal_supervisor_destroy(session->supervisor);
    session->supervisor = NULL;
    return status;
}
