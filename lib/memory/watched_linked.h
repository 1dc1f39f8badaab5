/* SPDX-License-Identifier: MIT */
/* Watching linked programs (<peal/watch.h>): the accesses, the heap and the messages of nodes on any number of
 * carriers. */
#pragma once

#include <peal/watch.h>

struct node;
struct shadow_copy;

/* Whether programs are loaded whose accesses are calls. */
bool linked_watched(void);

/* watched_browser.c: whether the running program is watched; begin its image, until image_end. */
bool linked_image_begin(void);

/* The node that runs here, in a watched run of a linked program; NULL. */
struct node *linked_node(void);

/* The program's last store has been made: see shadow_store. */
PEAL_API void peal_wrap_stored(struct shadow_copy *copy);

/* The part of the shadow's state in the node's copy; NULL: it has not accessed memory. */
struct shadow_copy *linked_copy(const struct node *node);
/* Whether a read, or a use, by this node at this place is a finding already; from now on it is one. */
bool linked_is_known(const struct node *node, const char *code);

/* A block is allocated, zeroed or not, with `behind` bytes after it that belong to no block. */
void linked_given(void *memory, size_t bytes, size_t behind, bool zero);
/* The node frees the memory at `pc`: its block, if it is one, is not reused for a while. */
void linked_free(struct node *node, void *memory, const void *pc);
