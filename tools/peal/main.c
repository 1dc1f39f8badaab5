/* SPDX-License-Identifier: MIT */
/* peal: find the command, read its options, run it. */
#include "grade/grade.h"
#include "help/manual.h"
#include "run/launch.h"
#include "run/mpi.h"
#include <stdlib.h>
#include <string.h>

#define COMMAND(name) extern const struct command command_##name;
#include "commands.def"
#undef COMMAND

static const struct command *const all_commands[] = {
#define COMMAND(name) &command_##name,
#include "commands.def"
#undef COMMAND
    NULL};

static int
main_finish(int code)
{
    struct peal_error error;

    return code == 0 && output_flush(&error) != PEAL_OK ? complain(&error) : code;
}

/* A command's man page, or another page; the short help where there is none, or no man.  Other words are searched. */
static int
help(int argc, char **argv)
{
    struct peal_error error = {PEAL_OK, ""}, unknown = {PEAL_OK, ""};
    const struct command *command = argc == 1 ? command_find(argv[0], &unknown) : NULL;

    if (argc == 1 && manual_show(argv[0], &error) == PEAL_OK)
        return main_finish(0);
    if (argc > 0 && !command && error.status != PEAL_RESOURCES) {
        if (manual_search(argc, argv, NULL, &error) == PEAL_OK)
            return main_finish(0);
        return complain(strstr(unknown.text, "did you mean") ? &unknown : &error); /* a mistyped command */
    }
    if (error.status == PEAL_RESOURCES)
        complain(&error);
    if (argc > 0 && !command)
        return (int)error.status;
    help_print(command);
    return main_finish(0);
}

/* Refuse numbers in the environment that are out of range: the library, which reads them, would ignore them. */
static enum peal_status
check_environment(struct peal_error *error)
{
    static const struct {
        const char *name;
        long least, most;
    } numbers[] = {{"PEAL_PLAY", 0, 255}, {"PEAL_COMPILE_SECONDS", 1, 99999}, {"PEAL_CHECK_MEBIBYTES", 1, 1 << 24}};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const char *said = getenv(numbers[i].name);
        char *end = NULL;
        long number = said ? strtol(said, &end, 10) : 0;

        if (said && *said && (*end || end == said || number < numbers[i].least || number > numbers[i].most))
            return peal_refuse(error, PEAL_USAGE, "%s is '%s': expected a whole number from %ld to %ld",
                               numbers[i].name, said, numbers[i].least, numbers[i].most);
    }
    return PEAL_OK;
}

static int
main_run_command(const struct command *command, int argc, char **argv, char **all)
{
    struct command_request request;
    struct peal_error error;
    bool well = options_parse(&request, command, argc, argv, &error) == PEAL_OK && check_environment(&error) == PEAL_OK;
    int code;

    if (well && request.document.help) {
        help_print(command);
        code = 0;
    } else if (well && launch_needed(&request)) {
        code = launch(&request, all);
    } else if (well && launch_join(&request, &error) == PEAL_OK) {
        file_allow(request.document.most_mebibytes);
        code = command->run(&request);
    } else {
        code = complain(&error);
    }
    options_fini(&request);
    return launch_leave(main_finish(code));
}

/* pealrun: peal run with a launcher's command line. */
static int
run_program(int argc, char **argv)
{
    struct peal_error error;
    char **words = NULL;
    int count;

    if (argc == 2 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)) {
        mpi_help();
        return main_finish(0);
    }
    if (argc == 2 && (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0)) {
        printf("pealrun %s\n", peal_version());
        return main_finish(0);
    }
    if (mpi_command_line(argc, argv, &words, &count, &error) != PEAL_OK)
        return complain(&error);
    return main_run_command(command_find("run", NULL), count - 2, words + 2, words);
}

static int
main_start(int argc, char **argv)
{
    struct peal_error error;

    commands = all_commands;
    output_guard();
    if (mpi_launches(argv[0]))
        return run_program(argc, argv);
    if (argc < 2)
        return complain_of(PEAL_USAGE, "expected a command, as in peal explain scatter (peal --help)");
    if (strcmp(argv[1], "--enclosed") == 0)
        return grade_enclosed(argc - 2, argv + 2);
    if (strcmp(argv[1], "--complete") == 0) {
        complete(argc - 2, argv + 2);
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("peal %s\n", peal_version());
        return main_finish(0);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return help(argc - 2, argv + 2);

    const struct command *command = command_find(argv[1], &error);

    return command ? main_run_command(command, argc - 2, argv + 2, argv) : complain(&error);
}

/* In the browser main is entered again after each switch of stacks, and its return value is lost then: so it exits. */
int
main(int argc, char **argv)
{
    exit(main_start(argc, argv));
}
