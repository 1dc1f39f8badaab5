/* SPDX-License-Identifier: MIT */
/* Node programs in the browser: the page has compiled each as a module of WebAssembly of its own, and every node has an
 * instance of it, with globals of its own, on the machine's memory (tools/web/program.js). */
#include "lib/machine/machine.h"
#include <emscripten.h>
#include <peal/program.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 0: instantiated; 1: not compiled; 2: it calls what the page lacks, whose names are written to `missing`. */
EM_JS(int, program_load, (const char *path, int nodes, char *missing, int bytes),
      { return Module.pealLoad ? Module.pealLoad(UTF8ToString(path), nodes, missing, bytes) : 1; });
EM_JS(void, program_main, (struct peal_node * me, int rank, int argc, char **argv),
      { Module.pealMain(me, rank, argc, argv); });

/* What struct peal_program_file is here. */
struct browser_program {
    int argc;
    char **argv;
};

static char trap[160]; /* why the node that leaves by EXIT_CRASHED crashed */

struct peal_program_file *
peal_program_load(const char *path, int nodes, const struct peal_program_options *options, struct peal_error *error)
{
    char missing[200] = "";
    int how = program_load(path, nodes, missing, sizeof missing);
    struct browser_program *file = how == 0 ? calloc(1, sizeof *file) : NULL;

    if (how == 1)
        peal_refuse(error, PEAL_PROGRAM, "%s: the page has not compiled it: it compiles the program in its editor",
                    path);
    else if (how == 2)
        peal_refuse(error, PEAL_PROGRAM, "%s calls %s, which the page does not have", path, missing);
    else if (!file || !(file->argv = calloc((size_t)options->argc + 1, sizeof *file->argv)))
        peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (!file || !file->argv) {
        free(file);
        return NULL;
    }
    file->argc = options->argc;
    for (int i = 0; i < options->argc; i++)
        file->argv[i] = strdup(options->argv[i]);
    return (struct peal_program_file *)(void *)file;
}

void
peal_program_destroy(struct peal_program_file *loaded)
{
    struct browser_program *file = (struct browser_program *)(void *)loaded;

    for (int i = 0; file && i < file->argc; i++)
        free(file->argv[i]);
    if (file)
        free(file->argv);
    free(file);
}

int
peal_program_copies(const struct peal_program_file *file)
{
    (void)file;
    return 1;
}

static void
run_main(struct peal_node *me, void *arg)
{
    const struct browser_program *file = arg;

    program_main(me, peal_rank(me), file->argc, file->argv);
}

const struct peal_failure *
peal_program_run(struct peal_machine *machine, struct peal_program_file *file)
{
    return peal_run(machine, run_main, file);
}

int
peal_program_code(const struct peal_program_file *file)
{
    (void)file;
    return 0;
}

/* ------------------------------------------------------------------ called by tools/web/program.js */

char *program_trap_text(void);
void program_trapped(void);
int program_printf(const char *format, va_list list);
int program_puts(const char *text);
int program_putchar(int c);
int program_fprintf(int stream, const char *format, va_list list);

EMSCRIPTEN_KEEPALIVE char *
program_trap_text(void)
{
    return trap;
}

/* The running node's instance has trapped: trap says how. */
EMSCRIPTEN_KEEPALIVE void
program_trapped(void)
{
    struct node *node = self;

    node->inside = true;
    failure_set(node->machine, node->rank, PEAL_CRASH, node->file, node->line, "node %d crashed: %.150s%s", node->rank,
                trap, node->file ? " (after its call at this line)" : "");
    node_leave(node, EXIT_FAILED);
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
