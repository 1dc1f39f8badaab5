/* SPDX-License-Identifier: MIT */
/* The C library's calls for which each node has its own state: output, random numbers, exit and refused calls.  Only
 * the node touches its state. */
#include "lib/program/interpose.h"
#include "lib/child/crash.h"
#include "lib/machine/hooks.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Each name below is one definition further down, WRAP(..., name, ...) or WRAP_AS. */
/* clang-format off */
#define WRAPS(X)                                                                                                       \
    X(printf) X(vprintf) X(fprintf) X(vfprintf) X(puts) X(fputs) X(putchar) X(putc) X(fputc) X(fwrite) X(fflush)       \
    X(putchar_unlocked) X(putc_unlocked) X(fputc_unlocked) X(fputs_unlocked) X(fwrite_unlocked)                        \
    X(__printf_chk) X(__vprintf_chk) X(__fprintf_chk) X(__vfprintf_chk)                                                \
    X(rand) X(srand) X(random) X(srandom) X(drand48) X(lrand48) X(mrand48) X(srand48)                                  \
    X(fopen) X(fopen64) X(freopen) X(open) X(open64) X(openat) X(creat) X(opendir) X(tmpfile) X(getenv)                \
    X(strtok) X(exit) X(_exit) X(_Exit) X(quick_exit) X(pthread_exit) X(__assert_fail)
/* clang-format on */

#define NAME(name) #name,

const char *const *
interpose_names(void)
{
    static const char *const names[] = {WRAPS(NAME) NULL};

    return names;
}

/* Begin the definition of the call that replaces `name`, declared and exported. */
#define WRAP(type, name, ...)                                                                                          \
    PEAL_API type peal_wrap_##name(__VA_ARGS__);                                                                       \
    type peal_wrap_##name(__VA_ARGS__)

/* The call that replaces `name` is the one that replaces `other`. */
#define WRAP_AS(other, type, name, ...)                                                                                \
    PEAL_API __attribute__((alias("peal_wrap_" #other))) type peal_wrap_##name(__VA_ARGS__)

/* Set before the nodes' threads start; then constant until they have ended.  running[r] belongs to node r. */
static struct interpose_state **running;
static pid_t process; /* the process of these nodes */
static void (*node_exits)(struct peal_node *me, int status);

void
interpose_begin(struct interpose_state **states, void (*exits)(struct peal_node *me, int status))
{
    running = states;
    node_exits = exits;
    process = getpid();
    if (states)
        crash_refusals_forget();
}

struct interpose_state *
interpose_state_of(struct peal_node *me)
{
    return me && running ? running[peal_world_rank(me)] : NULL;
}

/* The state of the node that runs here; NULL outside of node programs. */
static struct interpose_state *
own_state(void)
{
    return interpose_state_of(peal_self());
}

/* ------------------------------------------------------------------ calls that the system may refuse */

/* Record that an allocation failed: a program that does not check it soon crashes, and the report then names the
 * cause. */
static void
note_refusal(const char *call, const char *name)
{
    struct peal_node *me = peal_self();
    int reason = errno;

    if (!me || !running)
        return;
    crash_note_refusal(peal_world_rank(me), call, name, reason);
    errno = reason;
}

/* A call that returns NULL, or less than 0, when it is refused. */
#define WRAP_OPENER(name, type, failed, parameters, arguments, path)                                                   \
    WRAP(type, name, parameters)                                                                                       \
    {                                                                                                                  \
        type result = name arguments;                                                                                  \
                                                                                                                       \
        if (result failed)                                                                                             \
            note_refusal(#name, path);                                                                                 \
        return result;                                                                                                 \
    }
#define TOGETHER(...) __VA_ARGS__

WRAP_OPENER(fopen, FILE *, == NULL, TOGETHER(const char *path, const char *mode), (path, mode), path)
WRAP_OPENER(fopen64, FILE *, == NULL, TOGETHER(const char *path, const char *mode), (path, mode), path)
WRAP_OPENER(freopen, FILE *, == NULL, TOGETHER(const char *path, const char *mode, FILE *file), (path, mode, file),
            path)
WRAP_OPENER(creat, int, < 0, TOGETHER(const char *path, mode_t mode), (path, mode), path)
WRAP_OPENER(opendir, DIR *, == NULL, TOGETHER(const char *path), (path), path)
WRAP_OPENER(tmpfile, FILE *, == NULL, void, (), NULL)

/* Calls that take a mode only when they create a file; otherwise the argument in its place is passed on unused. */
#define WRAP_OPEN(name, parameters, arguments)                                                                         \
    WRAP(int, name, parameters, ...)                                                                                   \
    {                                                                                                                  \
        va_list list;                                                                                                  \
                                                                                                                       \
        va_start(list, flags);                                                                                         \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;                                        \
        va_end(list);                                                                                                  \
        int result = name arguments;                                                                                   \
                                                                                                                       \
        if (result < 0)                                                                                                \
            note_refusal(#name, path);                                                                                 \
        return result;                                                                                                 \
    }

WRAP_OPEN(open, TOGETHER(const char *path, int flags), (path, flags, mode))
WRAP_OPEN(open64, TOGETHER(const char *path, int flags), (path, flags, mode))
WRAP_OPEN(openat, TOGETHER(int folder, const char *path, int flags), (folder, path, flags, mode))

WRAP(char *, getenv, const char *name)
{
    char *value = getenv(name);

    errno = value ? errno : 0;
    if (!value)
        note_refusal("getenv", name);
    return value;
}

/* ------------------------------------------------------------------ output */

/* The node that runs here if `file` is standard output, else NULL. */
static struct peal_node *
printing(FILE *file)
{
    return file == stdout ? peal_self() : NULL;
}

WRAP(int, vfprintf, FILE *file, const char *format, va_list list)
{
    struct peal_node *me = printing(file);

    return me ? peal_vprintf(me, format, list) : vfprintf(file, format, list);
}

#define FORWARD_TO_VFPRINTF(file)                                                                                      \
    va_list list;                                                                                                      \
                                                                                                                       \
    va_start(list, format);                                                                                            \
    int length = peal_wrap_vfprintf(file, format, list);                                                               \
    va_end(list);                                                                                                      \
    return length

WRAP(int, fprintf, FILE *file, const char *format, ...)
{
    FORWARD_TO_VFPRINTF(file);
}

WRAP(int, printf, const char *format, ...)
{
    FORWARD_TO_VFPRINTF(stdout);
}

WRAP(int, vprintf, const char *format, va_list list)
{
    return peal_wrap_vfprintf(stdout, format, list);
}

/* The names of printf under _FORTIFY_SOURCE. */
WRAP(int, __fprintf_chk, FILE *file, int flag, const char *format, ...)
{
    (void)flag;
    FORWARD_TO_VFPRINTF(file);
}

WRAP(int, __printf_chk, int flag, const char *format, ...)
{
    (void)flag;
    FORWARD_TO_VFPRINTF(stdout);
}

WRAP(int, __vfprintf_chk, FILE *file, int flag, const char *format, va_list list)
{
    (void)flag;
    return peal_wrap_vfprintf(file, format, list);
}

WRAP(int, __vprintf_chk, int flag, const char *format, va_list list)
{
    (void)flag;
    return peal_wrap_vfprintf(stdout, format, list);
}

WRAP(size_t, fwrite, const void *data, size_t size, size_t count, FILE *file)
{
    struct peal_node *me = printing(file);
    size_t bytes;

    if (!me)
        return fwrite(data, size, count, file);
    if (size == 0 || __builtin_mul_overflow(size, count, &bytes))
        return 0;
    peal_write(me, data, bytes);
    return count;
}

WRAP(int, fputs, const char *text, FILE *file)
{
    struct peal_node *me = printing(file);

    if (!me)
        return fputs(text, file);
    peal_write(me, text, strlen(text));
    return 1;
}

WRAP(int, fputc, int character, FILE *file)
{
    struct peal_node *me = printing(file);
    unsigned char byte = (unsigned char)character;

    if (!me)
        return fputc(character, file);
    peal_write(me, &byte, 1);
    return byte;
}

WRAP(int, puts, const char *text)
{
    if (peal_wrap_fputs(text, stdout) < 0 || peal_wrap_fputc('\n', stdout) < 0)
        return EOF;
    return 1;
}

WRAP_AS(fputc, int, putc, int character, FILE *file);
WRAP_AS(fputc, int, fputc_unlocked, int character, FILE *file);
WRAP_AS(fputc, int, putc_unlocked, int character, FILE *file);
WRAP_AS(fputs, int, fputs_unlocked, const char *text, FILE *file);
WRAP_AS(fwrite, size_t, fwrite_unlocked, const void *data, size_t size, size_t count, FILE *file);

WRAP(int, putchar, int character)
{
    return peal_wrap_fputc(character, stdout);
}

WRAP_AS(putchar, int, putchar_unlocked, int character);

/* The machine decides when a node's lines go out: only the other files are flushed. */
WRAP(int, fflush, FILE *file)
{
    return printing(file) ? 0 : fflush(file);
}

/* ------------------------------------------------------------------ random numbers */

/* A number for this node of this machine, made from the machine's seed and the rank by the mixing steps of splitmix64.
 * peal_random is not used: a call of rand must not advance its sequence. */
uint64_t
interpose_first_seed(void)
{
    struct peal_node *me = peal_self();
    uint64_t x = peal_node_options(me)->seed + UINT64_C(0x9E3779B97F4A7C15) * ((uint64_t)peal_world_rank(me) + 1);

    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

static void
seed_random(struct interpose_state *state, unsigned seed)
{
    memset(&state->random, 0, sizeof state->random);
    initstate_r(seed, state->random_words, sizeof state->random_words, &state->random);
    state->random_seeded = true;
}

static void
seed_drand48(struct interpose_state *state, long seed)
{
    memset(&state->drand48, 0, sizeof state->drand48);
    srand48_r(seed, &state->drand48);
    state->drand48_seeded = true;
}

/* The next number of the node's sequence for rand and random; false outside of nodes. */
static bool
next_random(int32_t *number)
{
    struct interpose_state *state = own_state();

    if (!state)
        return false;
    if (!state->random_seeded && random_source) {
        *number = (int32_t)(peal_random(peal_self()) >> 33);
        return true;
    }
    if (!state->random_seeded)
        seed_random(state, (unsigned)interpose_first_seed());
    random_r(&state->random, number);
    return true;
}

/* The node's state for drand48 and its family, seeded; NULL outside of nodes. */
static struct drand48_data *
own_drand48(void)
{
    struct interpose_state *state = own_state();

    if (state && !state->drand48_seeded)
        seed_drand48(state, (long)(interpose_first_seed() & 0x7FFFFFFF));
    return state ? &state->drand48 : NULL;
}

WRAP(int, rand, void)
{
    int32_t number;

    return next_random(&number) ? number : rand();
}

WRAP(long, random, void)
{
    int32_t number;

    return next_random(&number) ? number : random();
}

WRAP(void, srandom, unsigned seed)
{
    struct interpose_state *state = own_state();

    if (state)
        seed_random(state, seed);
    else
        srandom(seed);
}

WRAP_AS(srandom, void, srand, unsigned seed);

WRAP(double, drand48, void)
{
    struct drand48_data *data = own_drand48();
    double number;

    if (!data)
        return drand48();
    drand48_r(data, &number);
    return number;
}

WRAP(long, lrand48, void)
{
    struct drand48_data *data = own_drand48();
    long number;

    if (!data)
        return lrand48();
    lrand48_r(data, &number);
    return number;
}

WRAP(long, mrand48, void)
{
    struct drand48_data *data = own_drand48();
    long number;

    if (!data)
        return mrand48();
    mrand48_r(data, &number);
    return number;
}

WRAP(void, srand48, long seed)
{
    struct interpose_state *state = own_state();

    if (state)
        seed_drand48(state, seed);
    else
        srand48(seed);
}

/* ------------------------------------------------------------------ the rest */

WRAP(char *, strtok, char *text, const char *separators)
{
    struct interpose_state *state = own_state();

    return state ? strtok_r(text, separators, &state->token) : strtok(text, separators);
}

/* End the node: status 0 as a return, else as a failure of the run.  Returns outside of nodes, and in a process that a
 * node has forked: the process ends then, not the node, whose memory it may share (vfork). */
static void
interpose_end_node(int status, const void *site)
{
    struct peal_node *me = peal_self();
    struct interpose_state *state = own_state();
    char text[32];

    if (!me || getpid() != process)
        return;
    if (state)
        state->exited = site;
    if (node_exits)
        node_exits(me, status);
    if (status == 0)
        peal_exit(me);
    snprintf(text, sizeof text, "exit(%d)", status);
    peal_abort_at(me, text, NULL, 0);
}

#define WRAP_END(name)                                                                                                 \
    PEAL_API __attribute__((noreturn)) void peal_wrap_##name(int status);                                              \
    void peal_wrap_##name(int status)                                                                                  \
    {                                                                                                                  \
        interpose_end_node(status, __builtin_return_address(0));                                                       \
        name(status);                                                                                                  \
    }

WRAP_END(exit)
WRAP_END(_exit)
WRAP_END(_Exit)
WRAP_END(quick_exit)

/* A node's thread belongs to the machine, which would wait for it for ever; a thread that the program created ends.
 * Only lib/machine includes the header of this call. */
extern __attribute__((noreturn)) void pthread_exit(void *value);
PEAL_API __attribute__((noreturn)) void peal_wrap_pthread_exit(void *value);
void
peal_wrap_pthread_exit(void *value)
{
    interpose_end_node(0, __builtin_return_address(0));
    pthread_exit(value);
}

/* An assertion that fails says what the C library's says, and aborts.  Which of its own functions calls abort there
 * depends on the C library's version, and a node may jump out of known ones only (lib/child/signals.c). */
PEAL_API __attribute__((noreturn)) void peal_wrap___assert_fail(const char *asserted, const char *file, unsigned line,
                                                                const char *function);
void
peal_wrap___assert_fail(const char *asserted, const char *file, unsigned line, const char *function)
{
    fprintf(stderr, "%s: %s:%u: %s%sAssertion `%s' failed.\n", program_invocation_short_name, file, line,
            function ? function : "", function ? ": " : "", asserted);
    abort();
}

/* ------------------------------------------------------------------ for programs that are linked already */

void *
interpose_find(const struct interpose_call *calls, size_t count, const char *name)
{
    void *address = NULL;

    for (size_t i = 0; i < count && !address; i++)
        if (strcmp(calls[i].name, name) == 0)
            memcpy(&address, &calls[i].call, sizeof address); /* C has no cast from function to data */
    return address;
}

void *
interpose_common_address(const char *name)
{
#define CALL(name) {#name, (void (*)(void))peal_wrap_##name},
    static const struct interpose_call calls[] = {WRAPS(CALL)};

    return interpose_find(calls, sizeof calls / sizeof *calls, name);
}
