/* SPDX-License-Identifier: MIT */
/* Signals of nodes: crashes, and the end of their time. */
#include "lib/child/box.h"
#include "lib/machine/carrier.h"
#include "lib/machine/hooks.h"
#include "lib/machine/park.h"
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <poll.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

/* The handlers run on the node's alternate stack, so that an overflowed stack can be reported too.  They take no lock
 * and allocate nothing: they note what happened and jump to the node's entry, where the report is made (crash.c).
 *
 * A jump out of the C library would leave its locks taken, and every later user of the heap or of a file would wait for
 * ever.  So a node jumps only from its own code, or from calls known to hold no lock.  Otherwise a crash ends the
 * process (box_lose); a node whose time is up is interrupted again, and ends the process if it never leaves the
 * library. */

/* Where a crash jumps to while the frames are noted: a corrupted stack may lead the unwinder anywhere. */
static _Thread_local sigjmp_buf *noting __attribute__((tls_model("initial-exec")));

/* What the last node that could not be stopped was doing. */
static struct {
    _Atomic uint32_t busy;
    struct crash_note words;
} stuck = {.words.rank = -1};

static const struct {
    int number;
    bool always; /* else only if the program has not changed it */
} signals[] = {{SIGSEGV, true},    {SIGBUS, true},   {SIGFPE, true},     {SIGILL, true},
               {SIGABRT, true},    {SIGTRAP, false}, {SIGSYS, false},    {SIGALRM, false},
               {SIGVTALRM, false}, {SIGPROF, false}, {SIGUSR1, false},   {SIGUSR2, false},
               {SIGIO, false},     {SIGPWR, false},  {SIGSTKFLT, false}, {SIGNAL_STOP, true}};
enum { SIGNALS = sizeof signals / sizeof *signals };
static struct {
    struct sigaction action;
    bool taken;
} before[SIGNALS];
static int installs; /* by machines that have not restored them yet: there may be several */

/* Where the program was when the signal came. */
static void *
counter_of(const void *context)
{
    const ucontext_t *state = context;

#if defined __x86_64__
    return (void *)state->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    return (void *)state->uc_mcontext.pc;
#else
    (void)state;
    return NULL;
#endif
}

/* Whether the signal interrupted a system call that was waiting: the counter is after the instruction that made it,
 * with the result "interrupted", or before it, where the kernel is about to repeat the call. */
static bool
was_waiting(const void *context)
{
    const ucontext_t *state = context;

#if defined __x86_64__
    const unsigned char *at = counter_of(context);
    long long result = state->uc_mcontext.gregs[REG_RAX];

    return (result == -EINTR && at[-2] == 0x0F && at[-1] == 0x05) || (at[0] == 0x0F && at[1] == 0x05);
#elif defined __aarch64__
    const uint32_t *at = counter_of(context), call = 0xD4000001;

    return ((long long)state->uc_mcontext.regs[0] == -EINTR && at[-1] == call) || at[0] == call;
#else
    (void)state;
    return false;
#endif
}

/* Note the frames.  If the unwinder crashes, since the stack is corrupted, note those that it has found so far. */
static void
note_frames(const void *context)
{
    sigjmp_buf here;

    crash.counter = counter_of(context);
    memset(crash.frames, 0, sizeof crash.frames);
    if (sigsetjmp(here, 0) == 0) {
        noting = &here;
        backtrace(crash.frames, CRASH_FRAMES);
    }
    noting = NULL;
    crash.frame_count = 0;
    while (crash.frame_count < CRASH_FRAMES && crash.frames[crash.frame_count])
        crash.frame_count++;
    if (crash.frames[crash_first_frame()] == crash.counter)
        return;
    crash.frames[0] = crash.counter; /* the unwinder did not get that far: a jump to nowhere */
    crash.frame_count = 1;
}

/* ------------------------------------------------------------------ from where a node may jump */

/* The code of the C library and of the loader.  Set when handlers are installed; then constant. */
static struct {
    uintptr_t begin, end;
} library_code[16];
static int library_codes;

static int
note_code(struct dl_phdr_info *module, size_t bytes, void *arg)
{
    static const char *const names[] = {"/libc.so", "/libc-", "/ld-", "/libpthread", "/libdl"};
    bool ours = false;

    (void)bytes, (void)arg;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ours |= strstr(module->dlpi_name, names[i]) != NULL;
    for (int i = 0; ours && i < module->dlpi_phnum && library_codes < (int)(sizeof library_code / sizeof *library_code);
         i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];

        if (part->p_type == PT_LOAD && (part->p_flags & PF_X)) {
            library_code[library_codes].begin = module->dlpi_addr + part->p_vaddr;
            library_code[library_codes++].end = module->dlpi_addr + part->p_vaddr + part->p_memsz;
        }
    }
    return 0;
}

static bool
in_library(const void *address)
{
    for (int i = 0; i < library_codes; i++)
        if ((uintptr_t)address >= library_code[i].begin && (uintptr_t)address < library_code[i].end)
            return true;
    return false;
}

typedef void (*function)(void);
#define FUNCTION(name) ((function)(uintptr_t)(name))

/* Whether the function of the C library that the program called holds no lock of the library, neither when it crashes
 * nor while it waits. */
static bool
is_harmless(const void *entry)
{
    const function harmless[] = {
        FUNCTION(abort), FUNCTION(raise), FUNCTION(kill), FUNCTION(pthread_kill),
        /* crash for a bad pointer */
        FUNCTION(memcpy), FUNCTION(memmove), FUNCTION(memset), FUNCTION(memcmp), FUNCTION(memchr), FUNCTION(strlen),
        FUNCTION(strnlen), FUNCTION(strcpy), FUNCTION(strncpy), FUNCTION(stpcpy), FUNCTION(strcat), FUNCTION(strncat),
        FUNCTION(strcmp), FUNCTION(strncmp), FUNCTION(strchr), FUNCTION(strrchr), FUNCTION(strstr), FUNCTION(strtol),
        FUNCTION(strtoul), FUNCTION(strtod), FUNCTION(atoi), FUNCTION(atol), FUNCTION(atof), FUNCTION(snprintf),
        FUNCTION(vsnprintf), FUNCTION(sprintf), FUNCTION(vsprintf), FUNCTION(sscanf), FUNCTION(qsort),
        FUNCTION(bsearch),
        /* wait */
        FUNCTION(pause), FUNCTION(sleep), FUNCTION(usleep), FUNCTION(nanosleep), FUNCTION(clock_nanosleep),
        FUNCTION(read), FUNCTION(write), FUNCTION(poll), FUNCTION(ppoll), FUNCTION(select), FUNCTION(pselect),
        FUNCTION(sigsuspend), FUNCTION(sigwait), FUNCTION(sigwaitinfo), FUNCTION(sigtimedwait), FUNCTION(wait),
        FUNCTION(waitpid), FUNCTION(waitid), FUNCTION(pthread_mutex_lock), FUNCTION(pthread_cond_wait),
        FUNCTION(pthread_cond_timedwait), FUNCTION(pthread_join), FUNCTION(pthread_barrier_wait), FUNCTION(sched_yield),
        FUNCTION(syscall)};

    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if ((uintptr_t)harmless[i] == (uintptr_t)entry)
            return true;
    return false;
}

/* The beginning of the function in which a frame lies. */
static const void *
function_of(const void *frame)
{
    uintptr_t before_call = frame != crash.counter;

    return _Unwind_FindEnclosingFunction((void *)((uintptr_t)frame - before_call));
}

/* What calls main. */
extern void __libc_start_main(void);

/* Whether no call of the C library that may hold a lock lies between the interrupted place and the node's entry. */
static bool
may_jump(void)
{
    int i = crash_first_frame();

    while (i < crash.frame_count) {
        if (!in_library(crash.frames[i])) {
            if (function_of(crash.frames[i]) == (const void *)(uintptr_t)node_main)
                return true;
            i++;
            continue;
        }
        while (i + 1 < crash.frame_count && in_library(crash.frames[i + 1]))
            i++;
        if (function_of(crash.frames[i]) == (const void *)(uintptr_t)__libc_start_main)
            return true; /* on MPI a node is a process, and its program runs below main */
        if (!is_harmless(function_of(crash.frames[i])))
            return false;
        i++;
    }
    return true;
}

/* ------------------------------------------------------------------ the handlers */

/* Leave a handler, in which SIGNAL_STOP is blocked: a handler on top of it would take it for the node's program. */
_Noreturn static void
leave(struct node *node, enum node_exit way)
{
    sigset_t stop;

    node->inside = true;
    sigemptyset(&stop);
    sigaddset(&stop, SIGNAL_STOP);
    pthread_sigmask(SIG_UNBLOCK, &stop, NULL);
    node_restart(node, way);
}

/* Act on a node whose memory may have been overwritten; false if that crashed. */
static bool
signals_survives(void (*act)(struct node *), struct node *node)
{
    sigjmp_buf here;
    bool ended = false;

    if (sigsetjmp(here, 1) == 0) {
        noting = &here;
        act(node);
        ended = true;
    }
    noting = NULL;
    return ended;
}

/* Restore the earlier handler, and raise the signal again where it would not recur by itself. */
static void
signals_reraise(int signal, const siginfo_t *info)
{
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i].number == signal && before[i].taken)
            sigaction(signal, &before[i].action, NULL);
    if (signal == SIGABRT || info->si_code <= 0 || info->si_code == SI_KERNEL)
        raise(signal);
}

/* A thread that is not a node crashed: note whether nodes run. */
static void
note_stage(struct crash_note *words)
{
    enum box_stage stage = black_box ? (enum box_stage)atomic_load(&black_box->stage) : BOX_RUNS;

    words->after_run = stage >= BOX_RAN;
    words->loading = stage == BOX_LOADS;
    if (words->loading)
        words->rank = black_box->loading;
}

void
signals_crashed(int signal, siginfo_t *info, void *context)
{
    struct node *node = self;
    bool again = crash.signal != 0;

    if (copy_guard && (signal == SIGSEGV || signal == SIGBUS)) {
        copy_guard->address = info->si_addr ? info->si_addr : (void *)1; /* the null page, whatever its byte */
        siglongjmp(copy_guard->jump, 1);
    }
    if (noting)
        siglongjmp(*noting, 1);
    if (!black_box && (!node || again)) {
        signals_reraise(signal, info);
        return;
    }
    if (!again) { /* otherwise report the first crash, not one in the report */
        crash.signal = signal;
        crash.address = crash_address(info);
        if (node)
            crash_check_hint(node);
        note_frames(context);
    }
    if (node && !again && may_jump())
        leave(node, EXIT_CRASHED);

    const struct peal_machine *machine = node ? node->machine : black_box->machine;
    struct crash_note words = {.kind = PEAL_CRASH, .rank = node ? node->rank : -1, .signal = crash.signal};

    if (!node)
        note_stage(&words);
    if (crash.signal == SIGSEGV || crash.signal == SIGBUS)
        words.address = (uintptr_t)crash.address;
    crash_refusal(words.rank, words.refused, sizeof words.refused);
    box_note_frames(&words, machine);
    box_lose(&words, machine);
}

/* Note where the node is, or without one the program's constructor or destructor, for the thread that ends this
 * process. */
static void
note_stuck(const struct node *node)
{
    if (atomic_exchange(&stuck.busy, 1))
        return;
    stuck.words = (struct crash_note){.kind = PEAL_TIMED_OUT, .rank = node ? node->rank : -1};
    box_note_frames(&stuck.words, node ? node->machine : NULL);
    if (black_box && atomic_load(&black_box->note_state) == NOTE_NONE)
        black_box->words = stuck.words;
    if (black_box && atomic_load(&black_box->asked))
        atomic_store(&black_box->asked, BOX_ANSWERED);
    atomic_store(&stuck.busy, 0);
}

/* The time is up, or another thread asks where the node is.  A node that is in the library stops there by itself. */
static void
stopped(int signal, siginfo_t *info, void *context)
{
    struct node *node = self;
    int saved = errno;
    bool asked = black_box && atomic_load(&black_box->asked);

    (void)signal, (void)info;
    if (node && !node->inside && (asked || atomic_load(&node->machine->stopping))) {
        crash.waiting = was_waiting(context);
        note_frames(context);
        if (!asked && may_jump())
            leave(node, EXIT_EXPIRED);
        note_stuck(node);
    } else if (!node && asked && atomic_load(&black_box->stage) != BOX_RUNS && gettid() == getpid()) {
        note_frames(context);
        note_stuck(NULL);
    }
    errno = saved;
}

static void
signals_lose(struct node *node, enum abandon_reason why)
{
    struct crash_note words = {.kind = why == NODE_STUCK ? PEAL_TIMED_OUT : PEAL_CRASH,
                               .rank = node->rank,
                               .thread_stays = why == NODE_STAYS,
                               .thread_ended = why == NODE_THREAD,
                               .locked = why == NODE_LOCKED};

    if (why == NODE_STUCK) {
        if (!atomic_exchange(&stuck.busy, 1) && stuck.words.rank == node->rank)
            words = stuck.words;
        box_note_node(node);
    }
    box_lose(&words, node->machine);
}

void
crash_lose_stray(const void *code, const char *call)
{
    const struct peal_machine *machine = black_box ? black_box->machine : NULL;
    struct crash_note words = {.kind = PEAL_BAD_REQUEST, .rank = -1};

    crash = (struct crash){.counter = (char *)(uintptr_t)code - 1, .frame_count = 1};
    crash.frames[0] = crash.counter;
    snprintf(words.stray, sizeof words.stray, "%s", call);
    note_stage(&words);
    box_note_frames(&words, machine);
    box_lose(&words, machine);
}

/* ------------------------------------------------------------------ processes that nodes fork */

/* Called in a process that a node has forked: it is not a node.  Its end is not reported, and a call of Peal ends it
 * (node_main). */
static void
forget_node(void)
{
    if (!self)
        return;
    atomic_store(&self->machine->stopping, true);
    self = NULL;
    black_box = NULL;
    __fpurge(stdout); /* output buffered before the fork is not the child's to write */
    for (int i = 0; i < SIGNALS; i++)
        if (before[i].taken)
            sigaction(signals[i].number, &before[i].action, NULL);
}

/* ------------------------------------------------------------------ installing */

void
signals_hold(void)
{
    struct sigaction action = {.sa_sigaction = signals_crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    static bool prepared;
    void *frame;

    if (installs++ > 0)
        return;
    if (!prepared) {
        prepared = true;
        dl_iterate_phdr(note_code, NULL);
        pthread_atfork(NULL, NULL, forget_node);
        backtrace(&frame, 1); /* loads the unwinder now: a handler must not */
    }
    stuck.words.rank = -1;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGNAL_STOP);
    for (int i = 0; i < SIGNALS; i++) {
        if (signals[i].number == SIGNAL_STOP) {
            action.sa_sigaction = stopped;
            action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
        }
        sigaction(signals[i].number, NULL, &before[i].action);
        before[i].taken =
            signals[i].always || (!(before[i].action.sa_flags & SA_SIGINFO) && before[i].action.sa_handler == SIG_DFL);
        if (before[i].taken)
            sigaction(signals[i].number, &action, NULL);
    }
}

static void
signals_install(struct peal_machine *machine)
{
    if (machine->signals_installed)
        return;
    machine->signals_installed = true;
    signals_hold();
}

static void
signals_restore(struct peal_machine *machine)
{
    if (!machine->signals_installed)
        return;
    machine->signals_installed = false;
    if (--installs > 0)
        return;
    for (int i = 0; i < SIGNALS; i++)
        if (before[i].taken)
            sigaction(signals[i].number, &before[i].action, NULL);
}

/* ------------------------------------------------------------------ what the machine calls */

static const struct crash_hooks hooks = {.begins = box_begin,
                                         .starts = box_start,
                                         .expires = box_expire,
                                         .ended = box_end,
                                         .install = signals_install,
                                         .restore = signals_restore,
                                         .report = crash_report,
                                         .overflowed = crash_overflowed,
                                         .abandon = crash_abandon,
                                         .survives = signals_survives,
                                         .lose = signals_lose};

__attribute__((constructor)) static void
offer(void)
{
    crash_hooks = &hooks;
}
