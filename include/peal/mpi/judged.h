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
    char *thrown, *differs; /* 80 bytes each, for what an exception says, and of a vector that is not as it has to be */
};

typedef int peal_mpi_function(const struct peal_mpi_call *call);

/* Declare the arguments; lists of counts are of int, or with `long_` of size_t. */
#define PEAL_MPI_ARGUMENTS(type, kind)                                                                                 \
    PEAL_MPI_BUFFERS(type, kind);                                                                                      \
    int count = peal_call->count, sendcount = peal_call->sendcount, recvcount = peal_call->recvcount;                  \
    int root = peal_call->root, rank = peal_call->rank, size = peal_call->size;                                        \
    MPI_Datatype datatype = peal_call->datatype, sendtype = datatype, recvtype = datatype;                             \
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
    type *displs = sdispls ? sdispls : rdispls;                                                                        \
    int *sbytes = peal_call->sbytes, *rbytes = peal_call->rbytes;                                                      \
    MPI_Datatype *sendtypes = peal_call->sendtypes, *recvtypes = peal_call->recvtypes

/* The value of a call, an error code; 0 of a function that returns nothing. */
#define PEAL_MPI_RESULT(...)                                                                                           \
    __builtin_choose_expr(__builtin_types_compatible_p(__typeof__(__VA_ARGS__), void), ((__VA_ARGS__), 0),             \
                          (__VA_ARGS__))

#elif __cplusplus < 201103L
#error peal check calls functions of C++11 or later: leave out -std=c++98
#else

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <type_traits>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

/* The error code of a function that throws. */
enum { PEAL_JUDGED_THREW = -1 };

/* A vector that a function is given, until the call is over. */
class peal_judged_vector
{
  public:
    peal_judged_vector() = default;
    peal_judged_vector(const peal_judged_vector &) = delete;
    peal_judged_vector &operator=(const peal_judged_vector &) = delete;
    ~peal_judged_vector()
    {
        if (end)
            end(*this);
    }
    template <class T> std::vector<T> &of(void (*ends)(peal_judged_vector &), void *to, std::size_t bytes_there)
    {
        if (end != ends) {
            if (end)
                end(*this);
            vector = new std::vector<T>;
        }
        end = ends;
        place = to;
        bytes = bytes_there;
        return *static_cast<std::vector<T> *>(vector);
    }

    void *vector = nullptr, *place = nullptr;
    std::size_t bytes = 0;
    char *differs = nullptr;

  private:
    void (*end)(peal_judged_vector &) = nullptr;
};

/* Put what a vector holds where the data are, unless it is only read; it must still have its length, where the data
 * count. */
template <class T>
void
peal_judged_return(const std::vector<T> &result, const char *name, void *place, std::size_t bytes, char *differs)
{
    const std::size_t size = result.size() * sizeof(T), count = size < bytes ? size : bytes;
    const void *words = result.data();

    if (bytes == 0) /* they do not count */
        return;
    if (result.size() != bytes / sizeof(T))
        std::snprintf(differs, 80, "%s has %zu elements after the call, expected %zu", name, result.size(),
                      bytes / sizeof(T));
    else if (std::strcmp(name, "sendbuf") != 0)
        std::memcpy(place, words, count);
    else if (std::memcmp(place, words, count) != 0)
        std::snprintf(differs, 80, "sendbuf, a vector that is only read, was written");
}

/* A buffer as the function takes it: a pointer to any type, or a std::vector of its contents, which are copied back
 * when the call is over.  Sides: 0 sendbuf, 1 recvbuf, 2 buffer. */
template <int side> class peal_judged_buffer
{
  public:
    peal_judged_buffer(void *memory, std::size_t size, char *differs) : place(memory), bytes(size), differs(differs)
    {
    }
    peal_judged_buffer(std::nullptr_t)
    {
    }
    peal_judged_buffer(const peal_judged_buffer &other) : place(other.place), bytes(other.bytes), differs(other.differs)
    {
    }
    peal_judged_buffer &operator=(const peal_judged_buffer &) = delete;
    peal_judged_buffer operator+(std::ptrdiff_t distance) const
    {
        std::size_t passed = bytes < static_cast<std::size_t>(distance) ? bytes : static_cast<std::size_t>(distance);

        return peal_judged_buffer(static_cast<char *>(place) + distance, bytes - passed, differs);
    }
    void **operator&()
    {
        return &place;
    }
    operator void *() const
    {
        return place;
    }
    template <class T> operator T *() const
    {
        return static_cast<T *>(place);
    }
    template <class T,
              typename std::enable_if<std::is_integral<T>::value && !std::is_same<T, bool>::value, int>::type = 0>
    explicit operator T() const
    {
        return static_cast<T>(reinterpret_cast<std::uintptr_t>(place));
    }
    template <class T> operator std::vector<T> &()
    {
        static_assert(std::is_trivially_copyable<T>::value, "the elements are numbers");
        const std::size_t count = elements<T>();
        std::vector<T> &all = vector.of<T>(&give_back<T>, place, bytes);

        vector.differs = differs;
        all.resize(count);
        if (count > 0)
            std::memcpy(static_cast<void *>(all.data()), place, count * sizeof(T));
        return all;
    }
    template <class T> operator std::vector<T> *()
    {
        return &static_cast<std::vector<T> &>(*this);
    }
#if __cplusplus >= 202002L
    template <class T> operator std::span<T>() const
    {
        return {static_cast<T *>(place), elements<T>()};
    }
#endif

    /* How many elements there are.  That the function asks for them shows in its object: MPI_IN_PLACE has none. */
    template <class T> __attribute__((noinline)) std::size_t elements() const
    {
        return bytes / sizeof(T);
    }

  private:
    template <class T> static void give_back(peal_judged_vector &memory)
    {
        const char *name = side == 0 ? "sendbuf" : side == 1 ? "recvbuf" : "buffer";
        auto *result = static_cast<std::vector<T> *>(memory.vector);

        peal_judged_return(*result, name, memory.place, memory.bytes, memory.differs);
        delete result;
    }

    void *place = nullptr;
    std::size_t bytes = 0;
    char *differs = nullptr;
    peal_judged_vector vector;
};

/* A list with one entry for each node: a pointer, or a std::vector of integers of any type. */
template <class E> class peal_judged_list
{
  public:
    peal_judged_list(E *entries, int size) : list(entries), count(entries ? static_cast<std::size_t>(size) : 0)
    {
    }
    operator E *() const
    {
        return list;
    }
    template <class T> operator std::vector<T> &()
    {
        std::vector<T> &all = vector.of<T>(&forget<T>, nullptr, 0);

        all.assign(list, list + count);
        return all;
    }
    template <class T> operator std::vector<T> *()
    {
        return &static_cast<std::vector<T> &>(*this);
    }
#if __cplusplus >= 202002L
    operator std::span<E>() const
    {
        return {list, count};
    }
    operator std::span<const E>() const
    {
        return {list, count};
    }
#endif

  private:
    template <class T> static void forget(peal_judged_vector &memory)
    {
        delete static_cast<std::vector<T> *>(memory.vector);
    }

    E *list;
    std::size_t count;
    peal_judged_vector vector;
};

#define PEAL_MPI_BUFFERS(type, kind)                                                                                   \
    peal_judged_buffer<0> sendbuf(peal_call->sendbuf, peal_call->sent_bytes, peal_call->differs);                      \
    peal_judged_buffer<1> recvbuf(peal_call->recvbuf, peal_call->received_bytes, peal_call->differs);                  \
    peal_judged_buffer<2> buffer(peal_call->buffer, peal_call->buffer_bytes, peal_call->differs);                      \
    peal_judged_list<type> sendcounts(peal_call->kind##sendcounts, peal_call->size),                                   \
        recvcounts(peal_call->kind##recvcounts, peal_call->size), sdispls(peal_call->kind##sdispls, peal_call->size),  \
        rdispls(peal_call->kind##rdispls, peal_call->size),                                                            \
        displs(sdispls ? peal_call->kind##sdispls : peal_call->kind##rdispls, peal_call->size);                        \
    peal_judged_list<int> sbytes(peal_call->sbytes, peal_call->size), rbytes(peal_call->rbytes, peal_call->size);      \
    peal_judged_list<MPI_Datatype> sendtypes(peal_call->sendtypes, peal_call->size),                                   \
        recvtypes(peal_call->recvtypes, peal_call->size)

/* What a function returns: an error code, nothing, or a vector in place of a buffer of results. */
template <class R> struct peal_judged_type {
};

template <class F, class R>
int
peal_judged_value(const struct peal_mpi_call *, F &function, peal_judged_type<R>)
{
    return function();
}

template <class F>
int
peal_judged_value(const struct peal_mpi_call *, F &function, peal_judged_type<void>)
{
    function();
    return MPI_SUCCESS;
}

template <class F, class T>
int
peal_judged_value(const struct peal_mpi_call *call, F &function, peal_judged_type<std::vector<T>>)
{
    peal_judged_buffer<0>(nullptr).elements<T>();
    peal_judged_return(function(), "the vector that it returns", call->recvbuf, call->received_bytes, call->differs);
    return MPI_SUCCESS;
}

template <class F>
int
peal_judged_result(const struct peal_mpi_call *call, F function)
{
    const char *what = "an exception of a type of its own";

    try {
        return peal_judged_value(call, function, peal_judged_type<decltype(function())>());
    } catch (const std::exception &thrown) {
        std::strncpy(call->thrown, thrown.what(), 79);
    } catch (...) {
        std::strncpy(call->thrown, what, 79);
    }
    return PEAL_JUDGED_THREW;
}

/* The value of a call, an error code; 0 of a function that returns nothing. */
#define PEAL_MPI_RESULT(...) peal_judged_result(peal_call, [&] { return __VA_ARGS__; })

#endif

#endif
