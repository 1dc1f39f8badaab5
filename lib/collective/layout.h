/* SPDX-License-Identifier: MIT */
/* How many words a layout gives to a block, to a node, and to the list of lengths of a call. */
#pragma once

#include <peal/form.h>

/* Where block b begins when the blocks follow one another; for b = nodes the words of all.  Where the block that node
 * `from` has for node `to` begins, among all that `from` has. */
size_t layout_begin(const struct peal_layout *layout, int b);
size_t layout_pair_begin(const struct peal_layout *layout, int from, int to);

/* The words that node `rank` has in (before the call) or out (after it); SIZE_MAX: it has no buffer there. */
size_t layout_in_words(const struct peal_layout *layout, const struct peal_form *form, int rank);
size_t layout_out_words(const struct peal_layout *layout, const struct peal_form *form, int rank);

/* The number of stretches of a node's result. */
int layout_parts(const struct peal_layout *layout, const struct peal_form *form);

/* List the lengths of the blocks of node `me`'s call in its scratch memory, those to receive after those to send, for
 * struct peal_arguments; NULL where they are equal. */
const size_t *layout_lengths(const struct peal_layout *layout, const struct peal_form *form, struct peal_node *me);
