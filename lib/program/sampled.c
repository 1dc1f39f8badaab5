/* SPDX-License-Identifier: MIT */
/* A call of a sampled function goes to a stub, which asks the library beneath the program whether it runs.  If it is
 * measured, the stub replaces the return address, and the function returns to peal_sampled_left; if it is skipped, the
 * caller gets the result of the last measured call. */
#include "lib/program/sampled.h"
#include "lib/child/crash.h"
#include "lib/program/compile.h"
#include "lib/program/interpose.h"

#if defined __x86_64__
enum { MAX_SAMPLED = 8, STUB_BYTES = 16 };
#else
enum { MAX_SAMPLED = 0, STUB_BYTES = 0 };
#endif

/* What a function returns: two words and two vectors. */
struct sampled_result {
    uint64_t words[6];
};

/* The sampled call that a node is in, and what the functions have returned. */
struct sampled_call {
    int function;
    bool skipped;
    uint64_t back; /* its return address */
    struct sampled_result last[MAX_SAMPLED + 1];
};

static const char *functions;
static uintptr_t offsets[MAX_SAMPLED + 1]; /* in each copy; 0: no slot.  Set when the program is loaded */

#if defined __x86_64__
__asm__(".text\n"
        ".p2align 4\n"
        "peal_sampled_stubs:\n"
        ".set peal_sampled_number, 0\n"
        ".rept 8\n"
        "    .p2align 4\n"
        "    movl $peal_sampled_number, %r11d\n"
        "    jmp peal_sampled_call\n"
        "    .set peal_sampled_number, peal_sampled_number + 1\n"
        ".endr\n"
        "peal_sampled_call:\n"
        "    subq $200, %rsp\n" /* the registers of arguments */
        "    movq %rdi, (%rsp)\n    movq %rsi, 8(%rsp)\n    movq %rdx, 16(%rsp)\n    movq %rcx, 24(%rsp)\n"
        "    movq %r8, 32(%rsp)\n    movq %r9, 40(%rsp)\n    movq %rax, 48(%rsp)\n"
        "    movups %xmm0, 64(%rsp)\n    movups %xmm1, 80(%rsp)\n    movups %xmm2, 96(%rsp)\n"
        "    movups %xmm3, 112(%rsp)\n    movups %xmm4, 128(%rsp)\n    movups %xmm5, 144(%rsp)\n"
        "    movups %xmm6, 160(%rsp)\n    movups %xmm7, 176(%rsp)\n"
        "    movl %r11d, %edi\n"
        "    leaq 200(%rsp), %rsi\n"
        "    call peal_sampled_enter\n"
        "    movq %rax, %r11\n"
        "    movq (%rsp), %rdi\n    movq 8(%rsp), %rsi\n    movq 16(%rsp), %rdx\n    movq 24(%rsp), %rcx\n"
        "    movq 32(%rsp), %r8\n    movq 40(%rsp), %r9\n    movq 48(%rsp), %rax\n"
        "    movups 64(%rsp), %xmm0\n    movups 80(%rsp), %xmm1\n    movups 96(%rsp), %xmm2\n"
        "    movups 112(%rsp), %xmm3\n    movups 128(%rsp), %xmm4\n    movups 144(%rsp), %xmm5\n"
        "    movups 160(%rsp), %xmm6\n    movups 176(%rsp), %xmm7\n"
        "    addq $200, %rsp\n"
        "    jmp *%r11\n"
        "peal_sampled_left:\n"
        "    subq $8, %rsp\n" /* for the return address */
        "peal_sampled_skipped:\n"
        "    subq $56, %rsp\n"
        "    movq %rax, (%rsp)\n    movq %rdx, 8(%rsp)\n    movups %xmm0, 16(%rsp)\n    movups %xmm1, 32(%rsp)\n"
        "    movq %rsp, %rdi\n"
        "    leaq 56(%rsp), %rsi\n"
        "    call peal_sampled_leave\n"
        "    movq (%rsp), %rax\n    movq 8(%rsp), %rdx\n    movups 16(%rsp), %xmm0\n    movups 32(%rsp), %xmm1\n"
        "    addq $56, %rsp\n"
        "    ret\n");

extern const char stubs[] __asm__("peal_sampled_stubs"), left[] __asm__("peal_sampled_left"),
    skipped[] __asm__("peal_sampled_skipped");
uintptr_t enter(int function, uint64_t *back) __asm__("peal_sampled_enter");
void leave(struct sampled_result *result, uint64_t *back) __asm__("peal_sampled_leave");

/* Where the call of a function goes on; *back is its return address. */
__attribute__((used, visibility("hidden"))) uintptr_t
enter(int function, uint64_t *back)
{
    struct peal_node *me = peal_self();
    struct interpose_state *state = me ? interpose_state_of(me) : NULL;

    if (!state)
        crash_lose_stray((const void *)(uintptr_t)*back, "a function of --sample");
    uintptr_t own = (uintptr_t)state->base + offsets[function];
    enum peal_sample sample = runtime_hooks()->sample_begins(me, function);

    if (sample == PEAL_SAMPLE_RUNS)
        return own;
    if (!state->sampled) {
        state->sampled = peal_alloc_at(me, sizeof *state->sampled, NULL, 0); /* words are bytes */
        *state->sampled = (struct sampled_call){0};
    }
    state->sampled->function = function;
    state->sampled->skipped = sample == PEAL_SAMPLE_SKIPPED;
    if (state->sampled->skipped)
        return (uintptr_t)skipped;
    state->sampled->back = *back;
    *back = (uintptr_t)left;
    return own;
}

/* The function has returned this, or is skipped. */
__attribute__((used, visibility("hidden"))) void
leave(struct sampled_result *result, uint64_t *back)
{
    struct peal_node *me = peal_self();
    struct sampled_call *call = interpose_state_of(me)->sampled;

    if (call->skipped) {
        *result = call->last[call->function];
        return;
    }
    call->last[call->function] = *result;
    *back = call->back;
    runtime_hooks()->sample_ends(me);
}
#else
static const char stubs[1];
#endif

void
peal_sample_functions(const char *names)
{
    functions = names;
}

const char *
sampled_functions(void)
{
    return functions;
}

/* The i-th of the names, and its length; NULL after the last. */
static const char *
sampled_name_at(int i, size_t *length)
{
    const char *name = functions;

    for (; name && i > 0; i--) {
        name = strchr(name, ',');
        name = name ? name + 1 : NULL;
    }
    *length = name ? strcspn(name, ",") : 0;
    return name;
}

void *
sampled_address(const char *name, uintptr_t offset)
{
    const char *one, *stub = NULL;
    size_t length;

    for (int i = 0; i < MAX_SAMPLED && (one = sampled_name_at(i, &length)); i++)
        if (strlen(name) == length && memcmp(one, name, length) == 0) {
            offsets[i] = offset; /* for a name that is given twice, too */
            stub = stubs + i * STUB_BYTES;
        }
    return (void *)(uintptr_t)stub;
}

enum peal_status
sampled_check(struct peal_error *error)
{
    const char *one;
    size_t length;

    for (int i = 0; (one = sampled_name_at(i, &length)); i++)
        if (i == MAX_SAMPLED)
            return peal_refuse(error, PEAL_PROGRAM, "--sample: %s",
                               MAX_SAMPLED > 0 ? "at most 8 functions" : "only on processors of x86-64");
        else if (offsets[i] == 0)
            return peal_refuse(error, PEAL_PROGRAM,
                               "--sample %.*s: the program has no call of such a function that can be redirected: "
                               "it must not be static or inline, and a program from pealcc is linked with "
                               "pealcc --sample=%.*s",
                               (int)length, one, (int)length, one);
    return PEAL_OK;
}
