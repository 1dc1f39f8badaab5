/* SPDX-License-Identifier: MIT */
/* Functions of MPI 4 and 5 that are made of those of MPI 3.1, in each interface. */
#include "mpi/process/client.h"
#include <stdlib.h>

/* A handle as an integer: the predefined ones of the standard ABI have their own. */
enum { MAX_PREDEFINED = 0x1000 };
#define BOTH(name, type)                                                                                               \
    EXPORT(int, name##_toint, (type handle))                                                                           \
    {                                                                                                                  \
        return (uintptr_t)handle < MAX_PREDEFINED ? (int)(uintptr_t)handle : PMPI_##name##_c2f(handle);                \
    }                                                                                                                  \
    EXPORT(type, name##_fromint, (int number))                                                                         \
    {                                                                                                                  \
        return number >= 0 && number < MAX_PREDEFINED ? (type)(uintptr_t)number : PMPI_##name##_f2c(number);           \
    }
BOTH(Comm, MPI_Comm)
BOTH(Group, MPI_Group)
BOTH(Type, MPI_Datatype)
BOTH(Request, MPI_Request)
BOTH(Message, MPI_Message)
BOTH(Op, MPI_Op)
BOTH(Errhandler, MPI_Errhandler)
BOTH(Info, MPI_Info)
BOTH(Win, MPI_Win)

/* The public members of a status: source, tag, error. */
enum { FIRST_MEMBER = STATUS == STATUS_OF_MPICH ? 2 : 0 };
#define MEMBER(name, index)                                                                                            \
    EXPORT(int, Status_get_##name, (const int *status, int *value))                                                    \
    {                                                                                                                  \
        *value = status[FIRST_MEMBER + (index)];                                                                       \
        return MPI_SUCCESS;                                                                                            \
    }                                                                                                                  \
    EXPORT(int, Status_set_##name, (int *status, int value))                                                           \
    {                                                                                                                  \
        status[FIRST_MEMBER + (index)] = value;                                                                        \
        return MPI_SUCCESS;                                                                                            \
    }
MEMBER(source, 0)
MEMBER(tag, 1)
MEMBER(error, 2)

/* The contents of a type: counts of 64 bits there are ints here. */
EXPORT(int, Type_get_envelope_c,
       (MPI_Datatype type, MPI_Count *integers, MPI_Count *addresses, MPI_Count *counts, MPI_Count *types,
        int *combiner))
{
    int numbers[3] = {0}, result = PMPI_Type_get_envelope(type, &numbers[0], &numbers[1], &numbers[2], combiner);

    *integers = numbers[0];
    *addresses = numbers[1];
    *counts = 0;
    *types = numbers[2];
    return result;
}

EXPORT(int, Type_get_contents_c,
       (MPI_Datatype type, MPI_Count most_integers, MPI_Count most_addresses, MPI_Count most_counts,
        MPI_Count most_types, int integers[], MPI_Aint addresses[], MPI_Count counts[], MPI_Datatype types[]))
{
    (void)most_counts, (void)counts;
    return PMPI_Type_get_contents(type, (int)most_integers, (int)most_addresses, (int)most_types, integers, addresses,
                                  types);
}

EXPORT(int, Info_get_string, (MPI_Info info, const char *key, int *room, char *value, int *flag))
{
    int length = 0, result = PMPI_Info_get_valuelen(info, key, &length, flag);

    if (result != MPI_SUCCESS || !*flag)
        return result;
    if (*room > 0) {
        char *text = malloc((size_t)length + 1);

        if (!text)
            return MPI_ERR_NO_MEM;
        result = PMPI_Info_get(info, key, length, text, flag);
        strncpy(value, text, (size_t)*room - 1);
        value[*room - 1] = '\0';
        free(text);
    }
    *room = length + 1;
    return result;
}

/* -1: the library has another interface than the standard's. */
EXPORT(int, Abi_get_version, (int *major, int *minor))
{
    *major = STATUS == STATUS_OF_ABI ? 1 : -1;
    *minor = STATUS == STATUS_OF_ABI ? 0 : -1;
    return MPI_SUCCESS;
}
