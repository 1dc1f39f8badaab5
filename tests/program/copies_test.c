/* SPDX-License-Identifier: MIT */
/* Programs in files: the private memory of their nodes, and the copies that it takes. */
#include "helpers.h"

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
    /* It replaces strncpy by a jump to the C library's, which Peal then does not recognize as free of locks. */
    if (strcmp(constant->what, "library") == 0)
        cr_skip_test("the address sanitizer has calls of its own");
#endif
    for (int i = 0; i < 2 * 2 * 2; i++) {
        struct run run = {.nodes = nodes[i / 4], .argv = {"constants", constant->what}, .flags = flags[i / 2 % 2]};
        struct peal_failure failure;

        if (run.flags && strcmp(constant->what, "end") == 0)
            continue; /* it is the node's own page, then */
        run.engine = engines[i % 2];
        if (i % 2 == 1 && !peal_fibers_built())
            continue;
        printed("constants.c", run, &failure);
        cr_expect_eq(failure.kind, PEAL_PRIVATE_MEMORY, "%s, %d: %s", constant->what, i, failure.message);
        cr_expect_eq(failure.rank, 1);
        cr_expect_eq(failure.line, constant->line, "%s, %d: line %d", constant->what, i, failure.line);
        cr_expect(failure.message && strstr(failure.message, "a constant"), "%s", failure.message);
    }
}

Test(program, every_copy_is_mapped_as_linked, .timeout = 20)
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
    for (int i = 0; i < 2; i++) { /* the second run would find the writes of the first */
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

/* Take memory maps until the system leaves this process `left` of them; false where the limit is unknown,
 * or so high that it would take long. */
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

Test(program, at_the_limit_fibers_run_and_threads_name_the_limit, .timeout = 60)
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

        if (i == 0 && !peal_fibers_built())
            continue;
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
