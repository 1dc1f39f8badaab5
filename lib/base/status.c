/* SPDX-License-Identifier: MIT */
/* Errors of bad input: a status and one line of text in the caller's struct, which may be NULL. */
#include <peal/base.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum peal_status
peal_refuse(struct peal_error *error, enum peal_status status, const char *format, ...)
{
    if (error) {
        va_list list;

        error->status = status;
        va_start(list, format);
        int length = vsnprintf(error->text, sizeof error->text, format, list);
        va_end(list);
        if (length >= (int)sizeof error->text) { /* cut before a character that does not fit whole */
            size_t end = sizeof error->text - 1;

            while (end > 0 && ((unsigned char)error->text[end - 1] & 0xC0) == 0x80)
                end--;
            if (end > 0 && (unsigned char)error->text[end - 1] >= 0xC0)
                end--;
            error->text[end] = '\0';
        }
    }
    return status;
}

const char *
peal_version(void)
{
    return PEAL_VERSION;
}
