/* SPDX-License-Identifier: MIT */
/* The stacks of strands, each in a mapping of its own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct strand_stack;

/* Take a stack from a node's spare ones, or a new one of `bytes`; NULL without memory. */
struct strand_stack *strand_stack_take(struct strand_stack **spare, size_t bytes);
/* Give one back to the spare ones. */
void strand_stack_give(struct strand_stack **spare, struct strand_stack *stack);
/* Free the spare ones. */
void strand_stacks_free(struct strand_stack **spare);

/* The lowest address of a stack, and its size in bytes, a multiple of 64. */
char *strand_stack_bottom(struct strand_stack *stack, size_t *bytes);
/* Whether the address lies in the guard, or the last page, of the stack. */
bool strand_stack_overflowed(const struct strand_stack *stack, const char *address);
