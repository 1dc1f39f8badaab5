/* SPDX-License-Identifier: MIT */
/* The preconditions with which a wrong function may be right. */
#include "lib/check/narrow.h"
#include "lib/check/expression.h"
#include <stdio.h>
#include <string.h>

bool
peal_check_is_wrong(const struct peal_verdict *verdict)
{
    for (int i = 0; i < verdict->finding_count; i++)
        if (verdict->findings[i].severity == PEAL_SEVERITY_ERROR)
            return true;
    return false;
}

/* The preconditions that are tried for a wrong function, from the weakest on. */
static const struct precondition {
    const char *only, *root, *options, *text;
    bool divides, nonzero, may_refuse;
} preconditions[] = {
    {.may_refuse = true, .options = "--may-refuse", .text = "it does not refuse"},
    {.nonzero = true, .options = "--nonzero", .text = "nothing is empty"},
    {.divides = true, .options = "--divides", .text = "P divides the words"},
    {.only = "P > 1", .options = "--only 'P > 1'", .text = "P is more than 1"},
    {.only = "P = 2^q", .options = "--only 'P = 2^q'", .text = "P is a power of two"},
    {.only = "P % 2 = 0", .options = "--only 'P % 2 = 0'", .text = "P is even"},
    {.root = "0", .options = "--root 0", .text = "the root is node 0"},
    {.only = "n >= P", .options = "--only 'n >= P'", .text = "there are P words or more"},
    {.only = "P = 2^q",
     .may_refuse = true,
     .options = "--only 'P = 2^q' --may-refuse",
     .text = "P is a power of two and it does not refuse"},
    {.only = "P = 2^q",
     .divides = true,
     .options = "--only 'P = 2^q' --divides",
     .text = "P is a power of two and divides the words"},
    {.only = "P > 1",
     .divides = true,
     .nonzero = true,
     .options = "--only 'P > 1' --divides --nonzero",
     .text = "P is more than 1 and divides the words, which are not none"},
    {.only = "P = 2^q",
     .root = "0",
     .options = "--only 'P = 2^q' --root 0",
     .text = "P is a power of two and the root is node 0"},
    {.only = "n < 2^28", .options = "--only 'n < 2^28'", .text = "there are fewer than 2^28 words"},
};

/* The check with a precondition; false: that leaves one of the errors found in. */
static bool
add_precondition(const struct peal_check *check, const struct peal_verdict *verdict, const struct precondition *with,
                 struct peal_check *narrowed)
{
    *narrowed = *check;
    narrowed->only = with->only;
    narrowed->divides = with->divides;
    narrowed->nonzero = with->nonzero;
    narrowed->may_refuse |= with->may_refuse;
    narrowed->first_only = true;
    if (with->root && !peal_collective_has_root(check->collective))
        return false;
    narrowed->has_root |= with->root != NULL;
    for (int i = 0; i < verdict->finding_count; i++) {
        const struct peal_check_case *where = &verdict->findings[i].where;
        bool refused = with->may_refuse && (strstr(verdict->findings[i].message, " returns ") ||
                                            strstr(verdict->findings[i].message, " throws: "));

        if (!refused && verdict->findings[i].severity == PEAL_SEVERITY_ERROR && peal_check_asks_for(narrowed, where) &&
            !(with->root && where->root != 0))
            return false;
    }
    return true;
}

bool
narrow_tries(const struct peal_check *check, const struct peal_verdict *verdict)
{
    return check->suggests && check->file && !check->program && peal_check_is_wrong(verdict) && !check->only &&
           !check->divides && !check->nonzero && !check->has_root && !check->has_words && !check->sizes &&
           !check->choices && !check->has_delivery && check->nodes_from != check->nodes_to;
}

int
narrow_next(const struct peal_check *check, const struct peal_verdict *verdict, int from, struct peal_check *narrowed)
{
    const int count = sizeof preconditions / sizeof *preconditions;

    while (from < count && !add_precondition(check, verdict, &preconditions[from], narrowed))
        from++;
    return from < count ? from : -1;
}

void
narrow_suggest(int which, const char *bound, char *text, size_t bytes)
{
    snprintf(text, bytes, "right where %s (P = %.60s): try %s", preconditions[which].text, bound,
             preconditions[which].options);
}
