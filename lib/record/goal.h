/* SPDX-License-Identifier: MIT */
#pragma once

/* A line of a GOAL file: a message belongs to the round that its tag says.  A reader then makes the same rounds
 * again. */
#define GOAL_ROUNDS "// The tag of a message is its round."
