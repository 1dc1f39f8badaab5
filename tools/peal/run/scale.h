/* SPDX-License-Identifier: MIT */
/* Runs of one program on several numbers of nodes, and how it scales. */
#pragma once

#include "options/options.h"

/* The run on this many nodes. */
struct scale_run {
    int nodes;
    char failed[500];            /* "": it ended well */
    struct peal_cost cost, path; /* T, and the critical path */
    double time, path_time;      /* at the parameters */
    double length;               /* what is compared: path_time where computing was measured, else time */
    double speedup, efficiency;  /* relative to the first run that ended well; NAN: undefined */
    double serial;               /* the serial fraction; NAN: not defined */
    double communication;        /* the share of that time that is not computing; NAN */
};

struct scaling {
    const struct command_request *request;
    bool weak;     /* the problem grows with P */
    bool measured; /* computing was */
    struct peal_parameters parameters;
    struct scale_run *runs;
    size_t count;
    const struct scale_run *first; /* that ended well; NULL: none did */
};

/* Make the runs, show them and write the documents of the request.  Returns the exit code: 1 if a run failed. */
int scale_run_all(const struct command_request *request);

/* Say what an efficiency above 1, or a negative serial fraction, means; false: there is none. */
enum { SCALE_NOTE = 500 };
bool scale_doubt(const struct scaling *scaling, char text[SCALE_NOTE]);

/* Print the table, and its interpretation; write it. */
void scale_show(FILE *out, const struct scaling *scaling);
void scale_write_json(FILE *out, const struct scaling *scaling);
void scale_write_csv(FILE *out, const struct scaling *scaling);
