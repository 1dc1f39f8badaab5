/* SPDX-License-Identifier: MIT */
/* Functions of a room that a build leaves out: one line each, in place of a definition that takes no parameter. */
#pragma once

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Define one that does nothing, and one that gives an expression of the parameters. */
#define LEFT_OUT(name, ...)                                                                                            \
    void name(__VA_ARGS__)                                                                                             \
    {                                                                                                                  \
    }                                                                                                                  \
    struct left_out
#define LEFT_OUT_GIVES(value, type, name, ...)                                                                         \
    type name(__VA_ARGS__)                                                                                             \
    {                                                                                                                  \
        return value;                                                                                                  \
    }                                                                                                                  \
    struct left_out
