/* SPDX-License-Identifier: MIT */
/* What the files that prove share. */
#pragma once

#include "lib/proof/prove.h"
#include <setjmp.h>

/* An event of all paths that have it. */
struct message {
    struct c_event event; /* of the first of them */
    term when;            /* it happens */
    struct moment {
        size_t path;
        int post, wait;
        const struct c_event *event;
    } * moments;
    size_t count, capacity;
    int nth;      /* its number among those in a path that look alike */
    size_t class; /* of messages that may meet: the number of one of them */
};

/* A send and a receive that may be one message: in round `round` of the second one's loop. */
struct match {
    size_t from, to; /* from: the one that was asked for */
    term round;      /* 0 without a loop */
};

/* Messages and rounds by which a block may have come. */
enum { SOURCES = 400 };

struct proving {
    struct prove *p;
    struct terms *t;
    struct smt *s;
    struct following *r;
    jmp_buf stop;
    enum prove_end end;
    int sources;           /* that were found for a block, in the order in which they are met */
    bool dropped[SOURCES]; /* left out, to see which are needed */
    int named;
    struct peal_text *name; /* the sources that are not dropped; NULL: they are not named */
};

/* ------------------------------------------------------------------ obligations */

void prove_tell(struct proving *g, enum every_part part, const char *format, ...) PEAL_PRINTF(3, 4);

/* Where `when` holds, `then` must; the format says what that means. */
void prove_must(struct proving *g, term when, term then, const char *format, ...) PEAL_PRINTF(4, 5);

/* Stop: the obligation is neither proved nor wrong. */
_Noreturn void prove_cannot(struct proving *g, const char *format, ...) PEAL_PRINTF(2, 3);
_Noreturn void prove_no_memory(struct proving *g);
bool prove_may(struct proving *g, term truth);

/* ------------------------------------------------------------------ terms of messages */

/* Whose block an item begins with, and for whom: two numbers, of which the second is 0 but in an all-to-all. */
struct whose {
    term block, other;
};

/* By the lengths of its words. */
struct whose prove_label(struct proving *g, const struct block_run *item, term node);

/* A term, or an item, of an event at another node, and in another round. */
term prove_elsewhere(struct proving *g, const struct message *m, term a, term node, term round);
struct block_run prove_item_elsewhere(struct proving *g, const struct message *m, int i, term node, term round);
term prove_rank(struct proving *g, term number);
term prove_wrapped(struct proving *g, term x); /* x modulo P, where -P <= x < 2P */

term prove_distance(struct proving *g, term a, term b); /* a - b modulo P, of two blocks */

/* Whether the block is one of the item. */
term prove_item_covers(struct proving *g, const struct block_run *item, term block);

/* Whether a buffer has room for the own block only. */
bool prove_is_own_block(const struct proving *g, int buffer);

/* The next path that has both, from moment *i of a on: there it is *i of a and *j of b; false: none is left. */
bool prove_both(const struct message *a, const struct message *b, size_t *i, size_t *j);

/* Whether a is posted, or complete if a_waits, before b is posted on every path with both; *some: one exists. */
bool prove_always(const struct message *a, const struct message *b, bool a_waits, bool *some);

/* Whether they lie in two branches of one condition on a path. */
bool prove_exclusive(const struct c_event *a, const struct c_event *b);

/* Whether a part of one condition is the opposite of a part of the other, as where two paths part. */
bool prove_contrary(struct proving *g, term a, term b);

/* The class of message i: the number of one of those that may meet, and so on. */
size_t prove_message_class(struct proving *g, size_t i);

/* Make the messages of the events of all paths, and prove that these are all cases. */
void prove_collect_events(struct proving *g);

/* Whether it is a send or a receive; whether it writes an item. */
bool prove_is_sent(const struct message *m);
bool prove_writes(const struct message *m, int item);

/* The condition under which m, here, and f, at the partner in that round, are the two ends of a message. */
term prove_messages_meet(struct proving *g, const struct message *m, const struct message *f, term round);

const char *prove_kind_name(const struct message *m);
const char *prove_buffer_name(const struct proving *g, int buffer);

/* Rounds of a loop in which a message may be met, or a block may have come: not all of them need to be right. */
enum { ROUNDS = 24 };

/* ------------------------------------------------------------------ the obligations of prove_all */

void prove_match_all(struct proving *g);
void prove_order_all(struct proving *g);
void prove_place_all(struct proving *g);
void prove_held_all(struct proving *g);
void prove_end_all(struct proving *g);
void prove_use_all(struct proving *g);
void prove_combine_all(struct proving *g);

/* Whether parts of vectors are combined in any order, by the rule of prove_once.c; prove it. */
bool prove_is_once(const struct proving *g);
void prove_once_all(struct proving *g);

void prove_tell_events(struct proving *g);
void prove_tell_matches(struct proving *g);
