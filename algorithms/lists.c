/* SPDX-License-Identifier: MIT */
#include "lists.h"

/* So many bytes of scratch: words may be of any size. */
static void *
room(struct peal_node *me, size_t bytes)
{
    size_t word_bytes = peal_word_bytes(me);

    return peal_scratch(me, (bytes + word_bytes - 1) / word_bytes);
}

struct peal_piece *
pieces_room(struct peal_node *me, int count)
{
    return room(me, (size_t)count * sizeof(struct peal_piece));
}

int *
ints_room(struct peal_node *me, size_t count)
{
    return room(me, count * sizeof(int));
}

void
combine_pieces(const struct peal_op *op, const struct peal_piece *left, const struct peal_piece *right,
               const struct peal_piece *result, int count)
{
    for (int i = 0; i < count; i++)
        op->combine(left[i].data, right[i].data, result[i].data, result[i].words);
}
