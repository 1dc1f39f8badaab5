/* SPDX-License-Identifier: MIT */
/* Python, if the process has it, by functions looked up there: this library is not linked with it. */
#include "mpi/process/client.h"
#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct object object; /* PyObject */

/* As Python declares it. */
struct method {
    const char *name;
    object *(*function)(object *self, object *arguments);
    int flags;
    const char *about;
};
enum { NO_ARGUMENTS = 4 };

static struct {
    int (*initialized)(void), (*ensure)(void), (*line)(object *frame), (*holds)(void);
    void (*release)(int), (*drop)(object *), (*fetch)(object **, object **, object **),
        (*restore)(object *, object *, object *), (*clear)(void), *(*leave)(void), (*enter)(void *);
    object *(*frame)(void), *(*code)(object *frame), *(*back)(object *frame), *(*attribute)(object *, const char *),
        *(*system)(const char *), *(*call)(object *, const char *, const char *, ...), *(*import)(const char *),
        *(*function)(struct method *, object *, object *), *(*text)(object *), *(*next)(object *),
        *(*item)(object *, long);
    const char *(*utf8)(object *);
    long (*number)(object *);
} py;

/* Find the functions: false if one is missing. */
static bool
find(void)
{
    static const char *const names[] = {"Py_IsInitialized",   "PyGILState_Ensure",    "PyFrame_GetLineNumber",
                                        "PyGILState_Check",   "PyGILState_Release",   "Py_DecRef",
                                        "PyErr_Fetch",        "PyErr_Restore",        "PyErr_Clear",
                                        "PyEval_SaveThread",  "PyEval_RestoreThread", "PyEval_GetFrame",
                                        "PyFrame_GetCode",    "PyFrame_GetBack",      "PyObject_GetAttrString",
                                        "PySys_GetObject",    "PyObject_CallMethod",  "PyImport_ImportModule",
                                        "PyCFunction_NewEx",  "PyObject_Str",         "PyIter_Next",
                                        "PySequence_GetItem", "PyUnicode_AsUTF8",     "PyLong_AsLong"};
    static int state; /* 0: not searched yet; 1: found; -1: not found */
    void *found[sizeof names / sizeof *names];

    _Static_assert(sizeof found == sizeof py, "one name for each function");
    if (state == 0) {
        state = 1;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            state = (found[i] = dlsym(RTLD_DEFAULT, names[i])) ? state : -1;
        memcpy(&py, found, sizeof py); /* in the order of the members */
    }
    return state > 0 && py.initialized();
}

/* The text of an object's attribute; "" without one. */
static void
copy_text(object *of, const char *name, char *to, size_t bytes)
{
    object *value = of ? py.attribute(of, name) : NULL, *text = value ? py.text(value) : NULL;
    const char *utf8 = text ? py.utf8(text) : NULL;

    snprintf(to, bytes, "%s", utf8 ? utf8 : "");
    py.drop(text);
    py.drop(value);
    py.clear();
}

static void
copy_code(object *code, struct call_place *place, int line)
{
    copy_text(code, "co_filename", place->file, sizeof place->file);
    copy_text(code, "co_name", place->function, sizeof place->function);
    place->through[0] = '\0';
    place->line = line;
}

/* Whether a frame is not one of mpi4py's, or of the interpreter's. */
static bool
is_own(const char *file)
{
    return !strstr(file, "mpi4py/") && file[0] != '<';
}

/* ------------------------------------------------------------------ what is called there */

static long
number_of(object *of, const char *name)
{
    object *value = of ? py.attribute(of, name) : NULL;
    long number = value ? py.number(value) : -1;

    py.drop(value);
    return number;
}

/* The columns, in bytes of its line, of the instruction that a code executes; false: Python does not know. */
static bool
find_columns(object *code, long instruction, long *first, long *after)
{
    object *all = py.call(code, "co_positions", NULL), *one = NULL;
    long numbers[4] = {-1, -1, -1, -1}; /* the lines, then the columns */

    for (long i = 0; all && i <= instruction && (i == 0 || one); i++) {
        py.drop(one);
        one = py.next(all);
    }
    for (int i = 0; one && i < 4; i++) {
        object *number = py.item(one, i);

        numbers[i] = number ? py.number(number) : -1;
        py.drop(number);
    }
    py.drop(one);
    py.drop(all);
    py.clear();
    *first = numbers[2];
    *after = numbers[0] == numbers[1] ? numbers[3] : LONG_MAX;
    return numbers[2] >= 0;
}

/* The name of what an expression calls, as in the line: "comm.recv" of "comm.recv(source=1)". */
static void
cut_name(const char *text, size_t length, char *name, size_t bytes)
{
    size_t end = length, start;
    int depth = 0;

    for (size_t i = 0; i < length; i++) {
        if (text[i] == '(' && depth++ == 0)
            end = i;
        depth -= text[i] == ')';
    }
    for (start = end; start > 0 && (isalnum((unsigned char)text[start - 1]) || strchr("._", text[start - 1]));)
        start--;
    start += text[start] == '.';
    snprintf(name, bytes, "%.*s", (int)(end - start), text + start);
}

/* Note what the frame calls, and remember it, as a program calls from few lines. */
static void
copy_called(object *frame, object *code, struct call_place *place)
{
    static struct called {
        const object *code;
        long instruction;
        int line;
        char file[sizeof place->file], name[sizeof place->through];
    } known[64];
    long instruction = number_of(frame, "f_lasti") / 2, first, after;
    struct called *one = &known[((uintptr_t)code / 64 + (size_t)instruction) % (sizeof known / sizeof *known)];
    char *text = NULL;
    size_t room = 0;

    if (one->code != code || one->instruction != instruction || one->line != place->line ||
        strcmp(one->file, place->file) != 0) {
        FILE *in = find_columns(code, instruction, &first, &after) ? fopen(place->file, "re") : NULL;
        ssize_t length = 0;

        *one = (struct called){.code = code, .instruction = instruction, .line = place->line};
        memcpy(one->file, place->file, sizeof one->file);
        for (int i = 0; in && i < place->line && length >= 0; i++)
            length = getline(&text, &room, in);
        if (in && length > first)
            cut_name(text + first, (size_t)(after < length ? after - first : length - first), one->name,
                     sizeof one->name);
        if (in)
            fclose(in);
        free(text);
    }
    memcpy(place->through, one->name, sizeof place->through);
}

static void
python_flush(void)
{
    object *out = py.system("stdout"), *done = out ? py.call(out, "flush", NULL) : NULL;

    py.drop(done);
    py.clear();
}

/* The program's file and last known line: its place once Python has ended. */
static char script[256];
static int last_line;

static void
find_end(void)
{
    object *held = NULL;
    char file[sizeof script];
    FILE *in;

    for (object *frame = py.frame(), *next; frame; frame = next) { /* the outermost that is the program's */
        object *code = py.code(frame);

        copy_text(code, "co_filename", file, sizeof file);
        if (is_own(file))
            memcpy(script, file, sizeof script);
        py.drop(code);
        next = py.back(frame);
        py.drop(held);
        held = next;
    }
    last_line = 1;
    in = fopen(script, "re");
    if (!in && getenv(LINES_VARIABLE))
        last_line = atoi(getenv(LINES_VARIABLE)) + 1;
    for (int c, before = '\n'; in && (c = getc(in)) != EOF; before = c)
        last_line += before == '\n';
    last_line -= last_line > 1;
    if (in)
        fclose(in);
}

bool
python_place(struct call_place *place)
{
    object *error[3], *frame, *last = NULL;

    place->line = 0;
    if (!find()) {
        if (last_line == 0) /* Python was never here */
            return false;
        snprintf(place->file, sizeof place->file, "%s", script);
        place->function[0] = place->through[0] = '\0';
        place->line = last_line;
        return true;
    }
    int state = py.ensure();

    py.fetch(&error[0], &error[1], &error[2]);
    frame = py.frame(); /* a borrowed reference, unlike the frames that it came from */
    while (frame && place->line == 0) {
        object *code = py.code(frame), *before = py.back(frame);

        copy_code(code, place, py.line(frame));
        place->line = is_own(place->file) ? place->line : 0;
        if (place->line > 0)
            copy_called(frame, code, place);
        py.drop(code);
        py.drop(last);
        frame = last = before;
    }
    py.drop(last);
    python_flush();
    py.restore(error[0], error[1], error[2]);
    py.release(state);
    return place->line > 0;
}

void *
python_leave(void)
{
    return find() && py.holds() ? py.leave() : NULL;
}

void
python_enter(void *left)
{
    if (left)
        py.enter(left);
}

/* ------------------------------------------------------------------ arrays */

static const char arrays[] = {
#include "mpi/process/arrays.inc"
    , 0};

/* The function array_at of that program; NULL: it cannot be made. */
static object *
find_finder(void)
{
    static object *finder;
    object *builtins = finder ? NULL : py.import("builtins"),
           *names = builtins ? py.call(builtins, "dict", NULL) : NULL,
           *done = names ? py.call(builtins, "exec", "(sO)", arrays, names) : NULL;

    if (done)
        finder = py.call(names, "get", "(s)", "array_at");
    py.drop(done);
    py.drop(names);
    py.drop(builtins);
    return finder;
}

void
python_array(struct channel *channel)
{
    object *error[3], *finder, *found, *parts[3];
    const char *name;

    channel->with[1] = 0;
    if (!find())
        return;
    int state = py.ensure();

    py.fetch(&error[0], &error[1], &error[2]);
    finder = find_finder();
    found = finder ? py.call(finder, "__call__", "(K)", (unsigned long long)channel->with[0]) : NULL;
    for (int i = 0; i < 3; i++)
        parts[i] = found ? py.item(found, i) : NULL;
    if (parts[2] && (name = py.utf8(parts[2]))) {
        snprintf((char *)channel->room, ROOM_BYTES, "%s", name);
        channel->with[0] = (uint64_t)py.number(parts[0]);
        channel->with[1] = (uint64_t)py.number(parts[1]);
    }
    for (int i = 0; i < 3; i++)
        py.drop(parts[i]);
    py.drop(found);
    py.clear();
    py.restore(error[0], error[1], error[2]);
    py.release(state);
}

/* ------------------------------------------------------------------ the end */

static struct channel *own;

/* Python ends, and has printed an exception that ends the program, if any: note it, and its line. */
static object *
note_exception(object *self, object *arguments)
{
    object *type = py.system("last_type"), *value = py.system("last_value"), *trace = py.system("last_traceback");
    char name[60];

    (void)self, (void)arguments;
    if (type && value && trace) {
        object *text = py.text(value);
        const char *utf8 = text ? py.utf8(text) : NULL;

        copy_text(type, "__name__", name, sizeof name);
        snprintf(own->said, sizeof own->said, "%s%s%s", name, utf8 && *utf8 ? ": " : "", utf8 ? utf8 : "");
        own->said[strcspn(own->said, "\n")] = '\0';
        py.drop(text);
        for (object *next = trace, *held = NULL; next;
             held = next) { /* of the program's own: the last one that is not a library's */
            object *frame = py.attribute(next, "tb_frame"), *code = py.code(frame),
                   *line = py.attribute(next, "tb_lineno");
            char file[sizeof own->place.file];

            copy_text(code, "co_filename", file, sizeof file);
            if (is_own(file) && !strstr(file, "-packages/") && !strstr(file, "/lib/python"))
                copy_code(code, &own->place, (int)py.number(line));
            py.drop(line);
            py.drop(code);
            py.drop(frame);
            next = py.attribute(next, "tb_next");
            py.drop(held);
            copy_text(next, "__class__", file, sizeof file);
            if (strstr(file, "NoneType")) {
                py.drop(next);
                break;
            }
        }
    }
    py.clear();
    return py.text(py.system("version")); /* any object will do */
}

void
python_begin(struct channel *channel)
{
    static struct method noting = {"peal_note_exception", note_exception, NO_ARGUMENTS, NULL};

    own = channel;
    if (!find())
        return;
    int state = py.ensure();
    find_end();
    object *module = py.import("atexit"), *function = module ? py.function(&noting, NULL, NULL) : NULL,
           *done = function ? py.call(module, "register", "(O)", function) : NULL;

    py.drop(done);
    py.clear();
    py.release(state);
}
