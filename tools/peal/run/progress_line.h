/* SPDX-License-Identifier: MIT */
/* One line on a terminal that shows the progress of a long run, and is removed before anything else is printed. */
#pragma once

#include <peal/tools.h>

struct progress_line {
    struct peal_parameters parameters;
    double began;
    int width; /* of the line shown now; 0: none */
};

/* Have the machine's next run shown on standard error from half a second on, if that is a terminal that can go back to
 * a line's start.  `progress` lives until the run is over. */
void progress_attach(struct progress_line *progress, struct peal_machine *machine);

/* Whether standard error is such a terminal; show a line there in place of the present one, cut to the terminal's
 * width; NULL only removes that. */
bool progress_possible(void);
void progress_rewrite(struct progress_line *progress, const char *line);
