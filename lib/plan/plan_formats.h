/* SPDX-License-Identifier: MIT */
/* Formats in which schedules are read.  A format is one file that fills one of these, and one line in formats.def. */
#pragma once

#include "lib/plan/plan.h"

struct plan_format {
    const char *name;  /* "msccl" */
    const char *known; /* "MSCCL XML, which begins with <algo": named where a file has no known format */
    /* Whether the first bytes of a file look like it. */
    bool (*is)(const char *bytes, size_t count);
    /* Read a file of this name.  errors: as peal_plan_read */
    struct peal_plan *(*read)(const char *name, const char *bytes, size_t count, struct peal_error *error);
};

/* Find what a step does from MSCCL's name of its kind, "rrc"; false: the kind is unknown. */
bool msccl_does(const char *type, unsigned *does);
