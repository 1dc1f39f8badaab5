/* SPDX-License-Identifier: MIT */
#pragma once

/* A line of a GOAL file: the tag of a message is its round.  A reader then makes the same rounds again. */
#define GOAL_ROUNDS "// The tag of a message is its round."
