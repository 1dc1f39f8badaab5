/* SPDX-License-Identifier: MIT */
/* MSCCL's XML: <algo> has a <gpu> for each node, <gpu> a <tb> for each thread block, <tb> its <step>s.
 *
 *   source   microsoft/msccl-tools, msccl/language/ir.py, and the reader of the runtime, microsoft/msccl */
#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "lib/plan/plan_formats.h"
#include <ctype.h>
#include <errno.h>
#include <expat.h>
#include <limits.h>
#include <peal/form.h>
#include <stdlib.h>

enum depth { OUTSIDE, IN_ALGO, IN_GPU, IN_BLOCK, IN_STEP };

/* A dependency, until the blocks of its node are known. */
struct dependency {
    size_t step;
    int block, number, line;
};

struct msccl_reader {
    const char *name;
    struct peal_error *error;
    XML_Parser parser;
    bool failed;
    struct peal_plan *plan;
    int depth;
    int ignored;        /* elements under way whose contents do not count */
    int gpu;            /* the node that is read */
    bool *seen;         /* nodes */
    size_t first_block; /* of this node */
    struct dependency *dependencies;
    size_t dependency_count, dependency_room;
    char collective[40];
    int loop_chunks; /* nchunksperloop */
};

/* ------------------------------------------------------------------ mistakes */

/* The current line: expat 2.9 has another function for it, and says that the first is deprecated. */
static int
msccl_line(const struct msccl_reader *reader)
{
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
    return (int)XML_GetCurrentLineNumber64(reader->parser);
#else
    return (int)XML_GetCurrentLineNumber(reader->parser);
#endif
}

static void msccl_refuse(struct msccl_reader *reader, const char *format, ...) PEAL_PRINTF(2, 3);

/* Refuse the file, at the current line, and read no more. */
static void
msccl_refuse(struct msccl_reader *reader, const char *format, ...)
{
    char what[500];

    if (reader->failed)
        return;
    WRITE_ARGUMENTS(what, format);
    peal_refuse(reader->error, PEAL_USAGE, "%s, line %d: %s", reader->name, msccl_line(reader), what);
    reader->failed = true;
    XML_StopParser(reader->parser, XML_FALSE);
}

static void
msccl_no_memory(struct msccl_reader *reader)
{
    if (!reader->failed)
        peal_refuse(reader->error, PEAL_RESOURCES, "not enough memory to read %s", reader->name);
    reader->failed = true;
    XML_StopParser(reader->parser, XML_FALSE);
}

/* ------------------------------------------------------------------ attributes */

static const char *
msccl_attribute(const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

/* A whole number from least to most. */
static int
number(struct msccl_reader *reader, const char **attributes, const char *element, const char *name, int least, int most)
{
    const char *text = msccl_attribute(attributes, name);
    char *end = NULL;
    long value;

    if (!text) {
        msccl_refuse(reader, "<%s> has no attribute '%s'", element, name);
        return least;
    }
    errno = 0;
    value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < least || value > most) {
        if (most == INT_MAX)
            msccl_refuse(reader, "%s of <%s> is %s: expected a number from %d on", name, element, quote(text).text,
                         least);
        else
            msccl_refuse(reader, "%s of <%s> is %s: expected a number from %d to %d", name, element, quote(text).text,
                         least, most);
        return least;
    }
    return (int)value;
}

/* The attribute's number, or `otherwise` where the attribute is missing. */
static int
number_or(struct msccl_reader *reader, const char **attributes, const char *element, const char *name, int least,
          int most, int otherwise)
{
    return msccl_attribute(attributes, name) ? number(reader, attributes, element, name, least, most) : otherwise;
}

/* ------------------------------------------------------------------ elements */

/* The letters of a name, without the characters between them. */
static void
msccl_plain_name(const char *name, char *text, size_t bytes)
{
    size_t used = 0;

    for (; *name && used + 1 < bytes; name++)
        if (isalnum((unsigned char)*name))
            text[used++] = (char)tolower((unsigned char)*name);
    text[used] = '\0';
}

/* The collective by another tool's name, "all_gather", "reducescatter"; PEAL_COLLECTIVES: no schedule can have it. */
static enum peal_collective
msccl_collective(const char *name)
{
    char given[40], known[40];

    msccl_plain_name(name, given, sizeof given);
    for (int i = 0; i < PEAL_COLLECTIVES; i++) {
        const struct peal_form *form = peal_form_of((enum peal_collective)i);

        msccl_plain_name(form->name, known, sizeof known);
        if (strcmp(given, known) == 0 && form->out != PEAL_SIDE_NONE && !form->by && !form->to)
            return (enum peal_collective)i;
    }
    return PEAL_COLLECTIVES;
}

static void
begin_algo(struct msccl_reader *reader, const char **attributes)
{
    const char *coll = msccl_attribute(attributes, "coll"), *name = msccl_attribute(attributes, "name");
    int nodes = number(reader, attributes, "algo", "ngpus", 1, 4096);

    reader->loop_chunks = number(reader, attributes, "algo", "nchunksperloop", 1, 1 << 20);
    if (!coll)
        msccl_refuse(reader, "<algo> has no attribute 'coll'");
    if (reader->failed)
        return;
    reader->plan = peal_plan_create(name ? name : coll, msccl_collective(coll), nodes, 0, reader->error);
    reader->seen = calloc((size_t)nodes, sizeof *reader->seen);
    if (!reader->plan || !reader->seen) {
        msccl_no_memory(reader);
        return;
    }
    reader->plan->in_place = number_or(reader, attributes, "algo", "inplace", 0, 1, 0);
    reader->plan->root = number_or(reader, attributes, "algo", "root", 0, nodes - 1, 0);
    free(reader->plan->kind);
    reader->plan->kind = strdup(coll);
    if (!reader->plan->kind)
        msccl_no_memory(reader);
}

static void
begin_gpu(struct msccl_reader *reader, const char **attributes)
{
    static const char *const names[] = {"i_chunks", "o_chunks", "s_chunks"};

    reader->gpu = number(reader, attributes, "gpu", "id", 0, reader->plan->nodes - 1);
    if (reader->failed)
        return;
    if (reader->seen[reader->gpu])
        msccl_refuse(reader, "duplicate gpu %d", reader->gpu);
    reader->seen[reader->gpu] = true;
    for (int i = 0; i < PEAL_PLAN_BUFFERS; i++)
        reader->plan->node[reader->gpu].chunks[i] = number(reader, attributes, "gpu", names[i], 0, 1 << 20);
    reader->first_block = reader->plan->block_count;
    reader->dependency_count = 0;
}

/* Refuse a second block for one direction of a connection: the runtime allows one. */
static void
check_connection(struct msccl_reader *reader, const struct peal_plan_block *block)
{
    for (size_t i = reader->first_block; i < reader->plan->block_count; i++) {
        const struct peal_plan_block *other = &reader->plan->blocks[i];

        if (other->id == block->id)
            msccl_refuse(reader, "duplicate tb %d of gpu %d", block->id, reader->gpu);
        else if (other->channel == block->channel && block->send >= 0 && other->send == block->send)
            msccl_refuse(reader, "tb %d and tb %d of gpu %d both send to %d on channel %d", other->id, block->id,
                         reader->gpu, block->send, block->channel);
        else if (other->channel == block->channel && block->receive >= 0 && other->receive == block->receive)
            msccl_refuse(reader, "tb %d and tb %d of gpu %d both receive from %d on channel %d", other->id, block->id,
                         reader->gpu, block->receive, block->channel);
    }
}

static void
msccl_begin_block(struct msccl_reader *reader, const char **attributes)
{
    int last = reader->plan->nodes - 1;
    const struct peal_plan_block block = {
        .node = reader->gpu,
        .id = number(reader, attributes, "tb", "id", 0, INT_MAX),
        .send = number(reader, attributes, "tb", "send", -1, last),
        .receive = number(reader, attributes, "tb", "recv", -1, last),
        .channel = number(reader, attributes, "tb", "chan", 0, INT_MAX),
        .line = msccl_line(reader),
    };

    if (!reader->failed)
        check_connection(reader, &block);
    if (!reader->failed && peal_plan_add_block(reader->plan, &block) == SIZE_MAX)
        msccl_no_memory(reader);
}

/* ------------------------------------------------------------------ steps */

static unsigned
type(struct msccl_reader *reader, const char **attributes)
{
    const char *text = msccl_attribute(attributes, "type");

    unsigned does;

    if (text && msccl_does(text, &does))
        return does;
    msccl_refuse(reader, "type of <step> is %s: expected s, r, rcs, rrs, rrc, rrcs, cpy, re or nop",
                 text ? quote(text).text : "missing");
    return 0;
}

static struct peal_plan_place
msccl_read_place(struct msccl_reader *reader, const char **attributes, const char *buffer, const char *offset)
{
    static const char *const names[] = {"i", "o", "s"};
    const char *text = msccl_attribute(attributes, buffer);
    struct peal_plan_place found = {PEAL_PLAN_INPUT, number(reader, attributes, "step", offset, -1, 1 << 20)};

    for (int i = 0; text && i < PEAL_PLAN_BUFFERS; i++)
        if (strcmp(names[i], text) == 0) {
            found.buffer = (enum peal_plan_buffer)i;
            return found;
        }
    msccl_refuse(reader, "%s of <step> is %s: expected i, o or s", buffer, text ? quote(text).text : "missing");
    return found;
}

static void
add_dependency(struct msccl_reader *reader, size_t step, const char **attributes)
{
    int block = number(reader, attributes, "step", "depid", -1, INT_MAX);
    int on = number(reader, attributes, "step", "deps", -1, INT_MAX);

    if (reader->failed || block < 0)
        return;
    if (on < 0) {
        msccl_refuse(reader, "depid of <step> is %d and deps is -1: expected a step of that tb", block);
        return;
    }
    if (!array_grow(&reader->dependencies, &reader->dependency_room, reader->dependency_count + 1,
                    sizeof *reader->dependencies)) {
        msccl_no_memory(reader);
        return;
    }
    reader->dependencies[reader->dependency_count++] = (struct dependency){step, block, on, msccl_line(reader)};
}

static void
begin_step(struct msccl_reader *reader, const char **attributes)
{
    struct peal_plan *plan = reader->plan;
    size_t index = plan->blocks[plan->block_count - 1].count, step;
    int s = number(reader, attributes, "step", "s", 0, INT_MAX);
    struct peal_plan_step own = {.does = type(reader, attributes),
                                 .source = msccl_read_place(reader, attributes, "srcbuf", "srcoff"),
                                 .target = msccl_read_place(reader, attributes, "dstbuf", "dstoff"),
                                 .count = number(reader, attributes, "step", "cnt", 0, 1 << 20),
                                 .round = number_or(reader, attributes, "step", "round", 0, 1 << 24, 0),
                                 .line = msccl_line(reader)};

    if (!reader->failed && (size_t)s != index)
        msccl_refuse(reader, "s of <step> is %d: expected %zu, the next step of its tb", s, index);
    if (own.does == 0)
        own.count = 0;
    if (reader->failed)
        return;
    step = peal_plan_add_step(plan, &own);
    if (step == SIZE_MAX)
        msccl_no_memory(reader);
    else
        add_dependency(reader, step, attributes);
}

/* The blocks of a node are known: find the steps that its steps need. */
static void
end_gpu(struct msccl_reader *reader)
{
    struct peal_plan *plan = reader->plan;

    for (size_t i = 0; i < reader->dependency_count && !reader->failed; i++) {
        const struct dependency *dependency = &reader->dependencies[i];
        size_t b = reader->first_block;

        while (b < plan->block_count && plan->blocks[b].id != dependency->block)
            b++;
        if (b < plan->block_count && (size_t)dependency->number < plan->blocks[b].count) {
            if (!peal_plan_add_need(plan, dependency->step, plan->blocks[b].first + (size_t)dependency->number))
                msccl_no_memory(reader);
            continue;
        }
        if (b == plan->block_count)
            peal_refuse(reader->error, PEAL_USAGE, "%s, line %d: gpu %d has no tb %d, which the step depends on",
                        reader->name, dependency->line, reader->gpu, dependency->block);
        else
            peal_refuse(reader->error, PEAL_USAGE,
                        "%s, line %d: tb %d of gpu %d has %zu steps, and the step depends on its step %d", reader->name,
                        dependency->line, dependency->block, reader->gpu, plan->blocks[b].count, dependency->number);
        reader->failed = true;
        XML_StopParser(reader->parser, XML_FALSE);
    }
}

/* ------------------------------------------------------------------ the file */

static const struct {
    const char *name;
    void (*begin)(struct msccl_reader *reader, const char **attributes);
} elements[] = {{"algo", begin_algo}, {"gpu", begin_gpu}, {"tb", msccl_begin_block}, {"step", begin_step}};

static void
begin_element(void *data, const char *name, const char **attributes)
{
    struct msccl_reader *reader = data;

    if (reader->failed)
        return;
    if (reader->ignored > 0 || (reader->depth == IN_GPU && strcmp(name, "copy") == 0)) {
        if (reader->ignored++ == 0 && !reader->plan->in_place)
            msccl_refuse(reader, "<copy> in a schedule with inplace=\"0\": only steps can copy");
        return;
    }
    if (reader->depth >= IN_STEP)
        msccl_refuse(reader, "<%.40s> in a <step>: expected nothing there", name);
    else if (strcmp(name, elements[reader->depth].name) != 0)
        msccl_refuse(reader, "unknown element <%.40s>: expected <%s>", name, elements[reader->depth].name);
    else
        elements[reader->depth++].begin(reader, attributes);
}

static void
end_element(void *data, const char *name)
{
    struct msccl_reader *reader = data;

    (void)name;
    if (reader->failed)
        return;
    if (reader->ignored > 0) {
        reader->ignored--;
        return;
    }
    if (reader->depth == IN_GPU)
        end_gpu(reader);
    reader->depth--;
}

/* The chunks of a block or vector, from the nodes' attributes; 0: they do not agree. */
static int
find_chunks(const struct msccl_reader *reader)
{
    const struct peal_plan *plan = reader->plan;
    const struct peal_form *form = peal_form_of(plan->collective);
    enum peal_side in = form->in == PEAL_SIDE_NONE ? form->out : form->in;
    int input = plan->node[plan->root].chunks[PEAL_PLAN_INPUT],
        output = plan->node[plan->root].chunks[PEAL_PLAN_OUTPUT];
    bool whole_in = in != PEAL_SIDE_BLOCK && in != PEAL_SIDE_VECTOR;
    bool whole_out = form->out != PEAL_SIDE_BLOCK && form->out != PEAL_SIDE_VECTOR;

    if (plan->collective == PEAL_COLLECTIVES)
        return reader->loop_chunks;
    if (input > 0 && (!whole_in || input % plan->nodes == 0))
        return whole_in ? input / plan->nodes : input;
    return whole_out ? output / plan->nodes : output;
}

/* Set the members that follow from the whole file. */
static void
msccl_complete(struct msccl_reader *reader)
{
    struct peal_plan *plan = reader->plan;
    struct peal_plan *usual;

    for (int i = 0; i < plan->nodes && !reader->failed; i++)
        if (!reader->seen[i])
            msccl_refuse(reader, "gpu %d is missing: ngpus is %d", i, plan->nodes);
    plan->chunks = reader->failed ? 0 : find_chunks(reader);
    if (reader->failed)
        return;
    if (plan->chunks < 1) {
        msccl_refuse(reader, "no node has chunks of the input or the output");
        return;
    }
    usual = peal_plan_create(plan->name, plan->collective, plan->nodes, plan->chunks, reader->error);
    if (!usual) {
        reader->failed = true;
        return;
    }
    peal_plan_set_root(usual, plan->root);
    for (int i = 0; i < plan->nodes && plan->collective != PEAL_COLLECTIVES; i++)
        for (int b = 0; b < PEAL_PLAN_SCRATCH; b++) {
            int *own = &plan->node[i].chunks[b], should = usual->node[i].chunks[b];

            *own = *own < should ? should : *own;
        }
    peal_plan_destroy(usual);
    if (peal_plan_finish(plan, reader->name, reader->error) != PEAL_OK)
        reader->failed = true;
}

static bool
is_msccl(const char *bytes, size_t count)
{
    size_t look = count < 4096 ? count : 4096;

    while (look > 0 && (*bytes == ' ' || *bytes == '\n' || *bytes == '\t' || *bytes == '\r'))
        bytes++, look--;
    return look > 0 && *bytes == '<' && (memmem(bytes, look, "<algo", 5) || memmem(bytes, look, "<?xml", 5));
}

static struct peal_plan *
read_msccl(const char *name, const char *bytes, size_t count, struct peal_error *error)
{
    struct peal_error ignored;
    struct msccl_reader reader = {.name = name, .error = error ? error : &ignored, .parser = XML_ParserCreate(NULL)};

    if (!reader.parser) {
        peal_refuse(error, PEAL_RESOURCES, "not enough memory to read %s", name);
        return NULL;
    }
    XML_SetUserData(reader.parser, &reader);
    XML_SetElementHandler(reader.parser, begin_element, end_element);
    if (count > INT_MAX)
        msccl_refuse(&reader, "the file is too long: %zu bytes", count);
    else if (XML_Parse(reader.parser, bytes, (int)count, 1) == XML_STATUS_ERROR && !reader.failed)
        msccl_refuse(&reader, "%s", XML_ErrorString(XML_GetErrorCode(reader.parser)));
    if (!reader.failed)
        msccl_complete(&reader);
    if (reader.failed) {
        peal_plan_destroy(reader.plan);
        reader.plan = NULL;
    }
    free(reader.seen);
    free(reader.dependencies);
    XML_ParserFree(reader.parser);
    return reader.plan;
}

const struct plan_format format_msccl = {
    .name = "msccl",
    .known = "MSCCL XML, which begins with <algo",
    .is = is_msccl,
    .read = read_msccl,
};
