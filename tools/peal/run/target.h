/* SPDX-License-Identifier: MIT */
/* The target that a command's argument names: a collective, an algorithm of one, or a program's file. */
#pragma once

#include "run/session.h"

/* Decide whether `what` is a collective, with or without an algorithm, or a file, and fill the session's collective and
 * algorithm, or its program.  `scatter/binomial` is a collective even where such a file exists (a note says so); a word
 * that ends in .c, .cpp or another ending of C++, begins like a path, or has a slash and exists is a file.
 *
 *   errors   PEAL_USAGE when it is neither; suggests the nearest                                  */
enum peal_status target_find(struct session *session, const char *what, struct peal_error *error);

/* The name of the algorithm by which `what`, "allreduce/ring:4" or "ring", calls it: one of its two, the first if it is
 * neither or NULL. */
const char *target_name(const struct peal_algorithm *algorithm, const char *what);

/* Look at the arguments from `first` on, which are further files of the program.
 *
 *   errors   PEAL_USAGE when `program` is NULL, or one is not a file of C or C++               */
enum peal_status target_sources(const char *program, const struct command_request *request, int first,
                                struct peal_error *error);

/* Find `what` where "scatterv/binomial" is a collective, too, by its call with unequal blocks: then *unequal is set. */
enum peal_status target_find_call(struct session *session, const char *what, bool *unequal, struct peal_error *error);

/* Find the collective of `what`, and load the function that --file and --symbol name as an algorithm of it, for
 * machines of at most `nodes` nodes; *own is NULL, with no error, where there is no --file.
 *
 *   owner    the caller frees it with peal_algorithm_unload
 *   errors   PEAL_USAGE when `what` is not a collective; as of peal_algorithm_load */
enum peal_status target_load(struct session *session, const struct command_request *request, const char *what,
                             int nodes, const struct peal_algorithm **own, struct peal_error *error);

/* Find what `what` names in the catalogue: a collective, then *algorithm is NULL, or COLLECTIVE/ALGORITHM.
 *
 *   errors   PEAL_USAGE for an unknown collective or algorithm; suggests the nearest */
enum peal_status target_find_listed(const char *what, enum peal_collective *collective,
                                    const struct peal_algorithm **algorithm, struct peal_error *error);

/* The flags of the environment with which this program or function is compiled; NULL: none, or it is compiled already.
 * A command to be pasted elsewhere needs them. */
const char *target_environment_flags(const char *file);

/* Give the compiler's flags for the request's files: the user's, and the size of a word if it is not 8, since the
 * headers warn of elements that are smaller.  *flags is NULL where the environment decides.
 *
 *   owner    the caller frees *flags
 *   errors   PEAL_RESOURCES */
enum peal_status target_flags(const struct command_request *request, char **flags, struct peal_error *error);

/* Where no source runs, refuse the compiler and its flags, unless --file is given.  errors: PEAL_USAGE */
enum peal_status target_compiles_nothing(const struct command_request *request, struct peal_error *error);

/* Where the engine is left to the machine, suit it to the user's code: a program, the file `program` (else NULL) and
 * the further files among the arguments, or the function of --file.  Code that needs threads gets them, other code
 * fibers with as much stack as a thread has, as long as the nodes are few enough. */
void target_suit(const struct command_request *request, const char *program, struct peal_options *machine);

/* The requested exercise, without its size, algorithm, input and output.  owner: borrows the request's lists */
struct peal_exercise exercise_of(const struct command_request *request, enum peal_collective collective);

/* Work out m of a collective of blocks or n of one of vectors, from -m, -n or the default.
 *
 *   errors   PEAL_USAGE when -m and -n disagree or are out of range                              */
enum peal_status exercise_size(const struct command_request *request, enum peal_collective collective, size_t *words,
                               struct peal_error *error);

/* Report on stderr the options that this collective does not use. */
void exercise_notes(const struct command_request *request, enum peal_collective collective);

/* Read the value of --coll, "allreduce=ring,broadcast=chain:16", in place: names[COLLECTIVE] is the algorithm's.
 *
 *   errors   PEAL_USAGE */
enum peal_status target_choices(char *text, const char *names[PEAL_COLLECTIVES], struct peal_error *error);

/* The usual ones, and one more. */
enum { MAX_LISTED_NODES = 8 };

/* List those that the topology can have, ascending, `more` among them (0: none); return how many they are. */
int usual_nodes_list(const char *topology, int more, int list[MAX_LISTED_NODES]);

/* Print them as -p takes them: "1:6", "1,2,4". */
void usual_nodes_print(FILE *out, const int *list, int count);
