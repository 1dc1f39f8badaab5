/* SPDX-License-Identifier: MIT */
/* Writing a JSON document piece by piece.  Commas, quotes, escapes and indentation are written here; the caller opens
 * and closes in pairs and says where a line ends. */
#pragma once

#include "lib/base/private.h"
#include <peal/machine.h>
#include <peal/observe.h>
#include <stdio.h>

/* Fill with a struct peal_json of {.out = stream}, and .tight where lists are long. */
struct peal_json {
    FILE *out;
    int depth;      /* how many objects and lists are open */
    bool follows;   /* something was written in the innermost one, so a comma is due */
    bool new_line;  /* what is next starts a line, */
    int blanks;     /* indented by this many blanks; -1: by two for each open bracket */
    bool after_key; /* the next item is the value of a key */
    bool tight;     /* no blanks between the items of lists */
};

/* A part of a document, made by one of the macros below: a value; with a key, a member of an object. */
struct peal_json_part {
    const char *key; /* NULL: none */
    enum peal_json_kind {
        PEAL_JSON_END,
        PEAL_JSON_NOTHING,
        PEAL_JSON_KEY,
        PEAL_JSON_STRING,
        PEAL_JSON_TEXT,
        PEAL_JSON_INT,
        PEAL_JSON_UINT,
        PEAL_JSON_BOOL,
        PEAL_JSON_NULL,
        PEAL_JSON_NUMBER,
        PEAL_JSON_RATIO,
        PEAL_JSON_LINE,
        PEAL_JSON_OPEN,
        PEAL_JSON_CLOSE
    } kind;
    union {
        const char *text;
        int64_t integer;
        uint64_t natural;
        double number;
    };
};

/* Write several parts: peal_json_put(json, PEAL_STRING("name", name), PEAL_INT("nodes", 8), PEAL_BREAK, ...).
 *
 * PEAL_OPEN(key, bracket)    '{' for an object, '[' for a list; PEAL_CLOSE(bracket): the outermost ends its line
 * PEAL_KEY(key)              of the member whose value comes next
 * PEAL_LINE(blanks)          what comes next begins a line, indented by that many; PEAL_BREAK: two per open bracket
 * PEAL_STRING                any bytes: those that are not UTF-8 become U+FFFD; NULL becomes null
 * PEAL_TEXT                  JSON, unchanged; NULL becomes null
 * PEAL_NUMBER                the shortest decimal that reads back as the value: no fraction when it is integral, null
 *                            when it is not finite; PEAL_RATIO has a fraction also when it is integral: 1.0
 * PEAL_COST                  the four coefficients of a cost
 * PEAL_WHERE(there, part)    nothing unless it is there
 * _IF                        null stands for what is not known */
PEAL_PRIVATE void peal_json_parts(struct peal_json *json, const struct peal_json_part *parts);
#define peal_json_put(json, ...)                                                                                       \
    peal_json_parts(json, (const struct peal_json_part[]){__VA_ARGS__, {.kind = PEAL_JSON_END}})
#define PEAL_PART(name, part, member, value) ((struct peal_json_part){.key = (name), .kind = (part), .member = (value)})
#define PEAL_KEY(name) PEAL_PART(name, PEAL_JSON_KEY, integer, 0)
#define PEAL_STRING(name, value) PEAL_PART(name, PEAL_JSON_STRING, text, value)
#define PEAL_TEXT(name, value) PEAL_PART(name, PEAL_JSON_TEXT, text, value)
#define PEAL_INT(name, value) PEAL_PART(name, PEAL_JSON_INT, integer, value)
#define PEAL_UINT(name, value) PEAL_PART(name, PEAL_JSON_UINT, natural, value)
#define PEAL_INT_IF(name, known, value) PEAL_PART(name, (known) ? PEAL_JSON_INT : PEAL_JSON_NULL, integer, value)
#define PEAL_UINT_IF(name, known, value) PEAL_PART(name, (known) ? PEAL_JSON_UINT : PEAL_JSON_NULL, natural, value)
#define PEAL_BOOL(name, value) PEAL_PART(name, PEAL_JSON_BOOL, integer, value)
#define PEAL_BOOL_IF(name, known, value) PEAL_PART(name, (known) ? PEAL_JSON_BOOL : PEAL_JSON_NULL, integer, value)
#define PEAL_NULL(name) PEAL_PART(name, PEAL_JSON_NULL, integer, 0)
#define PEAL_NUMBER(name, value) PEAL_PART(name, PEAL_JSON_NUMBER, number, value)
#define PEAL_RATIO(name, value) PEAL_PART(name, PEAL_JSON_RATIO, number, value)
#define PEAL_LINE(blanks) PEAL_PART(NULL, PEAL_JSON_LINE, integer, blanks)
#define PEAL_BREAK PEAL_LINE(-1)
#define PEAL_OPEN(name, bracket) PEAL_PART(name, PEAL_JSON_OPEN, integer, bracket)
#define PEAL_CLOSE(bracket) PEAL_PART(NULL, PEAL_JSON_CLOSE, integer, bracket)
#define PEAL_COST(cost)                                                                                                \
    PEAL_INT("alpha", (cost).alpha), PEAL_INT("beta", (cost).beta), PEAL_INT("hop", (cost).hop),                       \
        PEAL_INT("tau", (cost).tau)
#define PEAL_WHERE(there, part) ((there) ? (part) : PEAL_PART(NULL, PEAL_JSON_NOTHING, integer, 0))

/* Write what documents have in common: a list; an object of a cost's coefficients and their time; an object of
 * measurements; the members that describe a machine, from "topology" (left out for NULL) to "parameters", or two of
 * them. */
PEAL_PRIVATE void peal_json_ints(struct peal_json *json, const char *key, const int *list, size_t count);
PEAL_PRIVATE void peal_json_member_cost(struct peal_json *json, const char *key, const struct peal_cost *cost,
                                        struct peal_parameters parameters);
PEAL_PRIVATE void peal_json_spread(struct peal_json *json, struct peal_spread spread);
PEAL_PRIVATE void peal_json_member_spread(struct peal_json *json, const char *key, struct peal_spread spread);
PEAL_PRIVATE void peal_json_ports(struct peal_json *json, int ports);
PEAL_PRIVATE void peal_json_delivery(struct peal_json *json, bool eager, size_t eager_words);
PEAL_PRIVATE void peal_json_machine(struct peal_json *json, const struct peal_options *options);

/* Write "topology", and "routing" unless it is NULL, of a network's full name; and, if it places nodes, "placement". */
PEAL_PRIVATE void peal_json_network(struct peal_json *json, const char *name, const char *routing, int nodes);

/* The name of a severity: "error", "warning", "note". */
PEAL_PRIVATE const char *peal_severity_name(enum peal_severity severity);
