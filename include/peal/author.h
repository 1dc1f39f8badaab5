/* SPDX-License-Identifier: MIT */
/* For authors of algorithms and collectives: the calls of a collective's code, besides those of <peal/node.h>.
 *
 * struct peal_algorithm, which each algorithm fills, is in <peal/collective.h>; struct peal_form, which each collective
 * fills, in <peal/form.h>.  This header includes both. */
#ifndef PEAL_AUTHOR_H
#define PEAL_AUTHOR_H

#include <peal/collective.h>
#include <peal/form.h>

PEAL_BEGIN

/* ------------------------------------------------------------------ entering a collective */

/* Enter a collective: gives the same node with the group's second context, so that the collective's messages never meet
 * the program's.  Until peal_leave, reports about the node have the caller's file and line.  Collectives nest.
 * peal_leave frees what was allocated on the entered node. */
PEAL_API struct peal_node *peal_enter(struct peal_node *me, const char *collective, const char *file, int line);
PEAL_API void peal_leave(struct peal_node *entered);

/* One call of a collective: what the node asks, which all nodes of the group must ask alike, and what comes of it. */
struct peal_call {
    const struct peal_form *form;
    const char *asked; /* the algorithm as the program names it, "chain:16"; NULL: the cheapest */
    const char *op;    /* the operator's name; NULL without one */
    size_t words;      /* of the vector, a block, the longest block */
    uint64_t list;     /* made of a list that it was given: lengths of blocks, ranks; 0 none */
    int root;
    int by;       /* of a shift */
    int number;   /* given to the algorithm apart from its name; 0 none */
    int traits;   /* of the operator, a bit each; 0 without one */
    bool unequal; /* the blocks have lengths of their own: words is the longest's; 0: unknown */

    const char *algorithm; /* "chain"; NULL: not known */
    const void *plan;      /* what carries the call out, owned by the caller; NULL: none */
    int parameter;         /* of the algorithm; 0 none */
};

/* Declare the node's call before it enters it: every node of the group must declare the same as its n-th call, else the
 * run fails as collective-mismatch, with the two nodes and lines; calls inside of a collective are not compared.  From
 * then on peal_enter_cached knows what comes of this call, if it has a plan.
 *
 *   owner    borrows file and what call points to until the run ends, the plan until the machine is destroyed; copies
 *            `asked`                                                                                            */
PEAL_API void peal_declare_call(struct peal_node *me, const struct peal_call *call, const char *file, int line);

/* Declare the types of the data of the node's next collective call: `note` is a number made of them, `types` names
 * them.  Nodes of a group that give one call different notes are the finding type-mismatch.  0, the start value of each
 * call: any types.  Inside of a collective or a strand nothing is declared.
 *
 *   owner    borrows types until the run ends                                                                  */
PEAL_API void peal_call_types(struct peal_node *me, uint64_t note, const char *types);

/* Declare and enter in one call, if the same was asked before on this machine, by a group of as many nodes: gives the
 * entered node, which has the call's parameter, and fills in what comes of the call.  NULL, with nothing done: then
 * peal_declare_call and peal_enter do it.
 *
 *   owner    borrows file until the run ends                                                                   */
PEAL_API struct peal_node *peal_enter_cached(struct peal_node *me, struct peal_call *call, const char *file, int line);

/* Declare the names of calls of another interface, names[1 .. count), at most 1023: PEAL_CODE_OF(n) is then the line of
 * a call of names[n], and reports name it.  NULL: none.
 *
 *   owner    borrows names until the next declaration
 *   thread   not while a machine runs                                                                          */
PEAL_API void peal_call_names(const char *const *names, int count);

/* As peal_alloc, but the words are not zeroed. */
#define peal_scratch(me, words) peal_scratch_at(me, words, PEAL_HERE)
PEAL_API void *peal_scratch_at(struct peal_node *me, size_t words, const char *file, int line);

/* Declare that the collective's packets have `words` words: on a noncombining machine a longer message that is posted
 * on `me` is the failure `noncombining`.  0, the start value, means no limit. */
PEAL_API void peal_packet(struct peal_node *me, size_t words);

/* The parameter of the algorithm that runs on `me` (16 in "chain:16"), set by its caller; 0 at first. */
PEAL_API int peal_parameter(const struct peal_node *me);

/* End the run with a failure of this kind (an enum peal_failure_kind), reported for this node.  Does not return. */
PEAL_API __attribute__((noreturn)) void peal_fail_at(struct peal_node *me, int kind, const char *file, int line,
                                                     const char *format, ...) PEAL_PRINTF(5, 6);

/* The node that runs on the calling thread, as seen in the whole machine; NULL outside of node programs. */
PEAL_API struct peal_node *peal_self(void);

/* Give the address that counts as the place of the call of `me` that returns to `code` in the program: where functions
 * of the program do no more than pass it on, the return address of the outermost one's call.
 *
 *   blocks   the first time, while debugging information is read; what was found is remembered */
PEAL_API const void *peal_passed_on(struct peal_node *me, const void *code);

/* Look up the file and line of a return address in the program's code.  Slow the first time, then remembered.
 *
 *   owner    *file lives until the machine's next run
 *   errors   false when the line is not known: *file is then the module's name, or "?", and *line 0 */
PEAL_API bool peal_code_line(struct peal_node *me, const void *code, const char **file, int *line);

/* Whether the group of `me` is the whole machine. */
PEAL_API bool peal_is_world(const struct peal_node *me);

PEAL_END

#endif
