/* SPDX-License-Identifier: MIT */
/* What the command does as a process that peal grade starts. */
#pragma once

/* Become a node in Python, in its sandbox; gives an exit code if that fails. */
int grade_enclosed(int argc, char **argv);
