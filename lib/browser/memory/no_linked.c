/* SPDX-License-Identifier: MIT */
/* A build without processes loads no linked programs whose accesses to memory it could watch; in the browser
 * it does, and knows no blocks. */
#include <peal/watch.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"
/* What is left out is one line each. */
/* clang-format off */

#ifndef __EMSCRIPTEN__
bool peal_watch_begin(peal_touched touched) { return false; }
void peal_watch_end(void) {}
void peal_watch_hold(const void *begin, size_t bytes, bool writes, bool more) {}
void peal_watch_expose(const void *begin, size_t bytes, bool more) {}
size_t peal_watch_unwritten(const void *begin, size_t bytes, size_t unit, const void **first) { return 0; }
void peal_watch_received(struct peal_node *me, const void *begin, size_t bytes, const char *code) {}
#endif
bool peal_watch_compares(struct peal_node *me, peal_compared compared) { return false; }
bool peal_block_find(struct peal_node *me, const void *address, const void *call, struct peal_block *block)
{ return false; }
void peal_block_note(const void *begin, size_t bytes, const void *call, bool fresh) {}

int
peal_block_text(struct peal_node *me, struct peal_block *block, char text[PEAL_BLOCK_TEXT])
{
    text[0] = '\0';
    return 0;
}
