/* SPDX-License-Identifier: MIT */
/* How the value of an option is read: by its kind, or by a function of its own. */
#pragma once

#include "options/options.h"

/* Read the value of this option, NULL where it has none, into the request as the option's row says.
 *
 *   errors   PEAL_USAGE with what was expected, without the option's name */
enum peal_status option_read(const struct option *option, struct command_request *request, const char *value,
                             struct peal_error *error);

/* The odd ones, for the table alone. */
option_reader read_by, read_call, read_checked_nodes, read_choices, read_delivery, read_lend, read_op, read_seed,
    read_sizes, read_stack, read_topology, read_trace_format, read_view;

/* The words of two of them, NULL after the last. */
extern const char *const op_names[], *const view_names[];
const char *const *trace_formats(void);
