/* SPDX-License-Identifier: MIT */
/* The start file that pealcc links into every program.  It is a shared object that peal loads (peal_linked_main_1) and
 * that the system can run (peal_mpi_entry, with the loader named in .interp). */

extern int main(int argc, char **argv, char **environment);
extern void peal_mpi_launch(long *stack);

__attribute__((visibility("default"))) int peal_linked_main_1(int argc, char **argv, char **environment);

int
peal_linked_main_1(int argc, char **argv, char **environment)
{
    return main(argc, argv, environment);
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
