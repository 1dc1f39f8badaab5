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
        *(*function)(struct method *, object *, object *), *(*item)(object *, long);
    const char *(*utf8)(object *);
    long (*number)(object *);
} py;

/* Find the functions: false if one is missing. */
static bool
find(void)
{
    static const char *const names[] = {"Py_IsInitialized",  "PyGILState_Ensure",    "PyFrame_GetLineNumber",
                                        "PyGILState_Check",  "PyGILState_Release",   "Py_DecRef",
                                        "PyErr_Fetch",       "PyErr_Restore",        "PyErr_Clear",
                                        "PyEval_SaveThread", "PyEval_RestoreThread", "PyEval_GetFrame",
                                        "PyFrame_GetCode",   "PyFrame_GetBack",      "PyObject_GetAttrString",
                                        "PySys_GetObject",   "PyObject_CallMethod",  "PyImport_ImportModule",
                                        "PyCFunction_NewEx", "PySequence_GetItem",   "PyUnicode_AsUTF8",
                                        "PyLong_AsLong"};
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

/* The text or number that a reference, which is given up, is to; "" or 0 without one. */
static void
take_text(object *value, char *to, size_t bytes)
{
    const char *utf8 = value ? py.utf8(value) : NULL;

    snprintf(to, bytes, "%s", utf8 ? utf8 : "");
    py.drop(value);
    py.clear();
}

static long
take_number(object *value)
{
    const long number = value ? py.number(value) : 0;

    py.drop(value);
    py.clear();
    return number;
}

/* A part of an answer; NULL: there is none. */
static object *
part(object *answer, long i)
{
    return answer ? py.item(answer, i) : NULL;
}

static void
copy_code(object *code, struct call_place *place, int line)
{
    take_text(py.attribute(code, "co_filename"), place->file, sizeof place->file);
    take_text(py.attribute(code, "co_name"), place->function, sizeof place->function);
    place->through[0] = '\0';
    place->line = line;
}

/* The program's file and last known line: its place once Python has ended. */
static char script[256];
static int last_line;

/* Whether a frame is not one of mpi4py's, or of the interpreter's. */
static bool
is_own(const char *file)
{
    return !strstr(file, "mpi4py/") && (file[0] != '<' || strcmp(file, script) == 0);
}

/* ------------------------------------------------------------------ what Python answers */

static const char program[] = {
#include "mpi/process/answers.inc"
    , 0};

/* The module of that program; NULL: it cannot be made. */
static object *
answers(void)
{
    static object *module;
    object *types = module ? NULL : py.import("types"), *builtins = types ? py.import("builtins") : NULL, *names = NULL,
           *done = NULL;

    if (builtins) {
        module = py.call(types, "ModuleType", "(s)", "peal_answers");
        names = module ? py.attribute(module, "__dict__") : NULL;
        done = names ? py.call(builtins, "exec", "(sO)", program, names) : NULL;
        module = done ? module : NULL;
    }
    py.drop(done);
    py.drop(names);
    py.drop(builtins);
    py.drop(types);
    return module;
}

/* ------------------------------------------------------------------ what is called there */

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
    const long instruction = take_number(py.attribute(frame, "f_lasti")) / 2;
    struct called *one = &known[((uintptr_t)code / 64 + (size_t)instruction) % (sizeof known / sizeof *known)];

    if (one->code != code || one->instruction != instruction || one->line != place->line ||
        strcmp(one->file, place->file) != 0) {
        *one = (struct called){.code = code, .instruction = instruction, .line = place->line};
        memcpy(one->file, place->file, sizeof one->file);
        take_text(py.call(answers(), "called_at", "(Olsi)", code, instruction, place->file, place->line), one->name,
                  sizeof one->name);
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

void
python_array(struct channel *channel)
{
    object *error[3], *found;

    channel->with[1] = 0;
    if (!find())
        return;
    int state = py.ensure();

    py.fetch(&error[0], &error[1], &error[2]);
    found = py.call(answers(), "array_at", "(K)", (unsigned long long)channel->with[0]);
    if (found) {
        channel->with[0] = (uint64_t)take_number(part(found, 0));
        channel->with[1] = (uint64_t)take_number(part(found, 1));
        take_text(part(found, 2), (char *)channel->room, ROOM_BYTES);
    }
    py.drop(found);
    py.clear();
    py.restore(error[0], error[1], error[2]);
    py.release(state);
}

/* ------------------------------------------------------------------ the end */

static struct channel **own;

/* Python ends, and has printed an exception that ends the program, if any: note it, and its line. */
static object *
note_exception(object *self, object *arguments)
{
    object *found = py.call(answers(), "exception", NULL);
    const long line = take_number(part(found, 3));

    (void)self, (void)arguments;
    if (*own)
        take_text(part(found, 0), (*own)->said, sizeof(*own)->said);
    if (*own && line > 0) {
        struct call_place *place = &(*own)->place;

        take_text(part(found, 1), place->file, sizeof place->file);
        take_text(part(found, 2), place->function, sizeof place->function);
        place->through[0] = '\0';
        place->line = (int)line;
    }
    py.drop(found);
    py.clear();
    return py.import("sys"); /* any object will do */
}

void
python_begin(struct channel **channel)
{
    static struct method noting = {"peal_note_exception", note_exception, NO_ARGUMENTS, NULL};

    own = channel;
    if (!find())
        return;
    int state = py.ensure();
    object *end = py.call(answers(), "script_end", NULL);

    take_text(part(end, 0), script, sizeof script);
    last_line = (int)take_number(part(end, 1));
    py.drop(end);
    object *module = py.import("atexit"), *function = module ? py.function(&noting, NULL, NULL) : NULL,
           *done = function ? py.call(module, "register", "(O)", function) : NULL;

    py.drop(done);
    py.clear();
    py.release(state);
}
