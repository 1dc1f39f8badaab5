/* SPDX-License-Identifier: MIT */
/* Algorithms outside the catalogue, such as a function in a user's file.  A loaded algorithm is used like those of the
 * catalogue: peal_exercise runs and verifies it, and its name is valid wherever an algorithm's name is. */
#ifndef PEAL_LOADED_H
#define PEAL_LOADED_H

#include <peal/form.h>
#include <peal/machine.h>

PEAL_BEGIN

/* Make one node's call, of a function or an algorithm.  A loaded algorithm needs a run that peal_algorithm_start
 * began. */
PEAL_API void peal_make_call(struct peal_node *me, const struct peal_form *form, const struct peal_callee *callee,
                             const struct peal_arguments *arguments);

/* How a loaded algorithm is run: the first member of its source's own struct. */
struct peal_loaded {
    /* Run `program` on the machine, on nodes on which `call` may be called. */
    const struct peal_failure *(*start)(struct peal_loaded *self, struct peal_machine *machine, peal_program program,
                                        void *arg);
    /* Make one node's call. */
    void (*call)(struct peal_loaded *self, struct peal_node *me, const struct peal_form *form,
                 const struct peal_arguments *arguments);
    void (*unload)(struct peal_loaded *self);
};

/* A function in a C file that implements a collective. */
struct peal_function_source {
    enum peal_collective collective;
    bool unequal; /* it takes the lengths of all blocks, as peal_scatterv does */
    const char *file, *symbol;
    int nodes;                    /* the most that a machine may have */
    const char *compiler, *flags; /* NULL: $CC, $CFLAGS */
};

/* Compile and load a function, declared as in union peal_check_function.  The algorithm is called "mine.c:my_scatter";
 * it has no closed form.  One of each name can be loaded.
 *
 *   owner    the caller unloads it with peal_algorithm_unload; NULL after an error
 *   blocks   until the compiler has ended
 *   thread   one at a time in a process, and not during a run
 *   errors   PEAL_USAGE when the symbol is not a name in C, the collective has no blocks, or too many are loaded;
 *            PEAL_PROGRAM when the file does not compile, or does not define the function; PEAL_RESOURCES */
PEAL_API const struct peal_algorithm *peal_algorithm_load(const struct peal_function_source *source,
                                                          struct peal_error *error);

/* Register an algorithm that the caller made, with `loaded` set, so that its name finds it.
 *
 *   owner    borrows it until peal_algorithm_unload, which calls its `unload`
 *   errors   PEAL_USAGE when its name is taken, or too many are loaded                                  */
PEAL_API enum peal_status peal_algorithm_add(const struct peal_algorithm *algorithm, struct peal_error *error);

/* Remove it again, and call its `unload`.  NULL is allowed. */
PEAL_API void peal_algorithm_unload(const struct peal_algorithm *algorithm);

/* Run a program on the machine whose nodes may call the algorithm by its name: peal_run for one of the catalogue. */
PEAL_API const struct peal_failure *peal_algorithm_start(const struct peal_algorithm *algorithm,
                                                         struct peal_machine *machine, peal_program program, void *arg);

PEAL_END

#endif
