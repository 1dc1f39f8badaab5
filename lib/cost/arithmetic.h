/* SPDX-License-Identifier: MIT */
/* Saturating arithmetic: the largest number represents everything that is too large to count. */
#pragma once

#include <stdint.h>

static inline uint64_t
sum(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

static inline uint64_t
product(uint64_t a, uint64_t b)
{
    uint64_t exact;

    return __builtin_mul_overflow(a, b, &exact) ? UINT64_MAX : exact;
}
