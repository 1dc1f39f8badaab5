/* SPDX-License-Identifier: MIT */
/* Both sides of a child's pipe, into which the program that the child runs may write, too. */
#include "lib/child/child_message.h"
#include "lib/base/process.h"
#include <string.h>

void
child_send_message(const struct child *child, const void *message, size_t bytes)
{
    const int to = child->report.to;

    if (!peal_write_whole(to, child->token, CHILD_TOKEN_BYTES) || !peal_write_whole(to, message, bytes))
        child_exit(1);
}

enum child_message_state
child_read_message(struct child *child, void *message, size_t bytes)
{
    struct child_stream *report = &child->report;
    const char *next = report->text + report->taken;
    const size_t left = report->bytes - report->taken;

    if (left >= CHILD_TOKEN_BYTES && memcmp(next, child->token, CHILD_TOKEN_BYTES) != 0)
        return CHILD_MESSAGE_FORGED; /* before the rest has come: until then the program goes on */
    if (left < CHILD_TOKEN_BYTES + bytes)
        return CHILD_MESSAGE_NONE;
    memcpy(message, next + CHILD_TOKEN_BYTES, bytes);
    report->taken += CHILD_TOKEN_BYTES + bytes;
    return CHILD_MESSAGE_WHOLE;
}
