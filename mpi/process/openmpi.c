/* SPDX-License-Identifier: MIT */
/* What the interface of Open MPI has beside the calls: functions of attributes that are symbols. */
#include <peal/mpi/mpi.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

/* Functions for attributes that are not copied, need nothing when they are deleted, or are copied as they are. */
#define NOTHING(kind, type)                                                                                            \
    VISIBLE int OMPI_C_MPI_##kind##_NULL_COPY_FN(type object, int key, void *extra, void *in, void *out, int *flag);   \
    VISIBLE int OMPI_C_MPI_##kind##_NULL_DELETE_FN(type object, int key, void *value, void *extra);                    \
    VISIBLE int OMPI_C_MPI_##kind##_DUP_FN(type object, int key, void *extra, void *in, void *out, int *flag);         \
    int OMPI_C_MPI_##kind##_NULL_COPY_FN(type object, int key, void *extra, void *in, void *out, int *flag)            \
    {                                                                                                                  \
        (void)object, (void)key, (void)extra, (void)in, (void)out;                                                     \
        *flag = 0;                                                                                                     \
        return MPI_SUCCESS;                                                                                            \
    }                                                                                                                  \
    int OMPI_C_MPI_##kind##_NULL_DELETE_FN(type object, int key, void *value, void *extra)                             \
    {                                                                                                                  \
        (void)object, (void)key, (void)value, (void)extra;                                                             \
        return MPI_SUCCESS;                                                                                            \
    }                                                                                                                  \
    int OMPI_C_MPI_##kind##_DUP_FN(type object, int key, void *extra, void *in, void *out, int *flag)                  \
    {                                                                                                                  \
        (void)object, (void)key, (void)extra;                                                                          \
        memcpy(out, &in, sizeof in);                                                                                   \
        *flag = 1;                                                                                                     \
        return MPI_SUCCESS;                                                                                            \
    }
NOTHING(COMM, MPI_Comm)
NOTHING(TYPE, MPI_Datatype)
NOTHING(WIN, MPI_Win)
extern __typeof__(OMPI_C_MPI_COMM_DUP_FN) OMPI_C_MPI_DUP_FN __attribute__((alias("OMPI_C_MPI_COMM_DUP_FN"))) VISIBLE;
extern __typeof__(OMPI_C_MPI_COMM_DUP_FN) OMPI_C_MPI_NULL_COPY_FN __attribute__((alias("OMPI_C_MPI_COMM_NULL_COPY_FN")))
VISIBLE;
extern __typeof__(OMPI_C_MPI_COMM_NULL_DELETE_FN) OMPI_C_MPI_NULL_DELETE_FN
    __attribute__((alias("OMPI_C_MPI_COMM_NULL_DELETE_FN"))) VISIBLE;
