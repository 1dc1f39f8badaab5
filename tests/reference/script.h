/* SPDX-License-Identifier: MIT */
/* Scripts of operations, one per node, as model.py describes them: reading them, running a node's by the public API. */
#ifndef PEAL_TESTS_SCRIPT_H
#define PEAL_TESTS_SCRIPT_H

#include <limits.h>
#include <peal/tools.h>

enum { SCRIPT_ARGUMENTS = 6, SCRIPT_SETTINGS = 16, SCRIPT_TEXT = 160, SCRIPT_MEMORY = 16 };

/* One operation: its name and its numbers.  `any` is SCRIPT_ANY, @H is SCRIPT_SOURCE_OF + H. */
enum { SCRIPT_ANY = INT_MIN, SCRIPT_SOURCE_OF = 1 << 30 };
struct script_operation {
    int rank;
    int line; /* from 1, counted for each node */
    char name[16];
    int argument[SCRIPT_ARGUMENTS];
};

/* One case. */
struct script {
    char name[SCRIPT_TEXT];
    char setting[SCRIPT_SETTINGS][2][SCRIPT_TEXT]; /* "machine KEY VALUE" */
    int setting_count;
    struct script_operation *operations; /* of all nodes, each node's in order */
    int operation_count;
    uint64_t *memory; /* SCRIPT_MEMORY words a node that others put to and get from; NULL: each node's is its own */
};

/* Read the next case.  Returns false at the end of the file, ends the process at a line it does not understand.
 *
 *   owner    the caller calls script_fini */
bool script_read(FILE *in, struct script *script);
void script_fini(struct script *script);

/* The value of a setting, or NULL. */
const char *script_setting(const struct script *script, const char *key);

/* Run the operations of the node `me`, and print what each wait returned. */
void script_run(struct peal_node *me, const struct script *script);

#endif
