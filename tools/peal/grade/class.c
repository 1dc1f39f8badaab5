/* SPDX-License-Identifier: MIT */
/* Each submission is marked by a child process, which sends its marks back as JSON; the parent sees to the time. */
#include "grade/class.h"
#include "grade/gradebook.h"
#include "lib/base/child.h"
#include "lib/base/clock.h"
#include "lib/base/grow.h"
#include "run/progress_line.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child observes the time of its submission itself; so many seconds later it is ended. */
static const double late_seconds = 30;

/* The head of what a child sends; its submission's marks follow. */
struct sent {
    enum peal_status status;
    struct peal_error error, refused;
};

/* A child. */
struct marker {
    pid_t process; /* 0: none */
    int pipe, jobs;
    struct marking *marking;
    double began;
    struct time_spent spent; /* of it, and all that it started */
    bool late;
    char *text;
    size_t bytes, capacity;
};

/* ------------------------------------------------------------------ the child */

static _Noreturn void
be_child(const struct class_marking *class, struct marking *marking, size_t given_bytes, int jobs, int pipe)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE};
    struct marking_options options = *class->options;
    struct sent sent = {.status = PEAL_OK};
    char *text = NULL;
    size_t bytes = 0;

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL); /* the parent's files are the parent's */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    options.given_bytes = given_bytes;
    options.jobs = jobs;
    sent.status = marking_make(marking, class->assignment, &options, &sent.error);
    sent.refused = marking->refused;
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        _exit(1);
    gradebook_write_one(out, class->assignment, marking);
    _exit(fclose(out) == 0 && peal_write_whole(pipe, &sent, sizeof sent) && peal_write_whole(pipe, text, bytes) ? 0
                                                                                                                : 1);
}

/* ------------------------------------------------------------------ the parent */

static enum peal_status
start(const struct class_marking *class, struct marker *marker, int number, int jobs, struct peal_error *error)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return peal_refuse(error, PEAL_RESOURCES, "no pipe for a submission: %s", strerror(errno));
    *marker =
        (struct marker){.pipe = ends[0], .jobs = jobs, .marking = &class->markings[number], .began = seconds_now()};
    fflush(NULL);
    marker->process = fork();
    if (marker->process == 0) {
        close(ends[0]);
        be_child(class, marker->marking, class->submissions->list[number].given_bytes, jobs, ends[1]);
    }
    close(ends[1]);
    marker->spent = peal_spent_begin(marker->process);
    if (marker->process > 0)
        return PEAL_OK;
    close(ends[0]);
    marker->process = 0;
    return peal_refuse(error, PEAL_RESOURCES, "no process for a submission: %s", strerror(errno));
}

/* The child sent nothing that can be used: all tests are lost, because its time is over, or the submission is not
 * marked. */
static void
mark_lost(const struct class_marking *class, const struct marker *marker, int how)
{
    struct marking *marking = marker->marking;

    marking_clear(marking, class->assignment);
    marking->compiles = marker->late;
    if (!marker->late && WIFSIGNALED(how))
        peal_refuse(&marking->refused, PEAL_RESOURCES, "the process that marks it was ended by signal %d (%s)",
                    WTERMSIG(how), strsignal(WTERMSIG(how)));
    else if (!marker->late)
        peal_refuse(&marking->refused, PEAL_RESOURCES, "the process that marks it had not enough memory");
    for (int t = 0; t < class->assignment->test_count; t++)
        if (marker->late)
            mark_note(&marking->marks[t], MARKING_LATE, class->assignment->total);
        else
            mark_note(&marking->marks[t], "not marked: %s", marking->refused.text);
    if (!marker->late)
        marking->messages = strdup(marking->refused.text);
}

/* The child's pipe is at its end. */
static enum peal_status
take(const struct class_marking *class, struct marker *marker, struct peal_error *error)
{
    struct marking *marking = marker->marking;
    double seconds = marking->seconds, processor_seconds = marking->processor_seconds;
    enum peal_status status = PEAL_OK;
    struct rusage used = {.ru_maxrss = 0};
    struct sent sent;
    int how = 0;

    close(marker->pipe);
    while (wait4(marker->process, &how, 0, &used) < 0 && errno == EINTR)
        ;
    marker->process = 0;
    uint64_t peak_bytes = (uint64_t)used.ru_maxrss << 10;

    if (marking->peak_bytes > peak_bytes)
        peak_bytes = marking->peak_bytes;
    marking_clear(marking, class->assignment);
    if (marker->bytes <= sizeof sent ||
        !gradebook_parse(marker->text + sizeof sent, marker->bytes - sizeof sent, class->assignment, marking)) {
        mark_lost(class, marker, how);
    } else {
        memcpy(&sent, marker->text, sizeof sent);
        marking->refused = sent.refused;
        status = sent.status;
        if (status != PEAL_OK)
            *error = sent.error;
    }
    marking_add(marking, class->assignment);
    marking->seconds = seconds + seconds_now() - marker->began;
    marking->processor_seconds = processor_seconds + (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
                                 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    marking->peak_bytes = peak_bytes;
    marking->done = true;
    free(marker->text);
    marker->text = NULL;
    return status;
}

/* Read what a child sends; *ended: that was all. */
static void
hear(struct marker *marker, bool *ended)
{
    if (!grow(&marker->text, &marker->capacity, marker->bytes + (1 << 15), 1)) {
        kill(marker->process, SIGTERM); /* the child is lost, and nobody else */
        *ended = true;
        return;
    }
    ssize_t count = read(marker->pipe, marker->text + marker->bytes, marker->capacity - marker->bytes);

    if (count > 0)
        marker->bytes += (size_t)count;
    *ended = count == 0 || (count < 0 && errno != EINTR);
}

/* End a child whose time is over. */
static void
see_to_time(const struct class_marking *class, struct marker *marker)
{
    double seconds =
        (double)peal_spent_look(&marker->spent, SPENT_WINDOW, false) * 1e-9 - class->assignment->total - late_seconds;

    if (seconds < 0)
        return;
    kill(marker->process, marker->late && seconds > 5 ? SIGKILL : SIGTERM);
    marker->late = true;
}

/* "37 of 150 marked, 12 s; alice.c 3 s, bob.c 1 s" */
static void
show(struct class_marking *class, const struct marker *markers, int places)
{
    struct progress_line line = {.width = class->width};
    char text[400];
    int done = 0, count = class->submissions->count, length;
    double now = seconds_now();

    if (!progress_possible())
        return;
    for (int i = 0; i < count; i++)
        done += class->markings[i].done;
    length = snprintf(text, sizeof text, "%d of %d marked, %.0f s", done, count, now - class->began);
    for (int i = 0, shown = 0; i < places; i++)
        if (markers[i].process && length < (int)sizeof text - 1)
            length += snprintf(text + length, sizeof text - (size_t)length, "%s %s %.0f s", shown++ ? "," : ";",
                               markers[i].marking->file, now - markers[i].began);
    progress_rewrite(&line, text);
    class->width = line.width;
}

void
class_hide(struct class_marking *class)
{
    struct progress_line line = {.width = class->width};

    if (class->width > 0)
        progress_rewrite(&line, NULL);
    class->width = 0;
}

static bool
is_due(const struct class_marking *class, int number)
{
    return !class->markings[number].done && (class->only < 0 || class->only == number);
}

/* Start children in the free places: a submission has one process, and the last ones those that are left. */
static enum peal_status
start_all(const struct class_marking *class, struct marker *markers, int places, int *next, struct peal_error *error)
{
    const struct submissions *all = class->submissions;
    enum peal_status status = PEAL_OK;

    for (int i = 0; i < places && status == PEAL_OK; i++) {
        int left = 0, spare = places;

        while (*next < all->count && !is_due(class, *next))
            ++*next;
        for (int k = *next; k < all->count; k++)
            left += is_due(class, k);
        for (int k = 0; k < places; k++)
            spare -= markers[k].process ? markers[k].jobs : 0;
        if (left > 0 && !markers[i].process && spare > 0)
            status = start(class, &markers[i], (*next)++, spare / (left < spare ? left : spare), error);
    }
    return status;
}

/* Hear the children, for a moment. */
static enum peal_status
attend(struct class_marking *class, struct marker *markers, struct pollfd *polls, int places, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    for (int i = 0; i < places; i++)
        polls[i] = (struct pollfd){.fd = markers[i].process ? markers[i].pipe : -1, .events = POLLIN};
    poll(polls, (nfds_t)places, 200);
    for (int i = 0; i < places && status == PEAL_OK; i++) {
        struct marking *marking = markers[i].marking;
        bool ended = false;

        if (!markers[i].process)
            continue;
        see_to_time(class, &markers[i]);
        if (polls[i].revents)
            hear(&markers[i], &ended);
        if (!ended)
            continue;
        status = take(class, &markers[i], error);
        class_hide(class);
        if (status == PEAL_OK)
            status = class->look(class->arg, marking, error);
    }
    return status == PEAL_OK ? class->look(class->arg, NULL, error) : status;
}

enum peal_status
class_mark(struct class_marking *class, struct peal_error *error)
{
    int places = class->options->jobs > 0 ? class->options->jobs : 2 * (int)sysconf(_SC_NPROCESSORS_ONLN);
    struct marker *markers = calloc((size_t)places, sizeof *markers);
    struct pollfd *polls = calloc((size_t)places, sizeof *polls);
    enum peal_status status = PEAL_OK;
    int next = 0, running = 1;

    if (!markers || !polls)
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (class->began = seconds_now(); status == PEAL_OK && running > 0;) {
        status = start_all(class, markers, places, &next, error);
        running = 0;
        for (int i = 0; i < places; i++)
            running += markers[i].process != 0;
        if (status == PEAL_OK && running > 0) {
            status = attend(class, markers, polls, places, error);
            show(class, markers, places);
        }
    }
    class_hide(class);
    for (int i = 0; markers && i < places; i++)
        if (markers[i].process) { /* after an error */
            kill(markers[i].process, SIGTERM);
            close(markers[i].pipe);
            waitpid(markers[i].process, NULL, 0);
            free(markers[i].text);
        }
    free(markers);
    free(polls);
    return status;
}
