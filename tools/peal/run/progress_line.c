/* SPDX-License-Identifier: MIT */
/* Rewrites one line of a terminal while a run goes on, at most ten times a second. */
#include "run/progress_line.h"
#include "lib/base/clock.h"
#include "show/print.h"
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double between_seconds = 0.1, delay_seconds = 0.5;

enum { LINE_BYTES = 400 };

/* The columns that can be written before the terminal goes to the next line. */
static int
progress_columns(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1 : COLUMNS - 1;
}

/* Cut UTF-8 text down to `width` columns. */
static void
progress_cut(char *text, int width)
{
    for (; *text; text++)
        if (((unsigned char)*text & 0xC0) != 0x80 && width-- == 0) {
            *text = '\0';
            return;
        }
}

void
progress_rewrite(struct progress_line *progress, const char *line)
{
    char bytes[2 * LINE_BYTES], text[LINE_BYTES];
    int width = 0, count = 0;

    if (line) { /* in one piece */
        snprintf(text, sizeof text, "%s", line);
        progress_cut(text, progress_columns());
        width = print_width(text);
        count = snprintf(bytes, sizeof bytes, "\r%s", text);
    }
    if (progress->width > width)
        count += snprintf(bytes + count, sizeof bytes - (size_t)count, "%s%*s%s", line ? "" : "\r",
                          progress->width - width, "", line ? "" : "\r");
    progress->width = width;
    if (write(STDERR_FILENO, bytes, (size_t)count) < 0)
        return; /* a lost terminal needs no progress */
}

static void
progress_show(const struct peal_progress *now, void *arg)
{
    struct progress_line *progress = arg;
    double seconds = seconds_now() - progress->began;
    char line[LINE_BYTES], rounds[64], cost[100], time[32];

    if (seconds < delay_seconds)
        return;
    snprintf(line, sizeof line, "%s, %s = %s, %d of %d nodes done, %.1f s", print_count(now->rounds, "round", rounds),
             peal_cost_text(now->cost, cost, sizeof cost),
             print_number(peal_cost_time(now->cost, progress->parameters), time), now->finished, now->nodes, seconds);
    progress_rewrite(progress, line);
}

static void
hide(void *arg)
{
    struct progress_line *progress = arg;

    if (progress->width > 0)
        progress_rewrite(progress, NULL);
}

bool
progress_possible(void)
{
    const char *terminal = getenv("TERM");

    return isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
}

void
progress_attach(struct progress_line *progress, struct peal_machine *machine)
{
    const struct peal_observer observer = {
        .seconds = between_seconds, .show = progress_show, .hide = hide, .arg = progress};
    struct peal_error error;

    if (!progress_possible())
        return;
    *progress = (struct progress_line){.parameters = peal_machine_options(machine)->parameters, .began = seconds_now()};
    peal_machine_observe(machine, &observer, &error); /* on an error the run goes on without it */
}
