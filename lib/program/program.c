/* SPDX-License-Identifier: MIT */
/* Programs in files (include/peal/program.h): compiled (compile.c), loaded (load.c), run. */
#include "lib/base/text.h"
#include "lib/child/box.h"
#include "lib/program/foreign.h"
#include "lib/program/interpose.h"
#include "lib/program/linked.h"
#include "lib/program/load.h"
#include "lib/program/sampled.h"
#include "lib/program/source.h"

#include <peal/outside.h>
#include <unistd.h>

/* The end of a node of a linked program. */
struct exit_code {
    int code;
    bool aborts; /* it ends the run */
};

struct peal_program_file {
    char *path;
    int nodes; /* for machines of at most this many nodes */
    struct loaded loaded;
    struct interpose_state **states; /* one per node, of the current run */
    int argc;
    char **argv;
    size_t argv_bytes;   /* of all its strings, with their zeros */
    bool has_main;       /* it begins at peal_main, not at another function */
    bool linked;         /* it begins at main (linked.h) */
    bool starts_threads; /* linked, with functions for that */
    bool host_clock;
    struct exit_code *codes; /* of a linked program, one per node */
    int aborted;             /* the exit code of the node that ended the last run; 0: none did */
};

/* The arguments of the nodes of a run. */
struct starting {
    struct peal_program_file *file;
    peal_program program; /* NULL: the file's peal_main */
    void *arg;
};

program_source program_compiled = compile_program;

/* Copy the list of arguments, or make one of the file's name. */
static bool
copy_arguments(struct peal_program_file *file, const struct peal_program_options *options)
{
    bool given = options->argc > 0 && options->argv;

    file->argc = given ? options->argc : 1;
    file->argv = calloc((size_t)file->argc + 1, sizeof *file->argv);
    if (!file->argv)
        return false;
    for (int i = 0; i < file->argc; i++) {
        file->argv[i] = strdup(given ? options->argv[i] : file->path);
        if (!file->argv[i])
            return false;
        file->argv_bytes += strlen(file->argv[i]) + 1;
    }
    return true;
}

static const char *
entry_of(const struct compiled *program, const struct peal_program_options *options)
{
    return program->linked ? LINKED_ENTRY : options->function ? options->function : "peal_main";
}

struct peal_program_file *
program_load_compiled(const char *path, int nodes, const struct peal_program_options *options,
                      const struct compiled *program, struct peal_error *error)
{
    struct peal_program_file *file = calloc(1, sizeof *file);

    if (file)
        *file = (struct peal_program_file){.nodes = nodes,
                                           .path = strdup(path),
                                           .loaded = {.symbols = -1},
                                           .has_main = !options->function,
                                           .linked = program->linked,
                                           .starts_threads =
                                               program->linked && linked_starts_threads(program->bytes, program->size),
                                           .host_clock = options->host_clock};
    if (!file || !file->path || !copy_arguments(file, options) ||
        !(file->states = calloc((size_t)nodes, sizeof(struct interpose_state *))) ||
        (file->linked && !(file->codes = calloc((size_t)nodes, sizeof *file->codes)))) {
        peal_refuse(error, PEAL_RESOURCES, "%s: no memory to load it for %d nodes", path, nodes);
        goto failed;
    }
    box_stage(BOX_LOADS);
    if (load_copies(path, program, entry_of(program, options),
                    program->writable && program_compiled == compile_program ? nodes : 1, &file->loaded,
                    error) != PEAL_OK ||
        (file->linked && sampled_check(error) != PEAL_OK))
        goto failed;
    if (options->function && !load_keep(&file->loaded)) {
        peal_refuse(error, PEAL_RESOURCES, "%s: no memory for the globals of %d nodes", path, nodes);
        goto failed;
    }
    return file;
failed:
    peal_program_destroy(file);
    return NULL;
}

struct peal_program_file *
peal_program_load(const char *path, int nodes, const struct peal_program_options *options, struct peal_error *error)
{
    static const struct peal_program_options none;
    struct compiled program = {0};
    struct peal_program_file *file = NULL;

    if (!options)
        options = &none;
    if (nodes < 1) {
        peal_refuse(error, PEAL_USAGE, "%s cannot be loaded for %d nodes: a machine has 1 or more", path, nodes);
        return NULL;
    }
    enum peal_program_kind kind = peal_program_kind(path);
    enum peal_status status = kind == PEAL_PROGRAM_LINKED    ? linked_read(path, &program, error)
                              : kind == PEAL_PROGRAM_PROCESS ? foreign_read(path, &program, error)
                              : kind == PEAL_PROGRAM_MPI_SOURCE && !options->function
                                  ? compile_mpi(path, options, &program, error)
                                  : program_compiled(path, options, &program, error);

    if (status == PEAL_OK && options->before_loading)
        status = options->before_loading(options->arg, error);
    if (status == PEAL_OK)
        file = program_load_compiled(path, nodes, options, &program, error);
    free(program.bytes);
    free(program.calls);
    return file;
}

void
peal_program_destroy(struct peal_program_file *file)
{
    if (!file)
        return;
    load_undo(&file->loaded);
    for (int i = 0; file->argv && i < file->argc; i++)
        free(file->argv[i]);
    free(file->argv);
    free(file->states);
    free(file->codes);
    free(file->path);
    free(file);
}

int
peal_program_copies(const struct peal_program_file *file)
{
    return file->loaded.count;
}

const struct loaded *
load_of(const struct peal_program_file *file)
{
    return &file->loaded;
}

/* Allocate `bytes` bytes of the node's own memory. */
static void *
node_memory(struct peal_node *me, size_t bytes)
{
    size_t word = peal_word_bytes(me);

    return peal_alloc_at(me, bytes / word + (bytes % word != 0), NULL, 0);
}

/* ------------------------------------------------------------------ linked programs */

static struct peal_program_file *linked; /* the program that runs; NULL.  Set before the nodes start */

/* The node has ended. */
static void
program_end_main(struct peal_node *me, int code, bool returned)
{
    int rank = peal_world_rank(me);

    linked->codes[rank].code = code & 0xff;
    interpose_run_handlers(linked->states[rank]);
    if (runtime_hooks())
        runtime_hooks()->ends(me, code, returned);
}

/* The node's program has called exit. */
static void
exit_linked(struct peal_node *me, int status)
{
    if (!linked)
        return;
    program_end_main(me, status, false);
    peal_exit(me);
}

static void
program_run_main(const struct instance *copy, int argc, char **argv)
{
    linked_main function;

    memcpy(&function, &copy->entry, sizeof function);
    int code = function(argc, argv, environ);

    program_end_main(peal_self(), code, true); /* not `me`: the program may have overwritten this frame */
    linked->states[peal_world_rank(peal_self())] = NULL;
}

void
peal_program_abort_at(struct peal_node *me, int code, const char *file, int line, const char *format, ...)
{
    char text[600];

    WRITE_ARGUMENTS(text, format);
    const struct interpose_state *state = linked ? linked->states[peal_world_rank(me)] : NULL;

    if (linked)
        linked->codes[peal_world_rank(me)] = (struct exit_code){code & 0xff, true};
    if (!file && state && image_copy_at(me->node->machine->image, (uintptr_t)state->exited)) {
        file = state->exited;
        line = PEAL_CODE;
    }
    peal_abort_at(me, text, file, line);
}

void
peal_program_refuse_stray(const void *code, const char *call)
{
    crash_lose_stray(code, call);
}

bool
peal_program_starts_threads(void)
{
    return linked && linked->starts_threads;
}

int
peal_program_code(const struct peal_program_file *file)
{
    if (file->aborted)
        return file->aborted;
    for (int i = 0; file->codes && i < file->nodes; i++)
        if (file->codes[i].code)
            return file->codes[i].code;
    return 0;
}

enum peal_program_kind
peal_program_kind(const char *path)
{
    return foreign_is(path)      ? PEAL_PROGRAM_PROCESS
           : linked_is(path)     ? PEAL_PROGRAM_LINKED
           : source_is_mpi(path) ? PEAL_PROGRAM_MPI_SOURCE
                                 : PEAL_PROGRAM_SOURCE;
}

enum peal_program_needs
peal_program_needs(const char *path)
{
    struct compiled program;
    struct peal_error error;
    enum peal_program_needs needs = PEAL_PROGRAM_NEEDS_NOTHING;

    if (foreign_is(path))
        return PEAL_PROGRAM_NEEDS_NOTHING;
    if (!linked_is(path))
        return source_needs(path);
    if (linked_read(path, &program, &error) == PEAL_OK)
        needs = linked_needs(program.bytes, program.size);
    free(program.bytes);
    return needs;
}

/* Prepare the layers below for a run.  False without memory. */
static bool
begin_linked(struct peal_program_file *file)
{
    linked = file->linked ? file : NULL;
    interpose_host_clock = file->host_clock;
    file->aborted = 0;
    if (linked)
        memset(file->codes, 0, (size_t)file->nodes * sizeof *file->codes);
    return !linked || !runtime_hooks() || runtime_hooks()->begins(file->nodes);
}

static void
end_linked(struct peal_program_file *file, const struct peal_failure *failure)
{
    if (linked && failure && failure->rank >= 0 && failure->rank < file->nodes && file->codes[failure->rank].aborts)
        file->aborted = file->codes[failure->rank].code ? file->codes[failure->rank].code : PEAL_FAILED;
    if (linked && runtime_hooks())
        runtime_hooks()->ended();
    linked = NULL;
}

/* ------------------------------------------------------------------ runs */

/* Run one node: with arguments it may write into, its own state for the wrapped calls, and its own copy. */
static void
program_start_node(struct peal_node *me, void *arg)
{
    const struct starting *starting = arg;
    const struct peal_program_file *file = starting->file;
    int rank = peal_world_rank(me);

    if (peal_size(me) > file->nodes)
        peal_fail_at(me, PEAL_BAD_SIZE, NULL, 0, "%s was loaded for %d node%s, and the machine has %d", file->path,
                     file->nodes, plural(file->nodes), peal_size(me));
    if (starting->program) {
        file->states[rank] = node_memory(me, sizeof(struct interpose_state));
        starting->program(me, starting->arg);
        file->states[rank] = NULL;
        return;
    }
    char **argv = node_memory(me, ((size_t)file->argc + 1) * sizeof *argv);
    char *text = node_memory(me, file->argv_bytes);

    for (int i = 0; i < file->argc; i++) {
        argv[i] = text;
        text = stpcpy(text, file->argv[i]) + 1;
    }
    file->states[rank] = node_memory(me, sizeof(struct interpose_state));
    if (file->linked) {
        const struct instance *copy = &file->loaded.copies[file->loaded.count > 1 ? rank : 0];

        file->states[rank]->base = copy->base;
        program_run_main(copy, file->argc, argv);
        return; /* this frame is no longer used */
    }
    file->loaded.copies[file->loaded.count > 1 ? rank : 0].entry(me, file->argc, argv);
    file->states[rank] = NULL; /* it returned */
}

int
program_left(const struct peal_program_file *file, int nodes)
{
    int rank = 0;

    while (rank < nodes && !file->states[rank])
        rank++;
    return rank < nodes ? rank : -1;
}

bool
program_keep(struct peal_program_file *file)
{
    return load_keep(&file->loaded);
}

/* Add to a crash the allocation that failed before, for a program that does not check it. */
static void
say_refusal(struct peal_failure *failure)
{
    size_t length = strlen(failure->message);

    if (failure->kind == PEAL_CRASH)
        crash_refusal(failure->rank, failure->message + length, sizeof failure->message - length);
}

static void
program_no_memory(struct peal_node *me, void *arg)
{
    const struct starting *starting = arg;

    peal_fail_at(me, PEAL_OUT_OF_MEMORY, NULL, 0, "%s: no memory to run it", starting->file->path);
}

const struct peal_failure *
peal_program_start(struct peal_machine *machine, struct peal_program_file *file, peal_program program, void *arg)
{
    struct starting starting = {file, program, arg};

    assert(program || file->has_main);
    load_restore(&file->loaded);
    interpose_begin(file->states, exit_linked);
    machine->symbols = file->loaded.symbols < 0 ? NULL : file->loaded.symbols_path; /* for the line of a crash */
    machine->image = &file->loaded.image;
    bool begun = begin_linked(file);
    const struct peal_failure *failure = peal_run(machine, begun ? program_start_node : program_no_memory, &starting);

    end_linked(file, failure);
    machine->symbols = NULL;
    machine->image = NULL;
    if (failure && !file->aborted)
        say_refusal(&machine->reports.failure);
    interpose_begin(NULL, NULL);
    return failure;
}

const struct peal_failure *
peal_program_run(struct peal_machine *machine, struct peal_program_file *file)
{
    return peal_program_start(machine, file, NULL, NULL);
}

load_function
peal_program_function(const struct peal_program_file *file, struct peal_node *me)
{
    return (load_function)file->loaded.copies[file->loaded.count > 1 ? peal_world_rank(me) : 0].entry;
}
