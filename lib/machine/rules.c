/* SPDX-License-Identifier: MIT */
/* The kinds of failures and findings, and the advice for one fault of a node. */
#include "lib/machine/rules.h"
#include "lib/base/text.h"
#include "lib/machine/outsiders.h"
#include "lib/machine/size_classes.h"
#include <ctype.h>
#include <peal/hints.h>
#include <stdlib.h>
#undef PEAL_HINT /* texts.def defines it differently */

static const char *const names[] = {
#define PEAL_FAILURE(kind, name) [PEAL_##kind] = name,
#include <peal/failures.def>
    [PEAL_FAILURE_KINDS] = "unknown",
};

static const char *const titles[] = {
#define PEAL_FAILURE(kind, title, meaning, rule, help) [PEAL_##kind] = title,
#include "lib/machine/texts.def"
    [PEAL_FAILURE_KINDS] = "unknown",
};

static const struct peal_rule rules[PEAL_FAILURE_KINDS + 1] = {
#define PEAL_FAILURE(kind, title, meaning, rule, help) [PEAL_##kind] = {rule, help},
#include "lib/machine/texts.def"
};

static const char *const hints[PEAL_HINTS] = {
#define PEAL_HINT(name, text) [PEAL_HINT_NUMBER_##name] = text,
#include "lib/machine/texts.def"
};

static size_t
rule_index(enum peal_failure_kind kind)
{
    return kind < PEAL_FAILURE_KINDS ? kind : PEAL_FAILURE_KINDS;
}

const char *
peal_failure_name(enum peal_failure_kind kind)
{
    return names[rule_index(kind)];
}

const char *
peal_failure_title(enum peal_failure_kind kind)
{
    return titles[rule_index(kind)];
}

const struct peal_rule *
peal_rule_of(enum peal_failure_kind kind)
{
    return &rules[rule_index(kind)];
}

const char *
peal_fault_rule(const struct peal_fault *fault)
{
    return fault->rule[0] ? fault->rule : peal_rule_of(fault->kind)->rule;
}

const char *
peal_hint(int number, const char *conversions)
{
    (void)conversions;
    return hints[number];
}

void
peal_advise(struct peal_node *me, const char *format, ...)
{
    struct node *node = me->node;
    va_list list;

    node->bad_partner.group = NULL;
    if (!node->advice)
        node->advice = malloc(ADVICE_BYTES);
    va_start(list, format);
    if (node->advice)
        vsnprintf(node->advice, ADVICE_BYTES, format, list);
    va_end(list);
}

/* What mpi4py calls a function of MPI, without "MPI_": the whole name, or before the name of a method what has it.  A
 * name that ends with _ is the beginning of several. */
static const struct {
    const char *in_mpi, *in_python;
} mpi4py[] = {{"Cart_shift", "comm.Shift"},
              {"Comm_rank", "comm.Get_rank"},
              {"Comm_size", "comm.Get_size"},
              {"Type_size", "datatype.Get_size"},
              {"Dims_create", "MPI.Compute_dims"},
              {"Op_create", "MPI.Op.Create"},
              {"Type_contiguous", "datatype.Create_contiguous"},
              {"Get_count", "status."},
              {"Reduce_local", "op."},
              {"Init", "MPI."},
              {"Finalize", "MPI."},
              {"Wait", "request."},
              {"Test", "request."},
              {"Cancel", "request."},
              {"Waitall", "MPI.Request."},
              {"Waitany", "MPI.Request."},
              {"Accumulate", "win."},
              {"Put", "win."},
              {"Get", "win."},
              {"Comm_", "comm."},
              {"Request_", "request."},
              {"Type_", "datatype."},
              {"Win_", "win."},
              {"", "comm."}};

#define CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
#define LETTERS CAPITALS "abcdefghijklmnopqrstuvwxyz"

/* The methods that take an array have a capital, those of this list take any object without one. */
static const char *const of_objects[] = {"Send",      "Bsend",    "Ssend",   "Isend",     "Ibsend", "Issend", "Recv",
                                         "Irecv",     "Sendrecv", "Probe",   "Iprobe",    "Bcast",  "Gather", "Scatter",
                                         "Allgather", "Alltoall", "Reduce",  "Allreduce", "Scan",   "Exscan", "Wait",
                                         "Test",      "Waitall",  "Waitany", NULL};

static void
append_in_python(struct peal_text text, const char *name, bool objects)
{
    char method[80];
    int i = 0;

    if (strspn(name, CAPITALS) == strlen(name)) { /* a constant */
        peal_append(text, "MPI.%s", name);
        return;
    }
    for (size_t length; length = strlen(mpi4py[i].in_mpi), length > 0; i++)
        if (strncmp(mpi4py[i].in_mpi, name, length + (mpi4py[i].in_mpi[length - 1] != '_')) == 0)
            break;
    const char *in_mpi = mpi4py[i].in_mpi, *in_python = mpi4py[i].in_python;

    snprintf(method, sizeof method, "%s", name + (text_has_ending(in_mpi, "_") ? strlen(in_mpi) : 0));
    method[0] = (char)(objects && names_have(of_objects, method) ? tolower((unsigned char)method[0])
                                                                 : toupper((unsigned char)method[0]));
    peal_append(text, "%s%s", in_python, text_has_ending(in_python, ".") ? method : "");
}

/* What names types for C, and for Python. */
static const char of_variables[] = "that of the C variables", of_arrays[] = "by arrays of the same dtype";

void
advice_name_calls(const char *place, char fix[ADVICE_BYTES])
{
    const struct outside_place *outside = outside_place_at(place);
    struct peal_text text = {fix, ADVICE_BYTES};
    char was[ADVICE_BYTES], word[80];

    if (!outside || !(text_has_ending(outside->file, ".py") || outside->file[0] == '<')) /* <string>: that of -c */
        return;
    const char *dot = strrchr(outside->through, '.'); /* "comm.recv" */
    bool objects = islower((unsigned char)(dot ? dot + 1 : outside->through)[0]);

    memcpy(was, fix, sizeof was);
    fix[0] = '\0';
    for (size_t i = 0, length; was[i]; i += length) {
        length = strspn(was + i, LETTERS);
        snprintf(word, sizeof word, "%.*s", (int)length, was + i);
        if (strncmp(was + i, of_variables, strlen(of_variables)) == 0)
            peal_append(text, "%s", of_arrays), length = strlen(of_variables);
        else if (strncmp(word, "MPI_", 4) == 0)
            append_in_python(text, word + 4, objects);
        else
            peal_append(text, "%.*s", (int)(length += strcspn(was + i + length, LETTERS)), was + i);
    }
}

void
node_set_crash_hint(struct node *node, const struct crash_hint *hint)
{
    if (!node->crash_hint)
        node->crash_hint = own_alloc(sizeof *hint);
    if (node->crash_hint)
        *node->crash_hint = *hint;
}

void
peal_suspect_bytes(struct peal_node *me, const char *call, int displacement, int elements)
{
    node_set_crash_hint(me->node,
                        &(struct crash_hint){.call = call, .displacement = displacement, .elements = elements});
}

void
peal_suspect_pointer(struct peal_node *me, const void *buffer, const char *call, const char *file, int line)
{
    struct crash_hint hint = {.call = call, .file = file, .line = line, .buffer = buffer};

    memcpy(&hint.held, buffer, sizeof hint.held);
    node_set_crash_hint(me->node, &hint);
}

void
peal_suspect_result(struct peal_node *me, bool writes)
{
    me->node->writes_result = writes;
}

void
node_advise_length(struct peal_node *me, size_t words)
{
    if (words > PTRDIFF_MAX)
        peal_advise(me, "%s", hints[PEAL_HINT_NUMBER_negative_length]);
}

void
peal_advise_nothing(struct peal_node *me)
{
    node_advice_free(me->node);
}

void
node_advice_free(struct node *node)
{
    free(node->advice);
    node->advice = NULL;
}
