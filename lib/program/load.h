/* SPDX-License-Identifier: MIT */
/* Loading a shared object once or many times, each time with separate data. */
#pragma once

#include "lib/machine/image.h"
#include "lib/program/compile.h"

struct place_slot {
    size_t at;     /* it holds an address */
    bool relative; /* adjusted in every copy; otherwise only if the address lies in the copy */
};

/* The layout of all copies.  Addresses are those in the image. */
struct placement {
    struct place_slot *slots;
    size_t slot_count, slot_room;
    size_t bytes, mapped; /* of a copy in memory; of its part from the file.  Whole pages */
    size_t align;         /* of its begin: a page or more */
    size_t frozen;
    size_t init, init_array, init_count, fini, fini_array, fini_count; /* constructors and destructors; 0 for none */
};

/* Read the relocations of the image, and remove its constructors and destructors, so that the loader runs none.
 * False, with the image unchanged, where it cannot be placed: it has thread-locals, for example.
 *
 *   owner    the caller calls place_fini                                                                */
bool place_init(struct placement *place, struct elf_image *image);
void place_fini(struct placement *place);

/* Write the image into its file as the loader relocated the first copy, at `base`, and find out which addresses change
 * from copy to copy.  False with errno set. */
bool place_settle(struct placement *place, const char *base, int file);

/* Place one more copy.  NULL with errno set.  place_remove removes it. */
char *place_copy(const struct placement *place, const char *first, int file);
void place_remove(const struct placement *place, char *base);

/* Run the constructors of the copy, or its destructors. */
void place_construct(const struct placement *place, char *base);
void place_destruct(const struct placement *place, char *base);

typedef void (*load_entry)(struct peal_node *me, int argc, char **argv); /* peal_main */
typedef void (*load_function)(void);                                     /* a function whose type the caller knows */

/* One loaded copy. */
struct instance {
    void *handle;     /* the loader's; NULL: it was placed (place.c) */
    load_entry entry; /* or a load_function */
    char *base;       /* the place of its address 0 */
    char *kept;       /* the values of its globals at load_keep; NULL: none were kept */
    int file;         /* its file in memory, for debuggers; -1 when closed */
};

struct loaded {
    struct instance *copies; /* by rank */
    int count;
    struct image image;            /* the same by address */
    struct placement place;        /* of copies that the loader did not load */
    bool constructed;              /* and their constructors have run */
    size_t sealed;                 /* not 0: there is one copy for all nodes, read-only from here on too */
    size_t writable, writable_end; /* addresses in each: its globals and statics lie between */
    bool cplusplus;                /* linked, and in C++ */
    const void *dynamic;           /* of a linked program: its first copy's tables (linked.h); NULL */
    int symbols;                   /* a file in memory with the debug information of them all; -1 for none */
    char symbols_path[64];         /* its name while it is open */
};

/* Load `copies` copies of the compiled program, which the user calls `path`, each entered at `entry`.
 *
 *   owner    the caller unloads them; after an error nothing is loaded
 *   errors   PEAL_PROGRAM when it does not load even once; PEAL_RESOURCES when fewer than `copies` fit */
enum peal_status load_copies(const char *path, const struct compiled *program, const char *entry, int copies,
                             struct loaded *loaded, struct peal_error *error);

/* The loaded copies of the file; borrowed from it. */
const struct loaded *load_of(const struct peal_program_file *file);

/* Keep the present values of the globals and statics of all copies, and restore them before another run.  False without
 * memory.  Thread-locals belong to a thread and are initialised with it. */
bool load_keep(struct loaded *loaded);
void load_restore(const struct loaded *loaded);

/* Unload all copies.  It accepts a struct without copies, with symbols -1. */
void load_undo(struct loaded *loaded);
