/* SPDX-License-Identifier: MIT */
/* Linked into every program of Criterion: what the libraries ask of the program, each by a function that precedes
 * theirs. */
#include <stdlib.h>

/* Criterion's library for diffs reads all certificates of the system when a process begins, and each test is a process:
 * 5 ms, and 40 ms under AddressSanitizer.  No test opens a connection. */
__attribute__((visibility("default"))) int mbedtls_x509_crt_parse_file(void *chain, const char *path);

/* 0: all could be read. */
int
mbedtls_x509_crt_parse_file(void *chain, const char *path)
{
    (void)chain, (void)path;
    return 0;
}

/* The leaks that LeakSanitizer leaves out: in the process that starts the tests, what Criterion keeps of its own.  In
 * those of tests none: there Criterion has called whatever leaks. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

const char *
__lsan_default_suppressions(void)
{
    return getenv("BXFI_MAP") ? "" : "leak:libcriterion.so";
}
