/* SPDX-License-Identifier: MIT */
/* Programs in files, from the outside: what they print, keep, and how they end or are refused. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <fcntl.h>
#include <limits.h>
#include <peal/tools.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ------------------------------------------------------------------ helpers */

/* Where a file of this folder is. */
static const char *
here(const char *name)
{
    static char paths[4][4096];
    static int next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", PROGRAMS, name);
    return path;
}

/* Read all of an open file, from its start, as a string of at most 64 KiB. */
static const char *
contents(int file)
{
    static char text[1 << 16];
    ssize_t length = pread(file, text, sizeof text - 1, 0);

    cr_assert(length >= 0);
    text[length] = '\0';
    return text;
}

static int
scratch(void)
{
    char name[] = "/tmp/peal-test-XXXXXX";
    int file = mkstemp(name);

    cr_assert(file >= 0);
    unlink(name);
    return file;
}

/* An empty directory of the test's own, which TMPDIR names from now on. */
static const char *
empty_directory(void)
{
    static char name[] = "/tmp/peal-test-XXXXXX";

    cr_assert(mkdtemp(name));
    setenv("TMPDIR", name, 1);
    return name;
}

/* Remove it: possible only when it is still empty. */
static void
expect_empty(const char *directory)
{
    cr_expect(rmdir(directory) == 0, "%s is not empty", directory);
}

static struct peal_program_file *
load(const char *name, int nodes, int argc, char **argv)
{
    struct peal_program_options options = {.argc = argc, .argv = argv};
    struct peal_error error;
    struct peal_program_file *file = peal_program_load(here(name), nodes, &options, &error);

    cr_assert(file, "%s: %s", name, error.text);
    return file;
}

struct run {
    int nodes;
    uint64_t seed;
    bool tag;
    const char *flags, *engine, *compiler;
    const char *const *sources;
    char *argv[5];
};

/* Copy what outlives the machine: of its names the file's. */
static void
keep_failure(const struct peal_failure *failed, struct peal_failure *failure)
{
    static char file[PATH_MAX];

    *failure = failed ? *failed : (struct peal_failure){.kind = PEAL_FAILURE_KINDS};
    if (failure->file) {
        snprintf(file, sizeof file, "%s", failure->file);
        failure->file = file;
    }
}

/* Load `name`, run it once and give what its nodes printed; `failure`, unless NULL, gets how the run failed. */
static const char *
printed(const char *name, struct run run, struct peal_failure *failure)
{
    struct peal_program_options given = {
        .flags = run.flags, .argv = run.argv, .compiler = run.compiler, .sources = run.sources};
    struct peal_options options;
    struct peal_error error;
    int output = scratch();

    while (run.argv[given.argc])
        given.argc++;
    peal_options_init(&options);
    options.nodes = run.nodes;
    options.seed = run.seed;
    options.tag_output = run.tag;
    options.output = output;
    if (run.engine)
        options.engine = run.engine;
    struct peal_program_file *file = peal_program_load(here(name), run.nodes, &given, &error);
    cr_assert(file, "%s: %s", name, error.text);
    struct peal_machine *machine = peal_machine_create(&options, &error);
    cr_assert(machine, "%s", error.text);
    const struct peal_failure *failed = peal_program_run(machine, file);
    if (failure)
        keep_failure(failed, failure);
    else
        cr_assert_null(failed, "%s: %s", name, failed ? failed->message : "");
    peal_machine_destroy(machine);
    peal_program_destroy(file);
    return contents(output);
}

/* Expect that `path` is refused with this status and a line that has `part` in it. */
static void
expect_refused(const char *path, const struct peal_program_options *options, enum peal_status status, const char *part)
{
    struct peal_error error = {.status = PEAL_OK};

    cr_assert_null(peal_program_load(path, 2, options, &error), "%s was loaded", path);
    cr_expect(error.status == status, "%s: status %d, not %d", path, (int)error.status, (int)status);
    cr_expect(strstr(error.text, part) != NULL, "%s: \"%s\" does not say \"%s\"", path, error.text, part);
    cr_expect_null(strchr(error.text, '\n'));
}

/* Send standard error into a file, to be read by contents(). */
static int
catch_messages(void)
{
    int file = scratch();

    fflush(stderr);
    dup2(file, STDERR_FILENO);
    return file;
}

/* ------------------------------------------------------------------ private memory */

struct constant {
    char what[12];
    int line;
};

ParameterizedTestParameters(program, a_constant_is_read_only)
{
    static struct constant constants[] = {{"literal", 34}, {"table", 38}, {"names", 42},  {"code", 46},
                                          {"library", 50}, {"end", 54},   {"receive", 57}};

    return cr_make_param_array(struct constant, constants, sizeof constants / sizeof *constants);
}

ParameterizedTest(struct constant *constant, program, a_constant_is_read_only, .timeout = 60)
{
    static const char *const engines[] = {"threads", "fibers"};
    static const char *const flags[] = {NULL, "-DWITH_GLOBALS"};
    static const int nodes[] = {2, 100}; /* copies are loaded, and placed */

#ifdef __SANITIZE_ADDRESS__
    /* Its stand-in for strncpy jumps to the C library's, which Peal then does not recognize as one that holds no lock. */
    if (strcmp(constant->what, "library") == 0)
        cr_skip_test("the address sanitizer has calls of its own");
#endif
    for (int i = 0; i < 2 * 2 * 2; i++) {
        struct run run = {.nodes = nodes[i / 4], .argv = {"constants", constant->what}, .flags = flags[i / 2 % 2]};
        struct peal_failure failure;

        if (run.flags && strcmp(constant->what, "end") == 0)
            continue; /* it is the node's own page, then */
        run.engine = engines[i % 2];
        if (i % 2 == 1 && !FIBERS)
            continue;
        printed("constants.c", run, &failure);
        cr_expect_eq(failure.kind, PEAL_PRIVATE_MEMORY, "%s, %d: %s", constant->what, i, failure.message);
        cr_expect_eq(failure.rank, 1);
        cr_expect_eq(failure.line, constant->line, "%s, %d: line %d", constant->what, i, failure.line);
        cr_expect(failure.message && strstr(failure.message, "a constant"), "%s", failure.message);
    }
}

Test(program, every_copy_is_mapped_as_the_linker_said, .timeout = 20)
{
    static const int nodes[] = {3, 100};

    for (int i = 0; i < 2; i++) {
        struct peal_program_file *file = load("private.c", nodes[i], 0, NULL);
        FILE *in = fopen("/proc/self/maps", "r");
        char line[400];
        int writable = 0, code = 0;

        cr_assert(in);
        while (fgets(line, sizeof line, in))
            if (strstr(line, "/memfd:private.c")) {
                cr_expect_null(strstr(line, " rwx"), "%s", line);
                writable += strstr(line, " rw-p") != NULL;
                code += strstr(line, " r-xp") != NULL;
            }
        fclose(in);
        cr_expect_geq(writable, nodes[i]);
        cr_expect_eq(code, nodes[i]);
        peal_program_destroy(file);
    }
}

Test(program, no_global_static_or_thread_local_is_shared_by_two_nodes, .timeout = 20)
{
    cr_expect_str_empty(printed("private.c", (struct run){.nodes = 9, .argv = {"private", "5"}}, NULL));
}

Test(program, many_nodes_have_private_memory_too, .timeout = 60)
{
    /* More than are loaded with debug information. */
    cr_expect_str_empty(printed("private.c", (struct run){.nodes = 300, .argv = {"private", "2"}}, NULL));
}

Test(program, a_file_with_something_writable_is_loaded_once_a_node, .timeout = 10)
{
    struct peal_program_file *file = load("counter.c", 5, 0, NULL);

    cr_expect_eq(peal_program_copies(file), 5);
    peal_program_destroy(file);
}

Test(program, each_kind_of_variable_makes_a_file_writable, .timeout = 30)
{
    static const struct {
        const char *text;
        int copies;
    } kinds[] = {
        {"int x = 1; int read_x(void) { return x; }", 3},
        {"int x;", 3},
        {"int x[1000];", 3},
        {"int x __attribute__((common));", 3},
        {"_Thread_local int x = 1;", 3},
        {"_Thread_local int x;", 3},
        {"const char *names[] = {\"a\", \"b\"};", 3},
        {"int next(void) { static int x; return ++x; }", 3},
        {"int x __attribute__((section(\"of_my_own\"))) = 1;", 3},
        {"", 1},
        {"const int x = 1;", 1},
        {"const char *const names[] = {\"a\", \"b\"};", 1},
        {"void f(void) {} void (*const fs[])(void) = {f};", 1},
        {"static const struct {const char *a; double b[10];} x[] = {{\"a\", {1}}}; const void *f(void) { return x; }",
         1},
        {"static void __attribute__((constructor)) first(void) {}", 1},
    };
    const char *directory = empty_directory();
    char path[100];

    snprintf(path, sizeof path, "%s/kind.c", directory);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct peal_error error;
        FILE *out = fopen(path, "w");

        cr_assert(out);
        fprintf(out, "%s\nvoid peal_main(void *me, int argc, char **argv) {(void)me; (void)argc; (void)argv; }\n",
                kinds[i].text);
        cr_assert(fclose(out) == 0);
        struct peal_program_file *file = peal_program_load(path, 3, NULL, &error);
        cr_assert(file, "%s: %s", kinds[i].text, error.text);
        cr_expect(peal_program_copies(file) == kinds[i].copies, "%s: %d copies", kinds[i].text,
                  peal_program_copies(file));
        peal_program_destroy(file);
    }
    unlink(path);
    expect_empty(directory);
}

Test(program, a_file_with_nothing_writable_is_loaded_once, .timeout = 10)
{
    struct peal_program_file *file = load("constant.c", 8, 0, NULL);

    cr_expect_eq(peal_program_copies(file), 1);
    peal_program_destroy(file);
    cr_expect_str_eq(printed("constant.c", (struct run){.nodes = 5}, NULL),
                     "0 nought\n1 one\n4 two\n9 three\n16 nought\n");
}

Test(program, a_thousand_copies_load, .timeout = 60)
{
    struct peal_program_file *file = load("private.c", 1000, 0, NULL);

    cr_expect_eq(peal_program_copies(file), 1000);
    peal_program_destroy(file);
}

/* The maps of this process. */
static int
maps(void)
{
    FILE *in = fopen("/proc/self/maps", "r");
    int lines = 0;

    cr_assert(in);
    for (int c; (c = getc(in)) != EOF;)
        lines += c == '\n';
    fclose(in);
    return lines;
}

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

/* The maps of this process that are copies of a program of this name. */
static int
maps_of(const char *name)
{
    FILE *in = fopen("/proc/self/maps", "r");
    char line[400], label[100];
    int lines = 0;

    cr_assert(in);
    snprintf(label, sizeof label, "/memfd:%s ", name);
    while (fgets(line, sizeof line, in))
        lines += strstr(line, label) != NULL;
    fclose(in);
    return lines;
}

Test(program, a_copy_takes_two_memory_maps, .timeout = 20)
{
    int before = maps();
    struct peal_program_file *file = load("counter.c", 200, 0, NULL);

    cr_expect_leq(maps_of("counter.c"), 2 * 200 + 1); /* the loader's has one more */
#ifndef __SANITIZE_ADDRESS__                          /* which maps memory of its own */
    cr_expect_leq(maps() - before, 2 * 200 + 10);
#endif
    peal_program_destroy(file);
    cr_expect_eq(maps_of("counter.c"), 0);
#ifndef __SANITIZE_ADDRESS__
    cr_expect_leq(maps() - before, 10, "unloading leaves %d", maps() - before);
#endif
    (void)before;
}

Test(program, the_same_file_can_be_loaded_many_times_at_once, .timeout = 20)
{
    enum { NODES = 100 }; /* more than keep their files open */
    struct peal_program_file *first = load("private.c", NODES, 0, NULL), *second = load("private.c", NODES, 0, NULL);
    struct peal_program_file *both[] = {first, second};
    struct peal_options options;
    struct peal_error error;

    peal_options_init(&options);
    options.nodes = NODES;
    struct peal_machine *machine = peal_machine_create(&options, &error);
    cr_assert(machine, "%s", error.text);
    for (int i = 0; i < 2; i++) { /* what the first run wrote would be found by the second */
        const struct peal_failure *failure = peal_program_run(machine, both[i]);
        cr_expect_null(failure, "file %d: %s", i, failure ? failure->message : "");
    }
    const struct peal_failure *failure = peal_program_run(machine, first);
    cr_assert(failure, "a second run does not find what the first left");
    cr_expect(strstr(failure->message, "at first"), "%s", failure->message);
    peal_machine_destroy(machine);
    peal_program_destroy(second);
    peal_program_destroy(first);
}

Test(program, copies_that_do_not_fit_are_counted_and_unloaded, .timeout = 30)
{
#ifdef __SANITIZE_ADDRESS__
    cr_skip("AddressSanitizer itself needs more addresses than the limit of this test");
#endif
    struct peal_error error;
    const char *directory = empty_directory();
    int before = maps(), loaded = 0;

    cr_assert(setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)4 << 30, (rlim_t)4 << 30}) == 0);
    cr_assert_null(peal_program_load(here("heavy.c"), 1000, NULL, &error));
    cr_expect_eq(error.status, PEAL_RESOURCES);
    const char *only = strstr(error.text, "only ");
    cr_assert(only, "%s", error.text);
    cr_expect(sscanf(only, "only %d of 1000 copies", &loaded) == 1 && loaded > 8 && loaded < 64, "%s", error.text);
    cr_expect(strstr(error.text, "fewer nodes"), "%s", error.text);
    cr_expect_leq(maps() - before, 10);
    expect_empty(directory);
}

/* Take memory maps until the system leaves this process `left` of them; false where it does not say how many there may
 * be, or so many that it would take long. */
static bool
use_up_maps(long left)
{
    FILE *in = fopen("/proc/sys/vm/max_map_count", "r");
    long limit = 0, wanted;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (!in || fscanf(in, "%ld", &limit) != 1)
        limit = 0;
    if (in)
        fclose(in);
    wanted = limit - left - maps();
    if (limit > 1000 * 1000 || wanted < 2)
        return false;
    char *pages = mmap(NULL, (size_t)wanted * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    cr_assert(pages != MAP_FAILED);
    for (long i = 1; i < wanted; i += 2) /* each page that differs from its neighbours is a map */
        cr_assert(mprotect(pages + (size_t)i * page, page, PROT_READ) == 0);
    return true;
}

Test(program, copies_are_loaded_as_far_as_the_memory_maps_allow, .timeout = 60)
{
    enum { LEFT = 300 };
    struct peal_error error;
    char limit[200];
    int loaded = 0;

#ifdef __SANITIZE_ADDRESS__
    cr_skip("AddressSanitizer needs maps of its own");
#endif
    if (!use_up_maps(LEFT))
        cr_skip("the limit on memory maps is not known, or too far away");
    FILE *in = fopen("/proc/sys/vm/max_map_count", "r");
    long number;

    cr_assert(in && fscanf(in, "%ld", &number) == 1 && fclose(in) == 0);
    snprintf(limit, sizeof limit,
             "of 1000 copies of it could be loaded: a process may have %ld memory maps (vm.max_map_count); "
             "run fewer nodes, or write it without globals",
             number);
    int before = maps();

    cr_assert_null(peal_program_load(here("counter.c"), 1000, NULL, &error));
    cr_expect_eq(error.status, PEAL_RESOURCES);
    cr_expect(strstr(error.text, limit), "%s", error.text);
    cr_expect_null(strchr(error.text, '\n'));
    const char *only = strstr(error.text, "only ");

    cr_assert(only && sscanf(only, "only %d", &loaded) == 1);
    cr_expect(loaded > LEFT / 2 * 3 / 4 && loaded <= LEFT / 2 + 20, "%d copies", loaded);
    cr_expect_leq(maps() - before, 10);
    cr_expect_null(peal_program_load(here("broken.c"), 1, NULL, &error)); /* the process is as well as before */
    cr_expect_eq(error.status, PEAL_PROGRAM);
}

Test(program, at_the_limit_fibers_run_and_threads_say_which_limit, .timeout = 60)
{
    enum { NODES = 200 };
    static const char *const engines[] = {"fibers", "threads"};

#ifdef __SANITIZE_ADDRESS__
    cr_skip("AddressSanitizer needs maps of its own");
#endif
    if (!use_up_maps(2 * NODES + 60))
        cr_skip("the limit on memory maps is not known, or too far away");
    struct peal_program_file *file = load("counter.c", NODES, 0, NULL);

    for (int i = 0; i < 2; i++) {
        struct peal_options options;
        struct peal_error error;

        peal_options_init(&options);
        options.nodes = NODES;
        options.engine = engines[i];
        options.output = scratch();
        struct peal_machine *machine = peal_machine_create(&options, &error);

        if (!machine && i == 0)
            continue; /* no fibers in this build */
        cr_assert(machine, "%s", error.text);
        const struct peal_failure *failure = peal_program_run(machine, file);

        if (i == 0) {
            cr_expect_null(failure, "%s", failure ? failure->message : "");
        } else {
            cr_assert(failure);
            cr_expect_eq(failure->status, PEAL_RESOURCES);
            cr_expect(strstr(failure->message, "of 200 stacks; the limit is vm.max_map_count ("), "%s",
                      failure->message);
            cr_expect(strstr(failure->message, "fewer nodes"), "%s", failure->message);
        }
        peal_machine_destroy(machine);
    }
    peal_program_destroy(file);
}

static int
open_files(void)
{
    int count = 0;

    for (int file = 0; file < 1024; file++)
        count += fcntl(file, F_GETFD) >= 0;
    return count;
}

Test(program, unloading_closes_every_file, .timeout = 20)
{
    int before = open_files();

    for (const char *const *name = (const char *const[]){"counter.c", "constant.c", NULL}; *name; name++)
        for (int nodes = 1; nodes <= 100; nodes += 33)
            peal_program_destroy(load(*name, nodes, 0, NULL));
    cr_expect_null(peal_program_load(here("mainly.c"), 3, NULL, NULL));
    cr_expect_eq(open_files(), before);
}

/* ------------------------------------------------------------------ output */

/* Expect the lines of writes.c: each node's first is made in two rounds, and the last ones, which have no end, come
 * when the run ends. */
static void
expect_lines(const char *text, int nodes)
{
    char expected[2000];
    int length = 0;

    for (int rank = 0; rank < nodes; rank++)
        length += snprintf(expected + length, sizeof expected - (size_t)length,
                           "a%db%dc%dc%ddefghijklmn\nsecond round\n", rank, rank, rank, rank);
    for (int rank = 0; rank < nodes; rank++)
        length += snprintf(expected + length, sizeof expected - (size_t)length, "no end\n");
    cr_expect_str_eq(text, expected);
}

Test(program, output_comes_in_whole_lines_in_rank_order, .timeout = 20)
{
    expect_lines(printed("writes.c", (struct run){.nodes = 4}, NULL), 4);
}

Test(program, output_is_the_same_when_the_compiler_fortifies, .timeout = 20)
{
    struct run run = {.nodes = 4, .flags = "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2"};

    expect_lines(printed("writes.c", run, NULL), 4);
}

Test(program, jumps_up_a_nodes_own_stack_are_right_when_the_compiler_fortifies, .timeout = 60)
{
    static const char *const flags[] = {"-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2",
                                        "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3"};
    static const char *const engines[] = {"threads", "auto"};

    for (int i = 0; i < 4; i++) {
        struct run run = {.nodes = 1030, .flags = flags[i / 2], .engine = engines[i % 2], .argv = {"jumps"}};
        struct peal_failure failure;

        if (i % 2 == 0)
            run.nodes = 3; /* so many are fibers, where there are any */
        const char *text = printed("jumps.c", run, NULL);

        for (int rank = 0; rank < run.nodes; rank++, text = strchr(text, '\n') + 1)
            cr_assert(strncmp(text, "3 jumps\n", 8) == 0, "%s, engine %s: %.80s", run.flags, run.engine, text);
        cr_expect_str_empty(text);
        run.argv[1] = "crash";
        cr_expect_str_empty(printed("jumps.c", run, &failure));
        cr_expect(strstr(failure.message, "node 1 crashed: abort"), "%s", failure.message);
    }
}

static void
fault(void)
{
    abort();
}

Test(program, a_crash_in_the_command_or_the_library_has_the_line_of_the_program, .timeout = 20)
{
    struct peal_failure failure;
    char address[32];

    snprintf(address, sizeof address, "%llx", (unsigned long long)(uintptr_t)fault);
    printed("calls_out.c", (struct run){.nodes = 2, .argv = {"calls_out", address}}, &failure);
    cr_expect(strstr(failure.message, "crashed: abort"), "%s", failure.message);
    cr_assert(failure.file);
    cr_expect(strstr(failure.file, "/calls_out.c") && failure.line == 11, "%s:%d", failure.file, failure.line);
}

Test(program, output_is_the_same_without_optimisation, .timeout = 20)
{
    expect_lines(printed("writes.c", (struct run){.nodes = 4, .flags = "-O0"}, NULL), 4);
}

Test(program, every_redirected_call_has_its_stand_in, .timeout = 20)
{
    cr_expect_str_eq(printed("every_name.c", (struct run){.nodes = 2}, NULL), "0abcc\n1abcc\n");
}

Test(program, tagged_lines_say_which_node, .timeout = 20)
{
    cr_expect_str_eq(printed("counter.c", (struct run){.nodes = 3, .tag = true}, NULL), "0: 10\n1: 11\n2: 12\n");
}

/* ------------------------------------------------------------------ chance */

Test(program, rand_is_the_nodes_own_and_comes_from_the_machines_seed, .timeout = 30)
{
    static char first[1 << 16];
    int same = 0;

    strcpy(first, printed("chance.c", (struct run){.nodes = 3}, NULL));
    cr_expect_str_eq(printed("chance.c", (struct run){.nodes = 3}, NULL), first, "two runs differ");
    cr_expect_str_neq(printed("chance.c", (struct run){.nodes = 3, .seed = 1}, NULL), first, "the seed does nothing");
    for (char *line = first; *line; line = strchr(line, '\n') + 1) /* no line is there twice */
        for (char *other = first; *other; other = strchr(other, '\n') + 1)
            same += strcspn(line, "\n") == strcspn(other, "\n") && strncmp(line, other, strcspn(line, "\n")) == 0;
    cr_expect_eq(same, 9, "%s", first);
}

Test(program, srand_gives_every_node_the_numbers_of_the_c_library, .timeout = 20)
{
    static char expected[2000];
    int length = 0;

    srand(42);
    srand48(42);
    for (int i = 0; i < 3; i++) {
        int r = rand();
        long s = random(), l = lrand48(), m = mrand48();
        double d = drand48();

        for (int rank = 0; rank < 3; rank++)
            length +=
                snprintf(expected + length, sizeof expected - (size_t)length, "%d %ld %ld %ld %.17g\n", r, s, l, m, d);
    }
    cr_expect_str_eq(printed("chance.c", (struct run){.nodes = 3, .argv = {"chance", "42"}}, NULL), expected);
}

Test(program, rand_does_not_move_peal_random, .timeout = 20)
{
    static char without[1000];

    strcpy(without, printed("drawing.c", (struct run){.nodes = 3, .seed = 5}, NULL));
    cr_expect_str_eq(printed("drawing.c", (struct run){.nodes = 3, .seed = 5, .argv = {"drawing", "x"}}, NULL),
                     without);
}

Test(program, a_function_of_the_programs_own_hides_the_c_librarys, .timeout = 20)
{
    cr_expect_str_eq(printed("own_names.c", (struct run){.nodes = 2}, NULL), "4 0\n4 1\n");
}

/* ------------------------------------------------------------------ ends, arguments */

/* The last takes no status. */
static char exits[][16] = {"exit", "_exit", "_Exit", "quick_exit", "pthread_exit"};

Test(program, exit_0_ends_the_node_alone, .timeout = 20)
{
    for (int i = 0; i < 5; i++)
        cr_expect_str_eq(printed("ends.c", (struct run){.nodes = 3, .argv = {"ends", "1", exits[i], "0"}}, NULL),
                         "exits\nreturns\nreturns\n", "%s", exits[i]);
}

Test(program, exit_with_another_status_fails_the_run, .timeout = 20)
{
    struct peal_failure failure;

    for (int i = 0; i < 4; i++) {
        printed("ends.c", (struct run){.nodes = 3, .argv = {"ends", "1", exits[i], "3"}}, &failure);
        cr_expect_eq(failure.status, PEAL_FAILED);
        cr_expect_eq(failure.rank, 1);
        cr_expect(strstr(failure.message, "exit(3)"), "%s: %s", exits[i], failure.message);
    }
}

static bool
has_fibers(void)
{
    struct peal_options options;

    peal_options_init(&options);
    options.engine = "fibers";
    struct peal_machine *machine = peal_machine_create(&options, NULL);

    peal_machine_destroy(machine);
    return machine != NULL;
}

Test(program, an_array_larger_than_the_stack_is_told_of_as_such, .timeout = 20)
{
    static char engines[][8] = {"threads", "fibers"};
    struct peal_failure failure;

    for (int i = 0; i < 2; i++) {
        if (i == 1 && !has_fibers())
            continue;
        printed("large_frame.c", (struct run){.nodes = 4, .engine = engines[i]}, &failure);
        cr_expect_eq(failure.kind, PEAL_CRASH, "%s", engines[i]);
        cr_expect_eq(failure.rank, 2, "%s", engines[i]);
        cr_expect(strstr(failure.message, "KiB overflowed: peal run --stack gives it more"), "%s: %s", engines[i],
                  failure.message);
    }
}

Test(program, arguments_and_strtok_are_the_nodes_own, .timeout = 20)
{
    char word[] = "word", more[] = "more"; /* may be written, so that a shared argv would be found */

    cr_expect_str_eq(printed("arguments.c", (struct run){.nodes = 3, .argv = {"arguments", word, more}}, NULL),
                     "3 [0ord] [more] 0 y z\n3 [1ord] [more] 1 y z\n3 [2ord] [more] 2 y z\n");
    cr_expect_str_eq(word, "word");
}

Test(program, without_arguments_argv_is_the_files_name, .timeout = 20)
{
    struct peal_failure failure;

    printed("arguments.c", (struct run){.nodes = 1}, &failure);
    cr_expect(strstr(failure.message, "argv has no end"), "argc is not 1: %s", failure.message);
}

Test(program, a_machine_with_more_nodes_than_loaded_for_is_a_failure, .timeout = 20)
{
    struct peal_program_file *file = load("counter.c", 2, 0, NULL);
    struct peal_options options;
    struct peal_error error;

    peal_options_init(&options);
    options.nodes = 3;
    struct peal_machine *machine = peal_machine_create(&options, &error);
    cr_assert(machine, "%s", error.text);
    const struct peal_failure *failure = peal_program_run(machine, file);
    cr_assert(failure);
    cr_expect_eq(failure->kind, PEAL_BAD_SIZE);
    cr_expect(strstr(failure->message, "2 nodes") && strstr(failure->message, "3"), "%s", failure->message);
    peal_machine_destroy(machine);
    peal_program_destroy(file);
}

/* ------------------------------------------------------------------ what is refused */

Test(program, a_file_that_does_not_compile_shows_the_compilers_message, .timeout = 10)
{
    const char *directory = empty_directory();
    int messages = catch_messages();

    expect_refused(here("broken.c"), NULL, PEAL_PROGRAM, "broken.c does not compile");
    cr_expect(strstr(contents(messages), "broken.c:8:"), "%s", contents(messages));
    expect_empty(directory);
}

Test(program, a_call_of_what_is_not_there_shows_the_linkers_message, .timeout = 10)
{
    const char *directory = empty_directory();
    int messages = catch_messages();

    expect_refused(here("unlinked.c"), NULL, PEAL_PROGRAM, "unlinked.c does not link");
    cr_expect(strstr(contents(messages), "nowhere_to_be_found"), "%s", contents(messages));
    expect_empty(directory);
}

Test(program, a_file_that_links_but_does_not_load_says_why, .timeout = 10)
{
    /* A library that the linker knows, and the loader does not. */
    static const char make[] = "cc -shared -x c -o '%s/libgone.so' - </dev/null";
    const char *directory = empty_directory();
    char command[200], flags[200], path[200];

    snprintf(command, sizeof command, make, directory);
    cr_assert(system(command) == 0);
    snprintf(flags, sizeof flags, "-L%s -Wl,--no-as-needed -lgone", directory);
    expect_refused(here("counter.c"), &(struct peal_program_options){.flags = flags}, PEAL_PROGRAM,
                   "counter.c does not load: libgone.so: cannot open");
    snprintf(path, sizeof path, "%s/libgone.so", directory);
    unlink(path);
    expect_empty(directory);
}

Test(program, a_file_without_peal_main_is_refused, .timeout = 10)
{
    const char *directory = empty_directory();

    expect_refused(here("mainly.c"), NULL, PEAL_PROGRAM, "has main, but no peal_main");
    expect_refused(here("mainly.c"), &(struct peal_program_options){.flags = "-Dmain=mean"}, PEAL_PROGRAM,
                   "has no peal_main");
    expect_empty(directory);
}

Test(program, a_hidden_peal_main_is_refused_unless_peals_header_shows_it, .timeout = 10)
{
    struct peal_program_options options = {.flags = "-fvisibility=hidden"};
    const char *directory = empty_directory();
    char path[100];

    snprintf(path, sizeof path, "%s/hidden.c", directory);
    FILE *out = fopen(path, "w");
    cr_assert(out);
    fprintf(out,
            "int x; void peal_main(void *me, int argc, char **argv) {(void)me; (void)argc; (void)argv; x = 1; }\n");
    cr_assert(fclose(out) == 0);
    expect_refused(path, &options, PEAL_PROGRAM, "hidden.c hides its peal_main");
    unlink(path);
    struct peal_program_file *file = peal_program_load(here("counter.c"), 2, &options, NULL);
    cr_expect(file, "peal/program.h does not show peal_main");
    peal_program_destroy(file);
    expect_empty(directory);
}

Test(program, what_is_no_file_of_c_is_refused, .timeout = 10)
{
    const char *directory = empty_directory();
    char path[100];

    expect_refused(here("not_there.c"), NULL, PEAL_PROGRAM, "not_there.c cannot be read: No such file");
    expect_refused(PROGRAMS, NULL, PEAL_PROGRAM, "is a directory");
    for (const char *const *name = (const char *const[]){"/empty.c", NULL}; *name; name++) {
        snprintf(path, sizeof path, "%s%s", directory, *name);
        int file = open(path, O_CREAT | O_WRONLY, 0600);
        cr_assert(file >= 0);
        if (strstr(*name, "plus"))
            cr_expect_eq(write(file, "\n", 1), 1);
        expect_refused(path, NULL, PEAL_PROGRAM, "empty.c is empty");
        if (geteuid() != 0) { /* root may read everything */
            fchmod(file, 0);
            expect_refused(path, NULL, PEAL_PROGRAM, "cannot be read: Permission denied");
        }
        close(file);
        unlink(path);
    }
    expect_empty(directory);
}

Test(program, no_nodes_are_refused, .timeout = 10)
{
    struct peal_error error;

    cr_expect_null(peal_program_load(here("counter.c"), 0, NULL, &error));
    cr_expect_eq(error.status, PEAL_USAGE);
}

Test(program, a_missing_compiler_is_named_with_the_cure, .timeout = 10)
{
    const char *directory = empty_directory();

    expect_refused(here("counter.c"), &(struct peal_program_options){.compiler = "no-such-cc"}, PEAL_PROGRAM,
                   "no-such-cc was not found: install");
    setenv("CC", "no-such-cc-either -v", 1);
    expect_refused(here("counter.c"), NULL, PEAL_PROGRAM, "no-such-cc-either was not found: install");
    expect_empty(directory);
}

Test(program, a_compiler_that_writes_nothing_is_refused, .timeout = 10)
{
    const char *directory = empty_directory();

    expect_refused(here("counter.c"), &(struct peal_program_options){.compiler = "true"}, PEAL_RESOURCES,
                   "cannot be read");
    expect_empty(directory);
}

Test(program, headers_that_are_not_there_are_refused, .timeout = 10)
{
    const char *directory = empty_directory();

    setenv("PEAL_INCLUDE", directory, 1);
    expect_refused(here("counter.c"), NULL, PEAL_PROGRAM, "PEAL_INCLUDE is ");
    expect_empty(directory);
}

Test(program, a_temporary_directory_that_cannot_be_made_is_refused, .timeout = 10)
{
    setenv("TMPDIR", "/not/there", 1);
    expect_refused(here("counter.c"), NULL, PEAL_RESOURCES, "in /not/there: No such file or directory; set TMPDIR");
}

/* ------------------------------------------------------------------ compilers, traces left */

static void
expect_to_work_with(const char *compiler)
{
    char command[100];

    snprintf(command, sizeof command, "command -v %s >/dev/null", compiler);
    if (system(command) != 0)
        cr_skip("%s is not installed", compiler);
    setenv("CC", compiler, 1);
    cr_expect_str_empty(printed("private.c", (struct run){.nodes = 4}, NULL));
    expect_lines(printed("writes.c", (struct run){.nodes = 4}, NULL), 4);
    struct peal_program_file *file = load("constant.c", 4, 0, NULL);
    cr_expect_eq(peal_program_copies(file), 1);
    peal_program_destroy(file);
}

Test(program, gcc_will_do, .timeout = 30)
{
    expect_to_work_with("gcc");
}

Test(program, clang_will_do, .timeout = 30)
{
    expect_to_work_with("clang");
}

Test(program, any_file_name_will_do, .timeout = 20)
{
    char longest[256] = "";
    const char *const names[] = {"-o.c", "@at.c", "two words.c", "q'u\"o\\te$.c", "no_ending", "-", longest};
    const char *directory = empty_directory();

    memset(longest, 'x', sizeof longest - 1);
    cr_assert(chdir(directory) == 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct peal_error error;
        FILE *out = fopen(names[i], "w");

        cr_assert(out);
        fprintf(out, "void peal_main(void *me, int argc, char **argv) {(void)me; (void)argc; (void)argv; }\n");
        cr_assert(fclose(out) == 0);
        struct peal_program_file *file = peal_program_load(names[i], 1, NULL, &error);
        cr_expect(file, "%s: %s", names[i], error.text);
        peal_program_destroy(file);
        unlink(names[i]);
    }
    expect_empty(directory);
}

Test(program, the_words_of_CC_and_CFLAGS_are_the_compilers, .timeout = 10)
{
    setenv("CC", " cc  -DUNUSED=1 ", 1);
    setenv("CFLAGS", "-Dundeclared=argc -Wno-unused-variable", 1);
    struct peal_program_options options = {.flags = NULL};
    struct peal_error error;
    struct peal_program_file *file = peal_program_load(here("broken.c"), 2, &options, &error);

    cr_assert(file, "CFLAGS is not heard: %s", error.text);
    peal_program_destroy(file);
}

Test(program, nothing_is_left_in_the_temporary_directory, .timeout = 20)
{
    const char *directory = empty_directory();
    struct peal_program_file *file = load("counter.c", 20, 0, NULL);

    expect_empty(directory);
    peal_program_destroy(file);
}

/* ------------------------------------------------------------------ several files, C++ */

Test(program, several_files_are_one_program_whose_globals_are_a_nodes_own, .timeout = 60)
{
    static const char *const compilers[] = {"gcc", "clang"};
    static const int nodes[] = {3, 100};

    for (int i = 0; i < 4; i++) {
        const char *sources[] = {here("several_more.c"), here("several_list.cpp"), NULL};
        struct run run = {.nodes = nodes[i / 2], .compiler = compilers[i % 2], .sources = sources, .argv = {"several"}};
        char command[100];

        snprintf(command, sizeof command, "command -v %s > /dev/null 2>&1", run.compiler);
        if (system(command) != 0)
            continue;
        cr_expect_str_eq(printed("several.c", run, NULL),
                         "0: sum 0, 3 in the list, even\n1: sum 3, 3 in the list, odd\n", "%d", i);
    }
}

Test(program, of_several_files_one_must_have_peal_main, .timeout = 20)
{
    const char *sources[] = {here("several_list.cpp"), NULL}, *twice[] = {here("several.c"), NULL};

    expect_refused(here("several_more.c"), &(struct peal_program_options){.sources = sources}, PEAL_PROGRAM,
                   "several_more.c the first, has peal_main");
    sources[0] = here("broken.c");
    expect_refused(here("several_more.c"), &(struct peal_program_options){.sources = sources}, PEAL_PROGRAM,
                   "broken.c does not compile");
    expect_refused(here("several.c"), &(struct peal_program_options){.sources = twice}, PEAL_PROGRAM, "does not link");
}

Test(program, a_program_in_cplusplus_is_one, .timeout = 20)
{
    struct run run = {.nodes = 2, .argv = {"plus", "two"}};

    cr_expect_str_eq(printed("plus.cpp", run, NULL), "node 0 of two\nnode 1 of two\n");
    expect_refused(
        here("plus.cpp"), &(struct peal_program_options){.flags = "-DWITHOUT_PEAL"}, PEAL_PROGRAM,
        "plus.cpp has a peal_main with the name that C++ gives it: include <peal/peal.h>, or declare it extern \"C\"");
}

static void
leave(int number)
{
    _exit(100 + number);
}

/* Whether a signal that comes while a program is compiled ends the compiler with all that it started, leaves no file, and is
 * handled then. */
static void
expect_clean_end(int number, void (*handler)(int))
{
    const char *directory = empty_directory();
    char compiler[100], byte;
    int status, alive[2];

    /* A compiler that has its parent ended, and whose child takes longer than this test may. */
    snprintf(compiler, sizeof compiler, "/tmp/peal-test-cc-%d", (int)getpid());
    FILE *out = fopen(compiler, "w");
    cr_assert(out);
    fprintf(out, "#!/bin/sh\n: >\"$TMPDIR/cc1234.s\"\nmkdir \"$TMPDIR/more\"\nsleep 60 &\nkill -%d $PPID\nwait\n",
            number);
    cr_assert(fclose(out) == 0 && chmod(compiler, 0700) == 0 && pipe(alive) == 0);
    pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0) {
        struct peal_error error;

        signal(number, handler);
        peal_program_load(here("counter.c"), 2, &(struct peal_program_options){.compiler = compiler}, &error);
        _exit(9);
    }
    cr_assert(waitpid(child, &status, 0) == child);
    unlink(compiler);
    if (handler == SIG_DFL)
        cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == number, "status %x", (unsigned)status);
    else
        cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 100 + number, "status %x", (unsigned)status);
    close(alive[1]);
    cr_expect_eq(read(alive[0], &byte, 1), 0); /* once all that have the pipe's other end, too, are gone */
    expect_empty(directory);
}

Test(program, a_signal_during_compiling_leaves_nothing_either, .timeout = 20)
{
    expect_clean_end(SIGTERM, SIG_DFL);
}

Test(program, nor_does_one_that_somebody_handles, .timeout = 20)
{
    expect_clean_end(SIGINT, leave);
}

Test(program, an_mpi_program_where_a_function_is_wanted_gets_a_line_that_says_what_to_do, .timeout = 20)
{
    int messages = catch_messages();
    const struct peal_program_options options = {.function = "scatter"};

    expect_refused(here("mpi.c"), &options, PEAL_PROGRAM, "includes mpi.h: pealrun and peal run take such programs");
    cr_expect_str_empty(contents(messages)); /* no compiler was asked */
}
