/* SPDX-License-Identifier: MIT */
/* Prints columns, wrapped lines and colours; widths are in characters of UTF-8. */
#include "show/print.h"
#include "lib/base/shell_word.h"
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void
print_ink(FILE *out, enum ink ink)
{
    static const char *const escapes[] = {"\033[0m", "\033[1m", "\033[2m", "\033[32m", "\033[31m"};
    const char *never = getenv("NO_COLOR"), *terminal = getenv("TERM");

    if ((!never || !*never) && terminal && strcmp(terminal, "dumb") != 0 && isatty(fileno(out)))
        fputs(escapes[ink], out);
}

/* Write this many bytes of the text. */
static void
put_plain(FILE *out, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes;) {
        int unseen = peal_control(text + i);
        bool plain = unseen == 0 || (unseen == 1 && strchr("\n\t", text[i]));

        fputc(plain ? text[i] : '?', out);
        i += plain ? 1 : (size_t)unseen;
    }
}

void
print_plain(FILE *out, const char *text)
{
    put_plain(out, text, strlen(text));
}

void
print_inked(FILE *out, enum ink ink, const char *format, ...)
{
    char *text = NULL;
    va_list list;

    va_start(list, format);
    print_ink(out, ink);
    if (vasprintf(&text, format, list) >= 0)
        print_plain(out, text);
    print_ink(out, PLAIN);
    va_end(list);
    free(text);
}

int
print_width(const char *text)
{
    int width = 0;

    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

void
print_right(FILE *out, const char *text, int width)
{
    fprintf(out, "%*s", width > print_width(text) ? width - print_width(text) : 0, "");
    print_plain(out, text);
}

void
print_left(FILE *out, const char *text, int width)
{
    print_plain(out, text);
    fprintf(out, "%*s", width > print_width(text) ? width - print_width(text) : 0, "");
}

static void
put_hanging(FILE *out, const char *text, int column, int indent)
{
    for (bool first = true; *text; first = false) {
        size_t bytes = strcspn(text, " ");
        char word[512];

        while (text[bytes] == ' ' && text[bytes + 1] == ' ') { /* quoted text stays as it is */
            bytes += strspn(text + bytes, " ");
            bytes += strcspn(text + bytes, " ");
        }
        snprintf(word, sizeof word, "%.*s", (int)bytes, text);
        if (!first && column + 1 + print_width(word) > COLUMNS) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        put_plain(out, text, bytes);
        column += print_width(word);
        text += bytes;
        text += *text == ' ';
    }
    fputc('\n', out);
}

void
print_item(FILE *out, const char *text, int column, int indent)
{
    if (isatty(fileno(out))) {
        put_hanging(out, text, column, indent);
    } else {
        print_plain(out, text);
        fputc('\n', out);
    }
}

void
print_wrapped(FILE *out, const char *text, int indent)
{
    put_hanging(out, text, indent, indent);
}

void
print_title(FILE *out, const char *title)
{
    fputc('\n', out);
    print_inked(out, BOLD, "%s\n", title);
}

void
print_labelled(FILE *out, const char *label, const char *text)
{
    print_left(out, label, LABEL_COLUMNS);
    print_wrapped(out, text, LABEL_COLUMNS);
}

char *
print_number(double number, char text[32])
{
    if (number == floor(number) && fabs(number) < 1e15)
        snprintf(text, 32, "%.0f", number);
    else
        snprintf(text, 32, "%.6g", number);
    return text;
}

char *
print_count(unsigned long long count, const char *noun, char text[64])
{
    if (count == ULLONG_MAX)
        snprintf(text, 64, "too many %ss to count", noun);
    else
        snprintf(text, 64, "%llu %s%s", count, noun, plural(count));
    return text;
}

bool
print_tells(const char *message, const char *file, int line)
{
    char place[400];
    int length = snprintf(place, sizeof place, "%s:%d", file_name(file), line);

    for (const char *at = message; (at = strstr(at, place)); at++) {
        bool longer = at > message && (isalnum((unsigned char)at[-1]) || strchr("_-.+", at[-1]));

        if (!longer && (at[length] < '0' || at[length] > '9'))
            return true;
    }
    return false;
}

void
print_word(FILE *out, const char *word)
{
    size_t length = peal_shell_word(word, NULL, 0);
    char *text = malloc(length + 1);

    if (text)
        peal_shell_word(word, text, length + 1);
    fputs(text ? text : word, out);
    free(text);
}

void
print_argument(FILE *out, const char *name, const char *value)
{
    if (!value)
        return;
    fprintf(out, " --%s ", name);
    print_word(out, value);
}

void
print_input(FILE *out)
{
    char path[PATH_MAX], folder[PATH_MAX];
    struct stat is, named;
    ssize_t length = readlink("/proc/self/fd/0", path, sizeof path - 1);

    if (length <= 0)
        return;
    path[length] = '\0';
    if (fstat(STDIN_FILENO, &is) != 0 || !S_ISREG(is.st_mode) || stat(path, &named) != 0 || named.st_ino != is.st_ino)
        return;
    size_t above = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
    bool here = above > 0 && strncmp(path, folder, above) == 0 && path[above] == '/';

    fputs(" < ", out);
    print_word(out, here ? path + above + 1 : path);
}
