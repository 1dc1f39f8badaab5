/* SPDX-License-Identifier: MIT */
/* From Peal's frames on a node's stack to that of the program's function which has made the call. */
#pragma once

#include "lib/machine/image.h"
#include <string.h>
#include <unwind.h>

/* The registers of a function of the program, after the call that it has made. */
struct frame_walk {
    const struct image *image;
    uintptr_t code; /* where the call returns to; 0: any call of the program's */
    uintptr_t stack_pointer, frame_pointer;
    bool found;
};

#if defined __aarch64__
enum { FRAME_POINTER = 29 };
#else
enum { FRAME_POINTER = 6 };
#endif

/* Called for each frame from this one on: all are Peal's up to the program's. */
static inline _Unwind_Reason_Code
see_frame(struct _Unwind_Context *context, void *arg)
{
    struct frame_walk *walk = arg;

    uintptr_t code = _Unwind_GetIP(context);

    if (walk->code ? code != walk->code : !image_copy_at(walk->image, code))
        return _URC_NO_REASON;
    walk->code = code;
    walk->stack_pointer = _Unwind_GetCFA(context);
    walk->frame_pointer = _Unwind_GetGR(context, FRAME_POINTER);
    walk->found = true;
    return _URC_END_OF_STACK;
}

static inline uintptr_t
read_word(uintptr_t address)
{
    uintptr_t word;

    memcpy(&word, (const void *)address, sizeof word);
    return word;
}
