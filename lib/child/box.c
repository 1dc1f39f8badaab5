/* SPDX-License-Identifier: MIT */
/* Writes the black box, by plain stores where a process is lost, and describes its contents: "node 2 crashed: ...". */
#include "lib/child/box.h"
#include "lib/base/clock.h"
#include "lib/base/text.h"
#include "lib/machine/futex.h"
#include <dirent.h>
#include <peal/hints.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

struct black_box *black_box;

struct black_box *
box_create(void)
{
    struct black_box *box =
        mmap(NULL, sizeof(struct black_box), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (box == MAP_FAILED)
        return NULL;
    box->rank = box->loading = box->words.rank = -1;
    return box;
}

void
box_destroy(struct black_box *box)
{
    if (box)
        munmap(box, sizeof *box);
}

void
box_use(struct black_box *box, pid_t parent)
{
    box->parent = parent;
    black_box = box;
    spent_published = &box->spent;
}

void
box_stage(enum box_stage stage)
{
    if (!black_box)
        return;
    atomic_store(&black_box->since, nanoseconds_now());
    atomic_store(&black_box->watch, BOX_UNWATCHED);
    atomic_store(&black_box->stage, stage);
}

void
box_begin(struct peal_machine *machine)
{
    if (black_box)
        black_box->machine = machine;
    box_stage(BOX_RUNS);
}

void
box_start(void)
{
    box_stage(BOX_RUNS);
    if (black_box)
        atomic_store(&black_box->watch, BOX_WATCHED);
}

void
box_expire(void)
{
    if (black_box)
        atomic_store(&black_box->watch, BOX_EXPIRES);
}

void
box_note_node(const struct node *node)
{
    if (!black_box || !node->file)
        return;
    black_box->rank = node->rank;
    black_box->line = node->line;
    black_box->offset = 0;
    if (node->line <= PEAL_CODE)
        crash_offset(node->machine->image, (uintptr_t)node->file, &black_box->offset);
    else
        snprintf(black_box->file, sizeof black_box->file, "%s", node->file);
}

/* A node that was ended in the middle of its program may have left these locked (flockfile): the next to use them,
 * perhaps in the next run, would wait for ever.  Nobody is there to unlock them, so make the lock anew, as the C
 * library does in a process that fork makes. */
static void
streams_release(void)
{
    static const struct {
        int lock, count;
        void *owner;
    } released;
    FILE *const streams[] = {stdout, stderr};

    for (int i = 0; i < 2; i++)
        if (ftrylockfile(streams[i]) == 0)
            funlockfile(streams[i]);
        else
            memcpy(streams[i]->_lock, &released, sizeof released);
}

void
box_end(const struct peal_machine *machine)
{
    int rank = 0;

    if (black_box && machine->reports.failed)
        streams_release();
    while (rank < machine->options.nodes && !machine->nodes[rank].file)
        rank++;
    if (rank < machine->options.nodes)
        box_note_node(&machine->nodes[rank]);
    box_stage(BOX_RAN);
}

void
box_ask(struct black_box *box, pid_t child)
{
    enum { MOMENTS = 10 };
    const struct timespec moment = {.tv_nsec = 50 * 1000 * 1000};
    char path[64];

    atomic_store(&box->asked, BOX_ASKED);
    snprintf(path, sizeof path, "/proc/%d/task", (int)child);
    DIR *all = opendir(path);

    for (const struct dirent *one; all && (one = readdir(all));)
        if (one->d_name[0] != '.')
            syscall(SYS_tgkill, child, atoi(one->d_name), SIGNAL_STOP);
    if (all)
        closedir(all);
    nanosleep(&moment, NULL); /* for all threads to answer; on a busy machine none has yet */
    for (int i = 0; i < MOMENTS && atomic_load(&box->asked) == BOX_ASKED; i++)
        nanosleep(&moment, NULL);
}

void
box_load(int rank)
{
    if (black_box)
        black_box->loading = rank;
}

void
box_note_program(const struct image *image, const char *symbols)
{
    if (!black_box)
        return;
    black_box->image = image;
    snprintf(black_box->symbols, sizeof black_box->symbols, "%s", symbols);
}

void
box_note_frames(struct crash_note *words, const struct peal_machine *machine)
{
    const struct image *image = machine && machine->image ? machine->image : black_box ? black_box->image : NULL;

    words->offset_count = 0;
    words->thread_of = -1;
    for (int i = crash_first_frame(); i < crash.frame_count; i++) {
        uintptr_t before_call = crash.frames[i] != crash.counter,
                  offset; /* a return address: the call lies before it */

        const struct image_copy *copy = image_copy_at(image, (uintptr_t)crash.frames[i]);

        if (crash_offset(image, (uintptr_t)crash.frames[i] - before_call, &offset))
            words->offsets[words->offset_count++] = offset;
        if (copy && image->count > 1)
            words->thread_of = copy->rank;
    }
}

/* Whether a signal is one that the thread brings upon itself by what it does. */
static bool
is_fault(int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGABRT ||
           signal == SIGTRAP || signal == SIGSYS;
}

/* What the system refused, as the box records it.  The process may be untrusted: the text may be anything. */
static void
refusal_words(const struct crash_note *words, char text[sizeof words->refused])
{
    snprintf(text, sizeof words->refused, "%.*s", (int)sizeof words->refused - 1, words->refused);
    make_plain(text);
}

/* "MPI_Send was called by a thread of node 1, ..." */
static void
stray_words(const struct crash_note *words, const char *after, char text[BOX_TEXT])
{
    char of[40] = "the program";
    int rank = words->rank >= 0 ? words->rank : words->thread_of;

    if (rank >= 0)
        snprintf(of, sizeof of, "node %d", rank);
    if (words->loading)
        snprintf(text, BOX_TEXT, "%.47s was called before main, by a constructor of %s%s", words->stray, of, after);
    else if (words->after_run)
        snprintf(text, BOX_TEXT, "%.47s was called after main, by a destructor or a thread of %s%s", words->stray, of,
                 after);
    else
        snprintf(text, BOX_TEXT, "%.47s was called by a thread of %s: only the thread that runs main may call MPI%s",
                 words->stray, of, after);
}

void
box_fix(const struct crash_note *words, bool known, char *fix, size_t bytes)
{
    fix[0] = '\0';
    if (words->process_ended && words->signal <= 0)
        snprintf(fix, bytes, "%s", PEAL_HINT(ends_process));
    else if (known && words->rank >= 0 && words->kind == PEAL_TIMED_OUT)
        snprintf(fix, bytes, PEAL_HINT(endless), words->rank);
    else if (known && words->rank >= 0 && words->kind == PEAL_CRASH &&
             crash_by_null(words->signal, (const void *)words->address))
        snprintf(fix, bytes, PEAL_HINT(null_pointer), words->rank);
}

void
box_words(const struct crash_note *words, double seconds, const char *after, char text[BOX_TEXT])
{
    char who[80] = "a thread of the program", what[160], refused[sizeof words->refused];

    refusal_words(words, refused);
    crash_words(words->signal, (const void *)words->address, what);
    if (words->rank >= 0)
        snprintf(who, sizeof who, "node %d%s", words->rank, words->loading ? ", in a constructor," : "");
    else if (words->loading)
        snprintf(who, sizeof who, "a constructor of the program");
    else if (words->after_run)
        snprintf(who, sizeof who, "a destructor or a thread of the program");
    else if (words->thread_of >= 0)
        snprintf(who, sizeof who, "a thread of node %d", words->thread_of);
    if (words->stray[0])
        stray_words(words, after, text);
    else if (words->kind == PEAL_TIMED_OUT && words->rank < 0)
        snprintf(text, BOX_TEXT, "after %g second%s the run has not ended%s%s", seconds, plural(seconds),
                 words->became    ? ", since its process has become another program (exec)"
                 : words->stopped ? ", since a signal has stopped its process"
                                  : "",
                 after);
    else if (words->kind == PEAL_TIMED_OUT)
        snprintf(text, BOX_TEXT, "after %g second%s %s is still computing%s", seconds, plural(seconds), who, after);
    else if (words->thread_ended)
        snprintf(text, BOX_TEXT, "%s crashed: its thread has ended, by pthread_cancel or a system call%s", who, after);
    else if (words->thread_stays)
        snprintf(
            text, BOX_TEXT,
            "%s crashed: its thread does not end: the program has damaged the heap, by a write beyond a block or a "
            "block freed twice%s",
            who, after);
    else if (words->bereft)
        snprintf(text, BOX_TEXT, "the program has closed all descriptors, those of the report too%s", after);
    else if (words->limited)
        snprintf(text, BOX_TEXT,
                 "the program has lowered a limit of its process (setrlimit) below what the report needs%s", after);
    else if (words->locked)
        snprintf(text, BOX_TEXT,
                 "the program holds a lock that the report needs, of the heap or of a file (flockfile), and does not "
                 "release it%s",
                 after);
    else if (words->process_ended && words->signal <= 0)
        snprintf(text, BOX_TEXT, "the program ended the whole process, with exit code %d%s", -words->signal, after);
    else if (words->process_ended || (words->rank < 0 && !is_fault(words->signal)))
        snprintf(text, BOX_TEXT, "the program was ended by signal %d (%s)%s", words->signal, strsignal(words->signal),
                 after);
    else if (words->rank < 0 && words->offset_count == 0)
        snprintf(text, BOX_TEXT,
                 "%s%s: the program has damaged memory: a node wrote beyond its own memory, or freed a block twice%s",
                 what, words->after_run ? " after the nodes had ended" : "", after);
    else
        snprintf(text, BOX_TEXT, "%s crashed: %s%s%s", who, what, after, refused);
}

/* No parent watches this process: print one line, and end it as the signal would have. */
_Noreturn static void
end_unseen(const struct crash_note *words, const struct peal_machine *machine)
{
    const struct node *node = machine && words->rank >= 0 ? &machine->nodes[words->rank] : NULL;
    char where[160] = "", text[BOX_TEXT], line[sizeof machine->reports.failure.message + 100];

    if (node && node->file && node->line > PEAL_CODE)
        snprintf(where, sizeof where, " (after its call at %.*s:%d)", FITTING(100, node->file), node->line);
    box_words(words, machine ? machine->options.timeout_seconds : 0, where, text);
    bool earlier = words->locked && machine && machine->reports.failed; /* an earlier failure is reported instead */
    int length = snprintf(line, sizeof line, "peal: %s: %s; this process cannot go on\n",
                          peal_failure_name(earlier ? machine->reports.failure.kind : words->kind),
                          earlier ? machine->reports.failure.message : text);

    if (write(STDERR_FILENO, line, (size_t)length) < 0 || words->kind == PEAL_TIMED_OUT)
        _exit(PEAL_TIMEOUT);
    if (words->signal > 0) {
        sigset_t set;

        signal(words->signal, SIG_DFL);
        sigemptyset(&set);
        sigaddset(&set, words->signal);
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
        raise(words->signal);
    }
    _exit(PEAL_FAILED);
}

void
box_lose(const struct crash_note *words, const struct peal_machine *machine)
{
    struct black_box *box = black_box;
    uint32_t well = NOTE_NONE;
    sigset_t all;

    if (!box)
        end_unseen(words, machine);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    if (atomic_compare_exchange_strong(&box->note_state, &well, NOTE_WRITING)) {
        box->words = *words;
        atomic_store(&box->note_state, NOTE_WRITTEN); /* published by this store; seen by the parent's load */
        if (box->parent)
            kill(box->parent, SIGCHLD);
    }
    for (_Atomic uint32_t never = 0;;)
        futex_wait(&never, 0, 0);
}
