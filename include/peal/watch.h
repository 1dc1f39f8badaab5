/* SPDX-License-Identifier: MIT */
/* Watching the memory of linked programs whose accesses are calls (pealcc --watch).
 *
 * Each access of a node's is compared with its rights: the memory is its own, within one block, and not freed.  The
 * library beneath such a program declares which bytes an operation holds besides.  An access of the program to a word
 * with such bytes is reported to the library: to these bytes, or to others of the same 8, so it compares exactly. */
#ifndef PEAL_WATCH_H
#define PEAL_WATCH_H

#include <peal/node.h>
#include <stdbool.h>

PEAL_BEGIN

/* Called before an access to bytes of a held or exposed word, or one that breaks a rule, by the node that makes it;
 * `pc` is the address that follows it in the code.  False: the access is not the program's own. */
typedef bool (*peal_touched)(struct peal_node *me, const void *address, size_t bytes, bool write, const void *pc);

/* Begin to watch a run in which nothing is held yet.  False when no program is loaded whose accesses are calls, or
 * without memory: then the others do nothing.
 *
 *   thread   before the nodes start, and after they have ended                        */
PEAL_API bool peal_watch_begin(peal_touched touched);
PEAL_API void peal_watch_end(void);

/* Count one operation more, or less, that holds the bytes: to write to them, so that the program may not even read
 * them, or to read them.  Without memory they are not watched.
 *
 *   thread   any node                                                                       */
PEAL_API void peal_watch_hold(const void *begin, size_t bytes, bool writes, bool more);

/* Have every access of the program to the bytes reported, or no longer; each call with `more` is undone by one without.
 *
 *   thread   any node                                                                       */
PEAL_API void peal_watch_expose(const void *begin, size_t bytes, bool more);

/* Called where the node compares two values of `bytes` bytes, floating-point numbers as they lie in memory; 0: it
 * prints something, or writes it to a file. */
typedef void (*peal_compared)(struct peal_node *me, uint64_t left, uint64_t right, size_t bytes);

/* Have all that the calling node compares reported, until NULL.  False: its comparisons are not seen. */
PEAL_API bool peal_watch_compares(struct peal_node *me, peal_compared compared);

/* How many of these bytes, which a message sends, were never written, by elements of `unit` bytes; *first: where the
 * first of them are.  0 outside of watched runs. */
PEAL_API size_t peal_watch_unwritten(const void *begin, size_t bytes, size_t unit, const void **first);

/* The node receives into the bytes, by the call that returns to `code`: they count as written, and addresses in them
 * came with that message.  me NULL: another node writes them. */
PEAL_API void peal_watch_received(struct peal_node *me, const void *begin, size_t bytes, const char *code);

/* The call that returns to `code` may receive into these pieces: shorten each to what belongs to the node, and to the
 * block or variable in which it begins.  In a check a receive that is longer is noted. */
PEAL_API void peal_watch_receive(struct peal_node *me, struct peal_piece *pieces, int count, const char *code);

/* In a check: fail unless the bytes that came for that call, and are about to be written here, may be. */
PEAL_API void peal_watch_came(struct peal_node *me, const void *begin, size_t bytes, const char *code);

/* What the node receives has come: whatever it is, it counts as written from now on. */
PEAL_API void peal_watch_arrived(struct peal_node *me, const void *begin, size_t bytes);

/* ------------------------------------------------------------------ blocks, in strict and watched runs */

enum peal_block_kind {
    PEAL_BLOCK_ALLOCATED, /* by the program */
    PEAL_BLOCK_VARIABLE,  /* of the program or a shared object, or of a function */
    PEAL_BLOCK_FRAME, /* the rest of a function's part of the stack, from the address on: its variables are not known */
    PEAL_BLOCK_STACK, /* where the frames are not known either */
    PEAL_BLOCK_ENDED  /* below the frames: of a function that has returned */
};

/* Memory of a linked program that belongs together. */
struct peal_block {
    enum peal_block_kind kind;
    const char *begin;
    size_t bytes;
    int rank; /* of the node that allocated it (peal_block_text), or has that copy of the variable; -1: none, or
                         all */
    const char
        *code;     /* the address after the call that allocated it (peal_block_text): see peal_code_line; else NULL */
    char name[64]; /* of the variable, or the frame's function, cut if it is longer; "" */
};

/* Find the block in which the address lies, or behind which it lies, before the next one; false: none is known. `call`
 * is the return address of the program's call, for what lies on the stack. */
PEAL_API bool peal_block_find(struct peal_node *me, const void *address, const void *call, struct peal_block *block);

/* Fill in who allocated the block, and write "a block of 64 bytes, which it allocated at rows.c:16, one of 8 alike", or
 * "a, a variable of 16 bytes"; "it" is the node.  Gives the number of blocks of the same size that the same node has
 * from the same line, this one included; 0: the block no longer exists, and nothing is written. */
enum { PEAL_BLOCK_TEXT = 300 };
PEAL_API int peal_block_text(struct peal_node *me, struct peal_block *block, char text[PEAL_BLOCK_TEXT]);

/* Note memory that the library beneath the program allocates for it: `bytes` at an address that is a multiple of 16,
 * with PEAL_BLOCK_BEHIND more behind them, for the call that returns to `call`.  NULL: no longer.  fresh: it is the
 * calling node's alone, and in a watched run nobody has written it. */
enum { PEAL_BLOCK_BEHIND = 8 };
PEAL_API void peal_block_note(const void *begin, size_t bytes, const void *call, bool fresh);

PEAL_END

#endif
