/* SPDX-License-Identifier: MIT */
/* Each submission is marked by a child process, which sends its marks back as JSON; the parent watches the time. */
#include "grade/class.h"
#include "grade/grade_write.h"
#include "lib/base/process.h"
#include "lib/child/child.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child observes its submission's time limit itself; this many seconds later the parent ends it. */
static const double late_seconds = 30;

/* The header that a child sends before its submission's marks. */
struct sent {
    enum peal_status status;
    struct peal_error error, refused;
};

/* A child. */
struct marker {
    struct child child;
    const struct class_marking *class;
    struct marking *marking;
    size_t given_bytes;
    int jobs;
    double began;
    bool late;
};

/* ------------------------------------------------------------------ the child */

static int
marker_child_main(void *arg, struct child *child)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE};
    const struct marker *marker = arg;
    const struct assignment *assignment = marker->class->assignment;
    struct marking_options options = *marker->class->options;
    struct sent sent = {.status = PEAL_OK};
    char *text = NULL;
    size_t bytes = 0;

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signal(signals[i], SIG_DFL) == SIG_IGN) /* only the parent may remove its files */
            signal(signals[i], SIG_IGN);            /* nohup, or in the background of a shell */
    peal_spent_count(SPENT_EACH); /* the proofs of a submission run at once, as many as there are free places */
    options.given_bytes = marker->given_bytes;
    options.jobs = marker->jobs;
    sent.status = marking_make(marker->marking, assignment, &options, &sent.error);
    sent.refused = marker->marking->refused;
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        return 1;
    gradebook_write_one(out, assignment, marker->marking);
    return fclose(out) == 0 && peal_write_whole(child->report.to, &sent, sizeof sent) &&
                   peal_write_whole(child->report.to, text, bytes)
               ? 0
               : 1;
}

/* ------------------------------------------------------------------ the parent */

static enum peal_status
marker_start(const struct class_marking *class, struct marker *marker, int number, int jobs, struct peal_error *error)
{
    const struct child_setup setup = {
        .what = "a submission", .body = marker_child_main, .arg = marker, .on_death = SIGTERM};

    *marker = (struct marker){.class = class,
                              .marking = &class->markings[number],
                              .given_bytes = class->submissions->list[number].given_bytes,
                              .jobs = jobs,
                              .began = seconds_now()};
    const enum peal_status status = peal_child_start(&marker->child, &setup, error);

    marker->child.clock.spent.together = true;
    return status;
}

/* The child sent nothing usable: if its time was over, all tests are lost; otherwise the submission is not marked. */
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
marker_take_result(const struct class_marking *class, struct marker *marker, struct peal_error *error)
{
    struct marking *marking = marker->marking;
    double seconds = marking->seconds, processor_seconds = marking->processor_seconds;
    enum peal_status status = PEAL_OK;
    struct sent sent;
    const int how = peal_child_end(&marker->child);
    const struct rusage used = marker->child.used;
    char *text = marker->child.report.text;
    const size_t bytes = marker->child.report.bytes;
    uint64_t peak_bytes = (uint64_t)used.ru_maxrss << 10;

    if (marking->peak_bytes > peak_bytes)
        peak_bytes = marking->peak_bytes;
    marking_clear(marking, class->assignment);
    if (bytes <= sizeof sent || !gradebook_parse(text + sizeof sent, bytes - sizeof sent, class->assignment, marking)) {
        mark_lost(class, marker, how);
    } else {
        memcpy(&sent, text, sizeof sent);
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
    free(text);
    return status;
}

/* End a child whose time is over. */
static void
see_to_time(const struct class_marking *class, struct marker *marker)
{
    double seconds = (double)marker->child.clock.spent.counted * 1e-9 - class->assignment->total - late_seconds;

    if (seconds < 0)
        return;
    kill(marker->child.process, marker->late && seconds > 5 ? SIGKILL : SIGTERM);
    marker->late = true;
}

/* "37 of 150 marked, 12 s; alice.c 3 s, bob.c 1 s" */
static void
class_show_progress(struct class_marking *class, const struct marker *markers, int places)
{
    char text[400];
    int done = 0, count = class->submissions->count, length;
    double now = seconds_now();

    if (!progress_possible())
        return;
    for (int i = 0; i < count; i++)
        done += class->markings[i].done;
    length = snprintf(text, sizeof text, "%d of %d marked, %.0f s", done, count, now - class->began);
    for (int i = 0, shown = 0; i < places; i++)
        if (markers[i].child.process && length < (int)sizeof text - 1)
            length += snprintf(text + length, sizeof text - (size_t)length, "%s %s %.0f s", shown++ ? "," : ";",
                               markers[i].marking->file, now - markers[i].began);
    progress_rewrite(&class->line, text);
}

void
class_hide(struct class_marking *class)
{
    if (class->line.width > 0)
        progress_rewrite(&class->line, NULL);
}

static bool
is_due(const struct class_marking *class, int number)
{
    return !class->markings[number].done && (class->only < 0 || class->only == number);
}

/* Start children in the free places.  A submission takes one place; the last submissions share those that are left. */
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
            spare -= markers[k].child.process ? markers[k].jobs : 0;
        if (left > 0 && !markers[i].child.process && spare > 0)
            status = marker_start(class, &markers[i], (*next)++, spare / (left < spare ? left : spare), error);
    }
    return status;
}

/* Read from the children, for a moment. */
static enum peal_status
class_poll_children(struct class_marking *class, struct marker *markers, int places, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    peal_child_attend();
    for (int i = 0; i < places && status == PEAL_OK; i++) {
        struct marking *marking = markers[i].marking;

        if (!markers[i].child.process)
            continue;
        see_to_time(class, &markers[i]);
        if (!markers[i].child.over)
            continue;
        status = marker_take_result(class, &markers[i], error);
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
    enum peal_status status = PEAL_OK;
    int next = 0, running = 1;

    if (!markers)
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (class->began = seconds_now(); status == PEAL_OK && running > 0;) {
        status = start_all(class, markers, places, &next, error);
        running = 0;
        for (int i = 0; i < places; i++)
            running += markers[i].child.process != 0;
        if (status == PEAL_OK && running > 0) {
            status = class_poll_children(class, markers, places, error);
            class_show_progress(class, markers, places);
        }
    }
    class_hide(class);
    for (int i = 0; markers && i < places; i++)
        if (markers[i].child.process) { /* after an error */
            kill(markers[i].child.process, SIGTERM);
            peal_child_end(&markers[i].child);
            free(markers[i].child.report.text);
        }
    free(markers);
    return status;
}
