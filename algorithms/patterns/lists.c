/* SPDX-License-Identifier: MIT */
/* Lists of pieces in scratch memory of the node: neighbours are joined as they are added, and the caller gives
 * enough room. */
#include "lists.h"

/* This many bytes of scratch: words may be of any size. */
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

struct peal_piece *
strided_blocks(struct peal_node *me, const void *all, const struct peal_blocks *blocks, int root, const void *own,
               int *step, int *count)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P;
    struct peal_piece *held;
    size_t words = 0;
    char *room;

    *step = 1;
    while (*step <= r)
        *step *= 2;
    *count = (P - 1 - r) / *step + 1;
    held = pieces_room(me, *count);
    for (int i = 0; i < *count; i++) {
        held[i] = block_of(me, all, blocks, (int)(((int64_t)r + (int64_t)i * *step + root) % P));
        words += i > 0 ? held[i].words : 0;
    }
    if (all != NULL)
        return held;
    held[0].data = (void *)own;
    room = words > 0 ? peal_scratch(me, words) : NULL;
    for (int i = 1; i < *count; i++) {
        held[i].data = room;
        room += held[i].words * peal_word_bytes(me);
    }
    return held;
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
        peal_combine(op, left[i].data, right[i].data, result[i].data, result[i].words);
}
