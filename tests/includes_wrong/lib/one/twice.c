/* SPDX-License-Identifier: MIT */
/* Planted: includes that twice.h brings, itself and through another; string.h is needed. */
#include "lib/one/twice.h"
#include "lib/one/brings.h"
#include <stdio.h>
#include <string.h>
#ifdef __linux__
#include <stdio.h>
#endif
