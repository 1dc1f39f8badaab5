/* SPDX-License-Identifier: MIT */
/* Peal: a message-passing machine inside one process.  This header is all that a program needs.
 *
 *   <peal/node.h>      what a node calls: send, receive, wait, memory, groups
 *   <peal/calls.h>     collectives, and the operators of reductions
 *   <peal/machine.h>   only for a program with a main of its own: a machine, a run, its cost or its failure
 *
 * Not included here: <peal/author.h>, what authors of algorithms and collectives need besides; <peal/tools.h>, what
 * tools need, which is all the rest. */
#ifndef PEAL_PEAL_H
#define PEAL_PEAL_H

#include <peal/calls.h>
#include <peal/machine.h>
#include <peal/node.h>

#endif
