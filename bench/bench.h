/* SPDX-License-Identifier: MIT */
/* What the benchmarks share: a clock, the cores, medians, threads that start together. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>

/* Seconds on a clock that only goes forward. */
double now_seconds(void);

/* Seconds that the calling thread has run, whatever else ran beside it. */
double cpu_seconds(void);

/* How many cores this process may use. */
int core_count(void);

/* The number of the first core this process may use. */
int first_core(void);

/* The median of `count` values; puts them in order. */
double median(double *values, int count);

/* Run work(i, arg) for i in 0 .. threads-1, each on a thread of its own with `stack_bytes` of stack (0: the usual), all
 * of them on core `core` (-1: free).  Exits the program when a thread cannot be started.
 *
 *   blocks   until all have returned */
void run_threads(int threads, size_t stack_bytes, int core, void (*work)(int i, void *arg), void *arg);

/* Nanoseconds per hop of a token that goes round `threads` bare threads on core `core` (-1: free), over about `hops`
 * hops after a tenth as many for warm-up.
 *
 *   blocks   until the last hop */
double measure_ring(int threads, int core, int hops);

enum { MAX_VALUES = 1001 };

/* Print one figure as a line of JSON: {"work": .., "unit": .., "median": .., "least": .., "greatest": ..,
 * "repetitions": ..}, and the members that `more` and what follows it print, `"nodes": 8, "bytes": 64`.  Puts the
 * values in order. */
void figure(const char *work, const char *unit, double *values, int count, const char *more, ...)
    __attribute__((format(printf, 5, 6)));

/* Say what went wrong and exit with 1. */
_Noreturn void give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The value of option --name=NUMBER among the arguments, else `usual`; whether --name is there.  Both mark the
 * arguments that they read: refuse_unknown() gives up at the first that neither has read. */
double option_number(int argc, char **argv, const char *name, double usual);
bool option_flag(int argc, char **argv, const char *name);
void refuse_unknown(int argc, char **argv);

#endif
