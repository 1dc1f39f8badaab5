/* SPDX-License-Identifier: MIT */
/* What this process needs for its report and a program may take away: open descriptors, and limits of the system. */
#ifndef LIB_MACHINE_BELONGINGS_H
#define LIB_MACHINE_BELONGINGS_H

#include <stdbool.h>

/* Keep the descriptors that are open, and the limits as they are. */
void belongings_keep(void);
/* Restore the descriptors that were closed meanwhile, and the limits.  False when one cannot be had. */
bool belongings_restore(void);

#endif
