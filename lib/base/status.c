/* SPDX-License-Identifier: MIT */
/* Errors of bad input: a status and one line of text in the caller's struct, which may be NULL. */
#include "lib/base/text.h"

enum peal_status
peal_refuse(struct peal_error *error, enum peal_status status, const char *format, ...)
{
    if (error) {
        va_list list;

        error->status = status;
        va_start(list, format);
        peal_append_list(empty_text(error->text, sizeof error->text), format, list);
        va_end(list);
    }
    return status;
}

const char *
peal_version(void)
{
    return PEAL_VERSION;
}
