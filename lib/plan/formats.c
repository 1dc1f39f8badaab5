/* SPDX-License-Identifier: MIT */
/* Chooses the format of a schedule's file by its first bytes. */
#include "lib/base/text.h"
#include "lib/plan/plan_formats.h"

/* PLAN_FORMATS is the list of formats.def without those in LEFT_OUT, whose libraries are missing. */
#define FORMAT(name) extern const struct plan_format format_##name;
PLAN_FORMATS
#undef FORMAT

static const struct plan_format *const formats[] = {
#define FORMAT(name) &format_##name,
    PLAN_FORMATS
#undef FORMAT
};

enum { FORMATS = sizeof formats / sizeof *formats };

static const struct plan_format *
format_of(const void *bytes, size_t count)
{
    for (int i = 0; i < FORMATS; i++)
        if (formats[i]->is(bytes, count))
            return formats[i];
    return NULL;
}

bool
peal_plan_is(const void *bytes, size_t count)
{
    return format_of(bytes, count) != NULL;
}

struct peal_plan *
peal_plan_read(const char *name, const void *bytes, size_t count, struct peal_error *error)
{
    const struct plan_format *format = format_of(bytes, count);

    if (!format) {
        char all[300] = "";

        for (int i = 0; i < FORMATS; i++)
            peal_append(IN_ARRAY(all), "%s%s", i == 0 ? "" : i == FORMATS - 1 ? ", or " : ", ", formats[i]->known);
        peal_refuse(error, PEAL_USAGE, "%s is not a schedule: expected %s%s%s", name, all,
                    *LEFT_OUT ? "; this build cannot read " : "", LEFT_OUT);
        return NULL;
    }
    struct peal_plan *plan = format->read(name, bytes, count, error);

    if (plan)
        plan->format = format->name;
    else if (error)
        make_plain(error->text); /* it quotes the file */
    return plan;
}
