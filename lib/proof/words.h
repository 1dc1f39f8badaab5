/* SPDX-License-Identifier: MIT */
/* Terms as people write them on a board. */
#pragma once

#include "lib/base/text.h"
#include "lib/proof/term.h"

/* Append the term: "(rank - round) mod P" where it is one, "round < P - 1". */
void words_term(struct terms *t, term a, struct peal_text to);

/* What clang calls a kind of node of its tree, as people call it. */
const char *words_construct(const char *kind);
