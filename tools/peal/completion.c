/* SPDX-License-Identifier: MIT */
/* peal completion: print the script that completes peal's command line in a shell, made from the tables of commands and
 * options, the catalogue, the networks and the lessons.  The build runs it and installs what it prints. */
#include "command.h"
#include "kinds.h"
#include "options.h"
#include <peal/tools.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ words */

/* A list that grows word by word. */
struct list {
    char text[16000];
    size_t used;
};

/* Add a word unless it is there. */
static void
add(struct list *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *s = list->text; (s = strstr(s, word)); s += length)
        if ((s == list->text || s[-1] == ' ') && (s[length] == ' ' || s[length] == '\0'))
            return;
    if (list->used + length + 2 < sizeof list->text)
        list->used += (size_t)snprintf(list->text + list->used, sizeof list->text - list->used, "%s%s",
                                       list->used ? " " : "", word);
}

static void
add_topologies(struct list *list)
{
    const char *name, *form, *summary;

    for (int i = 0; peal_topology_list(i, &name, &form, &summary); i++)
        add(list, strcmp(name, "file") ? name : "file:");
}

static void
add_routings(struct list *list)
{
    const char *name, *form, *summary, *routing;

    for (int i = 0; peal_topology_list(i, &name, &form, &summary); i++)
        for (int j = 0; (routing = peal_topology_routing(name, j)); j++)
            add(list, routing);
}

/* The collectives, and each of their algorithms. */
static void
add_collectives(struct list *list)
{
    const struct peal_algorithm *a;
    char name[200];

    for (int i = 0; i < PEAL_COLLECTIVES; i++)
        add(list, peal_collective_name((enum peal_collective)i));
    for (int i = 0; (a = peal_algorithm_get(i)); i++) {
        snprintf(name, sizeof name, "%s/%s", peal_collective_name(a->collective), a->name);
        add(list, name);
    }
}

/* Give the words that fit a place. */
static const char *
list_words(struct list *list, enum words words, const char *const *listed)
{
    const struct peal_lesson *lesson;

    list->used = 0;
    list->text[0] = '\0';
    switch (words) {
    case WORDS_NONE:
    case WORDS_FILE:
        break;
    case WORDS_LISTED:
        for (; *listed; listed++)
            add(list, *listed);
        break;
    case WORDS_EXPLAINED:
        add(list, "kinds");
        for (const struct kind *kind = kinds; kind->name; kind++)
            add(list, kind->name);
        add_collectives(list);
        break;
    case WORDS_TARGET:
    case WORDS_ALGORITHM:
        add_collectives(list);
        break;
    case WORDS_LESSON:
        for (int i = 0; (lesson = peal_lesson_get(i)); i++)
            add(list, lesson->id);
        break;
    case WORDS_APPLICATION:
        for (int i = 0; peal_application_get(i); i++)
            add(list, peal_application_get(i)->name);
        break;
    case WORDS_TOPOLOGY:
        add_topologies(list);
        break;
    case WORDS_ROUTING:
        add_routings(list);
        break;
    }
    return list->text;
}

/* The commands, "run explain list". */
static const char *
list_commands(struct list *list)
{
    list->used = 0;
    list->text[0] = '\0';
    for (int i = 0; commands[i]; i++)
        add(list, commands[i]->name);
    return list->text;
}

/* The arguments of peal help: the commands, the other pages and the calls. */
static const char *
list_pages(struct list *list)
{
    static const char *const pages[] = {"assignment", "json", "topology", "mpi",     "tour",
                                        "libpeal",    "peal", "pealcc",   "pealrun",
#include "calls.inc"
                                        NULL};

    list_commands(list);
    for (const char *const *page = pages; *page; page++)
        add(list, *page);
    return list->text;
}

static bool
takes(const struct command *command, const struct option *option)
{
    return option_taken(command, option);
}

/* Whether the value may be left out. */
static bool
may_lack(const struct option *option)
{
    return option->value && option->value[0] == '[';
}

/* ------------------------------------------------------------------ bash */

static void
bash_option(const struct command *command, const struct option *option, struct list *list)
{
    const char *const *listed;
    enum words words = option_words(option, &listed);

    if (!option->value)
        return;
    printf("    %s:--%s", command->name, option->name);
    if (option->letter)
        printf(" | %s:-%c", command->name, option->letter);
    if (may_lack(option)) /* only after = */
        puts(") [ \"$equals\" ] && files= ;;");
    else if (words == WORDS_FILE)
        puts(") files= ;;");
    else
        printf(") words='%s' ;;\n", list_words(list, words, listed));
}

static void
bash_command(const struct command *command, struct list *list)
{
    printf("    %s)\n        options='", command->name);
    for (const struct option *o = options_table; o->name; o++)
        if (takes(command, o)) {
            if (o->letter)
                printf("-%c ", o->letter);
            printf("--%s ", o->name);
        }
    printf("'\n        words='%s'\n", list_words(list, command->completes, NULL));
    if (command->completes == WORDS_FILE)
        puts("        files=");
    if (command->completes == WORDS_TARGET || command->completes == WORDS_EXPLAINED)
        puts("        files='!*.c'");
    puts("        ;;");
}

static void
print_bash(struct list *list)
{
    puts("# bash completion for peal, printed by peal completion bash\n"
         "_peal()\n"
         "{\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
         "    local options='' words='' files=none equals='' before='' i\n"
         "    COMPREPLY=()\n"
         "    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    printf("        COMPREPLY=($(compgen -W '%s help --help --version' -- \"$cur\"))\n", list_commands(list));
    puts("        return\n"
         "    fi\n"
         "    # bash cuts words at = and :\n"
         "    [ \"$cur\" = = ] && equals=yes cur='' && prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "    [ \"$prev\" = = ] && equals=yes && prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
         "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
         "        [ \"${COMP_WORDS[i]}\" = -- ] && command=--\n"
         "    done\n"
         "    case $command:$prev in");
    for (int i = 0; commands[i]; i++)
        for (const struct option *o = options_table; o->name; o++)
            if (takes(commands[i], o))
                bash_option(commands[i], o, list);
    puts("    --:*) files= ;;\n"
         "    *)\n"
         "        case $cur:$prev in\n"
         "        *::) [ \"${COMP_WORDS[COMP_CWORD - 2]}\" = file ] && files= ;;\n"
         "        :: | *:file) [ \"$cur\" = : ] && files= cur='' ;;\n"
         "        esac\n"
         "        if [ \"$files\" = none ] && [ \"$equals\" = '' ]; then\n"
         "            case $command in");
    for (int i = 0; commands[i]; i++)
        bash_command(commands[i], list);
    printf("    help) words='%s' ;;\n", list_pages(list));
    puts("            esac\n"
         "        fi\n"
         "        ;;\n"
         "    esac\n"
         "    if [ \"${cur:0:1}\" = - ]; then\n"
         "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
         "        return\n"
         "    fi\n"
         "    case $command:$prev in # several networks, with commas\n"
         "    price:-t | price:--topology)\n"
         "        [ \"$cur\" = \"${cur%,*}\" ] || before=${cur%,*},\n"
         "        ;;\n"
         "    esac\n"
         "    COMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- \"${cur#\"$before\"}\"))\n"
         "    [ \"$files\" = none ] && return\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    local IFS=$'\\n'\n"
         "    COMPREPLY+=($(compgen -f -X \"$files\" -- \"$cur\"))\n"
         "    [ \"$files\" = '' ] || COMPREPLY+=($(compgen -d -- \"$cur\"))\n"
         "}\n"
         "complete -F _peal peal");
}

/* ------------------------------------------------------------------ zsh */

/* Print text inside single quotes, for _arguments, to which [, ] and : are special. */
static void
print_zsh_text(const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '\n':
            putchar(' ');
            break;
        case '\'':
            fputs("'\\''", stdout);
            break;
        case '[':
        case ']':
        case ':':
        case '\\':
            printf("\\%c", *text);
            break;
        default:
            putchar(*text);
        }
}

/* The action of _arguments for a value: "(a b c)", "_files". */
static void
zsh_action(enum words words, const char *const *listed, struct list *list)
{
    switch (words) {
    case WORDS_NONE:
        putchar(' ');
        break;
    case WORDS_FILE:
        fputs("_files", stdout);
        break;
    case WORDS_TOPOLOGY:
        fputs("_peal_topologies", stdout);
        break;
    case WORDS_TARGET:
        fputs("_peal_targets", stdout);
        break;
    case WORDS_EXPLAINED:
        fputs("_peal_explained", stdout);
        break;
    case WORDS_LISTED:
    case WORDS_ALGORITHM:
    case WORDS_LESSON:
    case WORDS_APPLICATION:
    case WORDS_ROUTING:
        list_words(list, words, listed);
        putchar('(');
        for (const char *s = list->text; *s; s++)
            printf(*s == ':' ? "\\%c" : "%c", *s);
        putchar(')');
        break;
    }
}

static void
zsh_option(const struct command *command, const struct option *option, struct list *list)
{
    const char *const *listed;
    enum words words = option_words(option, &listed);
    bool again = command->completes == WORDS_FILE && words == WORDS_TOPOLOGY;

    fputs("            ", stdout);
    if (option->letter && !again)
        printf("'(-%c --%s)'", option->letter, option->name);
    else if (again)
        fputs("\\*", stdout);
    if (option->letter)
        printf("{-%c%s,--%s%s}'", option->letter, option->value ? "+" : "", option->name, option->value ? "=" : "");
    else
        printf("'--%s%s", option->name, !option->value ? "" : may_lack(option) ? "=-" : "=");
    putchar('[');
    print_zsh_text(option->summary);
    putchar(']');
    if (option->value) {
        fputs(may_lack(option) ? "::" : ":", stdout);
        print_zsh_text(may_lack(option) ? "FILE" : option->value);
        putchar(':');
        zsh_action(words, listed, list);
    }
    puts("' \\");
}

static void
zsh_command(const struct command *command, struct list *list)
{
    printf("    %s)\n        _arguments -s -S \\\n", command->name);
    for (const struct option *o = options_table; o->name; o++)
        if (takes(command, o))
            zsh_option(command, o, list);
    if (command->completes == WORDS_NONE) {
        puts("            && return 0\n        ;;");
        return;
    }
    printf("            '%s:argument:", command->completes == WORDS_LESSON ? "*" : "1");
    zsh_action(command->completes, NULL, list);
    printf("'%s\n        ;;\n",
           command->completes == WORDS_TARGET || command->completes == WORDS_EXPLAINED ? " '*:argument:_files'" : "");
}

static void
print_zsh(struct list *list)
{
    puts("#compdef peal\n"
         "# zsh completion for peal, printed by peal completion zsh\n"
         "_peal_targets()\n"
         "{");
    printf("    compadd -- %s\n", list_words(list, WORDS_TARGET, NULL));
    puts("    _files -g '*.c'\n"
         "}\n"
         "_peal_explained()\n"
         "{");
    printf("    compadd -- %s\n", list_words(list, WORDS_EXPLAINED, NULL));
    puts("    _files -g '*.c'\n"
         "}\n"
         "_peal_topologies()\n"
         "{\n"
         "    if compset -P 'file:'; then\n"
         "        _files\n"
         "        return\n"
         "    fi\n"
         "    [[ $words[1] = price ]] && compset -P '*,'");
    printf("    compadd -- %s\n", list_words(list, WORDS_TOPOLOGY, NULL));
    puts("}\n"
         "_peal()\n"
         "{\n"
         "    local -a commands\n"
         "    commands=(");
    for (int i = 0; commands[i]; i++) {
        printf("        '%s:", commands[i]->name);
        print_zsh_text(commands[i]->summary);
        puts("'");
    }
    puts("        'help:show help'\n"
         "    )\n"
         "    if (( CURRENT == 2 )); then\n"
         "        _describe -t commands command commands\n"
         "        compadd -- --help --version\n"
         "        return\n"
         "    fi\n"
         "    shift words\n"
         "    (( CURRENT-- ))\n"
         "    case $words[1] in");
    for (int i = 0; commands[i]; i++)
        zsh_command(commands[i], list);
    printf("    help)\n"
           "        compadd -- %s\n"
           "        ;;\n",
           list_pages(list));
    puts("    esac\n"
         "}\n"
         "_peal \"$@\"");
}

/* ------------------------------------------------------------------ fish */

/* Print text in single quotes. */
static void
print_fish_text(const char *text)
{
    putchar('\'');
    for (; *text; text++)
        if (*text == '\n')
            putchar(' ');
        else
            printf(*text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
    putchar('\'');
}

static void
fish_option(const struct command *command, const struct option *option, struct list *list)
{
    const char *const *listed;
    enum words words = option_words(option, &listed);

    printf("complete -c peal -n '__fish_seen_subcommand_from %s'", command->name);
    if (option->letter)
        printf(" -s %c", option->letter);
    printf(" -l %s -d ", option->name);
    print_fish_text(option->summary);
    if (option->value && !may_lack(option))
        fputs(words == WORDS_FILE ? " -r -F" : " -x", stdout);
    if (option->value && *list_words(list, words, listed)) {
        fputs(" -a ", stdout);
        print_fish_text(list->text);
    }
    putchar('\n');
}

static void
fish_command(const struct command *command, struct list *list)
{
    printf("complete -c peal -n __fish_use_subcommand -a %s -d ", command->name);
    print_fish_text(command->summary);
    putchar('\n');
    for (const struct option *o = options_table; o->name; o++)
        if (takes(command, o))
            fish_option(command, o, list);
    if (*list_words(list, command->completes, NULL)) {
        printf("complete -c peal -n '__fish_seen_subcommand_from %s' -a ", command->name);
        print_fish_text(list->text);
        putchar('\n');
    }
    if (command->completes == WORDS_FILE)
        printf("complete -c peal -n '__fish_seen_subcommand_from %s' -F\n", command->name);
    if (command->completes == WORDS_TARGET || command->completes == WORDS_EXPLAINED)
        printf("complete -c peal -n '__fish_seen_subcommand_from %s' -a '(__fish_complete_suffix .c)'\n",
               command->name);
}

static void
print_fish(struct list *list)
{
    puts("# fish completion for peal, printed by peal completion fish\n"
         "complete -c peal -f\n"
         "complete -c peal -n __fish_use_subcommand -s h -l help -d 'show help'\n"
         "complete -c peal -n __fish_use_subcommand -s V -l version -d 'print the version'\n"
         "complete -c peal -n __fish_use_subcommand -a help -d 'show help'");
    printf("complete -c peal -n '__fish_seen_subcommand_from help' -a '%s'\n", list_pages(list));
    for (int i = 0; commands[i]; i++)
        fish_command(commands[i], list);
}

/* ------------------------------------------------------------------ the command */

static int
run(const struct command_request *request)
{
    const char *shell = request->argument_count == 1 ? request->arguments[0] : "";
    struct peal_error error;
    struct list list;

    if (strcmp(shell, "bash") == 0)
        print_bash(&list);
    else if (strcmp(shell, "zsh") == 0)
        print_zsh(&list);
    else if (strcmp(shell, "fish") == 0)
        print_fish(&list);
    else
        return complain(
            (peal_refuse(&error, PEAL_USAGE, "expected a shell: peal completion bash, zsh or fish"), &error));
    return 0;
}

const struct command command_completion = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .summary = "print the script that completes peal's command line in a shell",
    .examples = "  eval \"$(peal completion bash)\"    complete in this shell\n",
    .takes = 0,
    .run = run,
};
