/* SPDX-License-Identifier: MIT */
/* A user's text, made fit for a message of one line. */
#ifndef LIB_BASE_QUOTE_H
#define LIB_BASE_QUOTE_H

struct quoted {
    char text[80];
};

/* Give `text` in quotes, as 'x': control characters become "?", what is too long is cut, between characters, with
 * "...". As an argument, quote(word).text lives until the call it is in returns. */
struct quoted quote(const char *text);

#endif
