/* SPDX-License-Identifier: MIT */
/* Why a run failed. */
#include "show/show.h"
#include "write/written.h"
#include <sys/stat.h>

/* How much of a long list is shown. */
enum { MAX_NODES = 16, MAX_QUOTES = 8 };

/* Write what the node was doing, "waits for its send of 5 words to node 2". */
static void
failure_describe_node(const struct peal_waiting *node, const char *unit, char text[300])
{
    char request[160] = "", words[64], tag[32] = "", in[60] = "";
    bool receive = node->what && strcmp(node->what, "receive") == 0;

    if (node->tag > 0)
        snprintf(tag, sizeof tag, " with tag %d", node->tag);
    else if (node->tag == PEAL_ANY_TAG)
        snprintf(tag, sizeof tag, " with any tag");
    if (node->what && node->peer == PEAL_ANY_SOURCE)
        snprintf(request, sizeof request, "a %s of %s from any node%s", node->what,
                 print_count(node->words, unit, words), tag);
    else if (node->what)
        snprintf(request, sizeof request, "a %s of %s %s node %d%s", node->what, print_count(node->words, unit, words),
                 receive ? "from" : "to", node->peer, tag);

    if (node->call)
        snprintf(in, sizeof in, " in %.50s", node->call);
    if (strcmp(node->state, "waits") == 0)
        snprintf(text, 300, "waits%s for %s", in, node->what ? request : "nothing");
    else if (strcmp(node->state, "meets") == 0)
        snprintf(text, 300, "waits%s for others%s%s", node->call ? in : " in a meeting", node->what ? ", beside " : "",
                 request);
    else if (strcmp(node->state, "posts") == 0)
        snprintf(text, 300, "cannot post, its %s is full%s%s", node->box, node->what ? "; first of its requests: " : "",
                 request);
    else if (strcmp(node->state, "tests") == 0)
        snprintf(text, 300, "tests%s%s%s", in, node->what ? " " : "", request);
    else if (strcmp(node->state, "rests") == 0)
        snprintf(text, 300, "rests for a round%s%s", node->what ? " beside " : "", request);
    else if (strcmp(node->state, "runs") == 0)
        snprintf(text, 300, "computes, or is about to");
    else if (strcmp(node->state, "splits") == 0)
        snprintf(text, 300, "waits in peal_split for the rest of its group");
    else
        snprintf(text, 300, "%s%s%s", node->state, node->what ? " " : "", request);
}

/* Print line `line` of a file; nothing when it cannot be read, or is a pipe or a device, which may be endless. */
static void
quote_line(FILE *out, const char *file, int line)
{
    struct stat about;
    FILE *in = stat(file, &about) == 0 && S_ISREG(about.st_mode) ? fopen(file, "r") : NULL;
    char text[400];
    int number = 0;

    if (!in)
        return;
    while (number < line && fgets(text, sizeof text, in))
        number += strchr(text, '\n') != NULL || feof(in);
    fclose(in);
    if (number < line)
        return;
    text[strcspn(text, "\r\n")] = '\0';
    fputs("  ", out);
    print_plain(out, file);
    fprintf(out, ":%d: ", line);
    print_plain(out, text + strspn(text, " \t"));
    fputc('\n', out);
}

static void
quote_lines(FILE *out, const struct peal_failure *failure)
{
    const struct peal_waiting *nodes = failure->nodes;
    int quoted = 0;

    fputc('\n', out);
    if (failure->file[0])
        quote_line(out, failure->file, failure->line);
    for (int i = 0; i < failure->node_count && quoted < MAX_QUOTES; i++) {
        bool seen = !nodes[i].file || (strcmp(nodes[i].file, failure->file) == 0 && nodes[i].line == failure->line);

        for (int j = 0; j < i && !seen; j++)
            seen = nodes[j].file && nodes[j].line == nodes[i].line && strcmp(nodes[j].file, nodes[i].file) == 0;
        if (!seen) {
            quote_line(out, nodes[i].file, nodes[i].line);
            quoted++;
        }
    }
}

void
show_nodes(FILE *out, const struct session *session)
{
    const struct peal_failure *failure = session->failure;

    for (int i = 0; i < failure->node_count && i < MAX_NODES; i++) {
        const struct peal_waiting *node = &failure->nodes[i];
        char doing[300], where[300] = "";

        failure_describe_node(node, show_unit(peal_machine_options(session->machine)), doing);
        if (failure->kind == PEAL_TIMED_OUT && strcmp(node->state, "failed") == 0)
            snprintf(doing, sizeof doing, node->file ? "computes" : "has not come to a call");
        if (node->file)
            snprintf(where, sizeof where, "   %s:%d", file_name(node->file), node->line);
        make_plain(where);
        fprintf(out, "  node %-4d %s%s\n", node->rank, doing, where);
    }
    if (failure->node_count > MAX_NODES)
        fprintf(out, "  ... and %d node%s more (--json has them all)\n", failure->node_count - MAX_NODES,
                plural(failure->node_count - MAX_NODES));
}

void
show_failure(FILE *out, const struct session *session)
{
    const struct peal_failure *failure = session->failure;
    const struct peal_found found = peal_found_at_end(failure, session->mpi);
    const char *kind = peal_failure_name(failure->kind);
    char text[TEXT_MESSAGE];

    print_inked(out, BAD, "%s", kind);
    fputs(": ", out);
    print_wrapped(out, text_message(&failure->fault, text), print_width(kind) + 2);
    if (failure->node_count > 0)
        fputs("\nWho had not finished\n", out);
    show_nodes(out, session);
    text_rest(out, TEXT_ENDED, &found);
    quote_lines(out, failure);
}
