/* SPDX-License-Identifier: MIT */
/* Check mutants as `peal check` would: runner MUTANTS.so, then a line a mutant on standard input, "run" or "cost" for what it
 * is part of, its number and the algorithms it may make wrong; answers with a line each, "NUMBER KIND MESSAGE", or "NUMBER
 * survived HOW", where HOW is "same N" when it sends the same as the original in N more runs, or gives the same closed forms;
 * "elsewhere N" when all closed forms it gives hold, and it gives all that are promised, but N times not where the original
 * does.
 *
 * The mutants of a file are compiled into one shared object, which chooses among them by `mutant`.  The catalogue of the
 * library is made to run the functions of the shared object: its structs are constants, so their pages are made writable. */
#include "scenes.h"
#include <dlfcn.h>
#include <peal/check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of the processor, for one run: most take 20 µs. */
#define RUN_SECONDS 0.15

/* Numbers of nodes, checked one range after the other until something is found.  What more than MANY algorithms call is
 * checked by all of them to FEW_NODES, and further by eight of them. */
enum { FEW_NODES = 8, MANY = 12 };
static const int ranges[][2] = {{1, 3}, {4, 5}, {6, 8}, {9, 12}, {13, 16}};

/* Let the catalogue run what the shared object has. */
static void
replace_catalogue(void *object)
{
    const struct peal_algorithm *const *mutated = dlsym(object, "mutated_algorithms");
    long page = sysconf(_SC_PAGESIZE);

    for (int i = 0; mutated && mutated[i]; i++) {
        const struct peal_algorithm *ours = peal_algorithm_find(mutated[i]->collective, mutated[i]->name);
        uintptr_t begin = (uintptr_t)ours / (uintptr_t)page * (uintptr_t)page, end = (uintptr_t)(ours + 1);

        if (!ours || mprotect((void *)begin, end - begin, PROT_READ | PROT_WRITE) != 0) {
            fprintf(stderr, "runner: %s of the catalogue cannot be replaced\n", mutated[i]->name);
            exit(4);
        }
        memcpy((void *)(uintptr_t)&ours->run, &mutated[i]->run, sizeof ours->run);
    }
}

/* Check one algorithm in one range; true and *verdict filled when something is wrong. */
static bool
is_found(const char *name, const int range[2], struct peal_verdict *verdict)
{
    char collective[40];
    const char *algorithm = strchr(name, '/');
    struct peal_check check = {
        .nodes_from = range[0], .nodes_to = range[1], .timeout_seconds = RUN_SECONDS, .first_only = true};
    struct peal_error error;

    snprintf(collective, sizeof collective, "%.*s", (int)(algorithm - name), name);
    check.algorithm = algorithm + 1;
    if (!peal_collective_find(collective, &check.collective) || peal_check(&check, 1, 1, verdict, &error) != PEAL_OK ||
        verdict->error.status != PEAL_OK) {
        fprintf(stderr, "runner: %s cannot be checked: %s\n", name, verdict->error.text);
        exit(4);
    }
    for (int i = 0; i < verdict->finding_count; i++)
        if (!verdict->findings[i].warning) {
            verdict->findings[0] = verdict->findings[i];
            return true;
        }
    return false;
}

/* Whether name a of count is among eight or so, if it is called by many. */
static bool
is_of_few(int a, int count)
{
    return count <= MANY || a % ((count + 7) / 8) == 0;
}

/* Say how like the original a mutant of what runs is that was not found. */
static void
tell_survivor(int *mutant, char *const names[], int count)
{
    char text[500], worst[500] = "";
    int number = *mutant, runs = 0;

    for (int a = 0; a < count && strncmp(worst, "WRONG", 5) != 0; a++) {
        if (!is_of_few(a, count))
            continue;
        scenes_compare(names[a], mutant, number, text, sizeof text);
        if (strncmp(text, "same ", 5) == 0)
            runs += atoi(text + 5);
        else if (!worst[0] || text[0] == 'W')
            snprintf(worst, sizeof worst, "%s", text);
    }
    if (worst[0])
        printf("%d survived %s\n", number, worst);
    else
        printf("%d survived same %d\n", number, runs);
}

/* The mutants of an algorithm, "chain:3". */
static const struct peal_algorithm *
mutants_of(void *object, const char *name)
{
    const struct peal_algorithm *const *mutated = dlsym(object, "mutated_algorithms");
    char full[200];

    for (int i = 0; mutated[i]; i++) {
        int length =
            snprintf(full, sizeof full, "%s/%s", peal_collective_name(mutated[i]->collective), mutated[i]->name);

        if (strncmp(name, full, (size_t)length) == 0 && (name[length] == '\0' || name[length] == ':'))
            return mutated[i];
    }
    fprintf(stderr, "runner: no %s\n", name);
    exit(4);
}

static void
answer_cost(void *object, int *mutant, char *const names[], int count)
{
    char text[500];
    int number = *mutant, scenes = 0, others = 0;

    for (int a = 0; a < count; a++) {
        if (scenes_refute_cost(names[a], mutants_of(object, names[a]), mutant, number, text, sizeof text)) {
            printf("%d %s\n", number, text);
            return;
        }
        scenes += strncmp(text, "survived same ", 14) == 0 ? atoi(text + 14) : 0;
        others += strncmp(text, "survived elsewhere ", 19) == 0 ? atoi(text + 19) : 0;
    }
    if (others > 0)
        printf("%d survived elsewhere %d\n", number, others);
    else
        printf("%d survived same %d\n", number, scenes);
}

/* Answer one line. */
static void
answer(void *object, char *line, int *mutant)
{
    static struct peal_verdict verdict;
    char *names[400], *rest;
    int count = 0;
    bool cost = strcmp(strtok_r(line, " \n", &rest), "cost") == 0;

    *mutant = atoi(strtok_r(NULL, " \n", &rest));
    for (char *name; count < 400 && (name = strtok_r(NULL, " \n", &rest));)
        names[count++] = name;
    if (cost) {
        answer_cost(object, mutant, names, count);
        return;
    }
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        for (int a = 0; a < count; a++)
            if ((ranges[i][1] <= FEW_NODES || is_of_few(a, count)) && is_found(names[a], ranges[i], &verdict)) {
                printf("%d %s %s: %s: %s\n", *mutant, peal_failure_name(verdict.findings[0].kind), names[a],
                       verdict.findings[0].rerun, verdict.findings[0].message);
                return;
            }
    tell_survivor(mutant, names, count);
}

int
main(int argc, char **argv)
{
    void *object = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int *mutant = object ? dlsym(object, "mutant") : NULL;
    char line[16384];

    if (!mutant) {
        fprintf(stderr, "runner: give a shared object of mutants: %s\n", argc == 2 ? dlerror() : "none");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    replace_catalogue(object);
    while (fgets(line, sizeof line, stdin))
        if (line[0] != '\n')
            answer(object, line, mutant);
    return 0;
}
