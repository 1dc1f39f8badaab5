/* SPDX-License-Identifier: MIT */
/* Which parts of the sandbox this system and this build have. */
#pragma once

#include "lib/base/private.h"

/* The parts of the sandbox around an untrusted program; a system or a build may lack some.  peal-check(1) says what
 * each prevents. */
enum peal_sandbox_part {
    PEAL_SANDBOX_LIMITS = 1, /* processor time, sizes of files; memory is watched always */
    PEAL_SANDBOX_FILES = 2,  /* Landlock */
    PEAL_SANDBOX_CALLS = 4   /* a seccomp filter */
};

/* Put a child process into the sandbox, try there what must fail, and give the parts that worked.  thread: no other may
 * run */
PEAL_PRIVATE unsigned peal_sandbox_parts(void);
