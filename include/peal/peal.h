/* SPDX-License-Identifier: MIT */
/* Peal: a message-passing machine inside one process.  This header includes all the others. */
#ifndef PEAL_PEAL_H
#define PEAL_PEAL_H

#include <peal/application.h>
#include <peal/base.h>
#include <peal/check.h>
#include <peal/cluster.h>
#include <peal/collective.h>
#include <peal/contained.h>
#include <peal/cost.h>
#include <peal/lesson.h>
#include <peal/loaded.h>
#include <peal/machine.h>
#include <peal/network.h>
#include <peal/node.h>
#include <peal/post.h>
#include <peal/program.h>
#include <peal/trace.h>

#endif
