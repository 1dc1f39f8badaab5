/* SPDX-License-Identifier: MIT */
/* Node programs in the browser: the page has compiled each as a module of WebAssembly of its own, and every node has an
 * instance of it, with globals of its own, on the machine's memory (tools/web/program.js).
 *
 * The page compiles what a command asks for: the first time the command ends there, and the page runs it again. */
#include "lib/base/text.h"
#include "lib/machine/engine.h"
#include "lib/machine/failure.h"
#include "lib/machine/machine.h"
#include "lib/machine/park.h"
#include "lib/program/compiler.h"
#include "lib/program/linked_browser.h"
#include "lib/program/source.h"
#include "lib/program/unit_browser.h"
#include <emscripten.h>
#include <peal/author.h>
#include <peal/hints.h>
#include <peal/outside.h>
#include <stdlib.h>

/* Give the number of a unit that the page has compiled; -1: it has not, -2: it cannot, -3: with errors.  Messages are
 * in *messages, names that the unit takes from elsewhere in *calls: strings from malloc. */
EM_JS(int, page_find,
      (const char *file, const char *before, const char *after, const char *judge, const char *entry, const char *flags,
       const char *watched, char **messages, char **calls),
      {
          return Module.pealFind([ file, before, after, judge, entry, flags, watched ], messages, calls);
      });
/* Give every node an instance of the unit; -1, and the names, if it takes some that the page lacks. */
EM_JS(int, page_load, (int unit, int nodes, const char *entry, char *missing, int bytes),
      { return Module.pealLoad(unit, nodes, UTF8ToString(entry), missing, bytes); });
/* Keep the instances' data as it is now; keep 0: begin a run, with what was kept. */
EM_JS(void, page_begin, (int loaded, int keep), { Module.pealBegin(loaded, keep); });
EM_JS(void, page_unload, (int loaded), { Module.pealUnload(loaded); });
EM_JS(int, page_function, (int loaded, int rank), { return Module.pealFunction(loaded, rank); });
EM_JS(int, page_data, (int loaded, int offset, char *name, int bytes),
      { return Module.pealData(loaded, offset, name, bytes); });
/* Write the places of the code, unless there is no room at `places`; gives their number. */
EM_JS(int, page_places, (int loaded, int *places), { return Module.pealPlaces(loaded, places); });
EM_JS(void, page_memory, (int loaded, int rank, struct instance_memory *memory),
      { Module.pealMemory(loaded, rank, memory); });
/* Call the instance's peal_main or main of a node, whose code it gives, or with the node's instance a function of the
 * machine's own. */
EM_JS(int, program_main, (int loaded, struct peal_node *me, int rank, int argc, char **argv),
      { return Module.pealMain(loaded, me, rank, argc, argv); });
EM_JS(void, program_call, (int loaded, struct peal_node *me, int rank, peal_program program, void *arg),
      { Module.pealCall(loaded, me, rank, program, arg); });

/* Stands for struct peal_program_file here. */
struct browser_program {
    int loaded; /* its number in the page */
    int argc;
    char **argv;
    bool *returned;                 /* of each node, whether its peal_main did, in the last run */
    struct linked_nodes *linked;    /* of a program for MPI; NULL */
    struct instance_memory *memory; /* of each node */
    int nodes;
    peal_program program; /* of peal_program_start */
    void *arg;
};

static char trap[400], trap_file[256]; /* why the running node crashed, and in which file */

bool
compile_mpi_preload(void)
{
    return runtime_hooks(); /* it is in the module */
}

static const char *
or_empty(const char *text)
{
    return text ? text : "";
}

enum peal_status
unit_find(const struct browser_unit *unit, struct compiled *program, char **messages, struct peal_error *error)
{
    const char *flags = unit->flags ? unit->flags : getenv("CFLAGS");

    /* Calls of two sanitizers exclude each other. */
    const bool watched = unit->watched && !(flags && strstr(flags, "-fsanitize"));

    *messages = NULL;
    if (unit->file && source_check(unit->file, !unit->after && !unit->function, unit->mpi, error) != PEAL_OK)
        return error->status;
    int number =
        page_find(or_empty(unit->file), or_empty(unit->before), or_empty(unit->after), or_empty(unit->judge),
                  or_empty(unit->function), or_empty(flags), watched ? "watched" : "", messages, &program->calls);

    if (number == -2)
        return peal_refuse(error, PEAL_RESOURCES,
                           "%s: this page has no C compiler: it is in the folder that tools/web/build writes",
                           unit->file);
    if (number < 0)
        return peal_refuse(error, PEAL_PROGRAM, "%s does not compile: see the message of clang above", unit->file);
    program->bytes = malloc(sizeof number);
    if (!program->bytes)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    memcpy(program->bytes, &number, sizeof number);
    program->size = sizeof number;
    program->writable = true;
    program->how = watched ? INSTRUMENT_CLANG : INSTRUMENT_NONE;
    return PEAL_OK;
}

struct peal_program_file *
program_load_compiled(const char *path, int nodes, const struct peal_program_options *options,
                      const struct compiled *program, struct peal_error *error)
{
    struct browser_program *file = calloc(1, sizeof *file);
    int argc = options->argc > 0 ? options->argc : 1, unit;
    char missing[300] = "";

    memcpy(&unit, program->bytes, sizeof unit);
    if (!file || !(file->argv = calloc((size_t)argc + 1, sizeof *file->argv)) ||
        !(file->returned = calloc((size_t)nodes, sizeof *file->returned)) ||
        !(file->memory = calloc((size_t)nodes, sizeof *file->memory)) ||
        (program->linked && !(file->linked = linked_nodes_create(nodes)))) {
        if (file) {
            free(file->memory);
            free(file->returned);
            free(file->argv);
        }
        free(file);
        peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        return NULL;
    }
    file->argc = argc;
    for (int i = 0; i < argc; i++)
        file->argv[i] = strdup(options->argc > 0 ? options->argv[i] : path);
    file->loaded = page_load(unit, nodes, or_empty(options->function), missing, sizeof missing);
    file->nodes = nodes;
    for (int rank = 0; rank < nodes && file->loaded >= 0; rank++)
        page_memory(file->loaded, rank, &file->memory[rank]);
    linked_watches(program->how != INSTRUMENT_NONE);
    if (file->loaded >= 0)
        return (struct peal_program_file *)(void *)file;
    if (missing[0])
        peal_refuse(error, PEAL_PROGRAM, "%s calls %s, which the page does not have", path, missing);
    else
        peal_refuse(error, PEAL_RESOURCES, "%s: no memory for the instances of %d nodes", path, nodes);
    peal_program_destroy((struct peal_program_file *)(void *)file);
    return NULL;
}

struct peal_program_file *
peal_program_load(const char *path, int nodes, const struct peal_program_options *options, struct peal_error *error)
{
    static const struct peal_program_options none;
    struct compiled program = {0};
    struct peal_program_file *file = NULL;
    char *messages = NULL, declared[800] = "";

    if (!options)
        options = &none;
    if (options->declaration)
        snprintf(declared, sizeof declared, "#line 1 \"expected declaration\"\n%s;\n", options->declaration);
    const bool mpi = !options->function && source_is_mpi(path);
    const struct browser_unit unit = {.file = path,
                                      .before = declared,
                                      .function = mpi ? "main" : options->function,
                                      .flags = options->flags,
                                      .mpi = mpi,
                                      .watched = mpi && options->watched};
    enum peal_status status = unit_find(&unit, &program, &messages, error);

    if (messages)
        fputs(messages, stderr);
    if (status == PEAL_OK && options->function)
        status = function_find(path, options->function, program.calls, error);
    else if (status == PEAL_OK && mpi && !strstr(program.calls, "=main\n"))
        status = peal_refuse(error, PEAL_PROGRAM, "%s has no main", path);
    else if (status == PEAL_OK && !mpi && !strstr(program.calls, "=peal_main\n"))
        status = peal_refuse(error, PEAL_PROGRAM,
                             "%s has no peal_main: a node program starts at void peal_main(struct peal_node *me, int "
                             "argc, char **argv)",
                             path);
    if (status == PEAL_OK && options->before_loading)
        status = options->before_loading(options->arg, error);
    program.linked = mpi;
    if (status == PEAL_OK)
        file = program_load_compiled(path, nodes, options, &program, error);
    if (file && (options->function || mpi)) /* it may be run again */
        program_keep(file);
    free(program.bytes);
    free(program.calls);
    free(messages);
    return file;
}

void
peal_program_destroy(struct peal_program_file *loaded)
{
    struct browser_program *file = (struct browser_program *)(void *)loaded;

    if (!file)
        return;
    if (file->loaded >= 0)
        page_unload(file->loaded);
    for (int i = 0; i < file->argc; i++)
        free(file->argv[i]);
    free(file->argv);
    free(file->returned);
    free(file->memory);
    linked_nodes_destroy(file->linked);
    free(file);
}

const struct instance_memory *
program_memory(const struct peal_program_file *file, int *count)
{
    const struct browser_program *program = (const struct browser_program *)(const void *)file;

    *count = program->nodes;
    return program->memory;
}

enum instance_data
program_data(const struct peal_program_file *file, uintptr_t offset, char *name, size_t bytes)
{
    const struct browser_program *program = (const struct browser_program *)(const void *)file;

    return (enum instance_data)page_data(program->loaded, (int)offset, name, (int)bytes);
}

void *
program_places(const struct peal_program_file *file, size_t *count)
{
    int loaded = ((const struct browser_program *)(const void *)file)->loaded;
    int *places = malloc((size_t)page_places(loaded, NULL) * 2 * sizeof *places + 1);

    *count = places ? (size_t)page_places(loaded, places) : 0;
    return places;
}

const char *
program_name(const struct peal_program_file *file)
{
    return ((const struct browser_program *)(const void *)file)->argv[0];
}

int
peal_program_copies(const struct peal_program_file *file)
{
    (void)file;
    return 1;
}

enum peal_program_kind
peal_program_kind(const char *path)
{
    return source_is_mpi(path) ? PEAL_PROGRAM_MPI_SOURCE : PEAL_PROGRAM_SOURCE;
}

bool
program_keep(struct peal_program_file *loaded)
{
    page_begin(((struct browser_program *)(void *)loaded)->loaded, 1);
    return true;
}

int
program_left(const struct peal_program_file *loaded, int nodes)
{
    const struct browser_program *file = (const struct browser_program *)(const void *)loaded;

    for (int rank = 0; rank < nodes; rank++)
        if (!file->returned[rank])
            return rank;
    return -1;
}

static void
browser_run_main(struct peal_node *me, void *arg)
{
    struct browser_program *file = arg;
    int rank = peal_rank(me);

    file->returned[rank] = false;
    int code = program_main(file->loaded, me, rank, file->argc, file->argv);

    file->returned[rank] = true;
    if (file->linked)
        linked_returned(me, code);
}

/* With arguments that the node may write into. */
static void
run_linked(struct peal_node *me, void *arg)
{
    struct browser_program file = *(struct browser_program *)arg;

    file.argv = peal_alloc(me, ((size_t)file.argc + 1) * sizeof *file.argv);
    for (int i = 0; i < file.argc; i++) {
        const char *text = ((struct browser_program *)arg)->argv[i];

        file.argv[i] = strcpy(peal_alloc(me, strlen(text) + 1), text);
    }
    browser_run_main(me, &file);
}

static void
browser_no_memory(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_fail_at(me, PEAL_OUT_OF_MEMORY, NULL, 0, "no memory to run the program");
}

const struct peal_failure *
peal_program_run(struct peal_machine *machine, struct peal_program_file *file)
{
    struct browser_program *program = (struct browser_program *)(void *)file;

    page_begin(program->loaded, 0);
    if (!program->linked)
        return peal_run(machine, browser_run_main, program);
    bool begun = linked_begin(program->linked, file);
    const struct peal_failure *failure = peal_run(machine, begun ? run_linked : browser_no_memory, program);

    linked_end(program->linked, failure);
    return failure;
}

static void
run_started(struct peal_node *me, void *arg)
{
    const struct browser_program *file = arg;

    program_call(file->loaded, me, peal_rank(me), file->program, file->arg);
}

const struct peal_failure *
peal_program_start(struct peal_machine *machine, struct peal_program_file *loaded, peal_program program, void *arg)
{
    struct browser_program *file = (struct browser_program *)(void *)loaded;

    file->program = program;
    file->arg = arg;
    page_begin(file->loaded, 0);
    return peal_run(machine, run_started, file);
}

void (*peal_program_function(const struct peal_program_file *loaded, struct peal_node *me))(void)
{
    const struct browser_program *file = (const struct browser_program *)(const void *)loaded;

    return (void (*)(void))(uintptr_t)page_function(file->loaded, peal_world_rank(me));
}

bool
peal_program_starts_threads(void)
{
    return false;
}

int
peal_program_code(const struct peal_program_file *file)
{
    const struct browser_program *program = (const struct browser_program *)(const void *)file;

    return program->linked ? linked_code(program->linked) : 0;
}

/* ------------------------------------------------------------------ called by tools/web/program.js */

char *program_trap_text(void);
char *program_trap_file(void);
void program_trapped(int line);
int program_late(void);
char *program_memory_begin(void);
void program_exit(int status);
int program_printf(const char *format, va_list list);
int program_puts(const char *text);
int program_putchar(int c);
int program_fprintf(int stream, const char *format, va_list list);
int program_fputs(const char *text, int stream);

EMSCRIPTEN_KEEPALIVE char *
program_trap_text(void)
{
    return trap;
}

EMSCRIPTEN_KEEPALIVE char *
program_trap_file(void)
{
    return trap_file;
}

/* The running node's instance has trapped: trap says how ("": its time is up), and trap_file where. */
EMSCRIPTEN_KEEPALIVE void
program_trapped(int line)
{
    struct node *node = self;
    const struct peal_machine *machine = node->machine;
    double seconds = machine->options.timeout_seconds;

    node->inside = true;
    if (trap_file[0] && line > 0)
        failure_place(node, trap_file, line);
    if (trap[0]) {
        failure_set(node->machine, node->rank, PEAL_CRASH, node->file, node->line, "node %d crashed: %.350s",
                    node->rank, trap);
    } else {
        failure_set(node->machine, node->rank, PEAL_TIMED_OUT, node->file, node->line,
                    "after %g second%s node %d is still computing", seconds, plural(seconds), node->rank);
        failure_fix(node->machine, node->rank, PEAL_HINT(endless), node->rank);
    }
    node_leave(node, EXIT_FAILED);
}

/* Called now and then in loops: whether the run's time is up. */
EMSCRIPTEN_KEEPALIVE int
program_late(void)
{
    return engine_late(self->machine);
}

/* Where the nodes' memory begins: the machine's is before it. */
EMSCRIPTEN_KEEPALIVE char *
program_memory_begin(void)
{
    extern char __heap_base;

    return &__heap_base;
}

EMSCRIPTEN_KEEPALIVE void
program_exit(int status)
{
    char text[32];

    linked_exit(&self->world, status);
    if (status == 0)
        peal_exit(&self->world);
    snprintf(text, sizeof text, "exit(%d)", status);
    peal_abort_at(&self->world, text, NULL, 0);
}

/* What node programs call as printf and its like: the arguments after the format lie where `list` is. */
EMSCRIPTEN_KEEPALIVE int
program_printf(const char *format, va_list list)
{
    return peal_vprintf(&self->world, format, list);
}

EMSCRIPTEN_KEEPALIVE int
program_puts(const char *text)
{
    return peal_printf(&self->world, "%s\n", text);
}

EMSCRIPTEN_KEEPALIVE int
program_putchar(int c)
{
    return peal_printf(&self->world, "%c", c) < 0 ? -1 : c;
}

/* stream: 2 is standard error, as program.js gives it. */
EMSCRIPTEN_KEEPALIVE int
program_fprintf(int stream, const char *format, va_list list)
{
    return stream == 2 ? vfprintf(stderr, format, list) : peal_vprintf(&self->world, format, list);
}

EMSCRIPTEN_KEEPALIVE int
program_fputs(const char *text, int stream)
{
    return stream == 2 ? fputs(text, stderr) : peal_printf(&self->world, "%s", text);
}
