/* SPDX-License-Identifier: MIT */
/* Machines that exist: --machine takes one by its name, or from a file of the same form. */
#pragma once

#include "options/options.h"

enum { MAX_MACHINE_KEYS = 24 };

/* A machine: keys with values, and where they are from. */
struct machine {
    char *text; /* owned; what the members point into */
    const char *name, *about;
    struct machine_entry {
        const char *key;
        char *value;
        const char *source; /* NULL: not said */
        int line;           /* of the file */
    } entries[MAX_MACHINE_KEYS];
    int count;
};

/* The i-th machine of the list.  owner: the caller frees machine->text.  errors: false after the last */
bool machine_get(int i, struct machine *machine);

/* Find a machine: a name of the list, or a path, which has a / or a . in it.
 *
 *   owner    the caller frees machine->text, also after an error
 *   errors   PEAL_USAGE for an unknown name, a file that cannot be read, with file:line for an unknown key */
enum peal_status machine_find(const char *text, struct machine *machine, struct peal_error *error);

/* The value of a key; NULL: it has none. */
const char *machine_value(const struct machine *machine, const char *key);

/* Whether the machine of --machine sets this option. */
bool machine_stands(const struct command_request *request, const char *name);

/* Take from the machine of --machine the options that are not given.
 *
 *   errors   as of machine_find and of the options that it sets */
enum peal_status machine_apply(struct command_request *request, struct peal_error *error);
