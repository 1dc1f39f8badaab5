/* SPDX-License-Identifier: MIT */
/* Reads whole numbers with the suffixes K, M, G and Ki, Mi, Gi; nothing may precede or follow them. */
#include "lib/base/number.h"
#include "lib/base/text.h"
#include <inttypes.h>

/* The factor that a suffix means; 0 for an unknown one. */
static uint64_t
factor_of(const char *suffix)
{
    static const char letters[] = "KMG";
    const char *letter = *suffix == 'k' ? letters : *suffix ? strchr(letters, *suffix) : NULL;
    uint64_t base = 1000, factor = 1;

    if (!*suffix)
        return 1;
    if (!letter)
        return 0;
    if (suffix[1] == 'i') {
        base = 1024;
        suffix++;
    }
    if (suffix[1])
        return 0;
    for (const char *at = letters; at <= letter; at++)
        factor *= base;
    return factor;
}

enum peal_status
number_parse(const char *text, uint64_t max, uint64_t *value, struct peal_error *error)
{
    const char *at = text;
    uint64_t number = 0;
    bool overflows = false;

    for (; *at >= '0' && *at <= '9'; at++)
        overflows = __builtin_mul_overflow(number, (uint64_t)10, &number) ||
                    __builtin_add_overflow(number, (uint64_t)(*at - '0'), &number) || overflows;

    uint64_t factor = at == text ? 0 : factor_of(at);

    if (!*text)
        return peal_refuse(error, PEAL_USAGE, "a number is missing");
    if (factor == 0)
        return peal_refuse(error, PEAL_USAGE,
                           "%s is not a number: expected digits, and at most a K, M, G (1000s) or Ki, Mi, Gi (1024s)",
                           quote(text).text);
    overflows = __builtin_mul_overflow(number, factor, &number) || overflows;
    if (overflows || number > max)
        return peal_refuse(error, PEAL_USAGE, "%s is too large: at most %" PRIu64, quote(text).text, max);
    *value = number;
    return PEAL_OK;
}

enum peal_status
peal_parse_size(const char *text, size_t *size, struct peal_error *error)
{
    uint64_t value = 0;
    enum peal_status status = number_parse(text, SIZE_MAX, &value, error);

    if (status == PEAL_OK)
        *size = (size_t)value;
    return status;
}
