/* SPDX-License-Identifier: MIT */
/* The help of peal and of its commands, made from the tables of commands and options. */
#include "options/options.h"
#include "show/print.h"

enum { OPTION_COLUMNS = 26 };

static void
print_heading(const char *text)
{
    print_inked(stdout, BOLD, "%s\n", text);
}

/* Where the summary ends.  A check tries all cases, so the defaults of other commands, in brackets at the end, are not
 * its own. */
static const char *
help_summary_end(const struct command *command, const struct option *option)
{
    const char *end = option->summary + strlen(option->summary), *bracket = strrchr(option->summary, '(');
    bool shared = option->of != OF(check) && strcmp(option->group, "Running") != 0;

    return strcmp(command->name, "check") == 0 && shared && bracket && end[-1] == ')' ? bracket - 1 : end;
}

/* Print the option's line, "  -p, --nodes P       nodes (8)", further lines of its summary below. */
static void
print_option(const struct command *command, const struct option *option)
{
    const char *value = option->value ? option->value : "";
    char left[80], letter[8] = "   ";

    if (option->letter)
        snprintf(letter, sizeof letter, "-%c,", option->letter);
    snprintf(left, sizeof left, "  %s --%s%s%s", letter, option->name, *value && *value != '[' ? " " : "", value);
    print_left(stdout, left, OPTION_COLUMNS);
    if (strlen(left) >= OPTION_COLUMNS) /* too long for the column */
        printf("\n%*s", OPTION_COLUMNS, "");
    for (const char *s = option->summary, *end = help_summary_end(command, option); s < end; s++)
        if (*s == '\n')
            printf("\n%*s", OPTION_COLUMNS, "");
        else
            putchar(*s);
    putchar('\n');
}

static void
print_options(const struct command *command)
{
    const char *group = "";

    for (const struct option *o = options_table; o->name; o++) {
        if (!option_taken(command, o))
            continue;
        if (strcmp(group, o->group) != 0) {
            putchar('\n');
            print_heading(o->group);
            group = o->group;
        }
        print_option(command, o);
    }
}

/* The networks that -t can name. */
static void
print_topologies(void)
{
    const char *name, *form, *summary;

    putchar('\n');
    print_heading("Networks");
    for (int i = 0; peal_topology_list(i, &name, &form, &summary); i++) {
        fputs("  ", stdout);
        print_left(stdout, form, OPTION_COLUMNS - 2);
        print_wrapped(stdout, summary, OPTION_COLUMNS);
    }
}

static void
print_peal(void)
{
    print_heading("Examples");
    puts("  peal explain scatter -p 8 -m 4 -t hypercube:3   a scatter, round by round\n"
         "  peal run broadcast -p 16 -n 1M -t ring          the cost of one on a ring\n"
         "  peal run hello.c -p 4                           a node program of your own\n"
         "  peal compare allreduce -p 16 -n 1M              all that can do it, best first\n"
         "  peal sweep broadcast -n 1:1M                    which is best at which size\n"
         "  peal list scatter                               the algorithms there are\n"
         "  peal price run.json -t line,mesh                a run on other networks\n");
    print_heading("Usage");
    puts("  peal COMMAND [options]\n"
         "  peal COMMAND --help         its options\n"
         "  peal help COMMAND|CALL      its man page, as of run or peal_send\n"
         "  peal help WORDS             what there is on them, as on odd split\n"
         "  peal --version\n");
    print_heading("Commands");
    for (size_t i = 0; commands[i]; i++)
        printf("  %-11s%s\n", commands[i]->name, commands[i]->summary);
    puts("\nExit status: 0 ok, 1 a check or the program failed, 2 usage, 3 the file did not\n"
         "compile or load, 4 the system refused (memory, threads, files), 124 timeout.");
}

void
help_print(const struct command *command)
{
    if (!command) {
        print_peal();
        return;
    }
    print_heading("Examples");
    fputs(command->examples, stdout);
    putchar('\n');
    print_heading("Usage");
    printf("  peal %s %s\n  %c%s.\n", command->name, command->arguments, command->summary[0] - 'a' + 'A',
           command->summary + 1);
    print_options(command);
    if (command_is(command, OF_MACHINE))
        print_topologies();
}
