/* SPDX-License-Identifier: MIT */
/* What `peal check` takes for each access to memory that a user's file makes.
 *
 * Protocol
 *   program   a loop over a block from peal_alloc, `passes` times: reads of 8 bytes in order (16 KiB: shadow and words
 *             stay in the nearest cache), writes of 8 bytes in order, reads of 8 bytes in a scattered order (4 MiB).
 *   checked   peal_check of it as a barrier on one node, in one case.
 *   bare      the same file compiled with -Og and without calls, as a program on a machine of one node.
 *   compared  nanoseconds of the processor per access, checked less bare, and the ratio.  Both follow each other within
 *             a repetition; the program itself reads its thread's clock, and reports it in the text with which it
 *             aborts.
 *   aim       about 2 ns more per access.
 *
 *   accesses [--repetitions=5] [--millions=20] [--clang]
 *             millions of accesses, at least 1; else compiled by $CC, or cc */
#include "bench/bench.h"

#include <peal/tools.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char program[] = "#include <peal/tools.h>\n"
                              "#include <stdio.h>\n"
                              "#include <time.h>\n"
                              "static double now(void)\n"
                              "{\n"
                              "    struct timespec time;\n"
                              "    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);\n"
                              "    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;\n"
                              "}\n"
                              "void my_barrier(struct peal_node *me)\n"
                              "{\n"
                              "    uint64_t *words = peal_alloc(me, WORDS), sum = 0;\n"
                              "    char text[100];\n"
                              "    for (unsigned long i = 0; i < WORDS; i++) words[i] = i;\n"
                              "    double begin = now();\n"
                              "    for (long pass = 0; pass < PASSES; pass++)\n"
                              "        for (unsigned long i = 0; i < WORDS; i++)\n"
                              "            if (WRITES) words[i] = i;\n"
                              "            else sum += words[i * STEP % WORDS];\n"
                              "    snprintf(text, sizeof text, \"%.0f ns %lu\", now() - begin, sum);\n"
                              "    peal_abort(me, text);\n"
                              "}\n"
                              "void peal_main(struct peal_node *me, int argc, char **argv)\n"
                              "{\n"
                              "    (void)argc, (void)argv;\n"
                              "    my_barrier(me);\n"
                              "}\n";

static const struct pattern {
    const char *work;
    unsigned words, step;
    int writes;
} patterns[] = {
    {"read in order", 2048, 1, 0},
    {"write in order", 2048, 1, 1},
    {"read scattered", 1 << 19, 7919, 0},
};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

static char path[] = "/tmp/peal-accesses-XXXXXX.c";
static const char *compiler;

static void
write_program(void)
{
    int fd = mkstemps(path, 2);

    if (fd < 0 || write(fd, program, sizeof program - 1) != (ssize_t)sizeof program - 1)
        give_up("%s cannot be written", path);
    close(fd);
}

static void
remove_program(void)
{
    unlink(path);
}

static void
write_flags(char flags[200], const struct pattern *pattern, long passes)
{
    snprintf(flags, 200, "-Og -fno-builtin -fno-inline -DWORDS=%uul -DSTEP=%uul -DWRITES=%d -DPASSES=%ld",
             pattern->words, pattern->step, pattern->writes, passes);
}

/* The nanoseconds in the text of the program's abort. */
static double
nanoseconds_in(const char *message)
{
    static const char before[] = "aborted: ";
    const char *at = strstr(message, before);

    if (!at)
        give_up("%s", message);
    return atof(at + sizeof before - 1);
}

/* Nanoseconds of the processor for all accesses, in a check. */
static double
checked(const struct pattern *pattern, long passes)
{
    char flags[200];
    struct peal_check check = {.collective = PEAL_BARRIER,
                               .file = path,
                               .symbol = "my_barrier",
                               .flags = flags,
                               .compiler = compiler,
                               .nodes_from = 1,
                               .nodes_to = 1,
                               .has_root = true,
                               .has_ports = true,
                               .ports = 1,
                               .has_delivery = true,
                               .timeout_seconds = 60};
    struct peal_verdict verdict;
    struct peal_error error;

    write_flags(flags, pattern, passes);
    if (peal_check(&check, 1, 1, &verdict, &error) != PEAL_OK)
        give_up("%s", error.text);
    return nanoseconds_in(verdict.finding_count > 0 ? verdict.findings[0].message : verdict.error.text);
}

/* The time of the loop in a run, which watches nothing. */
static double
bare(const struct pattern *pattern, long passes)
{
    char flags[200];
    const struct peal_program_options options = {.flags = flags, .compiler = compiler};
    struct peal_options machine_options;
    struct peal_error error;

    write_flags(flags, pattern, passes);
    peal_options_init(&machine_options);
    struct peal_program_file *file = peal_program_load(path, 1, &options, &error);
    struct peal_machine *machine = file ? peal_machine_create(&machine_options, &error) : NULL;

    if (!machine)
        give_up("%s", error.text);
    const struct peal_failure *failure = peal_program_run(machine, file);
    double nanoseconds = nanoseconds_in(failure ? failure->message : "no failure");

    peal_machine_destroy(machine);
    peal_program_destroy(file);
    return nanoseconds;
}

int
main(int argc, char **argv)
{
    int repetitions = (int)option_number(argc, argv, "repetitions", 5);
    double accesses = option_number(argc, argv, "millions", 20) * 1e6;
    double ratios[MAX_VALUES], more[MAX_VALUES];

    compiler = option_flag(argc, argv, "clang") ? "clang" : NULL;
    refuse_unknown(argc, argv);
    if (repetitions < 1 || repetitions > MAX_VALUES || accesses < 1)
        give_up("--repetitions from 1 to %d, --millions from 1", MAX_VALUES);
    atexit(remove_program);
    write_program();
    for (int i = 0; i < PATTERNS; i++) {
        const struct pattern *pattern = &patterns[i];
        long passes = (long)(accesses / pattern->words) + 1;
        double made = (double)passes * pattern->words;

        for (int j = 0; j < repetitions; j++) {
            double with = checked(pattern, passes), without = bare(pattern, passes);

            ratios[j] = with / without;
            more[j] = (with - without) / made;
        }
        figure(pattern->work, "ns", more, repetitions, "\"words\": %u, \"more\": \"an access\"", pattern->words);
        figure(pattern->work, "times", ratios, repetitions, "\"words\": %u, \"more\": \"in all\"", pattern->words);
    }
    return 0;
}
