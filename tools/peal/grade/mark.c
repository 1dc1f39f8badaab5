/* SPDX-License-Identifier: MIT */
/* Notes on the result of a test. */
#include "grade/marking_program.h"
#include "lib/base/clock.h"
#include <stdlib.h>

void
mark_note(struct mark *mark, const char *format, ...)
{
    char text[2000], *longer;
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    make_plain(text);
    if (asprintf(&longer, "%s%s\n", mark->notes ? mark->notes : "", text) < 0)
        return;
    free(mark->notes);
    mark->notes = longer;
}

bool
marking_is_late(const struct marking_work *work, struct mark *mark)
{
    if (peal_spent_seconds() < work->deadline)
        return false;
    mark_note(mark, MARKING_LATE, work->assignment->total);
    return true;
}
