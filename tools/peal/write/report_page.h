/* SPDX-License-Identifier: MIT */
/* The page's own text, which tools/report/bundle.py makes at build time. */
#ifndef PEAL_REPORT_PAGE_H
#define PEAL_REPORT_PAGE_H

#include <stddef.h>

/* The text before and after the document.  Without D3 both are empty, and report_page_absent says why. */
extern const char report_page_head[], report_page_tail[];
extern const size_t report_page_head_bytes, report_page_tail_bytes;
extern const char *const report_page_absent; /* NULL: there is a page */

#endif
