/* SPDX-License-Identifier: MIT */
/* Temporary folders, and the removal of those whose process was killed.
 *
 * A folder's name identifies its owner: peal-SYSTEM-PID-XXXXXX, where SYSTEM is a number for this boot of this machine
 * and the namespace of its process numbers. */
#ifndef LIB_PROGRAM_FOLDER_H
#define LIB_PROGRAM_FOLDER_H

#include <limits.h>
#include <peal/base.h>

/* Make a folder in $TMPDIR, else in /tmp, and write its path.  First remove those there that are this user's, and whose
 * process has ended.
 *
 *   owner    the caller removes it (compiler_remove)
 *   errors   PEAL_RESOURCES: it cannot be made                                                 */
enum peal_status folder_make(char folder[PATH_MAX], struct peal_error *error);

#endif
