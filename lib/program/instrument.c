/* SPDX-License-Identifier: MIT */
/* Chooses the options by which gcc or clang makes each access, and each branch, a call of Peal, and lists the names
 * of these calls. */
#include "lib/program/instrument.h"
#include "lib/base/process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool asked, asked_branches;
static int major_version; /* of the last compiler that options were chosen for */

void
instrument_ask(bool wanted, bool branches)
{
    asked = wanted;
    asked_branches = branches;
}

/* Run `COMPILER -dM -E -x c /dev/null` and give its definitions as a stream; NULL when it cannot be started. */
static FILE *
ask_compiler(char *const *compiler, pid_t *process)
{
    static const char *const question[] = {"-dM", "-E", "-x", "c", "/dev/null", NULL};
    enum { MAX = 64 };
    char *words[MAX + sizeof question / sizeof *question];
    int count = 0, from;

    while (count < MAX && compiler[count]) {
        words[count] = compiler[count];
        count++;
    }
    for (int i = 0; i < (int)(sizeof question / sizeof *question); i++)
        words[count + i] = (char *)(uintptr_t)question[i]; /* posix_spawn writes none */
    if (peal_spawn(words, (int[]){PEAL_SPAWN_SAME, PEAL_SPAWN_PIPE, PEAL_SPAWN_NOTHING}, process, &from) != 0)
        return NULL;
    FILE *answer = fdopen(from, "r");

    if (!answer)
        close(from);
    return answer;
}

static enum instrument
instrument_probe(char *const *compiler)
{
    enum instrument how = INSTRUMENT_NONE;
    char line[512];
    int gcc = 0, clang = 0;
    pid_t process;
    FILE *answer = ask_compiler(compiler, &process);

    if (!answer)
        return how;
    while (fgets(line, sizeof line, answer)) {
        if (strncmp(line, "#define __clang_major__ ", 24) == 0)
            clang = atoi(line + 24);
        if (strncmp(line, "#define __GNUC__ ", 17) == 0)
            gcc = atoi(line + 17);
    }
    fclose(answer);
    peal_spawn_wait(process, 0);
    if (clang > 0)
        how = INSTRUMENT_CLANG;
    else if (gcc > 0)
        how = INSTRUMENT_GCC;
    major_version = clang > 0 ? clang : gcc;
    return how;
}

enum instrument
instrument_choose(char *const *compiler, char *const *flags)
{
    if (!asked)
        return INSTRUMENT_NONE;
    for (char *const *flag = flags; *flag; flag++)
        if (strncmp(*flag, "-fsanitize", 10) == 0)
            return INSTRUMENT_NONE; /* calls of two sanitizers exclude each other */
    return instrument_probe(compiler);
}

/* The options for branches.  clang leaves out blocks that others imply, unless an option forbids it. */
const char *const *
instrument_branch_words(enum instrument how)
{
    static const char *const gcc[] = {"-fsanitize-coverage=trace-pc,trace-cmp", NULL};
    static const char *const clang[] = {"-fsanitize-coverage=trace-pc,trace-cmp,no-prune", NULL};

    if (!asked_branches || how == INSTRUMENT_NONE)
        return gcc + 1;
    return how == INSTRUMENT_GCC ? gcc : clang;
}

/* -Og, which adds no loads that the program does not make; every frame has its pointer (access.c).  gcc fills
 * uninitialised locals with a pattern, without a call before it (watch.c).  clang leaves out accesses to locals whose
 * addresses it believes do not escape, judging by the address of the element; that optimisation is turned off.
 *
 * What links and runs without these options does so with them.  Calls of an inline function without a definition
 * elsewhere must be inlined.  So calls of inline functions are inlined, however long, and no others.  gcc knows the
 * types of the C library's functions without their header.  The builtins turned off are only those that gcc would carry
 * out itself, unseen, or leave out together with their free. */
const char *const *
instrument_compiler_words(enum instrument how)
{
    static const char *const none[] = {NULL};
/* clang-format off */
#define COMMON "-Og", "-fsanitize=thread", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-fno-plt",       \
               "-U_FORTIFY_SOURCE", "-fdata-sections"
#define OF_CLANG "-fno-builtin", "-finline-hint-functions"
#define OF_GCC "-fno-builtin-memcpy", "-fno-builtin-mempcpy", "-fno-builtin-memmove", "-fno-builtin-memset",           \
               "-fno-builtin-memcmp", "-fno-builtin-bzero", "-fno-builtin-strlen", "-fno-builtin-strcpy",              \
               "-fno-builtin-strncpy", "-fno-builtin-strcat", "-fno-builtin-strncat", "-fno-builtin-strcmp",           \
               "-fno-builtin-strncmp", "-fno-builtin-sprintf", "-fno-builtin-snprintf", "-fno-builtin-malloc",         \
               "-fno-builtin-calloc", "-fno-builtin-realloc", "-fno-builtin-aligned_alloc", "-fno-builtin-strdup",     \
               "-fno-builtin-strndup", "-fno-inline-functions", "-fno-inline-small-functions",                         \
               "-fno-inline-functions-called-once", "-fno-partial-inlining",                                           \
               "--param=max-inline-insns-single=400", "--param=early-inlining-insns=400"
    /* clang-format on */
    static const char *const clang[] = {COMMON, OF_CLANG, "-mllvm", "-capture-tracking-max-uses-to-explore=0", NULL};
    static const char *const old_clang[] = {COMMON, OF_CLANG, NULL}, *const old_gcc[] = {COMMON, OF_GCC, NULL};
    static const char *const gcc[] = {
        COMMON, OF_GCC, "-Wno-tsan", "-ftrivial-auto-var-init=pattern", "--param=tsan-instrument-func-entry-exit=0",
        NULL};
#undef OF_GCC
#undef OF_CLANG
#undef COMMON

    switch (how) {
    case INSTRUMENT_GCC:
        return major_version >= 12 ? gcc : old_gcc;
    case INSTRUMENT_CLANG:
        return major_version >= 12 ? clang : old_clang;
    case INSTRUMENT_NONE:
        break;
    }
    return none;
}

#define NAME(name) #name,
#define ACCESSES(bytes)                                                                                                \
    NAME(__tsan_read##bytes)                                                                                           \
    NAME(__tsan_write##bytes)                                                                                          \
    NAME(__tsan_read##bytes##_pc)                                                                                      \
    NAME(__tsan_write##bytes##_pc) NAME(__tsan_volatile_read##bytes) NAME(__tsan_volatile_write##bytes)
#define UNALIGNED(bytes)                                                                                               \
    NAME(__tsan_unaligned_read##bytes)                                                                                 \
    NAME(__tsan_unaligned_write##bytes)                                                                                \
    NAME(__tsan_unaligned_volatile_read##bytes) NAME(__tsan_unaligned_volatile_write##bytes)
#define FETCH(bits, name) NAME(__tsan_atomic##bits##_fetch_##name)
#define ATOMICS(bits)                                                                                                  \
    NAME(__tsan_atomic##bits##_load)                                                                                   \
    NAME(__tsan_atomic##bits##_store)                                                                                  \
    NAME(__tsan_atomic##bits##_exchange)                                                                               \
    NAME(__tsan_atomic##bits##_compare_exchange_strong)                                                                \
    NAME(__tsan_atomic##bits##_compare_exchange_weak)                                                                  \
    NAME(__tsan_atomic##bits##_compare_exchange_val) INSTRUMENT_FETCHES(FETCH, bits)

#define BRANCHES(name) NAME(__sanitizer_cov_trace_##name)

const char *const *
instrument_names(enum instrument how)
{
    static const char *const names[] = {
        /* clang-format off */
        NAME(__tsan_init) NAME(__tsan_func_entry) NAME(__tsan_func_exit) NAME(__tsan_read_range)
        NAME(__tsan_write_range) NAME(__tsan_vptr_update) NAME(__tsan_vptr_read)
        INSTRUMENT_SIZES(ACCESSES) INSTRUMENT_UNALIGNED(UNALIGNED) INSTRUMENT_ATOMICS(ATOMICS)
        NAME(__tsan_atomic_thread_fence) NAME(__tsan_atomic_signal_fence)
        NAME(__tsan_memcpy) NAME(__tsan_memmove) NAME(__tsan_memset)
        BRANCHES(pc) BRANCHES(switch) BRANCHES(cmpf) BRANCHES(cmpd) BRANCHES(cmp1) BRANCHES(cmp2) BRANCHES(cmp4)
        BRANCHES(cmp8) BRANCHES(const_cmp1) BRANCHES(const_cmp2) BRANCHES(const_cmp4) BRANCHES(const_cmp8)
        INSTRUMENT_CALLS(NAME) NULL
        /* clang-format on */
    };
    static const char *const none[] = {NULL};

    return how == INSTRUMENT_NONE ? none : names;
}
