/* SPDX-License-Identifier: MIT */
/* The call that peal check --mpi makes of a user's function: between libpealmpi.so, which fills in the arguments, and
 * the text that Peal compiles around the user's file, which passes those that the function takes. */
#ifndef PEAL_MPI_JUDGED_H
#define PEAL_MPI_JUDGED_H

#include <peal/mpi/mpi.h>
#include <stddef.h>

/* Elements before each block, of a call with gaps between blocks. */
enum { PEAL_JUDGED_GAP = 2 };

/* Arguments by MPI's own names, and three more: buffer is also a vector that is changed in place, rank and size are
 * those of comm. */
struct peal_mpi_call {
    void *sendbuf, *recvbuf, *buffer;
    int count, sendcount, recvcount, root, rank, size;
    int *sendcounts, *recvcounts, *sdispls, *rdispls; /* displs is that of the side that has one */
    size_t *long_sendcounts, *long_recvcounts, *long_sdispls, *long_rdispls;
    int *sbytes, *rbytes; /* displacements in bytes */
    MPI_Datatype datatype, *sendtypes, *recvtypes;
    MPI_Op op;
    MPI_Comm comm;
    size_t sent_bytes, received_bytes, buffer_bytes; /* of what those hold; 0 where MPI does not call it significant */
    char *thrown;                                    /* 80 bytes, for what an exception says */
};

typedef int peal_mpi_function(const struct peal_mpi_call *call);

/* Declare the arguments; lists of counts are of int, or with `long_` of size_t. */
#define PEAL_MPI_ARGUMENTS(type, kind)                                                                                 \
    PEAL_MPI_BUFFERS(type, kind);                                                                                      \
    int count = peal_call->count, sendcount = peal_call->sendcount, recvcount = peal_call->recvcount;                  \
    int root = peal_call->root, rank = peal_call->rank, size = peal_call->size;                                        \
    int *sbytes = peal_call->sbytes, *rbytes = peal_call->rbytes;                                                      \
    MPI_Datatype datatype = peal_call->datatype, sendtype = datatype, recvtype = datatype;                             \
    MPI_Datatype *sendtypes = peal_call->sendtypes, *recvtypes = peal_call->recvtypes;                                 \
    MPI_Op op = peal_call->op;                                                                                         \
    MPI_Comm comm = peal_call->comm;                                                                                   \
                                                                                                                       \
    (void)sendbuf, (void)recvbuf, (void)buffer, (void)count, (void)sendcount, (void)recvcount, (void)root, (void)rank; \
    (void)size, (void)sendcounts, (void)recvcounts, (void)sdispls, (void)rdispls, (void)displs, (void)sbytes;          \
    (void)rbytes, (void)datatype, (void)sendtype, (void)recvtype, (void)sendtypes, (void)recvtypes, (void)op;          \
    (void)comm

#ifndef __cplusplus

#define PEAL_MPI_BUFFERS(type, kind)                                                                                   \
    void *sendbuf = peal_call->sendbuf, *recvbuf = peal_call->recvbuf, *buffer = peal_call->buffer;                    \
    type *sendcounts = peal_call->kind##sendcounts, *recvcounts = peal_call->kind##recvcounts;                         \
    type *sdispls = peal_call->kind##sdispls, *rdispls = peal_call->kind##rdispls;                                     \
    type *displs = sdispls ? sdispls : rdispls

/* The value of a call, an error code; 0 of a function that returns nothing. */
#define PEAL_MPI_RESULT(call)                                                                                          \
    __builtin_choose_expr(__builtin_types_compatible_p(__typeof__(call), void), ((call), 0), (call))

#else

#include <cstring>
#include <exception>
#include <type_traits>
#include <vector>

/* The error code of a function that throws. */
enum { PEAL_JUDGED_THREW = -1 };

/* Memory as the function takes it: a pointer to whatever type, or a std::vector with what is there, which goes back
 * when the call is over, unless it is only read. */
class peal_judged_memory
{
  public:
    peal_judged_memory(void *memory, std::size_t size, bool changes) : place(memory), bytes(size), back(changes)
    {
    }
    peal_judged_memory(const peal_judged_memory &) = delete;
    peal_judged_memory &operator=(const peal_judged_memory &) = delete;
    ~peal_judged_memory()
    {
        if (end)
            end(*this);
    }
    template <class T> operator std::vector<T> &()
    {
        auto *elements = new std::vector<T>(bytes / sizeof(T));

        if (bytes > 0)
            std::memcpy(static_cast<void *>(elements->data()), place, elements->size() * sizeof(T));
        vector = elements;
        end = [](peal_judged_memory &memory) {
            auto *result = static_cast<std::vector<T> *>(memory.vector);
            std::size_t size = result->size() * sizeof(T), count = size < memory.bytes ? size : memory.bytes;

            if (memory.back && count > 0)
                std::memcpy(memory.place, static_cast<void *>(result->data()), count);
            delete result;
        };
        return *elements;
    }

  protected:
    void *place;
    std::size_t bytes;

  private:
    bool back;
    void *vector = nullptr;
    void (*end)(peal_judged_memory &) = nullptr;
};

class peal_judged_buffer : public peal_judged_memory
{
  public:
    using peal_judged_memory::peal_judged_memory;
    operator void *() const
    {
        return place;
    }
    template <class T> operator T *() const
    {
        return static_cast<T *>(place);
    }
};

template <class E> class peal_judged_list : public peal_judged_memory
{
  public:
    peal_judged_list(E *list, int size) : peal_judged_memory(list, list ? size * sizeof(E) : 0, false)
    {
    }
    operator E *() const
    {
        return static_cast<E *>(place);
    }
};

#define PEAL_MPI_BUFFERS(type, kind)                                                                                   \
    peal_judged_buffer sendbuf(peal_call->sendbuf, peal_call->sent_bytes, false),                                      \
        recvbuf(peal_call->recvbuf, peal_call->received_bytes, true),                                                  \
        buffer(peal_call->buffer, peal_call->buffer_bytes, true);                                                      \
    peal_judged_list<type> sendcounts(peal_call->kind##sendcounts, peal_call->size),                                   \
        recvcounts(peal_call->kind##recvcounts, peal_call->size), sdispls(peal_call->kind##sdispls, peal_call->size),  \
        rdispls(peal_call->kind##rdispls, peal_call->size),                                                            \
        displs(sdispls ? peal_call->kind##sdispls : peal_call->kind##rdispls, peal_call->size)

template <class F>
int
peal_judged_value(F &function, std::true_type)
{
    function();
    return MPI_SUCCESS;
}

template <class F>
int
peal_judged_value(F &function, std::false_type)
{
    return function();
}

template <class F>
int
peal_judged_result(const struct peal_mpi_call *call, F function)
{
    const char *what = "an exception of a type of its own";

    try {
        return peal_judged_value(function, std::is_void<decltype(function())>());
    } catch (const std::exception &thrown) {
        std::strncpy(call->thrown, thrown.what(), 79);
    } catch (...) {
        std::strncpy(call->thrown, what, 79);
    }
    return PEAL_JUDGED_THREW;
}

/* The value of a call, an error code; 0 of a function that returns nothing. */
#define PEAL_MPI_RESULT(call) peal_judged_result(peal_call, [&] { return call; })

#endif

#endif
