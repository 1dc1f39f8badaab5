/* SPDX-License-Identifier: MIT */
/* Linked into every program of Criterion, whose library for diffs reads all certificates of the system when a process
 * begins, and each test is a process: 5 ms, and 40 ms under AddressSanitizer.  This function precedes the one that
 * reads them; no test opens a connection. */

__attribute__((visibility("default"))) int mbedtls_x509_crt_parse_file(void *chain, const char *path);

/* 0: all could be read. */
int
mbedtls_x509_crt_parse_file(void *chain, const char *path)
{
    (void)chain, (void)path;
    return 0;
}
