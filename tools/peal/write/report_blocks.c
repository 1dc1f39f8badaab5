/* SPDX-License-Identifier: MIT */
/* Writes the data that nodes hold after each round, unless that would make the page slow. */
#include "write/report.h"
#include <peal/check.h>
#include <stdlib.h>

/* A page that is much larger is slow to open. */
enum { MAX_BYTES = 4 << 20 };

char *
report_blocks(const struct peal_record *run, char why[200])
{
    struct peal_error error = {PEAL_RESOURCES, "not enough memory"};
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    enum peal_status status = out ? peal_check_holdings(out, run, NULL, MAX_BYTES, &error) : PEAL_RESOURCES;

    if (out && fclose(out) == 0 && status == PEAL_OK)
        return text;
    free(text);
    snprintf(why, 200, "%.199s", error.text);
    return NULL;
}
