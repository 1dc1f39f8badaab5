/* SPDX-License-Identifier: MIT */
/* What commands are made of: what was asked for, its target, runs, tables and texts, documents.  A command's file
 * includes this, and what it alone needs. */
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
