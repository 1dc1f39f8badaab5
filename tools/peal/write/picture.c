/* SPDX-License-Identifier: MIT */
/* Runs node on a page.  The page's script draws for the screen and for files with the same functions, so there is only
 * one drawing: a second one, in C, would repeat some 2,000 lines of layout that would have to be kept equal. */
#include "lib/base/process.h"
#include "write/files.h"
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Finds the page's parts, and runs its script in a context of its own, where there is no document.  Exits with 2 where
 * there is no such picture.  A layout by forces starts a timer, and is then made at once. */
static const char program[] =
    "const fs = require('fs'), html = fs.readFileSync(0, 'utf8');\n"
    "const last = mark => html.lastIndexOf(mark) + mark.length;\n"
    "const begin = last('<script type=\"application/json\" id=\"peal-page\">'), code = last('<script>');\n"
    "const page = JSON.parse(html.slice(begin, html.indexOf('</script>', begin))), none = () => 0;\n"
    "const context = {setTimeout: none, clearTimeout: none, setInterval: none, clearInterval: none};\n"
    "require('vm').runInNewContext(html.slice(code, html.indexOf('</script>', code)), context);\n"
    "const picture = context.drawFile(page, process.argv[1]);\n"
    "fs.writeSync(picture.wrong ? 2 : 1, picture.wrong || '');\n"
    "for (let text = Buffer.from(picture.text || ''), at = 0; at < text.length;) at += fs.writeSync(1, text, at);\n"
    "process.exitCode = picture.wrong ? 2 : 0;\n";

bool
command_succeeds(char *const words[])
{
    static const int nothing[] = {PEAL_SPAWN_NOTHING, PEAL_SPAWN_NOTHING, PEAL_SPAWN_NOTHING};
    pid_t child;
    int from;

    return peal_spawn(words, nothing, &child, &from) == 0 && peal_spawn_wait(child, -1) == 0;
}

bool
picture_available(bool pixels, const char **why)
{
    char version[] = "--version", node[] = "node", convert[] = "rsvg-convert";

    *why = "the picture is drawn by node: install the package nodejs";
    if (!command_succeeds((char *[]){node, version, NULL}))
        return false;
    *why = "pixels are made by rsvg-convert: install the package librsvg2-bin";
    return !pixels || command_succeeds((char *[]){convert, version, NULL});
}

/* Run a program from one file to another; on a failure *error has the first line of the program's messages; PEAL_USAGE:
 * it exited with 2. */
static enum peal_status
picture_filter(char *words[], FILE *in, FILE *out, struct peal_error *error)
{
    FILE *messages = tmpfile();
    char text[300];
    pid_t process;
    int from, status = -1;

    if (!messages)
        return peal_refuse(error, PEAL_RESOURCES, "no temporary file: %s", strerror(errno));
    lseek(fileno(in), 0, SEEK_SET);
    fflush(out);
    int wrong = peal_spawn(words, (int[3]){fileno(in), fileno(out), fileno(messages)}, &process, &from);

    if (!wrong)
        status = peal_spawn_wait(process, -1);
    rewind(messages);
    if (!fgets(text, sizeof text, messages))
        snprintf(text, sizeof text, "%s gave no picture", words[0]);
    text[strcspn(text, "\n")] = '\0';
    fclose(messages);
    if (wrong)
        return peal_refuse(error, PEAL_RESOURCES, "%s cannot be started: %s", words[0], strerror(wrong));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        return peal_refuse(error, PEAL_USAGE, "%s", text);
    return status == 0 ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "%s", text);
}

enum peal_status
picture_draw(FILE *out, FILE *page, const char *view, bool pixels, struct peal_error *error)
{
    char *draw[] = {(char *)"node", (char *)"-e", (char *)program, (char *)(view ? view : ""), NULL};
    char *convert[] = {(char *)"rsvg-convert", (char *)"--zoom", (char *)"2", NULL};
    FILE *drawn = pixels ? tmpfile() : out;
    enum peal_status status = drawn ? picture_filter(draw, page, drawn, error)
                                    : peal_refuse(error, PEAL_RESOURCES, "no temporary file: %s", strerror(errno));

    if (pixels && status == PEAL_OK) {
        status = picture_filter(convert, drawn, out, error);
        if (status == PEAL_USAGE) /* only from node does it mean a missing view */
            status = error->status = PEAL_RESOURCES;
    }
    if (pixels && drawn)
        fclose(drawn);
    return status;
}
