/* SPDX-License-Identifier: MIT */
/* A build without processes has no compiler: what lib/program does beside node programs is refused, in one line. */
#include "lib/program/compile.h"
#include "lib/program/compiler.h"
#include "lib/program/lines.h"
#include "lib/program/linked.h"
#include <stdlib.h>

static enum peal_status
refuse(const char *path, struct peal_error *error)
{
    return peal_refuse(error, PEAL_RESOURCES, "%s: this build compiles no C files (processes are left out of it)",
                       path);
}

struct peal_program_file *
program_load_compiled(const char *path, int nodes, const struct peal_program_options *options,
                      const struct compiled *program, struct peal_error *error)
{
    (void)nodes, (void)options, (void)program;
    refuse(path, error);
    return NULL;
}

enum peal_program_kind
peal_program_kind(const char *path)
{
    (void)path;
    return PEAL_PROGRAM_SOURCE;
}

enum peal_program_needs
peal_program_needs(const char *path)
{
    (void)path;
    return PEAL_PROGRAM_NEEDS_NOTHING;
}

enum peal_program_needs
linked_needs(const unsigned char *bytes, size_t size)
{
    (void)bytes, (void)size;
    return PEAL_PROGRAM_NEEDS_NOTHING;
}

enum peal_status
function_find(const char *path, const char *function, const char *calls, struct peal_error *error)
{
    (void)function, (void)calls;
    return refuse(path, error);
}

bool
compile_mpi_preload(void)
{
    return false;
}

enum peal_status
folder_make(char folder[PATH_MAX], struct peal_error *error)
{
    folder[0] = '\0';
    return peal_refuse(error, PEAL_RESOURCES, "this build starts no solver (processes are left out of it)");
}

void
compiler_remove(int at, const char *name, int depth)
{
    (void)at, (void)name, (void)depth;
}

/* ------------------------------------------------------------------ of a file, which there never is */

const struct peal_failure *
peal_program_start(struct peal_machine *machine, struct peal_program_file *file, peal_program program, void *arg)
{
    (void)file;
    return peal_run(machine, program, arg);
}

void (*peal_program_function(const struct peal_program_file *file, struct peal_node *me))(void)
{
    (void)file, (void)me;
    abort();
}

bool
program_keep(struct peal_program_file *file)
{
    (void)file;
    return false;
}

int
program_left(const struct peal_program_file *file, int nodes)
{
    (void)file, (void)nodes;
    return -1;
}

bool
lines_find(int fd, uintptr_t offset, char *file, size_t bytes, int *line)
{
    (void)fd, (void)offset, (void)file, (void)bytes, (void)line;
    return false;
}

const struct peal_program_guest *
program_guest(void)
{
    return NULL;
}
