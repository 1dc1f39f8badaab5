/* SPDX-License-Identifier: MIT */
/* The output of nodes: kept by each, printed by the round in whole lines and in the order of the ranks. */
#include "lib/machine/output.h"
#include "lib/machine/carrier.h"
#include "lib/machine/failure.h"
#include "lib/machine/hooks.h"
#include "lib/machine/progress.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TOO_MUCH = 1 << 20 }; /* a node that prints this much between two rounds does not wait for the round's end */

/* Lines of several nodes on their way out in one write. */
struct out {
    int fd, error; /* errno of the first write that failed; 0 */
    size_t used;
    char bytes[1 << 13];
};

/* Write all of it; what the system does not accept is lost, as with printf, and noted. */
static void
output_write_all(struct out *out, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t done = write(out->fd, bytes, count);

        if (done < 0 && errno != EINTR) {
            out->error = out->error ? out->error : errno;
            return;
        }
        if (done > 0) {
            bytes += done;
            count -= (size_t)done;
        }
    }
}

static void
output_put(struct out *out, const char *bytes, size_t count)
{
    if (count > sizeof out->bytes - out->used) {
        output_write_all(out, out->bytes, out->used);
        out->used = 0;
    }
    if (count > sizeof out->bytes) {
        output_write_all(out, bytes, count);
        return;
    }
    memcpy(out->bytes + out->used, bytes, count);
    out->used += count;
}

/* Put the node's whole lines, with `all` the rest too; keep the remainder. */
static void
put_lines(struct out *out, struct node *node, bool all)
{
    struct node_output *kept = node->output;
    const char *line = kept->text, *end = kept->bytes > 0 ? line + kept->bytes : line;

    while (line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));

        if (!newline && !all)
            break;
        if (node->machine->options.tag_output) {
            char tag[24];

            output_put(out, tag, (size_t)snprintf(tag, sizeof tag, "%d: ", node->rank));
        }
        output_put(out, line, (size_t)((newline ? newline + 1 : end) - line));
        if (!newline)
            output_put(out, "\n", 1);
        line = newline ? newline + 1 : end;
    }
    kept->bytes = (size_t)(end - line);
    if (kept->bytes > 0)
        memmove(kept->text, line, kept->bytes);
    if (all) {
        free(kept->text);
        free(kept);
        node->output = NULL;
    }
}

void
output_print(struct peal_machine *machine, const int32_t *ranks, size_t count, bool all)
{
    struct out out;

    out.fd = machine->options.output;
    out.error = 0;
    out.used = 0;
    progress_take_screen(machine);
    if (all)
        count = (size_t)machine->options.nodes;
    for (size_t i = 0; i < count; i++) {
        struct node *node = &machine->nodes[all ? (int32_t)i : ranks[i]];

        if (node->output && (all || node->output->bytes > 0))
            put_lines(&out, node, all);
    }
    output_write_all(&out, out.bytes, out.used);
    if (out.error && !atomic_load(&machine->reports.output_error))
        atomic_store(&machine->reports.output_error, out.error);
    progress_give_screen(machine);
}

void
output_show_all(struct node *node)
{
    struct node_output *kept = node->output;
    struct out out;

    if (!kept || kept->bytes == 0 || node->machine->remote)
        return;
    out.fd = node->machine->options.output;
    out.error = 0;
    out.used = 0;
    put_lines(&out, node, false);
    output_put(&out, kept->text, kept->bytes);
    kept->bytes = 0;
    output_write_all(&out, out.bytes, out.used);
}

void
peal_write(struct peal_node *me, const void *bytes, size_t count)
{
    struct node *node = me->node;
    bool inside = node->inside;

    node->inside = true;
    if (node->machine->remote) {
        if (node->machine->remote->print)
            node->machine->remote->print(node, bytes, count);
        node->inside = inside;
        return;
    }
    if (!node->output)
        node->output = calloc(1, sizeof *node->output);
    struct node_output *kept = node->output;

    if (kept && kept->bytes + count > TOO_MUCH && kept->bytes > 0)
        output_print(node->machine, &node->rank, 1, false);
    if (!kept || !array_grow(&kept->text, &kept->capacity, kept->bytes + count, 1))
        node_fail(me, PEAL_OUT_OF_MEMORY, "no memory for the output of node %d", node->rank);
    if (count > 0)
        memcpy(kept->text + kept->bytes, bytes, count);
    kept->bytes += count;
    node->carrier->printed = true;
    node->inside = inside;
}

int
peal_vprintf(struct peal_node *me, const char *format, va_list list)
{
    char line[512];
    va_list again;

    va_copy(again, list);
    int count = vsnprintf(line, sizeof line, format, list);

    if (count >= 0 && (size_t)count < sizeof line) {
        peal_write(me, line, (size_t)count);
    } else if (count >= 0) {
        char *text = malloc((size_t)count + 1);

        if (!text) {
            va_end(again);
            node_fail(me, PEAL_OUT_OF_MEMORY, "no memory for the output of node %d", me->node->rank);
        }
        vsnprintf(text, (size_t)count + 1, format, again);
        peal_write(me, text, (size_t)count);
        free(text);
    }
    va_end(again);
    return count;
}

int
peal_printf(struct peal_node *me, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    int count = peal_vprintf(me, format, list);
    va_end(list);
    return count;
}
