/* SPDX-License-Identifier: MIT */
/* Messages from a child to its parent, each of a size that both know, behind the token that only they know. */
#pragma once

#include "lib/child/child.h"

/* In the child: write a message, whole.  Ends the child if its parent is gone. */
void child_send_message(const struct child *child, const void *message, size_t bytes);

enum child_message_state {
    CHILD_MESSAGE_NONE, /* no whole message has come */
    CHILD_MESSAGE_WHOLE,
    CHILD_MESSAGE_FORGED, /* something else has written there */
};

/* In the parent: take the next message. */
enum child_message_state child_read_message(struct child *child, void *message, size_t bytes);
