/* SPDX-License-Identifier: MIT */
/* Planted: what another file includes. */
#pragma once

#include <stdio.h>
