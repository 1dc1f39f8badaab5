/* SPDX-License-Identifier: MIT */
/* The names that a submission may not call. */
#pragma once

#include "grade/marking.h"

/* Note every name in `calls`, as of peal_contained_calls, that the test forbids or does not allow. */
void forbidden_note(const char *calls, const struct assignment_test *test, struct mark *mark);

/* Whether the name is one of the lines. */
bool forbidden_has_line(const char *lines, const char *name);
