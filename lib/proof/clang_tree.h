/* SPDX-License-Identifier: MIT */
/* C files as clang's syntax trees, read when a function in them is called. */
#pragma once

#include "lib/base/private.h"
#include <jansson.h>
#include <peal/base.h>
#include <stdint.h>
#include <string.h>

struct c_unit {
    char *path;
    json_t *functions; /* with a body, by name */
    json_t *records;   /* of structs: their fields in order, [[name, type, id], ...], by type */
    json_t *constants; /* of enumerations: [value, id], by name */
    json_t *variables; /* of the file that have an initial value, by name */
    uint64_t hash;     /* of all that clang says of it, the headers, lines and columns too */
};

struct sources {
    const char *top;      /* the folder of Peal's tree, which has algorithms/; its headers are included from there */
    const char *flags;    /* for clang, of the first unit alone, between spaces; or NULL */
    struct c_unit *units; /* the first is that of the function */
    size_t count, capacity;
};

/* A function, and the file that it is in. */
struct c_function {
    json_t *node; /* NULL: none */
    size_t unit;
};

void sources_fini(struct sources *sources);

/* Read a file, unless that was done before; *unit is its place.
 *
 *   errors   PEAL_RESOURCES without clang, or without memory; PEAL_USAGE where it does not compile */
enum peal_status sources_read(struct sources *sources, const char *path, size_t *unit, struct peal_error *error);

/* Find a function that is called in a unit: in it, or else in the files of the tree's algorithms/patterns.  Its node is
 * NULL where there is none.  errors: of sources_read */
enum peal_status sources_function(struct sources *sources, size_t unit, const char *name, struct c_function *function,
                                  struct peal_error *error);

/* Find the function that does algorithm COLLECTIVE_NAME. */
enum peal_status sources_algorithm(struct sources *sources, const char *name, struct c_function *function,
                                   struct peal_error *error);

/* Parts of a node; "" or NULL where it has none. */
static inline const char *
node_text(const json_t *node, const char *key)
{
    const char *text = json_string_value(json_object_get(node, key));

    return text ? text : "";
}

static inline bool
node_is(const json_t *node, const char *kind)
{
    return node && strcmp(node_text(node, "kind"), kind) == 0;
}

static inline json_t *
node_child(const json_t *node, size_t i)
{
    return json_array_get(json_object_get(node, "inner"), i);
}

static inline size_t
node_children(const json_t *node)
{
    return json_array_size(json_object_get(node, "inner"));
}

static inline int
node_line(const json_t *node)
{
    return (int)json_integer_value(json_object_get(node, "line"));
}

/* The type of an expression or a declaration, or one that is named apart (`argType`), without typedefs. */
const char *node_type(const json_t *node);
const char *node_other_type(const json_t *node, const char *key);
