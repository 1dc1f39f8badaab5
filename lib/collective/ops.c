/* SPDX-License-Identifier: MIT */
/* The built-in operators. */
#include <math.h>
#include <peal/author.h>
#include <string.h>

#if defined __OPTIMIZE__ && !defined __clang__
#pragma GCC optimize("O3") /* vector instructions, even where operands may overlap */
#endif

/* Define the operator peal_<name> on words of `type`, which gives `expression` of l and r. */
#define OPERATOR(label, name_, type, commutes, is_exact, expression)                                                   \
    static void name_##_combine(const void *left, const void *right, void *result, size_t words)                       \
    {                                                                                                                  \
        const type *ls = left, *rs = right;                                                                            \
        type *xs = result;                                                                                             \
                                                                                                                       \
        for (size_t i = 0; i < words; i++) {                                                                           \
            type l = ls[i], r = rs[i];                                                                                 \
            xs[i] = expression;                                                                                        \
        }                                                                                                              \
    }                                                                                                                  \
    const struct peal_op peal_##name_ = {.name = label,                                                                \
                                         .commutative = commutes,                                                      \
                                         .word_bytes = sizeof(type),                                                   \
                                         .combine = name_##_combine,                                                   \
                                         .pure = true,                                                                 \
                                         .exact = is_exact};

OPERATOR("sum-double", sum_double, double, true, false, l + r)
OPERATOR("max-double", max_double, double, true, false, fmax(l, r))
OPERATOR("min-double", min_double, double, true, false, fmin(l, r))
OPERATOR("prod-double", prod_double, double, true, false, l *r)

/* Sums and products of integers wrap round, in two's complement: they stay associative whatever the values. */
OPERATOR("sum", sum_int64, int64_t, true, true, (int64_t)((uint64_t)l + (uint64_t)r))
OPERATOR("max", max_int64, int64_t, true, true, l > r ? l : r)
OPERATOR("min", min_int64, int64_t, true, true, l < r ? l : r)
OPERATOR("prod", prod_int64, int64_t, true, true, (int64_t)((uint64_t)l *(uint64_t)r))

/* (left ∘ right)(x) = left(right(x)): a = a_l·a_r and b = a_l·b_r + b_l modulo 2^32. */
static uint64_t
compose(uint64_t left, uint64_t right)
{
    uint32_t a = (uint32_t)left * (uint32_t)right;
    uint32_t b = (uint32_t)left * (uint32_t)(right >> 32) + (uint32_t)(left >> 32);

    return (uint64_t)b << 32 | a;
}

OPERATOR("affine", affine, uint64_t, false, false, compose(l, r))

const struct peal_op *
peal_op_find(const char *name)
{
    static const struct {
        const char *name;
        const struct peal_op *op;
    } names[] = {
        {"sum", &peal_sum_int64},         {"max", &peal_max_int64},         {"min", &peal_min_int64},
        {"prod", &peal_prod_int64},       {"sum-int64", &peal_sum_int64},   {"max-int64", &peal_max_int64},
        {"min-int64", &peal_min_int64},   {"prod-int64", &peal_prod_int64}, {"sum-double", &peal_sum_double},
        {"max-double", &peal_max_double}, {"min-double", &peal_min_double}, {"prod-double", &peal_prod_double},
        {"affine", &peal_affine},
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].op;
    return NULL;
}
