/* SPDX-License-Identifier: MIT */
/* Planted: brings what brings.h brings, and no more. */
#pragma once

#include "lib/one/brings.h"
