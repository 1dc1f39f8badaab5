/* SPDX-License-Identifier: MIT */
/* The clocks, medians and threads that the benchmarks share, the form of their figures, and their options: --NAME or
 * --NAME=NUMBER. */
#include "bench/bench.h"
#include "lib/base/grow.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double
now_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double
cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int
core_count(void)
{
    cpu_set_t cores;

    return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

int
first_core(void)
{
    cpu_set_t cores;

    if (sched_getaffinity(0, sizeof cores, &cores) == 0)
        for (int core = 0; core < CPU_SETSIZE; core++)
            if (CPU_ISSET((size_t)core, &cores))
                return core;
    return 0;
}

double
median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

struct thread {
    pthread_t id;
    int i;
    void (*work)(int i, void *arg);
    void *arg;
};

static void *
start(void *arg)
{
    struct thread *thread = arg;

    thread->work(thread->i, thread->arg);
    return NULL;
}

void
run_threads(int threads, size_t stack_bytes, int core, void (*work)(int i, void *arg), void *arg)
{
    struct thread *list = calloc((size_t)threads, sizeof *list);
    pthread_attr_t attributes;
    cpu_set_t cores;

    if (!list)
        give_up("no memory for %d threads", threads);
    pthread_attr_init(&attributes);
    if (stack_bytes)
        pthread_attr_setstacksize(&attributes, stack_bytes);
    if (core >= 0) {
        CPU_ZERO(&cores);
        CPU_SET((size_t)core, &cores);
        pthread_attr_setaffinity_np(&attributes, sizeof cores, &cores);
    }
    for (int i = 0; i < threads; i++) {
        list[i] = (struct thread){.i = i, .work = work, .arg = arg};
        int error = pthread_create(&list[i].id, &attributes, start, &list[i]);
        if (error)
            give_up("thread %d of %d: %s", i + 1, threads, strerror(error));
    }
    for (int i = 0; i < threads; i++)
        pthread_join(list[i].id, NULL);
    pthread_attr_destroy(&attributes);
    free(list);
}

void
figure(const char *work, const char *unit, double *values, int count, const char *more, ...)
{
    double middle = median(values, count);
    va_list list;

    printf("{\"work\": \"%s\", \"unit\": \"%s\", \"median\": %.6g, \"least\": %.6g, \"greatest\": %.6g, "
           "\"repetitions\": %d, ",
           work, unit, middle, values[0], values[count - 1], count);
    va_start(list, more);
    vprintf(more, list);
    va_end(list);
    puts("}");
    fflush(stdout);
}

void
give_up(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(1);
}

/* ------------------------------------------------------------------ options */

enum { MAX_OPTIONS = 16 };
static const char *known[MAX_OPTIONS];
static int known_count;

/* What follows "--name" in an argument, "" or "=..."; NULL when it is another option. */
static const char *
after_name(const char *argument, const char *name)
{
    size_t length = strlen(name);

    if (strncmp(argument, "--", 2) != 0 || strncmp(argument + 2, name, length) != 0)
        return NULL;
    argument += 2 + length;
    return *argument == '\0' || *argument == '=' ? argument : NULL;
}

static void
know(const char *name)
{
    if (known_count < MAX_OPTIONS)
        known[known_count++] = name;
}

double
option_number(int argc, char **argv, const char *name, double usual)
{
    know(name);
    for (int i = 1; i < argc; i++) {
        const char *rest = after_name(argv[i], name);
        char *end;

        if (!rest)
            continue;
        double value = *rest == '=' ? strtod(rest + 1, &end) : 0;
        if (*rest != '=' || end == rest + 1 || *end || !(value >= 1))
            give_up("%s: --%s=NUMBER, at least 1", argv[i], name);
        return value;
    }
    return usual;
}

bool
option_flag(int argc, char **argv, const char *name)
{
    know(name);
    for (int i = 1; i < argc; i++) {
        const char *rest = after_name(argv[i], name);

        if (rest && !*rest)
            return true;
    }
    return false;
}

void
refuse_unknown(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        bool found = false;

        for (int k = 0; k < known_count; k++)
            found |= after_name(argv[i], known[k]) != NULL;
        if (!found)
            give_up("unknown option %s", argv[i]);
    }
}
