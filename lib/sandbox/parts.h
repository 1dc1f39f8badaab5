/* SPDX-License-Identifier: MIT */
/* Which parts of the sandbox this system and this build have. */
#pragma once

#include "lib/base/private.h"

/* The parts of the sandbox around an untrusted program; a system or a build may lack some.  peal-check(1) says what
 * each prevents. */
enum peal_sandbox_part {
    PEAL_SANDBOX_LIMITS = 1, /* processor time, sizes of files; memory is always watched */
    PEAL_SANDBOX_FILES = 2,  /* Landlock */
    PEAL_SANDBOX_CALLS = 4,  /* a seccomp filter */
    /* only for a node of a confirmation */
    PEAL_SANDBOX_PROCESSES = 8, /* namespaces: it is process 1, and sees no other; */
    PEAL_SANDBOX_MOUNTS = 16,   /* it has no /proc, and no files that others write; */
    PEAL_SANDBOX_IPC = 32,
    PEAL_SANDBOX_NETWORK = 64,
    PEAL_SANDBOX_USERS = 128,
    PEAL_SANDBOX_CLOCKS = 256, /* it has no clock */
    PEAL_SANDBOX_APART = 511 - 7
};

/* Put two child processes into the sandbox, one as a node of a confirmation, try what must fail there, and give the
 * parts that worked.  thread: no other may run */
PEAL_PRIVATE unsigned peal_sandbox_parts(void);
