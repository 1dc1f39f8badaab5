/* SPDX-License-Identifier: MIT */
/* Receives that a program makes again and again, into the same place and from the same source: part of wire_mpi.c.
 *
 * It takes Open MPI less to start and to complete a persistent request than a receive that is made anew, which has one to
 * find and to give back.  MPICH makes a new one to start a persistent one, too, so there nothing is kept.
 *
 * A receive is kept when it has been made KEPT_AFTER times on end: one for each of a few sources and tags.  Its request is
 * copied to where others are, and is still there when it is complete, where MPI leaves MPI_REQUEST_NULL of others. */
#ifndef LIB_CLUSTER_KEPT_H
#define LIB_CLUSTER_KEPT_H

#include <stdbool.h>
#include <stdint.h>

/* What a receive asks for. */
struct wanted {
    void *buf;
    int bytes, source, tag;
    uint32_t context;
    MPI_Comm communicator; /* of the context */
};

#ifdef OPEN_MPI
enum { MOST_KEPT = 8, KEPT_AFTER = 8 };

struct kept {
    const void *buf;
    int bytes, source, tag;
    uint32_t context;
    uint32_t times; /* on end, before there is a request */
    bool idle;      /* there is a request, and it is not under way */
    MPI_Request request;
};

struct keeping {
    struct kept kept[MOST_KEPT];
    struct kept none; /* stands for all receives that are not kept */
};

static inline bool
is_kept(const struct kept *kept, const struct wanted *wanted)
{
    return kept->buf == wanted->buf && kept->bytes == wanted->bytes && kept->source == wanted->source &&
           kept->tag == wanted->tag && kept->context == wanted->context;
}

static __attribute__((noinline)) bool
receive_anew(struct kept *kept, const struct wanted wanted, MPI_Request *request)
{
    if (!is_kept(kept, &wanted)) {
        if (kept->request != MPI_REQUEST_NULL && kept->idle)
            MPI_Request_free(&kept->request);
        if (kept->request == MPI_REQUEST_NULL)
            *kept = (struct kept){.buf = wanted.buf,
                                  .bytes = wanted.bytes,
                                  .source = wanted.source,
                                  .tag = wanted.tag,
                                  .context = wanted.context,
                                  .request = MPI_REQUEST_NULL};
    } else if (kept->request == MPI_REQUEST_NULL && ++kept->times == KEPT_AFTER) {
        kept->idle = MPI_Recv_init(wanted.buf, wanted.bytes, MPI_BYTE, wanted.source, wanted.tag, wanted.communicator,
                                   &kept->request) == MPI_SUCCESS;
    }
    return MPI_Irecv(wanted.buf, wanted.bytes, MPI_BYTE, wanted.source, wanted.tag, wanted.communicator, request) ==
           MPI_SUCCESS;
}

/* Post a receive.  When it is complete, *of is given back, and *request forgotten. */
static inline bool
begin_receive(struct keeping *keeping, struct kept **of, const struct wanted wanted, MPI_Request *request)
{
    struct kept *kept = &keeping->kept[(uint32_t)(wanted.source ^ wanted.tag) % MOST_KEPT];

    if (__builtin_expect(kept->idle && is_kept(kept, &wanted), 1)) {
        kept->idle = false;
        *of = kept;
        *request = kept->request;
        return MPI_Start(request) == MPI_SUCCESS;
    }
    *of = &keeping->none;
    return receive_anew(kept, wanted, request);
}

static inline void
give_back(struct kept *kept, MPI_Request *request)
{
    kept->idle = true;
    *request = MPI_REQUEST_NULL;
}

/* The same of a request that is complete, by whatever call it was posted. */
static inline void
give_back_request(struct keeping *keeping, MPI_Request *request)
{
    if (__builtin_expect(*request == MPI_REQUEST_NULL, 1))
        return;
    for (int i = 0; i < MOST_KEPT; i++)
        keeping->kept[i].idle |= keeping->kept[i].request == *request;
    *request = MPI_REQUEST_NULL;
}

/* A test said that something is wrong with the receive: with that Open MPI has freed its request, persistent or not. */
static void
lose(struct kept *kept)
{
    *kept = (struct kept){.request = MPI_REQUEST_NULL};
}

static void
lose_request(struct keeping *keeping, MPI_Request request)
{
    for (int i = 0; i < MOST_KEPT; i++)
        if (keeping->kept[i].request == request)
            lose(&keeping->kept[i]);
}

static void
keep_begin(struct keeping *keeping)
{
    for (int i = 0; i < MOST_KEPT; i++)
        lose(&keeping->kept[i]);
    lose(&keeping->none);
}

/* Forget them all; none is under way. */
static void
keep_none(struct keeping *keeping)
{
    for (int i = 0; i < MOST_KEPT; i++)
        if (keeping->kept[i].request != MPI_REQUEST_NULL)
            MPI_Request_free(&keeping->kept[i].request);
    keep_begin(keeping);
}

#else
struct kept {
    char nothing;
};

struct keeping {
    struct kept none;
};

static inline bool
begin_receive(struct keeping *keeping, struct kept **of, const struct wanted wanted, MPI_Request *request)
{
    *of = &keeping->none;
    return MPI_Irecv(wanted.buf, wanted.bytes, MPI_BYTE, wanted.source, wanted.tag, wanted.communicator, request) ==
           MPI_SUCCESS;
}

static inline void
give_back(const struct kept *kept, const MPI_Request *request)
{
    (void)kept;
    (void)request;
}

static inline void
give_back_request(const struct keeping *keeping, const MPI_Request *request)
{
    (void)keeping;
    (void)request;
}

static void
lose(const struct kept *kept)
{
    (void)kept;
}

static void
lose_request(const struct keeping *keeping, MPI_Request request)
{
    (void)keeping;
    (void)request;
}

static void
keep_begin(const struct keeping *keeping)
{
    (void)keeping;
}

static void
keep_none(const struct keeping *keeping)
{
    (void)keeping;
}
#endif

#endif
