/* SPDX-License-Identifier: MIT */
/* The parts of commands: the request, its target, runs, tables and texts, documents.  A command's file includes this,
 * and what it alone needs. */
#pragma once

#include "lib/base/text.h"
#include "run/target.h"
#include "show/show.h"
#include "show/table.h"
#include "write/document.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
