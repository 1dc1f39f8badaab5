/* SPDX-License-Identifier: MIT */
/* Text in XML. */
#pragma once

#include "lib/base/private.h"
#include <stdio.h>

/* Write text inside XML, or in an attribute.  A character that XML cannot hold becomes a question mark; so do the ends
 * of lines, unless `lines`, which is for elements. */
PEAL_PRIVATE void peal_write_xml(FILE *out, const char *text, bool lines);
