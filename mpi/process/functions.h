/* SPDX-License-Identifier: MIT */
/* Functions of a program that is a process. */
#pragma once

#include "mpi/call/node.h"

extern const struct outside_calls process_calls;
