/* SPDX-License-Identifier: MIT */
/* The applications, one per file: see applications.def. */
#pragma once

#include <peal/application.h>

#define APPLICATION(name) extern const struct peal_application app_##name;
#include "applications.def"
#undef APPLICATION
