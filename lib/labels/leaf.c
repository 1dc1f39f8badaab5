/* SPDX-License-Identifier: MIT */
/* How a leaf of a label is written. */
#include "lib/labels/labels.h"
#include <inttypes.h>

void
label_say_leaf(struct peal_text text, struct leaf leaf, size_t index)
{
    static const char *const digits[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
    char number[16];

    switch (leaf.kind) {
    case LABEL_NONE:
        peal_append(text, "?");
        return;
    case LABEL_UNSET:
        peal_append(text, "(never written, node %d)", leaf.node % LABEL_EARLIER);
        return;
    case LABEL_BEYOND:
        peal_append(text, "(beyond the end, node %d)", leaf.node % LABEL_EARLIER);
        return;
    case LABEL_WORD:
    case LABEL_SEQUENCE:
        break;
    }
    snprintf(number, sizeof number, "%d", leaf.node % LABEL_EARLIER);
    peal_append(text, leaf.node < LABEL_EARLIER ? "x" : "x′");
    for (const char *c = number; *c; c++)
        peal_append(text, "%s", digits[*c - '0']);
    if (leaf.index != index)
        peal_append(text, "[%" PRIu32 "]", leaf.index);
}
