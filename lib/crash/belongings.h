/* SPDX-License-Identifier: MIT */
/* What this process needs for its report and a program may take away: open descriptors, and limits of the system. */
#ifndef LIB_CRASH_BELONGINGS_H
#define LIB_CRASH_BELONGINGS_H

/* Keep the descriptors that are open, and the limits as they are. */
void belongings_keep(void);

enum belongings {
    BELONGINGS_RESTORED,
    BELONGINGS_CLOSED,  /* a descriptor is lost */
    BELONGINGS_LIMITED, /* a limit is too low for the report */
};

/* Restore the descriptors that were closed meanwhile, and the limits. */
enum belongings belongings_restore(void);

#endif
