/* SPDX-License-Identifier: MIT */
/* The tests of failures also run with this: a C library that checks every siglongjmp, as one gets with _FORTIFY_SOURCE,
 * and a kernel that has no guards without a map each, nor, with PEAL_TEST_GUARDS=none, maps to spare for guards.
 *
 * The linker puts the functions below in place of the system's and Peal's, in Peal's own code (meson.build). */
#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

_Noreturn void __longjmp_chk(sigjmp_buf environment, int value);
_Noreturn void __wrap_siglongjmp(sigjmp_buf environment, int value);
int __real_madvise(void *address, size_t bytes, int advice);
int __wrap_madvise(void *address, size_t bytes, int advice);
long __real_maps_allowed(void);
long __wrap_maps_allowed(void);

_Noreturn void
__wrap_siglongjmp(sigjmp_buf environment, int value)
{
    __longjmp_chk(environment, value);
}

int
__wrap_madvise(void *address, size_t bytes, int advice)
{
    enum { GUARD_INSTALL = 102 };

    if (advice != GUARD_INSTALL)
        return __real_madvise(address, bytes, advice);
    errno = EINVAL;
    return -1;
}

long
__wrap_maps_allowed(void)
{
    const char *guards = getenv("PEAL_TEST_GUARDS");

    return guards && strcmp(guards, "none") == 0 ? -1 : __real_maps_allowed();
}
