/* SPDX-License-Identifier: MIT */
/* The jumps of fcontext.h in the browser.  WebAssembly keeps its calls where no program can reach them; Asyncify
 * rewrites the program so that it returns from all of them, keeping their variables in memory, and enters them again.
 * The caller's own calls stay where they are: contexts run in a call of its own, from which they return to it
 * (tools/web/program.js).  A context lies at the top of its own stack, the memory for its variables below it. */
#include "lib/machine/fcontext.h"
#include <emscripten.h>
#include <stdint.h>
#include <stdlib.h>

enum { ALIGN = 16, PART = 2 }; /* 1/PART of a stack keeps the variables of calls */

struct browser_context {
    char *kept, *limit; /* of the variables; these two are Asyncify's */
    char *stack;        /* while it does not run */
    int entered;        /* what the page looks at ends here */
    void (*entry)(struct transfer);
    struct transfer came;
};

static struct browser_context home, *current; /* of the program's own stack; where it runs, NULL: it never jumped */

/* Let contexts run, beginning with this one, until one jumps home; jump from one to another. */
EM_JS(void, context_enter, (struct browser_context * to, const struct browser_context *caller),
      { Module.pealEnter(to, caller); });
EM_JS(void, context_switch, (struct browser_context * from, struct browser_context *to),
      { Module.pealSwitch(from, to); });

void context_begin(const struct browser_context *context);

/* The first call of each context, which the page makes. */
EMSCRIPTEN_KEEPALIVE void
context_begin(const struct browser_context *context)
{
    context->entry(context->came);
    abort(); /* not reached: an entry jumps away */
}

fcontext_t
make_fcontext(void *top, size_t bytes, void (*entry)(struct transfer))
{
    uintptr_t end = (uintptr_t)top / ALIGN * ALIGN - (sizeof home + ALIGN - 1) / ALIGN * ALIGN;
    struct browser_context *context = (struct browser_context *)end;
    char *stack = (char *)(end - bytes / PART / ALIGN * ALIGN);

    *context = (struct browser_context){.kept = stack, .limit = (char *)end, .stack = stack, .entry = entry};
    return context;
}

struct transfer
jump_fcontext(fcontext_t to, void *data)
{
    struct browser_context *from = current ? current : &home, *next = to;

    next->came = (struct transfer){from, data};
    current = next;
    if (from == &home)
        context_enter(next, &home);
    else
        context_switch(from, next);
    current = from;
    return from->came;
}
