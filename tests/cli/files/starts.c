/* The start of an algorithm, S of its collective, called as a function of the user's. */
#include <peal/author.h>

#define RUN(collective, number, ...)                                                                                   \
    const struct peal_arguments x = {__VA_ARGS__};                                                                     \
    const struct peal_blocks blocks = {.words = x.words};                                                              \
    peal_form_of(number)->run(me, &collective##_s, &x, &blocks, &blocks)

#include "s.c"
#include "starts.inc"
