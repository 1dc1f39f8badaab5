/* SPDX-License-Identifier: MIT */
/* Programs for MPI in the browser: the library beneath them, exit codes, the model's time, and lines of calls, which
 * tools/web/program.js knows of the running instance. */
#include "lib/program/linked_browser.h"
#include "lib/machine/lookup.h"
#include "lib/machine/nodes.h"
#include "lib/program/compile.h"
#include "lib/program/model_clock.h"
#include <emscripten.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Give the line of the running node, its file's number in the upper bits; write the name of such a file. */
EM_JS(int, page_line, (int rank), { return Module.pealLine(rank); });
EM_JS(int, page_place, (int place, char *file, int bytes), { return Module.pealPlace(place, file, bytes); });

struct linked_nodes {
    const struct peal_program_file *file;
    int count;
    int aborted; /* of the last run: the code of the node that ended it; 0 */
    struct linked_node {
        int code;
        bool aborts;
        struct model_clock clock;
    } nodes[];
};

static struct linked_nodes *linked; /* of the program that runs; NULL */
static bool watches;                /* the accesses of the last one that was loaded are calls */

/* ------------------------------------------------------------------ runs */

struct linked_nodes *
linked_nodes_create(int nodes)
{
    struct linked_nodes *made = calloc(1, sizeof *made + (size_t)nodes * sizeof *made->nodes);

    if (made)
        made->count = nodes;
    return made;
}

void
linked_nodes_destroy(struct linked_nodes *nodes)
{
    free(nodes);
}

void
linked_watches(bool more)
{
    watches = more;
}

const struct peal_program_file *
linked_watched_file(void)
{
    return linked && watches ? linked->file : NULL;
}

bool
linked_begin(struct linked_nodes *nodes, const struct peal_program_file *file)
{
    linked = nodes;
    nodes->file = file;
    nodes->aborted = 0;
    memset(nodes->nodes, 0, (size_t)nodes->count * sizeof *nodes->nodes);
    return !runtime_hooks() || runtime_hooks()->begins(nodes->count);
}

void
linked_end(struct linked_nodes *nodes, const struct peal_failure *failure)
{
    int rank = failure ? failure->rank : -1;

    if (rank >= 0 && rank < nodes->count && nodes->nodes[rank].aborts)
        nodes->aborted = nodes->nodes[rank].code ? nodes->nodes[rank].code : PEAL_FAILED;
    if (runtime_hooks())
        runtime_hooks()->ended();
    linked = NULL;
}

static void
linked_end_node(struct peal_node *me, int code, bool returned)
{
    linked->nodes[peal_world_rank(me)].code = code & 0xff;
    if (runtime_hooks())
        runtime_hooks()->ends(me, code, returned);
}

void
linked_returned(struct peal_node *me, int code)
{
    linked_end_node(me, code, true);
}

void
linked_exit(struct peal_node *me, int code)
{
    if (!linked)
        return;
    linked_end_node(me, code, false);
    peal_exit(me);
}

int
linked_code(const struct linked_nodes *nodes)
{
    if (nodes->aborted)
        return nodes->aborted;
    for (int rank = 0; rank < nodes->count; rank++)
        if (nodes->nodes[rank].code)
            return nodes->nodes[rank].code;
    return 0;
}

/* ------------------------------------------------------------------ called by the library beneath */

void
peal_program_abort_at(struct peal_node *me, int code, const char *file, int line, const char *format, ...)
{
    char text[600];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (linked) {
        linked->nodes[peal_world_rank(me)].code = code & 0xff;
        linked->nodes[peal_world_rank(me)].aborts = true;
    }
    peal_abort_at(me, text, file, line);
}

void
peal_program_refuse_stray(const void *code, const char *call)
{
    (void)code;
    fprintf(stderr, "peal: %s was called outside of nodes\n", call);
    exit(PEAL_FAILED);
}

double
peal_program_seconds(struct peal_node *me)
{
    return model_clock_read(&linked->nodes[peal_world_rank(me)].clock, peal_clock(me));
}

/* ------------------------------------------------------------------ lines */

void *
program_line(void)
{
    return self && (linked || watches) ? (void *)(uintptr_t)page_line(self->rank) : NULL;
}

static bool
linked_find_line(const char *path, uintptr_t place, char *file, size_t bytes, int *line)
{
    (void)path;
    *line = page_place((int)place, file, (int)bytes);
    return *line > 0;
}

__attribute__((constructor)) static void
offer_lines(void)
{
    line_finder.find = linked_find_line;
    line_finder.alone = true;
}
