/* SPDX-License-Identifier: MIT */
/* The public names of what a command line needs of this layer. */
#include "lib/base/number.h"
#include "lib/base/suggest.h"

enum peal_status
peal_parse_size(const char *text, size_t *size, struct peal_error *error)
{
    uint64_t value = 0;
    enum peal_status status = number_parse(text, SIZE_MAX, &value, error);

    if (status == PEAL_OK)
        *size = (size_t)value;
    return status;
}

const char *
peal_suggest(const char *word, const char *const *names)
{
    return suggest(word, names);
}
