/* nodes: 1 3 */
/* SPDX-License-Identifier: MIT */
/* Error handlers of communicators and windows, and classes, codes and texts of the program's own. */
#include "check.h"

static int calls, last;
static MPI_Comm last_comm;

static void
note_error(MPI_Comm *comm, int *code, ...)
{
    calls++;
    last = *code;
    last_comm = *comm;
}

static void
note_of_window(MPI_Win *window, int *code, ...)
{
    CHECK(*window != MPI_WIN_NULL);
    calls += 100;
    last = *code;
}

static void
of_communicators(void)
{
    MPI_Errhandler mine, before;
    MPI_Comm copy, part;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_create_errhandler(note_error, &mine);
    MPI_Comm_set_errhandler(copy, mine);
    MPI_Errhandler_free(&mine); /* the communicator keeps it */
    CHECK(mine == MPI_ERRHANDLER_NULL);
    CHECK(MPI_Send(&rank, -1, MPI_INT, 0, 0, copy) == MPI_ERR_COUNT && calls == 1 && last_comm == copy);
    MPI_Comm_call_errhandler(copy, MPI_ERR_OTHER);
    CHECK(calls == 2 && last == MPI_ERR_OTHER);
    MPI_Comm_split(copy, 0, 0, &part); /* inherits it */
    CHECK(MPI_Bcast(&rank, 1, MPI_INT, size, part) == MPI_ERR_ROOT && calls == 3 && last_comm == part);
    MPI_Comm_get_errhandler(part, &before);
    MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN);
    CHECK(MPI_Bcast(&rank, 1, MPI_INT, size, part) == MPI_ERR_ROOT && calls == 3);
    MPI_Comm_set_errhandler(part, before);
    MPI_Errhandler_free(&before);
    MPI_Comm_call_errhandler(part, MPI_ERR_ARG);
    CHECK(calls == 4 && last == MPI_ERR_ARG);
    MPI_Comm_free(&part);
    MPI_Comm_free(&copy);
}

static void
of_windows(void)
{
    MPI_Errhandler mine, before;
    MPI_Win window;
    int held = 0;

    MPI_Win_create(&held, sizeof held, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_create_errhandler(note_of_window, &mine);
    MPI_Win_set_errhandler(window, mine);
    calls = 0;
    CHECK(MPI_Put(&held, 1, MPI_INT, 0, 0, 1, MPI_INT, window) == MPI_ERR_RMA_SYNC && calls == 100);
    MPI_Win_call_errhandler(window, MPI_ERR_WIN);
    CHECK(calls == 200 && last == MPI_ERR_WIN);
    MPI_Win_get_errhandler(window, &before);
    CHECK(before == mine);
    MPI_Errhandler_free(&before);
    MPI_Errhandler_free(&mine);
    MPI_Win_free(&window);
}

static void
of_the_program(void)
{
    int class, code, plain, found, length, flag, *top;
    char text[MPI_MAX_ERROR_STRING];

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &top, &flag);
    CHECK(flag && *top >= MPI_ERR_LASTCODE);
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_code(MPI_ERR_ARG, &plain);
    CHECK(class > MPI_ERR_LASTCODE && code > class && plain > code);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &top, &flag);
    CHECK(flag && *top == plain);
    MPI_Add_error_string(class, "out of coffee");
    MPI_Add_error_string(code, "out of coffee: no beans");
    MPI_Error_class(code, &found);
    CHECK(found == class);
    MPI_Error_class(plain, &found);
    CHECK(found == MPI_ERR_ARG);
    MPI_Error_string(code, text, &length);
    CHECK(strcmp(text, "out of coffee: no beans") == 0 && length == (int)strlen(text));
    MPI_Error_string(MPI_ERR_TRUNCATE, text, &length);
    CHECK(strstr(text, "MPI_ERR_TRUNCATE") && length == (int)strlen(text));
    MPI_Error_class(MPI_ERR_LASTCODE + 200, &found);
    CHECK(found == MPI_ERR_UNKNOWN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (found = 0; MPI_Add_error_class(&class) == MPI_SUCCESS; found++)
        CHECK(found < 100000);
    CHECK(MPI_Add_error_class(&class) == MPI_ERR_OTHER);
    CHECK(MPI_Add_error_string(MPI_ERR_ARG, "not the program's") == MPI_ERR_ARG);
    CHECK(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_ARG) == MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    of_communicators();
    of_windows();
    of_the_program();
    MPI_Finalize();
    return 0;
}
