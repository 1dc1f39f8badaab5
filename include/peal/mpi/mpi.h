/* SPDX-License-Identifier: MIT */
/* MPI 3.1 for C programs on Peal's machine.  pealcc puts this file's folder on the include path.
 *
 * Handles are numbers in pointer types of their own: the compiler tells them apart, they are good as static
 * initialisers, and are never dereferenced.  The top byte (of 32 bits: the top four bits) is the kind, 0 names no
 * object; a handle of 0 is not a handle at all. */
#ifndef PEAL_MPI_MPI_H
#define PEAL_MPI_MPI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MPI_VERSION 3
#define MPI_SUBVERSION 1

/* ------------------------------------------------------------------ types */

typedef struct peal_mpi_comm *MPI_Comm;
typedef struct peal_mpi_datatype *MPI_Datatype;
typedef struct peal_mpi_errhandler *MPI_Errhandler;
typedef struct peal_mpi_file *MPI_File;
typedef struct peal_mpi_group *MPI_Group;
typedef struct peal_mpi_info *MPI_Info;
typedef struct peal_mpi_message *MPI_Message;
typedef struct peal_mpi_op *MPI_Op;
typedef struct peal_mpi_request *MPI_Request;
typedef struct peal_mpi_win *MPI_Win;

typedef intptr_t MPI_Aint;
typedef long long MPI_Count;
typedef long long MPI_Offset;
typedef int MPI_Fint;

typedef struct peal_mpi_status {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int peal_cancelled;
    __attribute__((aligned(8))) size_t peal_bytes;
} MPI_Status;

/* ------------------------------------------------------------------ handles that are always there */

#define PEAL_MPI_HANDLE(type, kind, number)                                                                            \
    ((type)(((uintptr_t)(kind) << (sizeof(void *) > 4 ? 56 : 28)) + (uintptr_t)(number)))

#define MPI_COMM_NULL PEAL_MPI_HANDLE(MPI_Comm, 1, 0)
#define MPI_COMM_WORLD PEAL_MPI_HANDLE(MPI_Comm, 1, 1)
#define MPI_COMM_SELF PEAL_MPI_HANDLE(MPI_Comm, 1, 2)
#define MPI_GROUP_NULL PEAL_MPI_HANDLE(MPI_Group, 2, 0)
#define MPI_GROUP_EMPTY PEAL_MPI_HANDLE(MPI_Group, 2, 1)
#define MPI_REQUEST_NULL PEAL_MPI_HANDLE(MPI_Request, 4, 0)
#define MPI_MESSAGE_NULL PEAL_MPI_HANDLE(MPI_Message, 5, 0)
#define MPI_MESSAGE_NO_PROC PEAL_MPI_HANDLE(MPI_Message, 5, 1)
#define MPI_ERRHANDLER_NULL PEAL_MPI_HANDLE(MPI_Errhandler, 7, 0)
#define MPI_ERRORS_ARE_FATAL PEAL_MPI_HANDLE(MPI_Errhandler, 7, 1)
#define MPI_ERRORS_RETURN PEAL_MPI_HANDLE(MPI_Errhandler, 7, 2)
#define MPI_INFO_NULL PEAL_MPI_HANDLE(MPI_Info, 8, 0)
#define MPI_INFO_ENV PEAL_MPI_HANDLE(MPI_Info, 8, 1)
#define MPI_WIN_NULL PEAL_MPI_HANDLE(MPI_Win, 9, 0)
#define MPI_FILE_NULL PEAL_MPI_HANDLE(MPI_File, 10, 0)

#define MPI_OP_NULL PEAL_MPI_HANDLE(MPI_Op, 6, 0)
#define MPI_MAX PEAL_MPI_HANDLE(MPI_Op, 6, 1)
#define MPI_MIN PEAL_MPI_HANDLE(MPI_Op, 6, 2)
#define MPI_SUM PEAL_MPI_HANDLE(MPI_Op, 6, 3)
#define MPI_PROD PEAL_MPI_HANDLE(MPI_Op, 6, 4)
#define MPI_LAND PEAL_MPI_HANDLE(MPI_Op, 6, 5)
#define MPI_BAND PEAL_MPI_HANDLE(MPI_Op, 6, 6)
#define MPI_LOR PEAL_MPI_HANDLE(MPI_Op, 6, 7)
#define MPI_BOR PEAL_MPI_HANDLE(MPI_Op, 6, 8)
#define MPI_LXOR PEAL_MPI_HANDLE(MPI_Op, 6, 9)
#define MPI_BXOR PEAL_MPI_HANDLE(MPI_Op, 6, 10)
#define MPI_MAXLOC PEAL_MPI_HANDLE(MPI_Op, 6, 11)
#define MPI_MINLOC PEAL_MPI_HANDLE(MPI_Op, 6, 12)
#define MPI_REPLACE PEAL_MPI_HANDLE(MPI_Op, 6, 13)
#define MPI_NO_OP PEAL_MPI_HANDLE(MPI_Op, 6, 14)

/* mpi/type/basic.def lists the same numbers. */
#define PEAL_MPI_TYPE(number) PEAL_MPI_HANDLE(MPI_Datatype, 3, number)
#define MPI_DATATYPE_NULL PEAL_MPI_TYPE(0)
#define MPI_CHAR PEAL_MPI_TYPE(1)
#define MPI_SIGNED_CHAR PEAL_MPI_TYPE(2)
#define MPI_UNSIGNED_CHAR PEAL_MPI_TYPE(3)
#define MPI_BYTE PEAL_MPI_TYPE(4)
#define MPI_WCHAR PEAL_MPI_TYPE(5)
#define MPI_SHORT PEAL_MPI_TYPE(6)
#define MPI_UNSIGNED_SHORT PEAL_MPI_TYPE(7)
#define MPI_INT PEAL_MPI_TYPE(8)
#define MPI_UNSIGNED PEAL_MPI_TYPE(9)
#define MPI_LONG PEAL_MPI_TYPE(10)
#define MPI_UNSIGNED_LONG PEAL_MPI_TYPE(11)
#define MPI_LONG_LONG PEAL_MPI_TYPE(12)
#define MPI_LONG_LONG_INT MPI_LONG_LONG
#define MPI_UNSIGNED_LONG_LONG PEAL_MPI_TYPE(13)
#define MPI_FLOAT PEAL_MPI_TYPE(14)
#define MPI_DOUBLE PEAL_MPI_TYPE(15)
#define MPI_LONG_DOUBLE PEAL_MPI_TYPE(16)
#define MPI_PACKED PEAL_MPI_TYPE(17)
#define MPI_INT8_T PEAL_MPI_TYPE(18)
#define MPI_INT16_T PEAL_MPI_TYPE(19)
#define MPI_INT32_T PEAL_MPI_TYPE(20)
#define MPI_INT64_T PEAL_MPI_TYPE(21)
#define MPI_UINT8_T PEAL_MPI_TYPE(22)
#define MPI_UINT16_T PEAL_MPI_TYPE(23)
#define MPI_UINT32_T PEAL_MPI_TYPE(24)
#define MPI_UINT64_T PEAL_MPI_TYPE(25)
#define MPI_AINT PEAL_MPI_TYPE(26)
#define MPI_COUNT PEAL_MPI_TYPE(27)
#define MPI_OFFSET PEAL_MPI_TYPE(28)
#define MPI_C_BOOL PEAL_MPI_TYPE(29)
#define MPI_C_COMPLEX PEAL_MPI_TYPE(30)
#define MPI_C_FLOAT_COMPLEX MPI_C_COMPLEX
#define MPI_C_DOUBLE_COMPLEX PEAL_MPI_TYPE(31)
#define MPI_C_LONG_DOUBLE_COMPLEX PEAL_MPI_TYPE(32)
#define MPI_FLOAT_INT PEAL_MPI_TYPE(33)
#define MPI_DOUBLE_INT PEAL_MPI_TYPE(34)
#define MPI_LONG_INT PEAL_MPI_TYPE(35)
#define MPI_2INT PEAL_MPI_TYPE(36)
#define MPI_SHORT_INT PEAL_MPI_TYPE(37)
#define MPI_LONG_DOUBLE_INT PEAL_MPI_TYPE(38)
#define MPI_LB PEAL_MPI_TYPE(39)
#define MPI_UB PEAL_MPI_TYPE(40)
#define MPI_CHARACTER PEAL_MPI_TYPE(41)
#define MPI_LOGICAL PEAL_MPI_TYPE(42)
#define MPI_INTEGER PEAL_MPI_TYPE(43)
#define MPI_INTEGER1 PEAL_MPI_TYPE(44)
#define MPI_INTEGER2 PEAL_MPI_TYPE(45)
#define MPI_INTEGER4 PEAL_MPI_TYPE(46)
#define MPI_INTEGER8 PEAL_MPI_TYPE(47)
#define MPI_REAL PEAL_MPI_TYPE(48)
#define MPI_REAL4 PEAL_MPI_TYPE(49)
#define MPI_REAL8 PEAL_MPI_TYPE(50)
#define MPI_DOUBLE_PRECISION PEAL_MPI_TYPE(51)
#define MPI_COMPLEX PEAL_MPI_TYPE(52)
#define MPI_DOUBLE_COMPLEX PEAL_MPI_TYPE(53)
#define MPI_2INTEGER PEAL_MPI_TYPE(54)
#define MPI_2REAL PEAL_MPI_TYPE(55)
#define MPI_2DOUBLE_PRECISION PEAL_MPI_TYPE(56)
#define MPI_CXX_BOOL PEAL_MPI_TYPE(57)
#define MPI_CXX_FLOAT_COMPLEX PEAL_MPI_TYPE(58)
#define MPI_CXX_DOUBLE_COMPLEX PEAL_MPI_TYPE(59)
#define MPI_CXX_LONG_DOUBLE_COMPLEX PEAL_MPI_TYPE(60)
#define MPI_COMPLEX8 PEAL_MPI_TYPE(61)
#define MPI_COMPLEX16 PEAL_MPI_TYPE(62)
#define MPI_INTEGER16 PEAL_MPI_TYPE(63)
#define MPI_REAL16 PEAL_MPI_TYPE(64)
#define MPI_COMPLEX32 PEAL_MPI_TYPE(65)

/* Optional types that neither C nor gfortran has. */
#define MPI_REAL2 MPI_DATATYPE_NULL
#define MPI_COMPLEX4 MPI_DATATYPE_NULL

/* ------------------------------------------------------------------ constants */

#define MPI_BOTTOM ((void *)0)
#define MPI_IN_PLACE ((void *)1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_F_STATUS_IGNORE ((MPI_Fint *)0)
#define MPI_F_STATUSES_IGNORE ((MPI_Fint *)0)
#define MPI_F_STATUS_SIZE 6
#define MPI_UNWEIGHTED ((int *)2)
#define MPI_WEIGHTS_EMPTY ((int *)3)
#define MPI_ARGV_NULL ((char **)0)
#define MPI_ARGVS_NULL ((char ***)0)
#define MPI_ERRCODES_IGNORE ((int *)0)

/* Macros, since programs test for some of them with #ifdef.  The first four are numbers that no arithmetic on ranks
 * yields, so that a rank or tag that is wrong is none of them.  Changing one means renaming peal_linked_main_1
 * (mpi/call/start.c). */
#define MPI_ANY_SOURCE (-2000000001)
#define MPI_ANY_TAG (-2000000101)
#define MPI_PROC_NULL (-2000000201)
#define MPI_ROOT (-2000000301)
#define MPI_UNDEFINED (-32766)
#define MPI_KEYVAL_INVALID (-1)
#define MPI_BSEND_OVERHEAD 128
#define MPI_MAX_PROCESSOR_NAME 256
#define MPI_MAX_ERROR_STRING 512
#define MPI_MAX_OBJECT_NAME 64
#define MPI_MAX_LIBRARY_VERSION_STRING 256
#define MPI_MAX_INFO_KEY 36
#define MPI_MAX_INFO_VAL 256
#define MPI_MAX_PORT_NAME 1024
#define MPI_MAX_DATAREP_STRING 128

enum { MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };
enum { MPI_IDENT, MPI_CONGRUENT, MPI_SIMILAR, MPI_UNEQUAL };
enum { MPI_CART = 1, MPI_GRAPH = 2, MPI_DIST_GRAPH = 3 };
enum { MPI_COMM_TYPE_SHARED = 0 };
enum { MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_DFLT_DARG = -1 };
enum { MPI_ORDER_C, MPI_ORDER_FORTRAN };
enum { MPI_TYPECLASS_INTEGER = 1, MPI_TYPECLASS_REAL, MPI_TYPECLASS_COMPLEX };

enum {
    MPI_COMBINER_NAMED,
    MPI_COMBINER_DUP,
    MPI_COMBINER_CONTIGUOUS,
    MPI_COMBINER_VECTOR,
    MPI_COMBINER_HVECTOR_INTEGER,
    MPI_COMBINER_HVECTOR,
    MPI_COMBINER_INDEXED,
    MPI_COMBINER_HINDEXED_INTEGER,
    MPI_COMBINER_HINDEXED,
    MPI_COMBINER_INDEXED_BLOCK,
    MPI_COMBINER_STRUCT_INTEGER,
    MPI_COMBINER_STRUCT,
    MPI_COMBINER_SUBARRAY,
    MPI_COMBINER_DARRAY,
    MPI_COMBINER_F90_REAL,
    MPI_COMBINER_F90_COMPLEX,
    MPI_COMBINER_F90_INTEGER,
    MPI_COMBINER_RESIZED,
    MPI_COMBINER_HINDEXED_BLOCK
};

/* Attributes that the library sets. */
enum {
    MPI_TAG_UB,
    MPI_HOST,
    MPI_IO,
    MPI_WTIME_IS_GLOBAL,
    MPI_APPNUM,
    MPI_LASTUSEDCODE,
    MPI_UNIVERSE_SIZE,
    MPI_WIN_BASE,
    MPI_WIN_SIZE,
    MPI_WIN_DISP_UNIT,
    MPI_WIN_CREATE_FLAVOR,
    MPI_WIN_MODEL
};
enum { MPI_WIN_FLAVOR_CREATE = 1, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_DYNAMIC, MPI_WIN_FLAVOR_SHARED };
enum { MPI_WIN_UNIFIED, MPI_WIN_SEPARATE };
enum {
    MPI_MODE_NOCHECK = 1,
    MPI_MODE_NOPRECEDE = 2,
    MPI_MODE_NOPUT = 4,
    MPI_MODE_NOSTORE = 8,
    MPI_MODE_NOSUCCEED = 16
};
enum { MPI_LOCK_EXCLUSIVE = 1, MPI_LOCK_SHARED = 2 };

enum {
    MPI_MODE_CREATE = 1,
    MPI_MODE_RDONLY = 2,
    MPI_MODE_WRONLY = 4,
    MPI_MODE_RDWR = 8,
    MPI_MODE_DELETE_ON_CLOSE = 16,
    MPI_MODE_UNIQUE_OPEN = 32,
    MPI_MODE_EXCL = 64,
    MPI_MODE_APPEND = 128,
    MPI_MODE_SEQUENTIAL = 256
};
enum { MPI_SEEK_SET = 600, MPI_SEEK_CUR = 602, MPI_SEEK_END = 604, MPI_DISPLACEMENT_CURRENT = -54278278 };

/* ------------------------------------------------------------------ classes of errors */

#define MPI_SUCCESS 0
enum {
    MPI_ERR_BUFFER = 1,
    MPI_ERR_COUNT,
    MPI_ERR_TYPE,
    MPI_ERR_TAG,
    MPI_ERR_COMM,
    MPI_ERR_RANK,
    MPI_ERR_REQUEST,
    MPI_ERR_ROOT,
    MPI_ERR_GROUP,
    MPI_ERR_OP,
    MPI_ERR_TOPOLOGY,
    MPI_ERR_DIMS,
    MPI_ERR_ARG,
    MPI_ERR_UNKNOWN,
    MPI_ERR_TRUNCATE,
    MPI_ERR_OTHER,
    MPI_ERR_INTERN,
    MPI_ERR_IN_STATUS,
    MPI_ERR_PENDING,
    MPI_ERR_ACCESS,
    MPI_ERR_AMODE,
    MPI_ERR_ASSERT,
    MPI_ERR_BAD_FILE,
    MPI_ERR_BASE,
    MPI_ERR_CONVERSION,
    MPI_ERR_DISP,
    MPI_ERR_DUP_DATAREP,
    MPI_ERR_FILE_EXISTS,
    MPI_ERR_FILE_IN_USE,
    MPI_ERR_FILE,
    MPI_ERR_INFO_KEY,
    MPI_ERR_INFO_NOKEY,
    MPI_ERR_INFO_VALUE,
    MPI_ERR_INFO,
    MPI_ERR_IO,
    MPI_ERR_KEYVAL,
    MPI_ERR_LOCKTYPE,
    MPI_ERR_NAME,
    MPI_ERR_NO_MEM,
    MPI_ERR_NOT_SAME,
    MPI_ERR_NO_SPACE,
    MPI_ERR_NO_SUCH_FILE,
    MPI_ERR_PORT,
    MPI_ERR_QUOTA,
    MPI_ERR_READ_ONLY,
    MPI_ERR_RMA_CONFLICT,
    MPI_ERR_RMA_SYNC,
    MPI_ERR_SERVICE,
    MPI_ERR_SIZE,
    MPI_ERR_SPAWN,
    MPI_ERR_UNSUPPORTED_DATAREP,
    MPI_ERR_UNSUPPORTED_OPERATION,
    MPI_ERR_WIN,
    MPI_ERR_RMA_RANGE,
    MPI_ERR_RMA_ATTACH,
    MPI_ERR_RMA_SHARED,
    MPI_ERR_RMA_FLAVOR,
    MPI_T_ERR_MEMORY,
    MPI_T_ERR_NOT_INITIALIZED,
    MPI_T_ERR_CANNOT_INIT,
    MPI_T_ERR_INVALID_INDEX,
    MPI_T_ERR_INVALID_ITEM,
    MPI_T_ERR_INVALID_HANDLE,
    MPI_T_ERR_OUT_OF_HANDLES,
    MPI_T_ERR_OUT_OF_SESSIONS,
    MPI_T_ERR_INVALID_SESSION,
    MPI_T_ERR_CVAR_SET_NOT_NOW,
    MPI_T_ERR_CVAR_SET_NEVER,
    MPI_T_ERR_PVAR_NO_STARTSTOP,
    MPI_T_ERR_PVAR_NO_WRITE,
    MPI_T_ERR_PVAR_NO_ATOMIC,
    MPI_T_ERR_INVALID_NAME,
    MPI_T_ERR_INVALID,
    MPI_ERR_LASTCODE = 92
};

/* ------------------------------------------------------------------ functions that programs hand over */

typedef void MPI_User_function(void *invec, void *inoutvec, int *len, MPI_Datatype *datatype);
typedef void MPI_Comm_errhandler_function(MPI_Comm *comm, int *code, ...);
typedef void MPI_Win_errhandler_function(MPI_Win *win, int *code, ...);
typedef void MPI_File_errhandler_function(MPI_File *file, int *code, ...);
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn;
typedef MPI_Win_errhandler_function MPI_Win_errhandler_fn;
typedef MPI_File_errhandler_function MPI_File_errhandler_fn;
typedef MPI_Comm_errhandler_function MPI_Handler_function;
typedef int MPI_Comm_copy_attr_function(MPI_Comm oldcomm, int keyval, void *extra_state, void *in, void *out,
                                        int *flag);
typedef int MPI_Comm_delete_attr_function(MPI_Comm comm, int keyval, void *value, void *extra_state);
typedef int MPI_Type_copy_attr_function(MPI_Datatype oldtype, int keyval, void *extra_state, void *in, void *out,
                                        int *flag);
typedef int MPI_Type_delete_attr_function(MPI_Datatype datatype, int keyval, void *value, void *extra_state);
typedef int MPI_Win_copy_attr_function(MPI_Win oldwin, int keyval, void *extra_state, void *in, void *out, int *flag);
typedef int MPI_Win_delete_attr_function(MPI_Win win, int keyval, void *value, void *extra_state);
typedef MPI_Comm_copy_attr_function MPI_Copy_function;
typedef MPI_Comm_delete_attr_function MPI_Delete_function;
typedef int MPI_Grequest_query_function(void *extra_state, MPI_Status *status);
typedef int MPI_Grequest_free_function(void *extra_state);
typedef int MPI_Grequest_cancel_function(void *extra_state, int complete);
typedef int MPI_Datarep_extent_function(MPI_Datatype datatype, MPI_Aint *extent, void *extra_state);
typedef int MPI_Datarep_conversion_function(void *userbuf, MPI_Datatype datatype, int count, void *filebuf,
                                            MPI_Offset position, void *extra_state);
#define MPI_CONVERSION_FN_NULL ((MPI_Datarep_conversion_function *)0)

#define PEAL_MPI_API __attribute__((visibility("default")))

/* Attributes that are copied as they are; those that are not copied are a NULL function. */
PEAL_MPI_API MPI_Comm_copy_attr_function peal_mpi_comm_dup_fn;
PEAL_MPI_API MPI_Type_copy_attr_function peal_mpi_type_dup_fn;
PEAL_MPI_API MPI_Win_copy_attr_function peal_mpi_win_dup_fn;
#define MPI_COMM_DUP_FN peal_mpi_comm_dup_fn
#define MPI_TYPE_DUP_FN peal_mpi_type_dup_fn
#define MPI_WIN_DUP_FN peal_mpi_win_dup_fn
#define MPI_DUP_FN MPI_COMM_DUP_FN
#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function *)0)
#define MPI_COMM_NULL_DELETE_FN ((MPI_Comm_delete_attr_function *)0)
#define MPI_TYPE_NULL_COPY_FN ((MPI_Type_copy_attr_function *)0)
#define MPI_TYPE_NULL_DELETE_FN ((MPI_Type_delete_attr_function *)0)
#define MPI_WIN_NULL_COPY_FN ((MPI_Win_copy_attr_function *)0)
#define MPI_WIN_NULL_DELETE_FN ((MPI_Win_delete_attr_function *)0)
#define MPI_NULL_COPY_FN MPI_COMM_NULL_COPY_FN
#define MPI_NULL_DELETE_FN MPI_COMM_NULL_DELETE_FN

/* ------------------------------------------------------------------ tools */

typedef struct peal_mpi_t_enum *MPI_T_enum;
typedef struct peal_mpi_t_cvar_handle *MPI_T_cvar_handle;
typedef struct peal_mpi_t_pvar_handle *MPI_T_pvar_handle;
typedef struct peal_mpi_t_pvar_session *MPI_T_pvar_session;
#define MPI_T_ENUM_NULL ((MPI_T_enum)0)
#define MPI_T_CVAR_HANDLE_NULL ((MPI_T_cvar_handle)0)
#define MPI_T_PVAR_HANDLE_NULL ((MPI_T_pvar_handle)0)
#define MPI_T_PVAR_SESSION_NULL ((MPI_T_pvar_session)0)
#define MPI_T_PVAR_ALL_HANDLES ((MPI_T_pvar_handle)1)
enum {
    MPI_T_VERBOSITY_USER_BASIC,
    MPI_T_VERBOSITY_USER_DETAIL,
    MPI_T_VERBOSITY_USER_ALL,
    MPI_T_VERBOSITY_TUNER_BASIC,
    MPI_T_VERBOSITY_TUNER_DETAIL,
    MPI_T_VERBOSITY_TUNER_ALL,
    MPI_T_VERBOSITY_MPIDEV_BASIC,
    MPI_T_VERBOSITY_MPIDEV_DETAIL,
    MPI_T_VERBOSITY_MPIDEV_ALL
};
enum {
    MPI_T_BIND_NO_OBJECT,
    MPI_T_BIND_MPI_COMM,
    MPI_T_BIND_MPI_DATATYPE,
    MPI_T_BIND_MPI_ERRHANDLER,
    MPI_T_BIND_MPI_FILE,
    MPI_T_BIND_MPI_GROUP,
    MPI_T_BIND_MPI_OP,
    MPI_T_BIND_MPI_REQUEST,
    MPI_T_BIND_MPI_WIN,
    MPI_T_BIND_MPI_MESSAGE,
    MPI_T_BIND_MPI_INFO
};
enum {
    MPI_T_SCOPE_CONSTANT,
    MPI_T_SCOPE_READONLY,
    MPI_T_SCOPE_LOCAL,
    MPI_T_SCOPE_GROUP,
    MPI_T_SCOPE_GROUP_EQ,
    MPI_T_SCOPE_ALL,
    MPI_T_SCOPE_ALL_EQ
};
enum {
    MPI_T_PVAR_CLASS_STATE,
    MPI_T_PVAR_CLASS_LEVEL,
    MPI_T_PVAR_CLASS_SIZE,
    MPI_T_PVAR_CLASS_PERCENTAGE,
    MPI_T_PVAR_CLASS_HIGHWATERMARK,
    MPI_T_PVAR_CLASS_LOWWATERMARK,
    MPI_T_PVAR_CLASS_COUNTER,
    MPI_T_PVAR_CLASS_AGGREGATE,
    MPI_T_PVAR_CLASS_TIMER,
    MPI_T_PVAR_CLASS_GENERIC
};

/* ------------------------------------------------------------------ the functions */

#ifdef __has_attribute
#if __has_attribute(warning)
#define PEAL_MPI_WARNS(name) __attribute__((warning("Peal has no " #name ": a call ends the run as unsupported")))
#endif
#endif
#ifndef PEAL_MPI_WARNS
#define PEAL_MPI_WARNS(name)
#endif

#define PEAL_MPI(type, name, parameters)                                                                               \
    PEAL_MPI_API type MPI_##name parameters;                                                                           \
    PEAL_MPI_API type PMPI_##name parameters;
#ifdef PEAL_MPI_ITSELF
#define PEAL_MPI_ABSENT(type, name, parameters) PEAL_MPI(type, name, parameters)
#else
#define PEAL_MPI_ABSENT(type, name, parameters)                                                                        \
    PEAL_MPI_API type MPI_##name parameters PEAL_MPI_WARNS(MPI_##name);                                                \
    PEAL_MPI_API type PMPI_##name parameters PEAL_MPI_WARNS(MPI_##name);
#endif
#include "calls.def"
#undef PEAL_MPI
#undef PEAL_MPI_ABSENT

/* ------------------------------------------------------------------ computing, for pealrun --compute and --tau
 *
 * PEAL_SAMPLE(runs) { ... }  a region that pealrun --compute sample runs only `runs` times on each node; later it is
 *                            skipped, and the mean of its times is charged.  Else it always runs.  It is not left by
 *                            break, goto or return.
 * PEAL_COMPUTE(operations)   the node has computed so many operations, of τ each.
 *
 * For other MPIs: #ifndef PEAL_SAMPLE, then #define PEAL_SAMPLE(runs) and #define PEAL_COMPUTE(operations) ((void)0) */
PEAL_MPI_API int peal_mpi_sample_begin(int runs);
PEAL_MPI_API int peal_mpi_sample_end(void);
PEAL_MPI_API void peal_mpi_compute(long long operations);
#define PEAL_SAMPLE(runs)                                                                                              \
    for (int peal_sampled_ = peal_mpi_sample_begin(runs); peal_sampled_; peal_sampled_ = peal_mpi_sample_end())
#define PEAL_COMPUTE(operations) peal_mpi_compute(operations)

#ifdef __cplusplus
}
#endif

#endif
