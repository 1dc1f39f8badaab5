/* SPDX-License-Identifier: MIT */
/* SHA-256 (FIPS 180-4): names of formulas and proofs. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
};

void sha256_begin(struct sha256 *sha256);
void sha256_add(struct sha256 *sha256, const void *data, size_t bytes);

/* Write the digest as 64 hexadecimal digits. */
void sha256_end(struct sha256 *sha256, char digest[65]);
