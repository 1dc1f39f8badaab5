/* SPDX-License-Identifier: MIT */
/* Handles and statuses as Fortran would have them, for programs in C that pass them on: a handle is a number of
 * 31 bits. */
#include "mpi/call/node.h"
#include <string.h>

#define BOTH_WAYS(name, type, kind)                                                                                    \
    MPI_FUNCTION(MPI_Fint, name##_c2f, type handle)                                                                    \
    {                                                                                                                  \
        struct mpi *mpi = ENTER_ANY(name##_c2f);                                                                       \
                                                                                                                       \
        return handle_number(mpi, kind, (uintptr_t)handle);                                                            \
    }                                                                                                                  \
                                                                                                                       \
    MPI_FUNCTION(type, name##_f2c, MPI_Fint number)                                                                    \
    {                                                                                                                  \
        struct mpi *mpi = ENTER_ANY(name##_f2c);                                                                       \
                                                                                                                       \
        return (type)handle_numbered(mpi, kind, number);                                                               \
    }                                                                                                                  \
    struct mpi

BOTH_WAYS(Comm, MPI_Comm, KIND_COMM);
BOTH_WAYS(Group, MPI_Group, KIND_GROUP);
BOTH_WAYS(Type, MPI_Datatype, KIND_TYPE);
BOTH_WAYS(Request, MPI_Request, KIND_REQUEST);
BOTH_WAYS(Message, MPI_Message, KIND_MESSAGE);
BOTH_WAYS(Op, MPI_Op, KIND_OP);
BOTH_WAYS(Errhandler, MPI_Errhandler, KIND_ERRHANDLER);
BOTH_WAYS(Info, MPI_Info, KIND_INFO);
BOTH_WAYS(Win, MPI_Win, KIND_WIN);

_Static_assert(sizeof(MPI_Status) == MPI_F_STATUS_SIZE * sizeof(MPI_Fint), "a status as integers");

static int
copy_status(struct mpi *mpi, void *to, const void *from)
{
    if (!to || !from)
        return mpi_error(mpi, NULL, MPI_ERR_ARG, "expected a status, got one that is ignored");
    memcpy(to, from, sizeof(MPI_Status));
    return MPI_SUCCESS;
}

MPI_CALL(Status_c2f, (const MPI_Status *c_status, MPI_Fint *f_status), copy_status(mpi, f_status, c_status));
MPI_CALL(Status_f2c, (const MPI_Fint *f_status, MPI_Status *c_status), copy_status(mpi, c_status, f_status));
