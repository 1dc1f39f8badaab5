/* SPDX-License-Identifier: MIT */
/* Proofs that were made before, in the folder peal/proofs of the user's cache.  One is found again only if nothing that
 * it rests on has changed: the trees of all files that it has read, what clang and the solver say of their versions,
 * and this library and command, which have the models, the interpreter and the algorithms that were run. */
#pragma once

#include "lib/proof/clang_tree.h"
#include "lib/proof/every.h"
#include "lib/proof/version.h"

struct kept {
    const char *clang, *solver;          /* their versions */
    const struct every_request *request; /* which proof */
};

/* Find a proof; the first unit of `sources` is that of the function.  It reads the others. */
bool kept_find(const struct kept *kept, struct sources *sources, struct every *proof);

/* Keep a proof that has read these sources.  A failure to do so is not reported. */
void kept_put(const struct kept *kept, const struct sources *sources, const struct every *proof);
