/* SPDX-License-Identifier: MIT */
/* Arithmetic of counts and costs. */
#pragma once

#include <peal/cost.h>
#include <stdint.h>

/* Saturating: the largest number represents everything that is too large to count. */
static inline uint64_t
saturating_sum(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

static inline uint64_t
saturating_product(uint64_t a, uint64_t b)
{
    uint64_t exact;

    return __builtin_mul_overflow(a, b, &exact) ? UINT64_MAX : exact;
}

/* At least 0. */
static inline __int128
common_divisor(__int128 a, __int128 b)
{
    while (b != 0) {
        __int128 rest = a % b;

        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static inline struct peal_cost
cost_minus(struct peal_cost a, struct peal_cost b)
{
    return (struct peal_cost){a.alpha - b.alpha, a.beta - b.beta, a.hop - b.hop, a.tau - b.tau};
}
