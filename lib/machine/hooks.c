/* SPDX-License-Identifier: MIT */
/* The hooks by which the rooms above the machine register themselves before main. */
#include "lib/machine/hooks.h"

const struct reporter *reporter;
const struct crash_hooks *crash_hooks;
const struct score_hooks *score_hooks;
