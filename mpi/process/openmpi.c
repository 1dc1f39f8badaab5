/* SPDX-License-Identifier: MIT */
/* What the interface of Open MPI has besides the calls: functions of attributes that are symbols. */
#include "mpi/process/client.h"

/* Functions for attributes that are not copied, need nothing when they are deleted, or are copied as they are. */
#define NOTHING(kind, type)                                                                                            \
    VISIBLE int OMPI_C_MPI_##kind##_NULL_COPY_FN(type object, int key, void *extra, void *in, void *out, int *flag);   \
    VISIBLE int OMPI_C_MPI_##kind##_NULL_DELETE_FN(type object, int key, void *value, void *extra);                    \
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
    COPIES(OMPI_C_MPI_##kind##_DUP_FN, type)
NOTHING(COMM, MPI_Comm)
NOTHING(TYPE, MPI_Datatype)
NOTHING(WIN, MPI_Win)
extern __typeof__(OMPI_C_MPI_COMM_DUP_FN) OMPI_C_MPI_DUP_FN __attribute__((alias("OMPI_C_MPI_COMM_DUP_FN"))) VISIBLE;
extern __typeof__(OMPI_C_MPI_COMM_DUP_FN) OMPI_C_MPI_NULL_COPY_FN __attribute__((alias("OMPI_C_MPI_COMM_NULL_COPY_FN")))
VISIBLE;
extern __typeof__(OMPI_C_MPI_COMM_NULL_DELETE_FN) OMPI_C_MPI_NULL_DELETE_FN
    __attribute__((alias("OMPI_C_MPI_COMM_NULL_DELETE_FN"))) VISIBLE;

/* What else Open MPI's libraries for C++ and Fortran need from the one for C: their functions for callbacks do not
 * work, all others do.  Data are zeros. */
#define ZEROS(a, b, c) VISIBLE char a[512], b[512], c[512];
ZEROS(ompi_errcode_intern_lastused, ompi_errcodes_intern, ompi_mpi_errors_throw_exceptions)
ZEROS(ompi_registered_datareps, ompi_instance_count, ompi_mpi_instance_null)
ZEROS(ompi_mpi_state, ompi_mpi_param_check, ompi_status_empty)
ZEROS(mpi_fortran_argv_null_, mpi_fortran_argvs_null_, mpi_fortran_bottom_)
ZEROS(mpi_fortran_errcodes_ignore_, mpi_fortran_in_place_, mpi_fortran_status_ignore_)
ZEROS(mpi_fortran_statuses_ignore_, mpi_fortran_unweighted_, mpi_fortran_weights_empty_)

#define LACKING(name)                                                                                                  \
    VISIBLE int name(void);                                                                                            \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        return MPI_ERR_UNSUPPORTED_OPERATION;                                                                          \
    }
LACKING(ompi_attr_create_keyval)
LACKING(ompi_errhandler_create)
LACKING(ompi_errhandler_invoke)
LACKING(ompi_mpi_errors_are_fatal_comm_handler)
LACKING(ompi_op_set_cxx_callback)
LACKING(mpi_conversion_fn_null_)
LACKING(MPIX_Comm_ack_failed)
LACKING(MPIX_Comm_agree)
LACKING(MPIX_Comm_get_failed)
LACKING(MPIX_Comm_iagree)
LACKING(MPIX_Comm_is_revoked)
LACKING(MPIX_Comm_revoke)
LACKING(MPIX_Comm_shrink)

/* Fortran's texts have blanks at the end, and no zero.  Each gives 0. */
VISIBLE int ompi_fortran_string_f2c(const char *from, int length, char **to);
VISIBLE int ompi_fortran_string_c2f(const char *from, char *to, int length);

int
ompi_fortran_string_f2c(const char *from, int length, char **to)
{
    while (length > 0 && from[length - 1] == ' ')
        length--;
    *to = strndup(from, (size_t)length);
    return *to ? 0 : MPI_ERR_NO_MEM;
}

int
ompi_fortran_string_c2f(const char *from, char *to, int length)
{
    size_t used = strnlen(from, (size_t)length);

    memcpy(to, from, used);
    memset(to + used, ' ', (size_t)length - used);
    return 0;
}
