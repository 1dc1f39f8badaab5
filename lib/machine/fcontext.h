/* SPDX-License-Identifier: MIT */
/* Boost.Context, from C: jumps between stacks. */
#pragma once

#ifndef PEAL_FIBERS
#define PEAL_FIBERS 0
#endif

#include <stddef.h>

typedef void *fcontext_t;
struct transfer {
    fcontext_t context; /* of the side that jumped here */
    void *data;
};

#if !PEAL_FIBERS /* a build without Boost.Context: nothing jumps */
static inline struct transfer
jump_fcontext(fcontext_t to, void *data)
{
    return (struct transfer){to, data};
}
static inline fcontext_t
make_fcontext(void *top, size_t bytes, void (*entry)(struct transfer))
{
    (void)bytes, (void)entry;
    return top;
}
#else
#if defined __x86_64__
struct transfer jump_fcontext(fcontext_t to, void *data) __asm__("peal_jump_fcontext")
    __attribute__((visibility("hidden"))); /* fcontext.c */
#else
struct transfer jump_fcontext(fcontext_t to, void *data);
#endif
fcontext_t make_fcontext(void *top, size_t bytes, void (*entry)(struct transfer));
#endif
