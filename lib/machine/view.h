/* SPDX-License-Identifier: MIT */
/* Views: a node as it is seen in a collective, or with another word.  Every collective call uses them. */
#pragma once

#include "lib/machine/failure.h"
#include "lib/machine/requests.h"
#include "lib/machine/size_classes.h"

/* A view of the node's, not yet filled in; NULL without memory. */
static inline struct peal_node *
view_new(struct node *node)
{
    struct peal_node *view = node->spare_views;

    if (!view)
        return own_alloc(sizeof *view);
    node->spare_views = view->next;
    return view;
}

/* Enter a collective from the program, or from another one. */
static inline struct peal_node *
enter_view(struct peal_node *me, const char *collective, int parameter, const char *file, int line)
{
    struct node *node = me->node;
    struct peal_node *view;

    call_enter(me, file, line);
    view = view_new(node);
    if (!view)
        node_fail(me, PEAL_OUT_OF_MEMORY, "no memory to enter %s", collective);
    *view = (struct peal_node){
        .node = node,
        .group = me->group,
        .rank = me->rank,
        .context = me->collectives,
        .collectives = me->collectives,
        .collective = me->collective ? me->collective : collective,
        .file = node->file,
        .line = node->line,
        .parameter = parameter,
        .scale = me->scale,
        .words_limit = me->words_limit,
        .next = node->views,
    };
    node->views = view;
    node->inside = false;
    return view;
}
