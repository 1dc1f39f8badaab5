/* SPDX-License-Identifier: MIT */
/* The man pages: those of this build where it is not installed, or the installed ones; and the search for words. */
#pragma once

#include <peal/base.h>

/* Show the page of a command ("run"), a topic ("topology", "libpeal") or a call ("peal_send") with man.
 *
 *   errors   PEAL_USAGE when no page has this name; PEAL_RESOURCES when man failed or is not installed: the text names
 *            the page's file */
enum peal_status manual_show(const char *name, struct peal_error *error);

/* List what has these `count` words near one another: pages, kinds of findings, lessons, algorithms, applications.
 * Those whose commands begin with `first` ("peal lesson ", NULL) come first.
 *
 *   errors   PEAL_USAGE when there is nothing: the text says which word is unknown, and the nearest one */
enum peal_status manual_search(int count, char *const *words, const char *first, struct peal_error *error);
