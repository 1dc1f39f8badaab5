/* SPDX-License-Identifier: MIT */
/* The jump of fcontext.h, such that processors predict the returns after it. */
#if defined __x86_64__
/* jump_fcontext comes back by a jump, so that every return after it is predicted wrongly by one place.  Called through
 * this it comes back by a return to where this was called from, which is right whenever the node jumped to had jumped
 * from the same place, as nodes of the same program do. */
__asm__(".text\n"
        ".p2align 4\n"
        ".hidden peal_jump_fcontext\n"
        ".globl peal_jump_fcontext\n"
        ".type peal_jump_fcontext, @function\n"
        "peal_jump_fcontext:\n"
        "    .cfi_startproc\n"
        "    leaq 1f(%rip), %rax\n"
        "    pushq %rax\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    jmp jump_fcontext@PLT\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    nop\n" /* the unwinder looks one byte before where it comes back */
        "1:  ret\n"
        "    .cfi_endproc\n"
        ".size peal_jump_fcontext, . - peal_jump_fcontext\n");
#endif
