/* SPDX-License-Identifier: MIT */
/* peal --complete WORD...: print the completions of the last of these words, one per line, with a description after a
 * tab.  ":file" is any file, ":file .c" one with this ending.  The shells' scripts in tools/completion/ offer it. */
#include "kinds.h"
#include "options/machines.h"
#include <stdlib.h>
#include <string.h>

static const char *last = ""; /* the last word */
static int kept;              /* the part of it that stays: the length of "--topology=" */

static void
completion_put(const char *word, const char *description)
{
    printf("%.*s%s%s", kept, last, word, description ? "\t" : "");
    for (; description && *description; description++)
        putchar(*description == '\n' ? ' ' : *description);
    putchar('\n');
}

/* The routings of all topologies, each once. */
static void
put_routings(void)
{
    const char *name, *form, *summary, *routing, *earlier[64];
    size_t count = 0, j;

    for (int i = 0; peal_topology_list(i, &name, &form, &summary); i++)
        for (int k = 0; (routing = peal_topology_routing(name, k)) && count < sizeof earlier / sizeof *earlier; k++) {
            for (j = 0; j < count && strcmp(earlier[j], routing) != 0; j++)
                ;
            if (j == count)
                completion_put(earlier[count++] = routing, NULL);
        }
}

static void
put_words(enum words words, const char *const *listed)
{
    const char *name, *form, *summary;
    const struct peal_algorithm *a;
    const struct peal_lesson *lesson;
    struct machine machine;
    char text[200];

    switch (words) {
    case WORDS_NONE:
        break;
    case WORDS_LISTED:
        for (; *listed; listed++)
            completion_put(*listed, NULL);
        break;
    case WORDS_FILE:
        puts(":file");
        break;
    case WORDS_EXPLAINED:
        completion_put("kinds", "all kinds of findings");
        for (const struct kind *kind = kinds; kind->name; kind++)
            completion_put(kind->name, kind->title);
        /* fall through */
    case WORDS_TARGET:
        puts(":file .c");
        words = WORDS_ALGORITHM;
        /* fall through */
    case WORDS_LISTED_ALGORITHM:
        if (words == WORDS_LISTED_ALGORITHM)
            completion_put("machines", "machines that exist");
        /* fall through */
    case WORDS_ALGORITHM:
        for (int i = 0; i < PEAL_COLLECTIVES; i++)
            completion_put(peal_collective_name((enum peal_collective)i), NULL);
        for (int i = 0; (a = peal_algorithm_get(i)); i++) {
            snprintf(text, sizeof text, "%s/%s", peal_collective_name(a->collective), a->name);
            completion_put(text, a->summary);
        }
        break;
    case WORDS_MACHINE:
        puts(":file");
        for (int i = 0; machine_get(i, &machine); i++) {
            completion_put(machine.name, machine.about);
            free(machine.text);
        }
        break;
    case WORDS_LESSON:
        for (int i = 0; (lesson = peal_lesson_get(i)); i++)
            completion_put(lesson->id, lesson->title);
        break;
    case WORDS_APPLICATION:
        for (int i = 0; peal_application_get(i); i++)
            completion_put(peal_application_get(i)->name, peal_application_get(i)->summary);
        break;
    case WORDS_TOPOLOGY:
        for (int i = 0; peal_topology_list(i, &name, &form, &summary); i++)
            completion_put(strcmp(name, "file") ? name : "file:", summary);
        break;
    case WORDS_ROUTING:
        put_routings();
        break;
    }
}

static void
put_value(const struct option *option)
{
    const char *const *listed;
    enum words words = option_words(option, &listed);
    const char *comma = option->of & OF(price) && words == WORDS_TOPOLOGY ? strrchr(last + kept, ',') : NULL;

    if (comma)
        kept = (int)(comma + 1 - last);
    put_words(words == WORDS_TOPOLOGY && strncmp(last + kept, "file:", 5) == 0 ? WORDS_FILE : words, listed);
}

/* Complete the value of an option of the command, "--name VALUE", "-n VALUE", "--name=VALUE" or "-nVALUE"; false: the
 * last word is not one. */
static bool
complete_value(const struct command *command, const char *previous)
{
    for (const struct option *o = options_table; o->name; o++) {
        char name[40], letter[] = {'-', o->letter, '\0'};
        int length = snprintf(name, sizeof name, "--%s", o->name);

        if (!o->value || !option_taken(command, o))
            continue;
        if (strncmp(last, name, (size_t)length) == 0 && last[length] == '=')
            kept = length + 1;
        else if (o->letter && strncmp(last, letter, 2) == 0 && last[2])
            kept = 2;
        else if (o->value[0] == '[' || (strcmp(previous, name) != 0 && (!o->letter || strcmp(previous, letter) != 0)))
            continue;
        put_value(o);
        return true;
    }
    return false;
}

static void
complete_argument(const struct command *command)
{
    char name[40];

    if (last[0] != '-') {
        put_words(command->completes, NULL);
        return;
    }
    for (const struct option *o = options_table; o->name; o++)
        if (option_taken(command, o)) {
            snprintf(name, sizeof name, "-%c", o->letter);
            if (o->letter)
                completion_put(name, o->summary);
            snprintf(name, sizeof name, "--%s", o->name);
            completion_put(name, o->summary);
        }
}

void
complete(int count, char **words)
{
    static const char *const others[] = {"help", "--help", "--version", NULL};
    static const char *const pages[] = {"assignment", "json",    "machine", "model",  "topology", "mpi",
                                        "tour",       "libpeal", "peal",    "pealcc", "pealrun",
#include "calls.inc"
                                        NULL};
    bool help = count > 1 && strcmp(words[0], "help") == 0;
    struct peal_error unknown;

    if (count > 0)
        last = words[count - 1];
    if (count < 2 || help) {
        for (int i = 0; commands[i]; i++)
            completion_put(commands[i]->name, commands[i]->summary);
        put_words(WORDS_LISTED, help ? pages : others);
        return;
    }
    const struct command *command = command_find(words[0], &unknown);

    for (int i = 1; command && i < count - 1; i++)
        if (strcmp(words[i], "--") == 0) {
            put_words(WORDS_FILE, NULL);
            return;
        }
    if (command && !complete_value(command, words[count - 2]))
        complete_argument(command);
}
