/* SPDX-License-Identifier: MIT */
/* A main for a fuzz target that needs no fuzzer: replays every file of the folders given, then as many mutations of
 * each as asked for, which a seed decides.  Each input is named before it runs, so that a crash shows its input.
 *
 *   replay MUTATIONS FOLDER...
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For the fuzzer itself, which follows the branches of a library that was built for it:
 *
 *   CC=clang meson setup -Db_lundef=false -Dc_args=-fsanitize=fuzzer-no-link,address,undefined \
 *       -Dc_link_args=-fsanitize=address,undefined build-fuzz
 *   meson compile -C build-fuzz ./peal:shared_library
 *   clang -D_GNU_SOURCE -fsanitize=fuzzer,address,undefined -I. -Iinclude tests/fuzz/TARGET.c \
 *       build-fuzz/libpeal.so.2 -Wl,-rpath,$PWD/build-fuzz && ./a.out -max_len=20000 FOLDER */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_BYTES = 1 << 20 };

static uint64_t seed = 1;

/* xorshift64*: Vigna, An experimental exploration of Marsaglia's xorshift generators, 2016 */
static size_t
draw(size_t below)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (size_t)(seed * UINT64_C(0x2545F4914F6CDD1D) >> 33) % below;
}

/* Change the input in one of the ways that break documents; returns its new size. */
static size_t
mutate(uint8_t *data, size_t size)
{
    static const char *const words[] = {"0",       "-1",   "99999999999999999999",
                                        "1e999",   "null", "{}",
                                        "[",       "]",    "\"",
                                        "\\u0000", ",",    ":",
                                        "x",       "9",    "-",
                                        ".5",      "\xff", "full",
                                        "true",    " "};
    size_t at = size ? draw(size) : 0, count = size - at ? draw(size - at < 40 ? size - at : 40) : 0;
    const char *word = words[draw(sizeof words / sizeof *words)];

    switch (draw(5)) {
    case 0: /* cut */
        return at;
    case 1: /* one byte */
        if (size)
            data[at] = (uint8_t)draw(256);
        return size;
    case 2: /* leave out */
        memmove(data + at, data + at + count, size - at - count);
        return size - count;
    case 3: /* twice */
        if (size + count <= MAX_BYTES)
            memmove(data + at + count, data + at, size - at);
        return size + count <= MAX_BYTES ? size + count : size;
    default: /* another word */
        if (size - count + strlen(word) > MAX_BYTES)
            return size;
        memmove(data + at + strlen(word), data + at + count, size - at - count);
        memcpy(data + at, word, strlen(word));
        return size - count + strlen(word);
    }
}

/* Run one input from a block of exactly its size, so that AddressSanitizer sees a step beyond it. */
static void
run(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size ? size : 1);

    if (!exact)
        abort();
    memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static void
replay(const char *path, int mutations)
{
    static uint8_t original[MAX_BYTES], data[MAX_BYTES];
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(original, 1, sizeof original, file) : 0;

    if (!file) {
        perror(path);
        exit(1);
    }
    fclose(file);
    printf("%s", path);
    fflush(stdout);
    run(original, size);
    for (int i = 0; i < mutations; i++) {
        size_t bytes = size;

        memcpy(data, original, size);
        for (size_t changes = 1 + draw(4); changes > 0; changes--)
            bytes = mutate(data, bytes);
        run(data, bytes);
    }
    puts(": ok");
}

int
main(int argc, char **argv)
{
    int mutations = argc > 1 ? atoi(argv[1]) : 0, files = 0;

    for (int i = 2; i < argc; i++) {
        struct dirent **entries;
        int count = scandir(argv[i], &entries, NULL, alphasort);

        for (int j = 0; j < count; j++) {
            char path[4096];

            snprintf(path, sizeof path, "%s/%s", argv[i], entries[j]->d_name);
            if (entries[j]->d_name[0] != '.') {
                replay(path, mutations);
                files++;
            }
            free(entries[j]);
        }
        if (count >= 0)
            free(entries);
    }
    printf("%d files, %d mutations of each\n", files, mutations);
    return files == 0;
}
