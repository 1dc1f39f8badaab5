/* SPDX-License-Identifier: MIT */
/* The picture of --svg: what a page shows, drawn by the page's own script, which node runs. */
#pragma once

#include <peal/base.h>
#include <stdio.h>

/* Whether node is there; if not, *why is the line that names the package.  Call it before the work begins. */
bool picture_available(const char **why);

/* Draw the picture of a page that was written to the file `page` and write it to `out`, an SVG file.  view: as in
 * "network:2"; NULL for the page's first.
 *
 *   errors   PEAL_USAGE when the page has no such picture, and why; PEAL_RESOURCES when node cannot run */
enum peal_status picture_draw(FILE *out, FILE *page, const char *view, struct peal_error *error);
