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

struct list
list_with_room(struct peal_node *me, int most)
{
    return (struct list){.pieces = pieces_room(me, most), .word_bytes = peal_word_bytes(me)};
}

void
list_add(struct list *list, struct peal_piece piece)
{
    struct peal_piece *last = list->pieces + list->count - 1;

    if (piece.words == 0)
        return;
    if (list->count > 0 && (char *)last->data + last->words * list->word_bytes == (char *)piece.data)
        last->words += piece.words;
    else
        list->pieces[list->count++] = piece;
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
