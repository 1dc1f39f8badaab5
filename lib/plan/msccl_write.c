/* SPDX-License-Identifier: MIT */
/* Writing MSCCL's XML, and its names of what a step does.
 *
 * A step of MSCCL has one dependency.  One that needs more has a `nop` before it for each of the others; nops count
 * as steps of the block.  The plan that is read back has them too, in the same order. */
#include "lib/plan/plan_formats.h"
#include "lib/record/xml.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    FILE *out;
    const struct peal_plan *plan;
    int *numbers; /* of a step: its place in its block, after the nops before it */
    bool *needed; /* whether another step needs it */
};

static const struct {
    const char *name;
    unsigned does;
} types[] = {
    {"s", PEAL_PLAN_SEND},
    {"r", PEAL_PLAN_RECEIVE | PEAL_PLAN_COPY},
    {"rcs", PEAL_PLAN_RECEIVE | PEAL_PLAN_COPY | PEAL_PLAN_SEND},
    {"rrs", PEAL_PLAN_RECEIVE | PEAL_PLAN_REDUCE | PEAL_PLAN_SEND},
    {"rrc", PEAL_PLAN_RECEIVE | PEAL_PLAN_REDUCE | PEAL_PLAN_COPY},
    {"rrcs", PEAL_PLAN_RECEIVE | PEAL_PLAN_REDUCE | PEAL_PLAN_COPY | PEAL_PLAN_SEND},
    {"cpy", PEAL_PLAN_COPY},
    {"re", PEAL_PLAN_REDUCE | PEAL_PLAN_COPY},
    {"nop", 0},
};

enum { TYPES = sizeof types / sizeof *types };

bool
msccl_does(const char *type, unsigned *does)
{
    for (int i = 0; i < TYPES; i++)
        if (strcmp(types[i].name, type) == 0) {
            *does = types[i].does;
            return true;
        }
    return false;
}

/* The name of what a step does; "" where there is none. */
static const char *
msccl_type(unsigned does)
{
    for (int i = 0; i < TYPES; i++)
        if (types[i].does == does)
            return types[i].name;
    return "";
}

static int
nops_before(const struct peal_plan_step *step)
{
    return step->need_count > 1 ? step->need_count - 1 : 0;
}

static void
number_steps(struct writer *writer)
{
    const struct peal_plan *plan = writer->plan;

    for (size_t b = 0; b < plan->block_count; b++) {
        const struct peal_plan_block *block = &plan->blocks[b];
        int number = 0;

        for (size_t i = block->first; i < block->first + block->count; i++) {
            number += nops_before(&plan->steps[i]);
            writer->numbers[i] = number++;
        }
    }
    for (size_t i = 0; i < plan->need_count; i++)
        writer->needed[plan->needs[i]] = true;
}

static void
put_need(const struct writer *writer, size_t on)
{
    if (on == SIZE_MAX)
        fputs(" depid=\"-1\" deps=\"-1\"", writer->out);
    else
        fprintf(writer->out, " depid=\"%d\" deps=\"%d\"", writer->plan->blocks[writer->plan->steps[on].block].id,
                writer->numbers[on]);
}

static void
msccl_write_step(const struct writer *writer, size_t i)
{
    static const char buffers[] = "ios";
    const struct peal_plan_step *step = &writer->plan->steps[i];
    const size_t *needs = writer->plan->needs + step->needs;
    int nops = nops_before(step), first = writer->numbers[i] - nops;

    for (int n = 0; n < nops; n++) {
        fprintf(writer->out,
                "      <step s=\"%d\" type=\"nop\" srcbuf=\"i\" srcoff=\"-1\" dstbuf=\"o\" dstoff=\"-1\" cnt=\"0\"",
                first + n);
        put_need(writer, needs[n]);
        fputs(" hasdep=\"0\"/>\n", writer->out);
    }
    fprintf(writer->out,
            "      <step s=\"%d\" type=\"%s\" srcbuf=\"%c\" srcoff=\"%d\" dstbuf=\"%c\" dstoff=\"%d\" cnt=\"%d\"",
            writer->numbers[i], msccl_type(step->does), buffers[step->source.buffer], step->source.chunk,
            buffers[step->target.buffer], step->target.chunk, step->count);
    put_need(writer, step->need_count > 0 ? needs[nops] : SIZE_MAX);
    if (step->round > 0)
        fprintf(writer->out, " round=\"%d\"", step->round);
    fprintf(writer->out, " hasdep=\"%d\"/>\n", writer->needed[i]);
}

static void
put_node(const struct writer *writer, int node)
{
    const struct peal_plan *plan = writer->plan;
    const int *chunks = plan->node[node].chunks;

    fprintf(writer->out, "  <gpu id=\"%d\" i_chunks=\"%d\" o_chunks=\"%d\" s_chunks=\"%d\">\n", node,
            chunks[PEAL_PLAN_INPUT], chunks[PEAL_PLAN_OUTPUT], chunks[PEAL_PLAN_SCRATCH]);
    for (int b = plan->node[node].first; b < plan->node[node].first + plan->node[node].count; b++) {
        const struct peal_plan_block *block = &plan->blocks[b];

        fprintf(writer->out, "    <tb id=\"%d\" send=\"%d\" recv=\"%d\" chan=\"%d\">\n", block->id, block->send,
                block->receive, block->channel);
        for (size_t i = block->first; i < block->first + block->count; i++)
            msccl_write_step(writer, i);
        fputs("    </tb>\n", writer->out);
    }
    fputs("  </gpu>\n", writer->out);
}

/* Refuse what MSCCL does not have. */
static enum peal_status
msccl_check_steps(const struct peal_plan *plan, struct peal_error *error)
{
    char where[100];

    if (plan->bare)
        return peal_refuse(error, PEAL_USAGE, "%s does not say which chunks its messages carry: MSCCL needs them",
                           plan->file);
    for (size_t i = 0; i < plan->step_count; i++)
        if (!*msccl_type(plan->steps[i].does))
            return peal_refuse(error, PEAL_USAGE, "%s: MSCCL has no step that does this",
                               peal_plan_where(plan, i, where, sizeof where));
    return PEAL_OK;
}

static void
msccl_write_all(const struct writer *writer)
{
    const struct peal_plan *plan = writer->plan;
    int channels = 1, most = 1;

    for (size_t b = 0; b < plan->block_count; b++)
        channels = plan->blocks[b].channel + 1 > channels ? plan->blocks[b].channel + 1 : channels;
    for (int node = 0; node < plan->nodes; node++)
        for (int b = 0; b < PEAL_PLAN_SCRATCH; b++)
            most = plan->node[node].chunks[b] > most ? plan->node[node].chunks[b] : most;
    fputs("<algo name=\"", writer->out);
    peal_write_xml(writer->out, plan->name, false);
    fprintf(writer->out, "\" proto=\"Simple\" nchannels=\"%d\" nchunksperloop=\"%d\" ngpus=\"%d\" coll=\"", channels,
            most, plan->nodes);
    for (const char *c = plan->kind; *c; c++) /* reducescatter */
        if (*c != '-')
            peal_write_xml(writer->out, (const char[]){*c, '\0'}, false);
    fprintf(writer->out, "\" inplace=\"%d\" outofplace=\"%d\" minBytes=\"0\" maxBytes=\"0\"", plan->in_place,
            !plan->in_place);
    if (plan->root > 0)
        fprintf(writer->out, " root=\"%d\"", plan->root);
    fputs(">\n", writer->out);
    for (int node = 0; node < plan->nodes; node++)
        put_node(writer, node);
    fputs("</algo>\n", writer->out);
}

enum peal_status
peal_plan_write_msccl(FILE *out, const struct peal_plan *plan, struct peal_error *error)
{
    struct writer writer = {.out = out,
                            .plan = plan,
                            .numbers = calloc(plan->step_count + 1, sizeof *writer.numbers),
                            .needed = calloc(plan->step_count + 1, sizeof *writer.needed)};
    enum peal_status status = msccl_check_steps(plan, error);

    if (status == PEAL_OK && (!writer.numbers || !writer.needed))
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (status == PEAL_OK) {
        number_steps(&writer);
        msccl_write_all(&writer);
        if (fflush(out) != 0 || ferror(out))
            status = peal_refuse(error, PEAL_RESOURCES, "the schedule could not be written: %s", strerror(errno));
    }
    free(writer.numbers);
    free(writer.needed);
    return status;
}
