/* SPDX-License-Identifier: MIT */
/* Finds the submissions of a class in files and folders, and tells whether one has changed. */
#include "grade/submissions.h"
#include "lib/base/grow.h"
#include "lib/base/in_fortran.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ digests */

uint64_t
digest_text(const char *text, uint64_t seed)
{
    return text ? digest_bytes(text, strlen(text) + 1, seed) : digest_bytes("\1", 1, seed);
}

uint64_t
digest_file(const char *path, uint64_t seed)
{
    char bytes[1 << 14];
    struct stat about;
    ssize_t count;
    int file = lstat(path, &about) == 0 && S_ISREG(about.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;

    while (file >= 0 && (count = read(file, bytes, sizeof bytes)) > 0)
        seed = digest_bytes(bytes, (size_t)count, seed);
    if (file >= 0)
        close(file);
    return digest_bytes("", 1, seed);
}

/* ------------------------------------------------------------------ files */

static enum peal_status
submissions_add(struct submissions *all, const char *file, size_t given_bytes, struct peal_error *error)
{
    char *copy = strdup(file);

    if (!copy || !grow_by_one(&all->list, (size_t)all->count, sizeof *all->list)) {
        free(copy);
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    }
    all->list[all->count++] = (struct submission){.file = copy, .given_bytes = given_bytes};
    return PEAL_OK;
}

static bool
is_in_language(enum submission_language language, const char *name)
{
    return language == IN_PYTHON ? text_has_ending(name, ".py")
                                 : text_has_ending(name, ".c") || (language != IN_C && peal_is_fortran(name));
}

/* The other files of a folder. */
struct other_files {
    int count;
    char first[200];
};

/* Add the submissions below the folder, the first `given` bytes of whose name were given. */
static enum peal_status
add_folder(struct submissions *all, const char *folder, size_t given, struct other_files *others,
           struct peal_error *error)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    enum peal_status status = PEAL_OK;

    if (count < 0)
        return peal_refuse(error, PEAL_USAGE, "the folder %s cannot be read: %s", folder, strerror(errno));
    for (int i = 0; i < count; free(entries[i++])) {
        const char *name = entries[i]->d_name;
        bool slash = folder[strlen(folder) - 1] == '/';
        struct stat about;
        char *path;

        if (name[0] == '.' || status != PEAL_OK)
            continue;
        if (asprintf(&path, "%s%s%s", folder, slash ? "" : "/", name) < 0)
            status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        else if (is_in_language(all->language, name))
            status = submissions_add(all, path, given, error);
        else if (lstat(path, &about) == 0 && S_ISDIR(about.st_mode))
            status = add_folder(all, path, given, others, error);
        else if (others->count++ == 0)
            snprintf(others->first, sizeof others->first, "%s", path);
        if (status != PEAL_RESOURCES)
            free(path);
    }
    free(entries);
    return status;
}

/* How much of a file's path is the given folder: the common part of all absolute names, or, for a relative path, of all
 * relative ones. */
static size_t
given_bytes(const char *const *names, int count, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t most = slash ? (size_t)(slash - path) + 1 : 0;

    for (int i = 0; i < count && most > 0; i++) {
        size_t same = 0;

        for (size_t j = 0; j < most && names[i][j] == path[j]; j++)
            if (path[j] == '/')
                same = j + 1;
        if ((names[i][0] == '/') == (path[0] == '/'))
            most = same;
    }
    return most;
}

static const char *
endings_of(const struct submissions *all)
{
    return all->language == IN_PYTHON ? ".py" : all->language == IN_C ? ".c" : ".c, or as those of Fortran";
}

/* Add the submissions that a name stands for; its first `given` bytes name a folder that all submissions are in.  A
 * folder without submissions is an empty submission. */
static enum peal_status
add_named(struct submissions *all, const char *name, size_t given, struct peal_error *error)
{
    struct other_files others = {.count = 0};
    const int before = all->count;
    size_t length = strlen(name);
    struct stat about;

    if (text_has_ending(name, ".c") || lstat(name, &about) != 0 || !S_ISDIR(about.st_mode))
        return submissions_add(all, name, given, error);
    enum peal_status status = add_folder(all, name, length + (name[length - 1] != '/'), &others, error);

    if (status == PEAL_OK && all->count == before) {
        status = submissions_add(all, name, given, error);
        if (status == PEAL_OK)
            all->list[before].nothing = true;
    } else if (status == PEAL_OK && others.count > 0) {
        fprintf(stderr, "peal: note: %s has %d file%s whose name does not end in %s, not marked: %s%s\n", name,
                others.count, plural(others.count), endings_of(all), others.first, others.count == 1 ? "" : ", ...");
    }
    return status;
}

/* Refuse folders all of which are empty. */
static enum peal_status
refuse_nothing(const struct submissions *all, struct peal_error *error)
{
    for (int i = 0; i < all->count; i++)
        if (!all->list[i].nothing)
            return PEAL_OK;
    return peal_refuse(error, PEAL_USAGE, "the folder %s has no file whose name ends in %s", all->list[0].file,
                       endings_of(all));
}

enum peal_status
submissions_find(struct submissions *submissions, const char *const *names, int count,
                 enum submission_language language, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    *submissions = (struct submissions){.language = language};
    for (int i = 0; i < count && status == PEAL_OK; i++)
        status = add_named(submissions, names[i], given_bytes(names, count, names[i]), error);
    return status == PEAL_OK ? refuse_nothing(submissions, error) : status;
}

static enum peal_status
submissions_add_student(struct submissions *all, struct student *student, int folder_bytes, const char *list,
                        struct peal_error *error)
{
    const bool below = *student->path && *student->path != '/';
    const int before = all->count;
    char *path = NULL;

    if (asprintf(&path, "%.*s%s", below ? folder_bytes : 0, list, student->path) < 0)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    enum peal_status status =
        *path ? add_named(all, path, below ? (size_t)folder_bytes : 0, error) : submissions_add(all, path, 0, error);

    if (status == PEAL_OK && !*path)
        all->list[before].nothing = true;
    for (int i = before; i < all->count; i++)
        all->list[i].student = student;
    student->submissions = all->count - before;
    free(path);
    return status;
}

enum peal_status
submissions_of_class(struct submissions *submissions, const char *path, enum submission_language language,
                     struct peal_error *error)
{
    const int folder_bytes = (int)(file_name(path) - path);

    *submissions = (struct submissions){.language = language};
    enum peal_status status = students_read(submissions, path, error);

    for (int i = 0; i < submissions->student_count && status == PEAL_OK; i++)
        status = submissions_add_student(submissions, &submissions->students[i], folder_bytes, path, error);
    return status;
}

void
submissions_free(struct submissions *submissions)
{
    for (int i = 0; i < submissions->count; i++)
        free(submissions->list[i].file);
    free(submissions->list);
    free(submissions->students);
    free(submissions->class_bytes);
    *submissions = (struct submissions){.list = NULL};
}

/* Whether the submission has this name: its student's id, its path, its file's name, with or without the ending, or a
 * folder of its path that was not given. */
static bool
is_called(const struct submission *submission, const char *name)
{
    size_t length = strlen(name);
    const char *part = submission->file + submission->given_bytes;

    if (strcmp(submission->file, name) == 0 || (submission->student && strcmp(submission->student->id, name) == 0))
        return true;
    for (const char *end; *part; part = end + (*end != '\0')) {
        end = part + strcspn(part, "/");
        if ((size_t)(end - part) == length && memcmp(part, name, length) == 0)
            return true;
        if (!*end && (text_has_ending(part, ".c") || text_has_ending(part, ".py") || peal_is_fortran(part)) &&
            (size_t)(strrchr(part, '.') - part) == length && memcmp(part, name, length) == 0)
            return true;
    }
    return false;
}

void
submission_name(const struct submission *submission, char name[PATH_MAX])
{
    struct peal_text text = empty_text(name, PATH_MAX);
    const struct student *student = submission->student;

    if (student)
        peal_append(text, "%s%s%s%s", student->id, *student->name ? ", " : "", student->name,
                    *submission->file ? ", " : "");
    peal_append(text, "%s", submission->file);
}

char *
submission_nothing(const struct submissions *all, const struct submission *submission)
{
    char *text;

    if (!*submission->file)
        return strdup("nothing was submitted");
    return asprintf(&text, "nothing was submitted: the folder %s has no file whose name ends in %s", submission->file,
                    endings_of(all)) < 0
               ? NULL
               : text;
}

int
submissions_named(const struct submissions *submissions, const char *name, struct peal_error *error)
{
    int found = -1;

    for (int i = 0; i < submissions->count; i++) {
        if (!is_called(&submissions->list[i], name))
            continue;
        if (found >= 0) {
            peal_refuse(error, PEAL_USAGE, "--submission: %s and %s are both called %s: give the whole path",
                        submissions->list[found].file, submissions->list[i].file, name);
            return -1;
        }
        found = i;
    }
    if (found < 0)
        peal_refuse(error, PEAL_USAGE,
                    "--submission: no submission is called %s: give its path, its file or its folder", name);
    return found;
}
