/* SPDX-License-Identifier: MIT */
/* From a C file to a shared object in memory, by the user's own compiler. */
#pragma once

#include "lib/program/elf.h"
#include "lib/program/instrument.h"
#include <limits.h>
#include <peal/base.h>
#include <peal/program.h>

/* A program that compiled and linked. */
struct compiled {
    unsigned char *bytes; /* the shared object's file */
    size_t size;
    bool writable;       /* it has a global, static or thread-local that can be written */
    bool unwinds;        /* as of struct elf_facts */
    bool linked;         /* linked before, by pealcc: it begins at main (linked.h) */
    enum instrument how; /* its accesses to memory are calls */
    char *calls;         /* as of struct elf_facts */
};

/* Compile and link the C file `path`.  The compiler's messages go to standard error at once; its writes to standard
 * output too.  Its temporary directory is gone, and nothing it has started runs, when this returns.  SIGHUP, SIGINT,
 * SIGQUIT and SIGTERM end it; the process then receives them.
 *
 *   owner    the caller frees program->bytes and ->calls, also after an error
 *   blocks   until the compiler has ended
 *   thread   one at a time in a process
 *   errors   PEAL_PROGRAM when the file cannot be read, does not compile or link, or has no peal_main, and when there
 *            is no compiler; PEAL_RESOURCES when the temporary directory cannot be made or read */
enum peal_status compile_program(const char *path, const struct peal_program_options *options, struct compiled *program,
                                 struct peal_error *error);

/* Compile a program that includes mpi.h, by pealcc; otherwise as compile_program. */
enum peal_status compile_mpi(const char *path, const struct peal_program_options *options, struct compiled *program,
                             struct peal_error *error);

/* Compile an MPI program that is judged, alone (judge NULL) or called by its judge, which has main.  program->calls
 * are the judged part's.  watched: its accesses are watched; only_object: as compile_object. */
struct compile_judge;
enum peal_status compile_mpi_judged(const char *path, const struct compile_judge *judge,
                                    const struct peal_program_options *options, bool watched, bool only_object,
                                    struct compiled *program, struct peal_error *error);

/* Load MPI's library, which programs then find without reading files.  False if it is not found. */
bool compile_mpi_preload(void);

/* A C file with the peal_main of a program whose other part it judges.  The two are separate units, linked so that
 * neither can bind a name of the other except those below (isolate.h).  One name per line. */
struct compile_judge {
    const char *path;
    const char *functions; /* of the judged part, those that the judge calls; NULL: all that no library here defines */
    const char *offers;    /* of the judge's, those that the judged part may call; NULL: none */
    bool mpi;              /* the judged part calls MPI */
};

/* Compile and link the judged C file `path`, and its further files, with its judge.  Otherwise as compile_program;
 * program->calls are the judged part's. */
enum peal_status compile_judged(const char *path, const struct compile_judge *judge,
                                const struct peal_program_options *options, struct compiled *program,
                                struct peal_error *error);

/* Compile without linking, as compile_judged does: it fills in only the members that need the object alone (writable,
 * calls).  The object needs no peal_main. */
enum peal_status compile_object(const char *path, const struct peal_program_options *options, struct compiled *program,
                                struct peal_error *error);

/* The functions of the library beneath linked programs; NULL: there is none. */
const struct peal_runtime_hooks *runtime_hooks(void);

/* Make the files in memory that the next program's copies are loaded from, since the sandbox allows none to be made. */
void program_reserve(int copies);

/* Load a program that was compiled, as peal_program_load does; `path` is its name in messages.
 *
 *   owner    borrows the program; the caller frees the file with peal_program_destroy
 *   errors   as of peal_program_load                                                                  */
struct peal_program_file *program_load_compiled(const char *path, int nodes, const struct peal_program_options *options,
                                                const struct compiled *program, struct peal_error *error);

/* Make each later run begin with the present values of globals and statics.  False without memory. */
bool program_keep(struct peal_program_file *file);

/* After a run of `nodes` nodes that did not fail: the lowest rank whose peal_main did not return, since the program
 * ended the node (peal_exit, exit and its like); -1 when all returned. */
int program_left(const struct peal_program_file *file, int nodes);

/* The source of programs: compile_program, unless replaced by a function that compiles elsewhere (lib/cluster).  A
 * process then has one node, and needs one copy. */
typedef enum peal_status (*program_source)(const char *path, const struct peal_program_options *options,
                                           struct compiled *program, struct peal_error *error);
extern program_source program_compiled;

/* In the ELF64 object of *size bytes at *bytes, put peal_wrap_ before each name of a list (up to NULL) that the object
 * takes from elsewhere.  A name that it defines itself stays.
 *
 *   owner    *bytes is from malloc, and replaced by another that the caller frees
 *   errors   false without memory, or if it is not such an object; then nothing is changed           */
bool redirect_calls(unsigned char **bytes, size_t *size, const char *const *const lists[], int count);

/* Write the declaration to the file `path`, which the compiler reads before the program.  errors: PEAL_RESOURCES */
enum peal_status function_declare(const char *path, const char *declaration, struct peal_error *error);

/* Refuse when the program, which the user calls `path`, does not define the function; `calls` are those of struct
 * elf_facts.
 *
 *   errors   PEAL_PROGRAM, with similar names, or all of them */
enum peal_status function_find(const char *path, const char *function, const char *calls, struct peal_error *error);

/* Make a folder in $TMPDIR, else in /tmp, and write its path.  First remove this user's folders there whose process has
 * ended.
 *
 *   owner    the caller removes it (compiler_remove)
 *   errors   PEAL_RESOURCES: it cannot be made                                                 */
enum peal_status folder_make(char folder[PATH_MAX], struct peal_error *error);

/* Read a whole file there, and write one.
 *
 *   owner    the caller frees *bytes; NULL after an error
 *   errors   PEAL_RESOURCES                                                                     */
unsigned char *folder_bytes(const char *path, size_t *size); /* any whole file; NULL with errno */
enum peal_status folder_read(const char *path, unsigned char **bytes, size_t *size, struct peal_error *error);
enum peal_status folder_write(const char *path, const unsigned char *bytes, size_t size, struct peal_error *error);
