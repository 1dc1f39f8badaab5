/* SPDX-License-Identifier: MIT */
/* Programs in files: refusals, compilers and their traces, several files, C++. */
#include "helpers.h"

/* ------------------------------------------------------------------ refusals */

Test(program, a_file_that_does_not_compile_shows_the_compilers_message, .timeout = 10)
{
    const char *directory = empty_directory();
    int messages = catch_messages();

    expect_refused(here("broken.c"), NULL, PEAL_PROGRAM, "broken.c does not compile");
    cr_expect(strstr(contents(messages), "broken.c:8:"), "%s", contents(messages));
    expect_empty(directory);
}

Test(program, a_call_of_an_undefined_function_shows_the_linkers_message, .timeout = 10)
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

Test(program, a_file_that_is_not_c_is_refused, .timeout = 10)
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

Test(program, missing_headers_are_refused, .timeout = 10)
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

/* ------------------------------------------------------------------ compilers and their traces */

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

/* Whether a signal that comes while a program is compiled ends the compiler with all that it started, leaves no file,
 * and is handled then. */
static void
expect_clean_end(int number, void (*handler)(int))
{
    const char *directory = empty_directory();
    char compiler[100], byte;
    int status, alive[2];

    /* A compiler that ends its parent, and has a child that takes longer than this test may. */
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

Test(program, a_signal_with_a_handler_leaves_nothing_of_the_compiler_either, .timeout = 20)
{
    expect_clean_end(SIGINT, leave);
}

Test(program, an_mpi_program_in_place_of_a_function_is_refused_with_the_right_command, .timeout = 20)
{
    int messages = catch_messages();
    const struct peal_program_options options = {.function = "scatter"};

    expect_refused(here("mpi.c"), &options, PEAL_PROGRAM, "includes mpi.h: pealrun and peal run take such programs");
    cr_expect_str_empty(contents(messages)); /* no compiler was asked */
}
