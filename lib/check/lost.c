/* SPDX-License-Identifier: MIT */
#include "lib/check/lost.h"
#include "lib/program/lines.h"
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* Find the line of the innermost call of the program whose line is known. */
static bool
find_line(const struct last_words *words, const struct compiled *program, char *file, size_t bytes, int *line)
{
    int fd = memfd_create("program", MFD_CLOEXEC);
    bool known = false;

    if (fd >= 0 && write(fd, program->bytes, program->size) == (ssize_t)program->size)
        for (int i = 0; i < words->offset_count && i < CRASH_FRAMES && !known; i++)
            known = lines_find(fd, words->offsets[i], file, bytes, line);
    if (fd >= 0)
        close(fd);
    return known;
}

bool
lost_read(const struct black_box *box, const struct unit *unit, const char *name, double seconds, struct lost *lost)
{
    struct last_words words = box->words;

    if (atomic_load(&box->lost) != BOX_LOST)
        return false;
    if (words.kind != PEAL_TIMED_OUT && words.kind != PEAL_BAD_REQUEST)
        words.kind = PEAL_CRASH;
    lost->kind = words.kind;
    box_words(&words, seconds, "", lost->message);
    lost->file[0] = '\0';
    lost->line = 0;
    if (!unit || !find_line(&words, &unit->program, lost->file, sizeof lost->file, &lost->line))
        return true;
    unit_shorten(unit, name, lost->file, sizeof lost->file);
    return true;
}
