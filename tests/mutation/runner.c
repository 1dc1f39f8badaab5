/* SPDX-License-Identifier: MIT */
/* Checks mutants as `peal check` would: runner MUTANTS.so.  The mutants of a file are compiled into one shared
 * object, which chooses among them by `mutant`.  The catalogue of the library is made to run the functions of the
 * shared object: its structs are constants, so their pages are made writable. */
#include "scenes.h"
#include <dlfcn.h>
#include <peal/check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Standard input has a line a mutant: "run", "cost" or "both" for what it is part of, its number and the algorithms
 * it may make wrong.  The answer is a line each, "NUMBER KIND MESSAGE", or "NUMBER survived HOW", where HOW is "same
 * N" when it sends the same as the original in N more runs, or gives the same closed forms; "alike N" when it sends
 * the same messages in them, each node in the same order, in other rounds and at no more cost; "elsewhere N" when
 * all closed forms it gives hold, and it gives all that are promised, but N times not where the original does. */

/* For one run: most take 20 µs.  A run that takes longer has LONG_SECONDS in a second check, since other work may have
 * had the processor. */
#define RUN_SECONDS 0.15
#define LONG_SECONDS 3

/* Numbers of nodes, checked one range after the other until something is found.  What more than MANY algorithms call is
 * checked by all of them to FEW_NODES, and further by eight of them.  What is not found to FEW_NODES is compared with
 * the original before it is checked further: most survive, are the same in all those runs, and a check of many nodes
 * takes longest. */
enum { FEW_NODES = 8, MAX_NODES = 16, MANY = 12, MAX_USERS = 400 };
static const int ranges[][2] = {{1, 3}, {4, 5}, {6, 8}, {9, 12}, {13, MAX_NODES}};

/* An algorithm that a mutant may make wrong. */
struct user {
    char *name;
    bool few; /* of those that go on beyond FEW_NODES */
};

/* What the catalogue has of an algorithm, and what the shared object has. */
static struct {
    struct peal_algorithm *ours;
    void (*cost)(struct closed *sum), (*mutated)(struct closed *sum);
} closed_forms[MAX_USERS];

/* The algorithm by which the last mutant was found. */
static char finder[200];

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
        if (i + 1 >= MAX_USERS) {
            fprintf(stderr, "runner: more than %d algorithms\n", MAX_USERS - 1);
            exit(4);
        }
        closed_forms[i].ours = (struct peal_algorithm *)(uintptr_t)ours;
        closed_forms[i].cost = ours->cost;
        closed_forms[i].mutated = mutated[i]->cost;
    }
}

/* Let the catalogue have the closed forms of the shared object, too, or its own again. */
static void
replace_closed_forms(bool mutated)
{
    for (int i = 0; closed_forms[i].ours; i++)
        closed_forms[i].ours->cost = mutated ? closed_forms[i].mutated : closed_forms[i].cost;
}

/* Check one algorithm in one range, each run for these seconds; true and *verdict filled when something is wrong. */
static bool
is_found_in(const char *name, const int range[2], double seconds, struct peal_verdict *verdict)
{
    char collective[40];
    const char *algorithm = strchr(name, '/');
    struct peal_check check = {
        .nodes_from = range[0], .nodes_to = range[1], .timeout_seconds = seconds, .first_only = true};
    struct peal_error error;

    check.beyond = range[1] == MAX_NODES;
    snprintf(collective, sizeof collective, "%.*s", (int)(algorithm - name), name);
    check.algorithm = algorithm + 1;
    bool made =
        peal_collective_find(collective, &check.collective) && peal_check(&check, 1, 1, verdict, &error) == PEAL_OK;

    if (made && verdict->error.status == PEAL_PROGRAM) { /* its cost crashed, which is computed before the first run */
        verdict->findings[0] = (struct peal_finding){.fault = {.kind = PEAL_CRASH}};
        snprintf(verdict->findings[0].message, sizeof verdict->findings[0].message, "%s", verdict->error.text);
        return true;
    }
    if (!made || verdict->error.status != PEAL_OK) {
        fprintf(stderr, "runner: %s cannot be checked: %s\n", name, verdict->error.text);
        exit(4);
    }
    for (int i = 0; i < verdict->finding_count; i++)
        if (verdict->findings[i].severity == PEAL_SEVERITY_ERROR) {
            verdict->findings[0] = verdict->findings[i];
            return true;
        }
    return false;
}

static bool
is_found(const char *name, const int range[2], struct peal_verdict *verdict)
{
    return is_found_in(name, range, RUN_SECONDS, verdict) &&
           (verdict->findings[0].fault.kind != PEAL_TIMED_OUT || is_found_in(name, range, LONG_SECONDS, verdict));
}

/* The names on the rest of the line.  The algorithm that found the last mutant is the first to be asked. */
static int
read_users(char **rest, struct user users[MAX_USERS])
{
    int count = 0;

    for (char *name; count < MAX_USERS && (name = strtok_r(NULL, " \n", rest));)
        users[count++].name = name;
    for (int i = 0; i < count; i++)
        users[i].few = count <= MANY || i % ((count + 7) / 8) == 0;
    for (int i = 0; i < count; i++)
        if (strcmp(users[i].name, finder) == 0) {
            struct user first = users[i];

            memmove(users + 1, users, (size_t)i * sizeof *users);
            users[0] = first;
        }
    return count;
}

/* How far what scenes_compare says is from "same". */
static int
distance(const char *text)
{
    return *text == 's' ? 0 : *text == 'a' ? 1 : *text == 'd' ? 2 : 3;
}

/* Compare a mutant of what runs with the original, and say in `text` how like it is.  True: all that it sends is the
 * same. */
static bool
is_the_same(int *mutant, const struct user *users, int count, char *text, size_t bytes)
{
    char one[500];
    int number = *mutant, runs = 0, farthest = 0;

    for (int i = 0; i < count && farthest < 3; i++) {
        if (!users[i].few)
            continue;
        scenes_compare(users[i].name, mutant, number, one, sizeof one);
        if (distance(one) < 2)
            runs += atoi(strchr(one, ' ') + 1);
        if (distance(one) > farthest) {
            farthest = distance(one);
            snprintf(text, bytes, "%s", one);
        }
    }
    if (farthest < 2)
        snprintf(text, bytes, "%s %d", farthest == 0 ? "same" : "alike", runs);
    *mutant = number;
    return farthest == 0;
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
answer_cost(void *object, int *mutant, const struct user *users, int count)
{
    char text[500];
    int number = *mutant, scenes = 0, others = 0;

    for (int a = 0; a < count; a++) {
        if (scenes_refute_cost(users[a].name, mutants_of(object, users[a].name), mutant, number, text, sizeof text)) {
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

/* Check a mutant of what runs in the ranges that end above `above` nodes, and not above `to`; true: found and
 * reported. */
static bool
find(const int *mutant, const struct user *users, int count, int above, int to)
{
    static struct peal_verdict verdict;

    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
        for (int i = 0; i < count && ranges[r][1] > above && ranges[r][1] <= to; i++)
            if ((to <= FEW_NODES || users[i].few) && is_found(users[i].name, ranges[r], &verdict)) {
                printf("%d %s %s: %s: %s\n", *mutant, peal_failure_name(verdict.findings[0].kind), users[i].name,
                       verdict.findings[0].rerun, verdict.findings[0].message);
                snprintf(finder, sizeof finder, "%s", users[i].name);
                return true;
            }
    return false;
}

/* Check a mutant of what both runs and closed forms are made of once more, with its closed form, which what it was
 * charged is to equal; true: found and reported. */
static bool
find_by_its_form(const int *mutant, const struct user *users, int count)
{
    replace_closed_forms(true);

    bool found = find(mutant, users, count, 0, FEW_NODES) || find(mutant, users, count, FEW_NODES, MAX_NODES);

    replace_closed_forms(false);
    return found;
}

/* Answer one line. */
static void
answer(void *object, char *line, int *mutant)
{
    struct user users[MAX_USERS];
    char *rest, text[500] = "";
    const char *part = strtok_r(line, " \n", &rest);
    bool cost = strcmp(part, "cost") == 0, both = strcmp(part, "both") == 0;

    *mutant = atoi(strtok_r(NULL, " \n", &rest));
    int count = read_users(&rest, users);

    if (cost)
        answer_cost(object, mutant, users, count);
    else if (!find(mutant, users, count, 0, FEW_NODES) && !(both && find_by_its_form(mutant, users, count)) &&
             (is_the_same(mutant, users, count, text, sizeof text) ||
              !find(mutant, users, count, FEW_NODES, MAX_NODES)))
        printf("%d survived %s\n", *mutant, text);
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
