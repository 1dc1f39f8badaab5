/* SPDX-License-Identifier: MIT */
/* A header that declares a function that no library has: the test of exports.py. */
#ifndef NOT_EXPORTED_H
#define NOT_EXPORTED_H

#include <peal/base.h>

PEAL_API int peal_not_exported(void);

#endif
