/* SPDX-License-Identifier: MIT */
/* The seccomp filter for ends of threads, which depends on where the call is made. */
#include "lib/sandbox/sandbox.h"

#if PEAL_SECCOMP
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* Code that is loaded together. */
struct code_range {
    uintptr_t address, begin, end;
};

/* Find the code that the address lies in. */
static int
find_code(struct dl_phdr_info *object, size_t bytes, void *arg)
{
    struct code_range *code = arg;

    (void)bytes;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + segment->p_vaddr;

        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || code->address < begin ||
            code->address - begin >= segment->p_memsz)
            continue;
        code->begin = begin;
        code->end = begin + segment->p_memsz;
        return 1;
    }
    return 0;
}

bool
forbid_exits(void)
{
    struct code_range code = {.address = (uintptr_t)dlsym(RTLD_DEFAULT, "syscall")};
    const ElfW(Sym) *symbol = NULL;
    Dl_info info;

    if (!code.address || !dlsym(RTLD_DEFAULT, "pthread_create") || !dl_iterate_phdr(find_code, &code) ||
        code.begin >> 32 != (code.end - 1) >> 32 ||
        !dladdr1((void *)code.address, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
        return false;
    uint32_t high = (uint32_t)(code.begin >> 32), begin = (uint32_t)code.begin, end = (uint32_t)(code.end - 1);
    uint32_t own = (uint32_t)code.address, own_end = own + (uint32_t)symbol->st_size;
    const uint32_t low_half = offsetof(struct seccomp_data, instruction_pointer),
                   argument = offsetof(struct seccomp_data, args);
    const uint32_t words[] = {low_half, low_half + 4}; /* of a little-endian processor */
    struct sock_filter filter[] = {
        /* clang-format off */
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SIGSYS, 0, 9),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 7),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, words[1]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, high, 0, 6),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, words[0]),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, begin, 0, 4),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, end, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, own, 0, 1),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, own_end, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        /* clang-format on */
    };
    const struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#endif
