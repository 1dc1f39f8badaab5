/* SPDX-License-Identifier: MIT */
/* What models of calls share.  Models are the part of a proof that is believed, beside clang and the solver; each has a
 * test that compares it with runs (tests/proof/false_models.c). */
#pragma once

#include "lib/proof/follow_inside.h"

/* One call. */
struct asked {
    struct following *run;
    const struct c_value *given;
    enum event_kind kind; /* of the message, where the call makes one */
    bool waits;           /* until it is complete */
    struct c_value result;
};

struct call_model {
    const char *name;
    int arguments;
    void (*does)(struct asked *a);
    enum event_kind kind;
    bool waits;
};

/* The models of a function for MPI, beside those of the C library. */
extern const struct call_model models_mpi[];
extern const size_t models_mpi_count;

/* Whether it is what models alone look at, of this name. */
bool model_is(struct c_value value, const char *name);

/* The blocks that begin at these data, or the whole vector. */
struct block_run model_item(struct following *run, struct c_value data, struct c_value words);

void model_copy(struct following *run, struct block_run to, struct block_run from);

/* Combine two operands into a third, by the operator that the function was given. */
void model_combined(struct following *run, struct c_value op, struct block_run to, struct block_run left,
                    struct block_run right);

/* Memory of the node's own: its number. */
int model_buffer(struct following *run, struct c_buffer buffer);
