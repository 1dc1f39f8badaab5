/* SPDX-License-Identifier: MIT */
/* The start file that pealcc links into every program.  It is a shared object that peal loads (peal_linked_main_1) and
 * that the system can run (peal_mpi_entry, with the loader named in .interp). */

extern int main(int argc, char **argv, char **environment);
extern void peal_mpi_launch(long *stack);

extern void peal_mpi_fortran(const char *sentinels);

/* The COMMON block of MPI_BOTTOM and the like, in a program with a Fortran part that names it. */
extern char pealmp_[] __attribute__((weak, visibility("hidden")));

__attribute__((visibility("default"))) int peal_linked_main_1(int argc, char **argv, char **environment);

/* Stack unwinding ends here: the frames above are Peal's, and no sanitizer's report shows them. */
#if defined __x86_64__
#define OUTERMOST __asm__ volatile(".cfi_undefined rip")
#elif defined __aarch64__
#define OUTERMOST __asm__ volatile(".cfi_undefined x30")
#endif

/* Fortran programs pass undefined pointers on nodes where a call does not read them.  Make these zeros, as they are on
 * the fresh stack of a process. */
static __attribute__((noinline)) void
clear_stack(void)
{
    char below[4096];

    __builtin_memset(below, 0, sizeof below);
    __asm__ volatile("" : : "r"(below) : "memory");
}

int
peal_linked_main_1(int argc, char **argv, char **environment)
{
    int code;

    OUTERMOST;
    if (pealmp_) {
        peal_mpi_fortran(pealmp_);
        clear_stack();
    }
    code = main(argc, argv, environment);
    __asm__ volatile("" : "+r"(code)); /* otherwise the call would be a jump */
    return code;
}

/* peal_mpi_launch is given the stack as the system left it, where the arguments lie. */
#if defined __x86_64__
__attribute__((section(".interp"), used)) static const char loader[] = "/lib64/ld-linux-x86-64.so.2";

__asm__(".globl peal_mpi_entry\n"
        ".hidden peal_mpi_entry\n"
        "peal_mpi_entry:\n"
        "    xor %ebp, %ebp\n"
        "    mov %rsp, %rdi\n"
        "    and $-16, %rsp\n"
        "    call peal_mpi_launch@PLT\n"
        "    hlt\n");
#elif defined __aarch64__
__attribute__((section(".interp"), used)) static const char loader[] = "/lib/ld-linux-aarch64.so.1";

__asm__(".globl peal_mpi_entry\n"
        ".hidden peal_mpi_entry\n"
        "peal_mpi_entry:\n"
        "    mov x29, #0\n"
        "    mov x0, sp\n"
        "    bl peal_mpi_launch\n"
        "    brk #0\n");
#endif
