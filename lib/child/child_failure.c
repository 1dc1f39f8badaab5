/* SPDX-License-Identifier: MIT */
/* Reads the black box of a child that crashed or hangs, and words the failure.  What it reads may be forged: it only
 * becomes text. */
#include "lib/child/child_failure.h"
#include "lib/machine/lookup.h"
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Find the line of the innermost of these places in the program whose line is known. */
static bool
child_failure_line(const uintptr_t *offsets, int count, const struct child *child, struct peal_fault *lost)
{
    const struct child_program *program = &child->setup.program;
    int fd = program->bytes && line_finder.find ? memfd_create("program", MFD_CLOEXEC) : -1;
    char path[40];
    bool known = false;

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fd >= 0 && write(fd, program->bytes, program->size) == (ssize_t)program->size)
        for (int i = 0; i < count && i < CRASH_FRAMES && !known; i++)
            known = line_finder.find(path, offsets[i], lost->file, sizeof lost->file, &lost->line);
    if (fd >= 0)
        close(fd);
    return known;
}

/* Find the line of the node's last call. */
static bool
find_call(const struct child *child, struct peal_fault *lost)
{
    const struct black_box *box = child->setup.box;
    const uintptr_t before = box->offset - 1; /* a return address: the call lies before it */

    if (box->line <= PEAL_CODE)
        return box->offset && child_failure_line(&before, 1, child, lost);
    snprintf(lost->file, sizeof lost->file, "%.*s", (int)sizeof box->file - 1, box->file);
    lost->line = box->line;
    return true;
}

/* Describe the words of the box. */
static void
child_failure_describe(const struct child *child, struct crash_note words, struct peal_fault *lost)
{
    const char *after = "";

    *lost = (struct peal_fault){.kind = words.kind, .rank = words.rank};
    bool known = child_failure_line(words.offsets, words.offset_count, child, lost);

    if (child->setup.program.bytes && !known && words.kind == PEAL_TIMED_OUT && words.rank >= 0 &&
        words.rank == child->setup.box->rank && find_call(child, lost)) {
        known = true;
        after = ", since the call at this line";
    }
    box_words(&words, child->setup.limits.run_seconds, after, lost->message);
    box_fix(&words, known && !after[0], lost->fix, sizeof lost->fix);
}

/* Describe the contents of its box.  False: the box does not say that it is lost. */
static bool
read_box(const struct child *child, struct peal_fault *lost)
{
    const struct black_box *box = child->setup.box;

    if (!box || atomic_load(&box->note_state) != NOTE_WRITTEN)
        return false;
    struct crash_note words = box->words;

    if (words.kind != PEAL_TIMED_OUT && words.kind != PEAL_BAD_REQUEST)
        words.kind = PEAL_CRASH;
    child_failure_describe(child, words, lost);
    return true;
}

void
child_failure(const struct child *child, int how, const char *run, const char *author, struct peal_fault *lost)
{
    const int denied = child->setup.denied ? atomic_load(child->setup.denied) : 0;
    char text[200];

    *lost = (struct peal_fault){.kind = PEAL_CRASH, .rank = -1};
    if (denied > 0 || (child->setup.denied && WIFSIGNALED(how) && WTERMSIG(how) == SIGSYS))
        snprintf(lost->message, sizeof lost->message, "%s was ended: %s", run, child->setup.say_denied(denied, text));
    else if (read_box(child, lost))
        return;
    else if (WIFSIGNALED(how))
        snprintf(lost->message, sizeof lost->message, "%s was ended by signal %d (%s)", run, WTERMSIG(how),
                 strsignal(WTERMSIG(how)));
    else
        snprintf(lost->message, sizeof lost->message, "%s ended the whole process, with exit code %d", author,
                 WEXITSTATUS(how));
}

void
child_ask(const struct child *child, struct peal_fault *lost)
{
    struct black_box *box = child->setup.box;

    box->words = (struct crash_note){.rank = -1};
    box_ask(box, child->process);
    struct crash_note words = box->words;

    words.kind = PEAL_TIMED_OUT;
    child_failure_describe(child, words, lost);
}
