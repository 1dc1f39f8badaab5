/* SPDX-License-Identifier: MIT */
/* Keeps proofs in files, each of which begins with all that it rests on. */
#include "lib/proof/kept.h"
#include "lib/base/map.h"
#include "lib/base/text.h"
#include <dirent.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_PATH = 4096, HEAD = 3 * FILE_PATH, MAX_KEPT = 1 << 16 };

/* ------------------------------------------------------------------ what it rests on */

/* Mix the bytes of a file into the hash; false: it cannot be read. */
static bool
hash_file(const char *path, uint64_t *hash)
{
    uint64_t words[4096];
    FILE *in = fopen(path, "re");
    size_t bytes;

    if (!in)
        return false;
    do {
        memset(words, 0, sizeof words);
        bytes = fread(words, 1, sizeof words, in);
        *hash = map_mix(*hash, bytes);
        for (size_t i = 0; i < (bytes + 7) / 8; i++)
            *hash = map_mix(*hash, words[i]);
    } while (bytes == sizeof words);
    bool read = !ferror(in);

    fclose(in);
    return read;
}

static int
is_c_file(const struct dirent *entry)
{
    return text_has_ending(entry->d_name, ".c");
}

/* The files in which functions are looked for: a change in any may change which of them defines one. */
static bool
hash_patterns(const char *top, uint64_t *hash)
{
    char folder[FILE_PATH], path[2 * FILE_PATH];
    struct dirent **list;
    bool read = true;

    snprintf(folder, sizeof folder, "%s/algorithms/patterns", top);
    int count = scandir(folder, &list, is_c_file, alphasort);

    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
        read = hash_file(path, hash) && read;
        free(list[i]);
    }
    if (count >= 0)
        free(list);
    return count >= 0 && read;
}

/* All but the trees of further files; false: it is not known. */
static bool
kept_head(const struct kept *kept, const struct sources *sources, char text[HEAD])
{
    const struct every_request *request = kept->request;
    struct peal_text head = empty_text(text, HEAD);
    Dl_info library;
    uint64_t code = 0, patterns = 0;

    if (!dladdr((const void *)(uintptr_t)kept_find, &library) || !hash_file(library.dli_fname, &code) ||
        !hash_file("/proc/self/exe", &code) || !hash_patterns(sources->top, &patterns))
        return false;
    peal_append(head, "peal " PEAL_VERSION " %016" PRIx64 " patterns %016" PRIx64 "\n%s\n%s %s\n", code, patterns,
                kept->clang, request->solver, kept->solver);
    peal_append(head, "%d %s order %d one length %d port %d powers %d even %d parameters", (int)request->collective,
                request->function, (int)request->order, request->one_length, request->one_port, request->power_of_two,
                request->even);
    for (int q = 0; q <= EVERY_LOG; q++)
        peal_append(head, " %d", request->parameters[q]);
    peal_append(head, "\nMPI %s\n", request->arguments ? request->arguments : "-");
    peal_append(head, "%016" PRIx64 " %s\n", sources->units[0].hash, sources->units[0].path);
    return strlen(text) < HEAD - 1;
}

/* ------------------------------------------------------------------ files */

/* Make the folder; false: there is none. */
static bool
make_folder(char path[FILE_PATH])
{
    static const char *const names[] = {"/peal", "/proofs"};
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct peal_text text = empty_text(path, FILE_PATH);

    if (cache && cache[0] == '/')
        peal_append(text, "%s", cache);
    else if (home && home[0] == '/')
        peal_append(text, "%s/.cache", home);
    else
        return false;
    mkdir(path, 0700);
    for (int i = 0; i < 2; i++) {
        peal_append(text, "%s", names[i]);
        mkdir(path, 0700);
    }
    return access(path, W_OK | X_OK) == 0;
}

static bool
kept_path(const char *head, char path[2 * FILE_PATH])
{
    char folder[FILE_PATH];
    uint64_t hash = 0;

    for (const char *letter = head; *letter; letter++)
        hash = map_mix(hash, (unsigned char)*letter);
    if (!make_folder(folder))
        return false;
    snprintf(path, 2 * FILE_PATH, "%s/%016" PRIx64, folder, hash);
    return true;
}

/* The rest of the text, if it begins with this; else NULL. */
static const char *
rest_after(const char *text, const char *begin)
{
    size_t length = strlen(begin);

    return strncmp(text, begin, length) == 0 ? text + length : NULL;
}

/* Read the further files as they are now: each must have the tree that the proof has read. */
static bool
has_units(struct sources *sources, char *text, struct every *proof)
{
    int count, narrow, read = 0;
    size_t unit;

    if (sscanf(text, "proved: %d classes, %d obligations, %d runs, narrow %d, %d files%n", &proof->classes,
               &proof->obligations, &proof->compared, &narrow, &count, &read) != 5 ||
        read == 0 || count < 0 || text[read] != '\n')
        return false;
    char *line = text + read + 1;

    proof->narrow = narrow;

    for (int i = 0; i < count; i++) {
        char *end = strchr(line, '\n'), hash[20];
        struct peal_error ignored = {PEAL_OK, ""};

        if (!end || end - line < 18)
            return false;
        *end = '\0';
        if (sources_read(sources, line + 17, &unit, &ignored) != PEAL_OK)
            return false;
        snprintf(hash, sizeof hash, "%016" PRIx64 " ", sources->units[unit].hash);
        if (strncmp(line, hash, 17) != 0)
            return false;
        line = end + 1;
    }
    return strcmp(line, "end\n") == 0;
}

bool
kept_find(const struct kept *kept, struct sources *sources, struct every *proof)
{
    char head[HEAD], path[2 * FILE_PATH], text[MAX_KEPT];
    struct every found = {.end = EVERY_PROVED, .highest = EVERY_LOG, .kept = true};
    size_t bytes = 0;
    const char *rest;

    if (!kept_head(kept, sources, head) || !kept_path(head, path))
        return false;
    FILE *in = fopen(path, "re");

    if (in) {
        bytes = fread(text, 1, sizeof text - 1, in);
        fclose(in);
    }
    text[bytes] = '\0';
    if (!(rest = rest_after(text, head)) || !has_units(sources, text + (rest - text), &found))
        return false;
    *proof = found;
    return true;
}

void
kept_put(const struct kept *kept, const struct sources *sources, const struct every *proof)
{
    char head[HEAD], path[2 * FILE_PATH], new_path[2 * FILE_PATH + 30];

    if (!kept_head(kept, sources, head) || !kept_path(head, path))
        return;
    snprintf(new_path, sizeof new_path, "%s.%d", path, (int)getpid());
    FILE *out = fopen(new_path, "we");

    if (!out)
        return;
    fprintf(out, "%sproved: %d classes, %d obligations, %d runs, narrow %d, %zu files\n", head, proof->classes,
            proof->obligations, proof->compared, proof->narrow, sources->count - 1);
    for (size_t i = 1; i < sources->count; i++)
        fprintf(out, "%016" PRIx64 " %s\n", sources->units[i].hash, sources->units[i].path);
    fputs("end\n", out);
    bool written = !ferror(out);

    if (fclose(out) != 0 || !written || rename(new_path, path) != 0)
        unlink(new_path);
}
