/* SPDX-License-Identifier: MIT */
/* Further copies of a shared object that the loader has loaded once: private maps of one file, whose relocations are
 * done again here. */
#ifndef LIB_PROGRAM_PLACE_H
#define LIB_PROGRAM_PLACE_H

#include "lib/program/elf.h"

struct place_slot {
    size_t at;     /* it holds an address */
    bool relative; /* always the copy's own; else only if it lies in the copy */
};

/* The layout of all copies.  Addresses are those in the image. */
struct placement {
    struct place_slot *slots;
    size_t slot_count, slot_room;
    size_t bytes, mapped; /* of a copy in memory; of that from the file.  Whole pages */
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

/* Write the image as the loader relocated it, its first copy at `base`, into the file of the image, and find out which
 * addresses change from copy to copy.  False with errno set. */
bool place_settle(struct placement *place, const char *base, int file);

/* Place one more copy.  NULL with errno set.  place_remove removes it. */
char *place_copy(const struct placement *place, const char *first, int file);
void place_remove(const struct placement *place, char *base);

/* Run the constructors of the copy, or its destructors. */
void place_construct(const struct placement *place, char *base);
void place_destruct(const struct placement *place, char *base);

#endif
