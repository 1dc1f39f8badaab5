/* SPDX-License-Identifier: MIT */
/* Reads the black box of a child that crashed or hangs, and words the failure.  What it reads may be forged, and only
 * becomes text. */
#include "lib/child/lost.h"
#include "lib/base/clock.h"
#include "lib/machine/lookup.h"
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* Find the line of the innermost of these places in the program whose line is known. */
static bool
find_line(const uintptr_t *offsets, int count, const struct child_program *program, struct lost *lost)
{
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
find_call(const struct black_box *box, const struct child_program *program, struct lost *lost)
{
    const uintptr_t before = box->offset - 1; /* a return address: the call lies before it */

    if (box->line <= PEAL_CODE)
        return box->offset && find_line(&before, 1, program, lost);
    snprintf(lost->file, sizeof lost->file, "%.*s", (int)sizeof box->file - 1, box->file);
    lost->line = box->line;
    return true;
}

/* Describe the words of the box. */
static void
describe(const struct black_box *box, struct last_words words, const struct child_program *program, double seconds,
         struct lost *lost)
{
    const char *after = "";

    lost->kind = words.kind;
    lost->file[0] = '\0';
    lost->line = 0;
    bool known = find_line(words.offsets, words.offset_count, program, lost);

    if (program->bytes && !known && words.kind == PEAL_TIMED_OUT && words.rank >= 0 && words.rank == box->rank &&
        find_call(box, program, lost)) {
        known = true;
        after = ", since the call at this line";
    }
    box_words(&words, seconds, after, lost->message);
    box_fix(&words, known && !after[0], lost->fix, sizeof lost->fix);
}

bool
lost_read(const struct black_box *box, const struct child_program *program, double seconds, struct lost *lost)
{
    struct last_words words = box->words;

    if (atomic_load(&box->lost) != BOX_LOST)
        return false;
    if (words.kind != PEAL_TIMED_OUT && words.kind != PEAL_BAD_REQUEST)
        words.kind = PEAL_CRASH;
    describe(box, words, program, seconds, lost);
    return true;
}

void
lost_ask(struct black_box *box, pid_t child, const struct child_program *program, double seconds, struct lost *lost)
{
    box->words = (struct last_words){.rank = -1};
    box_ask(box, child);
    struct last_words words = box->words;

    words.kind = PEAL_TIMED_OUT;
    describe(box, words, program, seconds, lost);
}

bool
lost_loads(const struct black_box *box, const struct box_clock *clock, double seconds)
{
    return atomic_load(&box->stage) == BOX_LOADS &&
           (double)(clock->spent.counted - clock->stage_began) * 1e-9 > seconds;
}

struct box_clock
box_clock_begin(pid_t child)
{
    return (struct box_clock){.spent = peal_spent_begin(child), .stage_since = -1};
}

void
box_clock_look(struct box_clock *clock, struct black_box *box, double seconds)
{
    const int64_t since = atomic_load(&box->since);

    atomic_store(&box->spent, peal_spent_look(&clock->spent, peal_spent_window(seconds), false));
    if (since != clock->stage_since)
        clock->stage_began = clock->spent.counted;
    clock->stage_since = since;
}
