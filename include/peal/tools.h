/* SPDX-License-Identifier: MIT */
/* For tools: programs that verify, check, record, price and export.  This header includes all others; each can also be
 * included by itself. */
#ifndef PEAL_TOOLS_H
#define PEAL_TOOLS_H

#include <peal/application.h>
#include <peal/author.h>
#include <peal/check.h>
#include <peal/cluster.h>
#include <peal/lesson.h>
#include <peal/loaded.h>
#include <peal/observe.h>
#include <peal/peal.h>
#include <peal/post.h>
#include <peal/program.h>
#include <peal/trace.h>

#endif
