/* SPDX-License-Identifier: MIT */
/* Takes a schedule's file in place of an algorithm's name: it is read, loaded, and dropped at the end. */
#include "run/schedules.h"
#include "lib/base/text.h"
#include "write/files.h"
#include <stdlib.h>
#include <sys/stat.h>

bool
schedule_is(const char *path)
{
    struct stat about;
    char first[4096];
    FILE *file;
    bool looks = false;

    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    if (text_has_ending(path, ".xml"))
        return true;
    file = fopen(path, "r");
    if (file) {
        looks = peal_plan_is(first, fread(first, 1, sizeof first, file));
        fclose(file);
    }
    return looks;
}

struct peal_plan *
schedule_read(const char *path, struct peal_error *error)
{
    void *bytes = NULL;
    size_t count = 0;
    struct peal_plan *plan = NULL;
    struct peal_plan_verdict verdict;

    if (file_read_document(path, &bytes, &count, error) == PEAL_OK)
        plan = peal_plan_read(path, bytes, count, error);
    free(bytes);
    if (plan && peal_plan_judge(plan, NULL, &verdict, error) != PEAL_OK) {
        peal_plan_destroy(plan);
        plan = NULL;
    }
    return plan;
}

/* The least multiple of the schedule's chunks that is at least the usual number of words. */
static int
words_for(int chunks, int usual)
{
    return chunks < 1 ? usual : (usual + chunks - 1) / chunks * chunks;
}

/* Take nodes, root and sizes from the schedule where the request has none. */
static void
schedules_take_numbers(struct command_request *request, const struct peal_plan *plan)
{
    enum { DEFAULT_BLOCK = 4 };

    if (!option_given(request, "nodes") && peal_topology_nodes(request->machine.topology) == 0)
        request->machine.nodes = plan->nodes;
    if (!option_given(request, "root") && peal_form_of(plan->collective)->root)
        request->call.root = plan->root;
    for (int i = 0; i < 2; i++) {
        snprintf(request->chunk_words[i], sizeof request->chunk_words[i], "%d", (i + 1) * plan->chunks);
        request->chunk_lists[i] = request->chunk_words[i];
    }
    request->usual_block = words_for(plan->chunks, DEFAULT_BLOCK);
    request->usual_vector = words_for(plan->chunks, DEFAULT_BLOCK * plan->nodes);
}

/* A schedule without data takes a program's place. */
static enum peal_status
take_dataless(struct command_request *request, int i, struct peal_plan *plan, struct peal_error *error)
{
    int nodes =
        option_given(request, "nodes") ? request->machine.nodes : peal_topology_nodes(request->machine.topology);
    enum peal_status status = PEAL_OK;

    if (request->bare)
        status =
            peal_refuse(error, PEAL_USAGE, "%s: one schedule without a collective at a time", request->arguments[i]);
    else if (nodes > 0 && nodes != plan->nodes)
        status = peal_refuse(error, PEAL_USAGE, "%s is for exactly %d node%s, not %d", request->arguments[i],
                             plan->nodes, plural(plan->nodes), nodes);
    if (status != PEAL_OK) {
        peal_plan_destroy(plan);
        return status;
    }
    request->machine.nodes = plan->nodes;
    request->bare = plan;
    return PEAL_OK;
}

static enum peal_status
schedules_take_one(struct command_request *request, int i, struct peal_error *error)
{
    const char *path = request->arguments[i];
    struct peal_plan *plan = schedule_read(path, error);
    const struct peal_algorithm *algorithm;
    char *name = NULL;

    if (!plan)
        return error->status;
    if (plan->bare)
        return take_dataless(request, i, plan, error);
    algorithm = peal_plan_load(plan, file_name(path), error);
    if (!algorithm) {
        peal_plan_destroy(plan);
        return error->status;
    }
    request->schedules[request->schedule_count++] = algorithm;
    schedules_take_numbers(request, plan);
    if (asprintf(&name, "%s/%s", peal_collective_name(algorithm->collective), algorithm->name) < 0)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    free(request->arguments[i]);
    request->arguments[i] = name;
    return PEAL_OK;
}

enum peal_status
schedules_take(struct command_request *request, struct peal_error *error)
{
    for (int i = 0; i < request->argument_count; i++) {
        if (!schedule_is(request->arguments[i]))
            continue;
        if (request->schedule_count == MAX_SCHEDULES)
            return peal_refuse(error, PEAL_USAGE, "%s: at most %d schedules at a time", request->arguments[i],
                               MAX_SCHEDULES);
        if (schedules_take_one(request, i, error) != PEAL_OK)
            return error->status;
    }
    return PEAL_OK;
}

enum peal_status
schedules_scenario(struct command_request *request, struct peal_error *error)
{
    const char *text = request->session.messages;
    bool sized = option_given(request, "nodes") || peal_topology_nodes(request->machine.topology) > 0;
    size_t words = option_given(request, "words") ? request->call.vector_words : 1;

    if (request->argument_count > 0 || request->function.file || request->program)
        return peal_refuse(error, PEAL_USAGE, "--messages takes the place of a collective or a program: leave out %s",
                           request->argument_count > 0 ? request->arguments[0]
                           : request->function.file    ? "--file"
                                                       : "what follows --");
    if (strcmp(request->machine.engine ? request->machine.engine : "", "mpi") == 0)
        return peal_refuse(error, PEAL_USAGE, "--messages runs on threads or fibers, not with --engine mpi");
    request->bare =
        peal_plan_read_messages(text, sized ? request->machine.nodes : 0, words, request->machine.word_bytes, error);
    if (!request->bare)
        return error->status;
    request->machine.nodes = request->bare->nodes;
    request->arguments[0] = strdup(text); /* there is room for the NULL that ends the list, too: see keep_arguments */
    if (!request->arguments[0])
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    request->argument_count = 1;
    return PEAL_OK;
}

void
schedules_drop(struct command_request *request)
{
    for (int i = 0; i < request->schedule_count; i++)
        peal_algorithm_unload(request->schedules[i]);
    request->schedule_count = 0;
    peal_plan_destroy(request->bare);
    request->bare = NULL;
}
