/* SPDX-License-Identifier: MIT */
/* Errors: the communicator's handler decides the effect of a wrong argument. */
#include "mpi/window/win.h"
#include <peal/hints.h>
#include <stdio.h>
#include <string.h>

struct handler {
    int references;                         /* one for the handle, and one per communicator */
    MPI_Comm_errhandler_function *function; /* of communicators, or NULL */
    MPI_Win_errhandler_function *of_windows;
    bool fortran; /* the function is in Fortran, and gets the object as a number */
};

static const char *const texts[] = {
    [MPI_SUCCESS] = "MPI_SUCCESS: no error",
    [MPI_ERR_BUFFER] = "MPI_ERR_BUFFER: invalid buffer",
    [MPI_ERR_COUNT] = "MPI_ERR_COUNT: invalid count",
    [MPI_ERR_TYPE] = "MPI_ERR_TYPE: invalid datatype",
    [MPI_ERR_TAG] = "MPI_ERR_TAG: invalid tag",
    [MPI_ERR_COMM] = "MPI_ERR_COMM: invalid communicator",
    [MPI_ERR_RANK] = "MPI_ERR_RANK: invalid rank",
    [MPI_ERR_REQUEST] = "MPI_ERR_REQUEST: invalid request",
    [MPI_ERR_ROOT] = "MPI_ERR_ROOT: invalid root",
    [MPI_ERR_GROUP] = "MPI_ERR_GROUP: invalid group",
    [MPI_ERR_OP] = "MPI_ERR_OP: invalid operator",
    [MPI_ERR_TOPOLOGY] = "MPI_ERR_TOPOLOGY: invalid topology",
    [MPI_ERR_DIMS] = "MPI_ERR_DIMS: invalid dimensions",
    [MPI_ERR_ARG] = "MPI_ERR_ARG: invalid argument",
    [MPI_ERR_UNKNOWN] = "MPI_ERR_UNKNOWN: unknown error",
    [MPI_ERR_TRUNCATE] = "MPI_ERR_TRUNCATE: message longer than the receive",
    [MPI_ERR_OTHER] = "MPI_ERR_OTHER: known error of no other class",
    [MPI_ERR_INTERN] = "MPI_ERR_INTERN: internal error",
    [MPI_ERR_IN_STATUS] = "MPI_ERR_IN_STATUS: the error is in the status",
    [MPI_ERR_PENDING] = "MPI_ERR_PENDING: request not complete",
    [MPI_ERR_ACCESS] = "MPI_ERR_ACCESS: permission denied",
    [MPI_ERR_AMODE] = "MPI_ERR_AMODE: invalid mode of access",
    [MPI_ERR_ASSERT] = "MPI_ERR_ASSERT: invalid assertion",
    [MPI_ERR_BAD_FILE] = "MPI_ERR_BAD_FILE: invalid name of a file",
    [MPI_ERR_BASE] = "MPI_ERR_BASE: invalid base of memory",
    [MPI_ERR_CONVERSION] = "MPI_ERR_CONVERSION: data could not be converted",
    [MPI_ERR_DISP] = "MPI_ERR_DISP: invalid displacement",
    [MPI_ERR_DUP_DATAREP] = "MPI_ERR_DUP_DATAREP: data representation defined twice",
    [MPI_ERR_FILE_EXISTS] = "MPI_ERR_FILE_EXISTS: file exists",
    [MPI_ERR_FILE_IN_USE] = "MPI_ERR_FILE_IN_USE: file in use",
    [MPI_ERR_FILE] = "MPI_ERR_FILE: invalid file",
    [MPI_ERR_INFO_KEY] = "MPI_ERR_INFO_KEY: invalid key",
    [MPI_ERR_INFO_NOKEY] = "MPI_ERR_INFO_NOKEY: key not set",
    [MPI_ERR_INFO_VALUE] = "MPI_ERR_INFO_VALUE: invalid value",
    [MPI_ERR_INFO] = "MPI_ERR_INFO: invalid info object",
    [MPI_ERR_IO] = "MPI_ERR_IO: input or output failed",
    [MPI_ERR_KEYVAL] = "MPI_ERR_KEYVAL: invalid key of an attribute",
    [MPI_ERR_LOCKTYPE] = "MPI_ERR_LOCKTYPE: invalid kind of lock",
    [MPI_ERR_NAME] = "MPI_ERR_NAME: no such service",
    [MPI_ERR_NO_MEM] = "MPI_ERR_NO_MEM: no memory",
    [MPI_ERR_NOT_SAME] = "MPI_ERR_NOT_SAME: argument differs between nodes",
    [MPI_ERR_NO_SPACE] = "MPI_ERR_NO_SPACE: no space left",
    [MPI_ERR_NO_SUCH_FILE] = "MPI_ERR_NO_SUCH_FILE: no such file",
    [MPI_ERR_PORT] = "MPI_ERR_PORT: invalid port",
    [MPI_ERR_QUOTA] = "MPI_ERR_QUOTA: quota exceeded",
    [MPI_ERR_READ_ONLY] = "MPI_ERR_READ_ONLY: read-only file",
    [MPI_ERR_RMA_CONFLICT] = "MPI_ERR_RMA_CONFLICT: conflicting accesses to a window",
    [MPI_ERR_RMA_SYNC] = "MPI_ERR_RMA_SYNC: wrong synchronisation of a window",
    [MPI_ERR_SERVICE] = "MPI_ERR_SERVICE: service not published",
    [MPI_ERR_SIZE] = "MPI_ERR_SIZE: invalid size",
    [MPI_ERR_SPAWN] = "MPI_ERR_SPAWN: processes could not be started",
    [MPI_ERR_UNSUPPORTED_DATAREP] = "MPI_ERR_UNSUPPORTED_DATAREP: unsupported data representation",
    [MPI_ERR_UNSUPPORTED_OPERATION] = "MPI_ERR_UNSUPPORTED_OPERATION: unsupported operation",
    [MPI_ERR_WIN] = "MPI_ERR_WIN: invalid window",
    [MPI_ERR_RMA_RANGE] = "MPI_ERR_RMA_RANGE: outside of the window",
    [MPI_ERR_RMA_ATTACH] = "MPI_ERR_RMA_ATTACH: memory cannot be attached",
    [MPI_ERR_RMA_SHARED] = "MPI_ERR_RMA_SHARED: memory cannot be shared",
    [MPI_ERR_RMA_FLAVOR] = "MPI_ERR_RMA_FLAVOR: wrong kind of window",
};

enum { TEXTS = sizeof texts / sizeof *texts };

/* ------------------------------------------------------------------ the program's own codes */

enum { FIRST_CODE = MPI_ERR_LASTCODE + 1, MAX_CODES = 256 };

struct error_codes {
    int count;
    int last_used; /* the value of the attribute MPI_LASTUSEDCODE */
    struct {
        int class;
        char text[MPI_MAX_ERROR_STRING];
    } codes[MAX_CODES];
};

static struct error_codes *
codes_of(struct mpi *mpi)
{
    if (!mpi->error_codes)
        mpi->error_codes = mpi_alloc(mpi, sizeof *mpi->error_codes);
    return mpi->error_codes;
}

const int *
error_last_used(struct mpi *mpi)
{
    struct error_codes *codes = codes_of(mpi);

    codes->last_used = MPI_ERR_LASTCODE + codes->count;
    return &codes->last_used;
}

static bool
error_is_own(const struct mpi *mpi, int code)
{
    return mpi->error_codes && code >= FIRST_CODE && code < FIRST_CODE + mpi->error_codes->count;
}

/* The class and the text of a code, the program's own codes included. */
static int
error_class(const struct mpi *mpi, int code)
{
    if (error_is_own(mpi, code))
        return mpi->error_codes->codes[code - FIRST_CODE].class;
    return code >= 0 && code <= MPI_ERR_LASTCODE ? code : MPI_ERR_UNKNOWN;
}

static const char *
error_text(const struct mpi *mpi, int code)
{
    if (error_is_own(mpi, code))
        return mpi->error_codes->codes[code - FIRST_CODE].text;
    return code >= 0 && code < TEXTS && texts[code] ? texts[code] : "unknown code of an error";
}

/* Add a code of this class; class 0: the code is a new class. */
static int
add_code(struct mpi *mpi, int class, int *code)
{
    struct error_codes *codes = codes_of(mpi);

    NEED(code);
    if (codes->count == MAX_CODES)
        return mpi_error(mpi, NULL, MPI_ERR_OTHER, "at most %d classes and codes can be added", MAX_CODES);
    *code = FIRST_CODE + codes->count;
    codes->codes[codes->count++].class = class ? class : *code;
    return MPI_SUCCESS;
}

MPI_CALL(Add_error_class, (int *errorclass), add_code(mpi, 0, errorclass));
MPI_CALL(Add_error_code, (int errorclass, int *errorcode), add_code(mpi, errorclass, errorcode));

MPI_FUNCTION(int, Add_error_string, int errorcode, const char *string)
{
    struct mpi *mpi = ENTER(Add_error_string);

    NEED(string);
    if (!error_is_own(mpi, errorcode))
        return mpi_error(mpi, NULL, MPI_ERR_ARG, "errorcode %d was not added by this program", errorcode);
    snprintf(mpi->error_codes->codes[errorcode - FIRST_CODE].text, MPI_MAX_ERROR_STRING, "%s", string);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Error_class, int errorcode, int *errorclass)
{
    struct mpi *mpi = ENTER_ANY(Error_class);

    NEED(errorclass);
    *errorclass = error_class(mpi, errorcode);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Error_string, int errorcode, char *string, int *resultlen)
{
    struct mpi *mpi = ENTER_ANY(Error_string);

    NEED(string, resultlen);
    *resultlen = snprintf(string, MPI_MAX_ERROR_STRING, "%s", error_text(mpi, errorcode));
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ raising */

/* The kind of failure that an error of this class is. */
static int
error_failure_kind(int class)
{
    switch (class) {
    case MPI_ERR_TRUNCATE:
        return PEAL_TRUNCATION;
    case MPI_ERR_RANK:
    case MPI_ERR_ROOT:
        return PEAL_BAD_RANK;
    case MPI_ERR_REQUEST:
        return PEAL_BAD_REQUEST;
    case MPI_ERR_RMA_SYNC:
        return PEAL_EPOCH;
    case MPI_ERR_RMA_RANGE:
        return PEAL_OUT_OF_BOUNDS;
    default:
        return PEAL_INVALID_ARGUMENT;
    }
}

static void
handle_in_fortran(const struct mpi *mpi, const struct handler *handler, const struct comm *comm, int code)
{
    typedef void function(MPI_Fint * object, MPI_Fint * code);
    void (*any)(void) = comm->win ? (void (*)(void))handler->of_windows : (void (*)(void))handler->function;
    MPI_Fint number = comm->win ? handle_number(mpi, KIND_WIN, (uintptr_t)comm->win->handle)
                                : handle_number(mpi, KIND_COMM, (uintptr_t)comm->handle);

    ((function *)any)(&number, &code);
}

/* Call the handler of `comm`: true if the error is to be returned. */
static bool
errhandler_run(struct mpi *mpi, struct comm *comm, int code)
{
    if (comm->errhandler == MPI_ERRORS_RETURN)
        return true;
    const struct handler *handler = handle_find(mpi, KIND_ERRHANDLER, (uintptr_t)comm->errhandler);

    if (!handler)
        return false;
    if (mpi->outside)
        mpi->outside->handle(
            mpi, comm->win ? (MPI_Comm_errhandler_function *)(void (*)(void))handler->of_windows : handler->function,
            comm->win ? (uintptr_t)comm->win->handle : (uintptr_t)comm->handle, code);
    else if (handler->fortran)
        handle_in_fortran(mpi, handler, comm, code);
    else if (comm->win)
        handler->of_windows(&comm->win->handle, &code);
    else
        handler->function(&comm->handle, &code);
    return true;
}

int
mpi_error(struct mpi *mpi, struct comm *comm, int class, const char *format, ...)
{
    char text[700];
    va_list list;

    bool returns = mpi->world && errhandler_run(mpi, comm ? comm : mpi->world, class);

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (returns && mpi->returned) {
        *mpi->returned = (struct returned_error){error_failure_kind(class), mpi->call, mpi->file,
                                                 error_text(mpi, class),    mpi->line, ""};
        memcpy(mpi->returned->text, text, sizeof text);
    } else if (returns) {
        peal_advise_nothing(mpi->me);
    }
    if (returns)
        return class;
    mpi_fail(mpi, error_failure_kind(class), "%s", text);
}

int
mpi_need(struct mpi *mpi, const char *names, const void *const *arguments, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!arguments[i])
            return mpi_error(mpi, NULL, MPI_ERR_ARG, "%.*s is NULL", (int)strcspn(names, ","), names);
        names += strcspn(names, ",");
        names += strspn(names, ", ");
    }
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ handlers */

MPI_Errhandler
errhandler_share(struct mpi *mpi, MPI_Errhandler handle)
{
    struct handler *handler = handle_find(mpi, KIND_ERRHANDLER, (uintptr_t)handle);

    if (handler)
        handler->references++;
    return handle;
}

void
errhandler_drop(struct mpi *mpi, MPI_Errhandler handle)
{
    struct handler *handler = handle_find(mpi, KIND_ERRHANDLER, (uintptr_t)handle);

    if (!handler || --handler->references > 0)
        return;
    handle_free(mpi, KIND_ERRHANDLER, (uintptr_t)handle);
    mpi_free(mpi, handler);
}

static int
errhandler_create(struct mpi *mpi, MPI_Comm_errhandler_function *function, MPI_Win_errhandler_function *of_windows,
                  MPI_Errhandler *errhandler)
{
    if (!function && !of_windows)
        return mpi_error(mpi, NULL, MPI_ERR_ARG, "function is NULL");
    NEED(errhandler);
    struct handler *handler = mpi_alloc(mpi, sizeof *handler);

    *handler = (struct handler){1, function, of_windows, mpi->fortran};
    *errhandler = (MPI_Errhandler)handle_make(mpi, KIND_ERRHANDLER, handler);
    return MPI_SUCCESS;
}

/* Set the handler of a communicator, or of a window, by its own communicator. */
static int
errhandler_set(struct mpi *mpi, struct comm *c, MPI_Errhandler errhandler)
{
    const struct handler *handler = handle_find(mpi, KIND_ERRHANDLER, (uintptr_t)errhandler);

    if (handler && !(c->win ? handler->of_windows != NULL : handler->function != NULL))
        return mpi_error(mpi, c, MPI_ERR_ARG, "errhandler is one of %s",
                         c->win ? "communicators: see MPI_Win_create_errhandler"
                                : "windows: see MPI_Comm_create_errhandler");
    if (errhandler != MPI_ERRORS_ARE_FATAL && errhandler != MPI_ERRORS_RETURN &&
        !handle_find(mpi, KIND_ERRHANDLER, (uintptr_t)errhandler))
        return mpi_error(mpi, c, MPI_ERR_ARG, "errhandler %s",
                         handle_wrong(mpi, KIND_ERRHANDLER, (uintptr_t)errhandler));
    errhandler_share(mpi, errhandler);
    errhandler_drop(mpi, c->errhandler);
    c->errhandler = errhandler;
    return MPI_SUCCESS;
}

/* Give the handler of a communicator, or of a window, by its own communicator. */
static int
errhandler_get(struct mpi *mpi, const struct comm *c, MPI_Errhandler *errhandler)
{
    NEED(errhandler);
    *errhandler = errhandler_share(mpi, c->errhandler);
    return MPI_SUCCESS;
}

/* Call that handler. */
static int
errhandler_call(struct mpi *mpi, struct comm *c, int errorcode)
{
    if (!errhandler_run(mpi, c, errorcode))
        mpi_fail(mpi, error_failure_kind(error_class(mpi, errorcode)), "%s", error_text(mpi, errorcode));
    return MPI_SUCCESS;
}

MPI_CALL(Comm_create_errhandler, (MPI_Comm_errhandler_function * function, MPI_Errhandler *errhandler),
         errhandler_create(mpi, function, NULL, errhandler));
MPI_CALL(Errhandler_create, (MPI_Comm_errhandler_function * function, MPI_Errhandler *errhandler),
         errhandler_create(mpi, function, NULL, errhandler));
MPI_CALL(Win_create_errhandler, (MPI_Win_errhandler_function * function, MPI_Errhandler *errhandler),
         errhandler_create(mpi, NULL, function, errhandler));
MPI_CHECKED(Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler errhandler), FIND_COMM(c, comm),
            errhandler_set(mpi, c, errhandler));
MPI_CHECKED(Errhandler_set, (MPI_Comm comm, MPI_Errhandler errhandler), FIND_COMM(c, comm),
            errhandler_set(mpi, c, errhandler));
MPI_CHECKED(Win_set_errhandler, (MPI_Win win, MPI_Errhandler errhandler), FIND_WIN(w, win),
            errhandler_set(mpi, w->comm, errhandler));
MPI_CHECKED(Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler *errhandler), FIND_COMM(c, comm),
            errhandler_get(mpi, c, errhandler));
MPI_CHECKED(Errhandler_get, (MPI_Comm comm, MPI_Errhandler *errhandler), FIND_COMM(c, comm),
            errhandler_get(mpi, c, errhandler));
MPI_CHECKED(Win_get_errhandler, (MPI_Win win, MPI_Errhandler *errhandler), FIND_WIN(w, win),
            errhandler_get(mpi, w->comm, errhandler));
MPI_CHECKED(Comm_call_errhandler, (MPI_Comm comm, int errorcode), FIND_COMM(c, comm),
            errhandler_call(mpi, c, errorcode));
MPI_CHECKED(Win_call_errhandler, (MPI_Win win, int errorcode), FIND_WIN(w, win),
            errhandler_call(mpi, w->comm, errorcode));

MPI_FUNCTION(int, Errhandler_free, MPI_Errhandler *errhandler)
{
    struct mpi *mpi = ENTER(Errhandler_free);

    NEED(errhandler);
    if (*errhandler != MPI_ERRORS_ARE_FATAL && *errhandler != MPI_ERRORS_RETURN) {
        if (!handle_find(mpi, KIND_ERRHANDLER, (uintptr_t)*errhandler))
            return mpi_error(mpi, NULL, MPI_ERR_ARG, "errhandler %s",
                             handle_wrong(mpi, KIND_ERRHANDLER, (uintptr_t)*errhandler));
        errhandler_drop(mpi, *errhandler);
    }
    *errhandler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}
