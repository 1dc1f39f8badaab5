/* SPDX-License-Identifier: MIT */
/* What the command uses of the library besides <peal/...>: exported, but no part of the public interface. */
#pragma once

#include <peal/base.h>

/* Before each declaration of such a name.  The headers that have any are listed in lib/meson.build. */
#define PEAL_PRIVATE PEAL_API
