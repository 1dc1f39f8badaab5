/* SPDX-License-Identifier: MIT */
/* ELF64 files as the compiler and the linker wrote them: the contents of an object, and a shared object laid out to be
 * loaded thousands of times.  Plain data in, plain data out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The contents of an object file. */
struct elf_facts {
    bool writable;      /* a global, static or thread-local that can be written */
    bool has_peal_main; /* functions it defines for others */
    bool has_main;
    bool has_mangled_peal_main; /* by C++ */
    bool unwinds;               /* it has exceptions to handle (C++): the unwinder must find its frames */
    /* the names it takes from elsewhere, a line each, and after a = those of the functions it defines for others; NULL
     * without memory */
    char *calls;
    size_t calls_room;
};

/* Read the object file of `size` bytes at `bytes`.  False if it is not an ELF64 object of this machine.
 *
 *   owner    the caller frees facts->calls, also after false                                                      */
bool elf_inspect(const unsigned char *bytes, size_t size, struct elf_facts *facts);

/* The addresses *begin .. *end of a shared object's globals and statics that can be written; the same if it has
 * none.  Gives whether one of them is the program's own, and not the compiler's. */
bool elf_writable(const unsigned char *bytes, size_t size, size_t *begin, size_t *end);

/* Whether the shared object certainly has no variables, thread-locals, constructors or destructors but the
 * compiler's. */
bool elf_is_constant(const unsigned char *bytes, size_t size);

/* A shared object laid out in its file as it will lie in memory: offset = address.  Its file is bytes[0 .. filled),
 * then zeros up to `rest`, then bytes[filled .. size).  In memory it has three parts, which begin at pages:
 *
 *   [0, code)         code and constants                                              never written
 *   [code, frozen)    constants with addresses in them, and the loader's tables      read-only once these are filled in
 *   [frozen, memory)  globals and statics                                             */
struct elf_image {
    unsigned char *bytes;
    size_t filled, rest, size;
    size_t code, frozen, memory, align;
};

/* Lay the shared object of `size` bytes at `file` out in this way.  With debug_info the sections that are not loaded
 * follow, for debuggers.
 *
 *   owner    the caller frees image->bytes
 *   errors   false if it is not a shared object that can be laid out so, or without memory (bytes is NULL then)  */
bool elf_flatten(const unsigned char *file, size_t size, bool debug_info, struct elf_image *image);

/* The bytes of the gap behind a global of `bytes` bytes, in a program whose accesses are watched. */
size_t elf_gap(size_t bytes);

/* Make the gaps in an object whose globals have a section each (-fdata-sections).  False without memory. */
bool elf_make_gaps(unsigned char **bytes, size_t *size);
