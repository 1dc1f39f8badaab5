/* SPDX-License-Identifier: MIT */
/* The jumps of fcontext.h in the browser, on Emscripten's fibers.  WebAssembly keeps its calls where no program can
 * reach them; Asyncify rewrites the program so that it returns from all of them, keeping their variables in memory, and
 * enters them again.  A context lies at the top of its own stack, that memory below it. */
#include "lib/machine/fcontext.h"
#include <emscripten/fiber.h>
#include <stdint.h>
#include <stdlib.h>

enum { ALIGN = 16, HOME_BYTES = 256 << 10, PART = 2 }; /* a PARTth of a stack keeps the variables of calls */

struct browser_context {
    emscripten_fiber_t fiber;
    void (*entry)(struct transfer);
    struct transfer came;
};

static _Alignas(ALIGN) char home_calls[HOME_BYTES];
static struct browser_context home, *current; /* of the program's own stack; where it runs, NULL: it never jumped */

static void
begin(void *arg)
{
    const struct browser_context *context = arg;

    context->entry(context->came);
    abort(); /* not reached: an entry jumps away */
}

fcontext_t
make_fcontext(void *top, size_t bytes, void (*entry)(struct transfer))
{
    uintptr_t end = (uintptr_t)top / ALIGN * ALIGN - sizeof(struct browser_context) / ALIGN * ALIGN - ALIGN;
    uintptr_t bottom = ((uintptr_t)top - bytes + ALIGN - 1) / ALIGN * ALIGN;
    struct browser_context *context = (struct browser_context *)end;
    size_t calls = bytes / PART / ALIGN * ALIGN;

    context->entry = entry;
    emscripten_fiber_init(&context->fiber, begin, context, (void *)bottom, end - calls - bottom, (void *)(end - calls),
                          calls);
    return context;
}

struct transfer
jump_fcontext(fcontext_t to, void *data)
{
    struct browser_context *from = current ? current : &home, *next = to;

    if (!current)
        emscripten_fiber_init_from_current_context(&home.fiber, home_calls, sizeof home_calls);
    next->came = (struct transfer){from, data};
    current = next;
    emscripten_fiber_swap(&from->fiber, &next->fiber);
    current = from;
    return from->came;
}
