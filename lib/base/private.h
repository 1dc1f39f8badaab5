/* SPDX-License-Identifier: MIT */
/* What the command takes of the library beside <peal/...>: exported, but no part of the public interface. */
#ifndef LIB_BASE_PRIVATE_H
#define LIB_BASE_PRIVATE_H

#include <peal/base.h>

/* Before each declaration of such a name.  The headers that have any are listed in lib/meson.build. */
#define PEAL_PRIVATE PEAL_API

#endif
