/* SPDX-License-Identifier: MIT */
/* Ranges of ranks, of which the vectors are combined, and their closed forms. */
#pragma once

#include "lib/proof/prove_inside.h"

struct rank_range {
    term start, count; /* start 0: not known; count 0, the number: nothing, or what no rank has given; below 0:
                        * anything, of which nothing is said, as no node needs it */
};

/* What a send has on one path. */
struct seen {
    size_t message;
    term when;
    struct rank_range has;
};

/* Terms that a range may begin with, or that may be its number of ranks. */
struct forms {
    term list[1000];
    int count;
};

/* The proof of one class. */
struct combining {
    struct proving *g;
    struct terms *t;
    struct rank_range *claim; /* of each message */
    size_t **message_of;      /* of each path's events */
    term *meet;               /* of each match: where both meet, its partner being the peer; 0: not yet made */
    term commutes;            /* the condition under which its operands may be swapped */
    bool spare;               /* nodes combine what none needs: a scan's, of groups that are cut off at P */
    struct seen *seen;
    size_t seen_count;
    struct forms starts, counts; /* outside of loops */
    struct forms groups, spares; /* the beginning of a group, and what is known of the number of its ranks */
    struct simple {              /* ranges whose forms were looked for */
        term when;
        struct rank_range before, after;
    } * simple;
    size_t simple_count, simple_capacity;
};

/* ------------------------------------------------------------------ ranges */

struct rank_range range_unknown(void);
struct rank_range range_of(term start, term count);
struct rank_range range_nothing(struct terms *t);
struct rank_range range_if(struct terms *t, term truth, struct rank_range a, struct rank_range b);
struct rank_range range_replace(struct terms *t, struct rank_range a, const term *variables, const term *by, int count);
term range_some(struct combining *c, struct rank_range a);
term range_any(struct combining *c, struct rank_range a); /* it is anything */
term range_equal(struct terms *t, struct rank_range a, struct rank_range b);

/* The range is what is said of it, or that is anything. */
term range_is(struct combining *c, struct rank_range a, struct rank_range said);

/* The second begins where the first ends. */
term range_meets(struct combining *c, struct rank_range a, struct rank_range b);
struct rank_range range_combined(struct combining *c, struct rank_range a, struct rank_range b);

/* All that a node of a barrier knows from both, if that is a range, else `a`. */
struct rank_range range_joined(struct combining *c, struct rank_range a, struct rank_range b);

/* ------------------------------------------------------------------ closed forms */

void form_add(struct forms *forms, term form);

/* Try this form first, if it is one. */
void form_prefer(struct forms *forms, term form);

/* What ranges begin with, and how many ranks they have, in rounds of loops, or of doublings. */
void forms_make(struct combining *c, const struct loop *loop, struct forms *starts, struct forms *counts);

/* The number of ranks of a group that begins so, and is anything where P cuts it off; 0: there is none. */
term form_spare(const struct combining *c, term start);

/* The range in closed form, if it has one wherever `when` holds: so terms stay small from round to round. */
struct rank_range form_of_range(struct combining *c, term when, struct rank_range a);
