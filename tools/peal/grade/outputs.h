/* SPDX-License-Identifier: MIT */
/* What a program printed beside what it should have. */
#pragma once

#include "grade/marking.h"

/* Note how the output of a run differs from the one expected; false: by nothing that counts.  With tag_output, of so
 * many nodes (else 0), only each node's own lines are in an order where they print what those of the reference do;
 * `apart`: each was in a process of its own. */
bool outputs_note(const struct assignment_test *test, const char *is, const char *should, int tagged_nodes, bool apart,
                  struct mark *mark);
