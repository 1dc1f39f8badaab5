/* SPDX-License-Identifier: MIT */
/* Views: a node as it is seen in a collective, or with another word. */
#include "lib/machine/view.h"
#include "lib/base/text.h"
#include "lib/machine/memory.h"
#include <peal/author.h>
#include <peal/post.h>

struct peal_node *
peal_enter(struct peal_node *me, const char *collective, const char *file, int line)
{
    return enter_view(me, collective, 0, file, line <= PEAL_CODE ? line - me->node->agreed : line);
}

/* Remove a view that is not the last one made: of a strand, or of the program's. */
static __attribute__((noinline)) void
unlink_view(struct node *node, const struct peal_node *entered)
{
    for (struct peal_node **view = &node->views; *view; view = &(*view)->next)
        if (*view == entered) {
            *view = entered->next;
            break;
        }
}

void
peal_leave(struct peal_node *entered)
{
    struct node *node = entered->node;

    node->inside = true;
    if (entered->blocks > 0)
        memory_leave(entered);
    if (node->views == entered)
        node->views = entered->next;
    else
        unlink_view(node, entered);
    entered->next = node->spare_views;
    node->spare_views = entered;
    node->inside = false;
}

/* A copy of the view `from`, one of the node's. */
static struct peal_node *
view_copy(const struct peal_node *from)
{
    struct node *node = from->node;
    struct peal_node *view = view_new(node);

    if (!view)
        node_fail(&node->world, PEAL_OUT_OF_MEMORY, "no memory for a view");
    *view = *from;
    view->blocks = 0;
    view->next = node->views;
    node->views = view;
    return view;
}

struct peal_node *
peal_view_at(struct peal_node *me, size_t word_bytes, const char *file, int line)
{
    struct node *node = me->node;
    size_t own = node->machine->options.word_bytes, scale = word_bytes / own;

    call_enter(me, file, line);
    if (scale == 0 || word_bytes % own != 0 || scale > UINT32_MAX)
        node_fail(me, PEAL_BAD_SIZE, "a view's words of %zu byte%s are not a multiple of the machine's, which have %zu",
                  word_bytes, plural(word_bytes), own);
    struct peal_node *view = view_copy(me);

    view->packet = me->packet * me->scale / scale;
    view->scale = (uint32_t)scale;
    view->words_limit = node->machine->words_limit / scale;
    call_leave(me);
    return view;
}

struct peal_node *
peal_view_part_at(struct peal_node *me, const struct peal_node *part, const char *file, int line)
{
    call_enter(me, file, line);
    if (part->node != me->node)
        node_fail(me, PEAL_BAD_REQUEST, "peal_view_part expects a view of node %d, got one of node %d", me->node->rank,
                  part->node->rank);
    struct peal_node *view = view_copy(me);

    view->group = part->group;
    view->rank = part->rank;
    view->scale = part->scale;
    view->words_limit = part->words_limit;
    call_leave(me);
    return view;
}

void
peal_view_end(struct peal_node *view)
{
    peal_leave(view);
}
