/* SPDX-License-Identifier: MIT */
/* Places of calls, in words. */
#pragma once

#include <peal/machine.h>

/* The place of a call: a file and a line, or an address in code and PEAL_CODE, less the number of the call's name, less
 * CALL_NAMES times that of the algorithm that it takes. */
enum { CALL_NAMES = 1024, MAX_TAKEN = 1000 };
struct call_site {
    const char *file;
    int line;
};

/* The file and line of a place, looked up if it is one in code: then file is the machine's until its next run,
 * and NULL without memory. */
struct call_site site_of(const struct peal_machine *machine, const char *file, int line);

/* Remember of a call of the program that functions pass it on: its place is where the outermost is called, that of
 * `code` itself without `passed`. */
struct passed;
void site_remember(struct peal_machine *machine, const void *code, const struct passed *passed, const char *through);
void passed_forget(struct peal_machine *machine);
/* The place of a call of Peal's at this file and line, which returns to `code`: in the program, of the innermost
 * function that does more than pass it on, unless `file` is another than that in which the call is written: then the
 * program gave the place. */
struct peal_node;
struct call_site passed_place(struct peal_node *me, const void *code, const char *file, int line);
/* Of code from a header of the system's, as the C++ library's: the code of the program that it is called from, on the
 * stack of the node, which runs.  Else `file`. */
struct node;
const char *passed_by_system(struct node *node, const char *file, int line);
/* A function that passes a call on, and where it calls.  Write the first of `through` into *step; gives the others,
 * NULL where there is none. */
struct passing_step {
    char function[64], file[512]; /* "": one of a library, as mpi4py's */
    int line;
};
const char *site_through_next(const char *through, struct passing_step *step);
/* The functions that pass on a call of the run, which then is at *site: of the one after *place, NULL before the first;
 * NULL after the last. */
const char *site_passed(const struct peal_machine *machine, const void **place, struct call_site *site);
/* Append to a message of this place who passes the call on, and where the line of another process's code is not known,
 * its file, unless the message says so. */
struct peal_text;
void site_tell_through(const struct peal_machine *machine, const char *file, int line, struct peal_text message);

/* The function that a place in code lies in; NULL: it is not known.  owner: the caller frees it */
char *site_function(const struct peal_machine *machine, const char *file, int line);
/* Whether the file and line of a place are known: of code without debug information they are not. */
bool site_is_known(const struct peal_machine *machine, const char *file, int line);
/* Whether a place is in a header of the system's, as the C++ library's. */
bool site_is_of_system(const struct peal_machine *machine, const char *file, int line);
/* The place in words: "ring.c:12", "ring.c:12, through checked_send, checks.h:5". */
enum { SITE_WORDS = 400 };
char *site_words(const struct peal_machine *machine, struct call_site place, char text[SITE_WORDS]);
/* The place after the call's name, if it has one: "MPI_Send at ring.c:12". */
char *site_call_words(const struct peal_machine *machine, struct call_site place, char text[SITE_WORDS]);
/* The name of the call at such a line, and the algorithm that it takes, "chain:16"; NULL: none. */
const char *site_call(int line);
/* Where the table of all names is kept, and how many there are: the same places in a process forked from this one. */
const char *const **site_call_names(int **count);
const char *site_algorithm(const struct peal_machine *machine, int line);
/* The number that an algorithm subtracts from a line; 0 where calls have no names.  Under calls_lock. */
int site_take(struct peal_machine *machine, const char *algorithm, int parameter);
void sites_fini(struct peal_machine *machine);
void sites_forget(struct peal_machine *machine);
