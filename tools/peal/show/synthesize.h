/* SPDX-License-Identifier: MIT */
/* A synthesis: the request and its result, shown and written. */
#pragma once

#include "lib/synthesis/synthesis.h"
#include "options/options.h"

struct synthesis {
    const struct command_request *request;
    int most_chunks; /* of a block; for a front, the most */
    struct peal_synthesis asked;
    struct peal_network *network;
    bool front; /* many questions: `found`; else one: `result` */
    struct peal_synthesized result;
    struct peal_front found;
    bool interrupted; /* by a signal: the result is what had been found by then */
    int seconds;      /* --search-seconds; 0: no limit */
    bool late;        /* they were not enough to decide all */
    char *beaten;     /* the name of --from's algorithm, "allgather/ring"; NULL without it */
};

/* Print one question's answer, or the front, for people. */
void synthesis_show(FILE *out, const struct synthesis *synthesis);

/* Print a question of a front as it is answered. */
void synthesis_tell(const struct peal_synthesis_question *question, void *context);

/* Write the document "peal/synthesis/2". */
void synthesis_write(FILE *out, const struct synthesis *synthesis);
