/* SPDX-License-Identifier: MIT */
/* The paths of a run: each is run from the beginning, with the decisions that led to it. */
#include "lib/base/grow.h"
#include "lib/proof/follow_inside.h"
#include <stdlib.h>

enum { MAX_PATHS = 2000 };

/* ------------------------------------------------------------------ paths */

static void
free_objects(struct following *run)
{
    for (struct c_object *object = run->objects, *next; object; object = next) {
        next = object->next;
        free(object->parts);
        free(object);
    }
    run->objects = NULL;
}

static void
begin_path(struct following *run, size_t unit)
{
    free_objects(run);
    run->condition = run->brief = run->guard = term_truth(run->terms, true);
    run->skipped = term_truth(run->terms, false);
    run->decided = 0;
    run->path = (struct path){.events = NULL};
    run->clock = run->branch_count = run->branches = run->serials = 0;
    run->scope_count = run->frame = run->depth = 0;
    run->journal_count = run->touch_count = 0;
    run->nested = 0;
    run->journals = run->merge_count = 0;
    run->buffer_count = BUFFER_BUNDLE; /* those before it are the arguments */
    run->loop = NULL;
    run->unrolled = 0;
    run->site = 0;
    run->unit = unit;
    run->at = NULL;
}

static void
end_path(struct following *run)
{
    for (size_t i = 0; i < run->path.count; i++)
        if (run->path.events[i].wait == 0) {
            follow_refuse(run, "a message of line %d is outstanding at the end", run->path.events[i].line);
        }
    for (int i = BUFFER_BUNDLE; i < run->buffer_count; i++) {
        if (run->buffers[i].freed)
            follow_require(run,
                           term_any(run->terms, term_not(run->terms, run->buffers[i].allocated), run->buffers[i].freed),
                           "memory that may not be freed at the end is not followed");
        if (run->owns[i] != 0 && run->owns[i] != run->buffers[i].own + 1)
            follow_refuse(run, "bundles that differ from way to way are not followed");
        run->owns[i] = run->buffers[i].own + 1;
    }
    if (run->path_count >= MAX_PATHS)
        follow_refuse(run, "there are more than %d ways through the function", MAX_PATHS);
    if (!array_grow(&run->paths, &run->path_capacity, run->path_count + 1, sizeof *run->paths))
        follow_no_memory(run);
    run->path.condition = run->condition;
    run->path.brief = run->brief;
    run->paths[run->path_count++] = run->path;
    run->path = (struct path){.events = NULL};
}

static void
drop_paths(struct following *run)
{
    memset(run->owns, 0, sizeof run->owns);
    for (size_t i = 0; i < run->path_count; i++)
        free(run->paths[i].events);
    run->path_count = 0;
    free(run->path.events);
    run->path = (struct path){.events = NULL};
}

/* A function for MPI gives an error code, or nothing. */
static void
check_code(struct following *run, const json_t *function, struct c_value code)
{
    if (run->mpi && strncmp(node_text(json_object_get(function, "type"), "qualType"), "void ", 5) != 0)
        follow_require(run, term_equal(run->terms, follow_number(run, code), term_number(run->terms, 0)),
                       "a function that may return an error code is not followed");
}

/* Run the function, on one path after another. */
static void
follow_paths(struct following *run, const struct c_function *function, const struct c_value *arguments, int count)
{
    do {
        begin_path(run, function->unit);
        const struct c_value code = follow_call(run, *function, arguments, count);

        run->at = function->node;
        check_code(run, function->node, code);
        end_path(run);
        while (run->decision_count > 0 && !run->decisions[run->decision_count - 1])
            run->decision_count--;
        if (run->decision_count > 0)
            run->decisions[run->decision_count - 1] = false; /* the other way of the last decision */
    } while (run->decision_count > 0);
}

enum follow_end
follow_function(struct following *run, const struct c_function *function, const struct c_value *arguments, int count)
{
    int stopped;

    run->call = follow_call;
    run->statement = follow_statement;
    while ((stopped = setjmp(run->stop)) != 0) {
        drop_paths(run);
        run->decision_count = 0;
        if (stopped == STOP_REFUSED)
            return FOLLOW_REFUSED;
        if (stopped == STOP_LOG)
            return FOLLOW_CLASSES;
    }
    follow_paths(run, function, arguments, count);
    return FOLLOW_DONE;
}

void
follow_fini(struct following *run)
{
    drop_paths(run);
    free_objects(run);
    free(run->paths);
    free(run->decisions);
    free(run->journal);
    free(run->touches);
    for (struct loop *loop = run->loops, *next; loop; loop = next) {
        next = loop->next;
        free(loop);
    }
    run->loops = NULL;
}
