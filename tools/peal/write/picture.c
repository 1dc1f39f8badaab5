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
picture_available(const char **why)
{
    char *words[] = {(char *)"node", (char *)"--version", NULL};
    pid_t process;
    int from;

    *why = "the picture is drawn by node: install the package nodejs";
    if (peal_spawn(words, (int[3]){PEAL_SPAWN_NOTHING, PEAL_SPAWN_NOTHING, PEAL_SPAWN_NOTHING}, &process, &from))
        return false;
    return peal_spawn_wait(process, -1) == 0;
}

/* The first line of what node said. */
static void
first_line(FILE *messages, char text[300])
{
    rewind(messages);
    if (!fgets(text, 300, messages))
        snprintf(text, 300, "node gave no picture");
    text[strcspn(text, "\n")] = '\0';
}

enum peal_status
picture_draw(FILE *out, FILE *page, const char *view, struct peal_error *error)
{
    char *words[] = {(char *)"node", (char *)"-e", (char *)program, (char *)(view ? view : ""), NULL};
    FILE *messages = tmpfile();
    char text[300];
    pid_t process;
    int from, status = -1;

    if (!messages)
        return peal_refuse(error, PEAL_RESOURCES, "no temporary file: %s", strerror(errno));
    lseek(fileno(page), 0, SEEK_SET);
    fflush(out);
    int wrong = peal_spawn(words, (int[3]){fileno(page), fileno(out), fileno(messages)}, &process, &from);

    if (!wrong)
        status = peal_spawn_wait(process, -1);
    first_line(messages, text);
    fclose(messages);
    if (wrong)
        return peal_refuse(error, PEAL_RESOURCES, "node cannot be started: %s", strerror(wrong));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        return peal_refuse(error, PEAL_USAGE, "%s", text);
    return status == 0 ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "%s", text);
}
