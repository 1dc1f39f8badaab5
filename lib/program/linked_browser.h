/* SPDX-License-Identifier: MIT */
/* Programs for MPI in the browser: what program.c does for linked programs elsewhere. */
#pragma once

#include <peal/machine.h>
#include <stdbool.h>

struct peal_program_file;
struct linked_nodes; /* of a program: the exit codes and clocks of its nodes */

/* For machines of at most `nodes` nodes; NULL without memory. */
struct linked_nodes *linked_nodes_create(int nodes);
void linked_nodes_destroy(struct linked_nodes *nodes);

/* Whether the accesses of the program that is loaded are calls: then program_line gives their lines. */
void linked_watches(bool more);

/* The program that runs, if its accesses are calls; NULL. */
const struct peal_program_file *linked_watched_file(void);

/* Begin and end a run of the program; false without memory. */
bool linked_begin(struct linked_nodes *nodes, const struct peal_program_file *file);
void linked_end(struct linked_nodes *nodes, const struct peal_failure *failure);

/* A node's main has returned, or (linked_exit) the program has called exit, which ends the node if one runs. */
void linked_returned(struct peal_node *me, int code);
void linked_exit(struct peal_node *me, int code);

/* As peal_program_code. */
int linked_code(const struct linked_nodes *nodes);
