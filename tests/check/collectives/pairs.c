/* SPDX-License-Identifier: MIT */
/* What is wrong only where two things come together, or whatever a precondition leaves out; and what is right there. */
#include "own.h"

/* Each node's block to all, from the address of the own one; blocks begin at these places. */
static int
to_all(const char *own, int count, MPI_Datatype type, void *out, const int counts[], const int places[],
       MPI_Datatype to, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);

    for (int k = 1; k < P; k++) {
        int dest = (r + k) % P, source = (r + P - k) % P;

        MPI_Sendrecv(own, count, type, dest, 3, at(out, (size_t)places[source], to), counts[source], to, source, 3,
                     comm, MPI_STATUS_IGNORE);
    }
    return MPI_SUCCESS;
}

static int
exchange(const void *in, int count, MPI_Datatype type, void *out, const int counts[], const int places[], int own,
         MPI_Datatype to, MPI_Comm comm)
{
    int r = rank_in(comm);

    if (in == MPI_IN_PLACE)
        return to_all(at(out, (size_t)own, to), counts[r], to, out, counts, places, to, comm);
    MPI_Sendrecv(in, count, type, 0, 4, at(out, (size_t)places[r], to), counts[r], to, 0, 4, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    return to_all(in, count, type, out, counts, places, to, comm);
}

/* check allgatherv by_places: proved runs=twice,group,spaced,gaps,comms,halves,overlap,sizes,in_place,empty,unequal
 * check allgatherv by_places --nonzero: proved runs=twice,group,spaced,struct,gaps,comms,halves,overlap,sizes,unequal
 * check allgatherv by_places --divides: proved runs=group,spaced,struct,gaps,comms,sizes,in_place,empty,unequal
 * check allgatherv by_places --nonzero --divides: proved runs=group,spaced,struct,gaps,comms,sizes,in_place,unequal
 * check allgatherv by_places --only 'n>=100': proved runs=twice,group,spaced,struct,gaps,comms,sizes,in_place,unequal
 * check allgatherv by_places --only 'P>2,n>=P': proved runs=twice,group,gaps,halves,sizes,in_place,empty,unequal */
int
by_places(const void *in, int count, MPI_Datatype type, void *out, const int counts[], const int displs[],
          MPI_Datatype to, MPI_Comm comm)
{
    return exchange(in, count, type, out, counts, displs, displs[rank_in(comm)], to, comm);
}

/* Blocks one behind the other, whatever the displacements.
 * check allgatherv without_places: out-of-bounds|wrong-result P=1
 * check allgatherv without_places --nonzero: out-of-bounds|wrong-result P=1
 * check allgatherv without_places --divides: out-of-bounds|wrong-result
 * check allgatherv without_places --only 'n>=100': out-of-bounds|wrong-result */
int
without_places(const void *in, int count, MPI_Datatype type, void *out, const int counts[], const int displs[],
               MPI_Datatype to, MPI_Comm comm)
{
    int P = size_of(comm), *places = room_of(((size_t)P + 1) * sizeof *places), error;

    (void)displs;
    places[0] = 0;
    for (int i = 0; i < P; i++)
        places[i + 1] = places[i] + counts[i];
    error = exchange(in, count, type, out, counts, places, places[rank_in(comm)], to, comm);
    free(places);
    return error;
}

/* The own block in place is looked for behind the blocks before it.
 * check allgatherv own_behind_others: wrong-result|uninitialised-send|out-of-bounds P=1|2
 * check allgatherv own_behind_others --nonzero: wrong-result|uninitialised-send|out-of-bounds P=1|2
 * check allgatherv own_behind_others --divides: wrong-result|uninitialised-send|out-of-bounds P=1|2
 * check allgatherv own_behind_others --buffers separate: proved */
int
own_behind_others(const void *in, int count, MPI_Datatype type, void *out, const int counts[], const int displs[],
                  MPI_Datatype to, MPI_Comm comm)
{
    int own = 0;

    for (int i = 0; i < rank_in(comm); i++)
        own += counts[i];
    return exchange(in, count, type, out, counts, displs, own, to, comm);
}

/* All blocks have the length of the first.
 * check allgatherv first_for_all --nonzero: truncation|wrong-result|out-of-bounds|collective-mismatch P=2
 * check allgatherv first_for_all --only 'n>=P' --nonzero: truncation|wrong-result|out-of-bounds P=2 */
int
first_for_all(const void *in, int count, MPI_Datatype type, void *out, const int counts[], const int displs[],
              MPI_Datatype to, MPI_Comm comm)
{
    int P = size_of(comm), *lengths = room_of((size_t)P * sizeof *lengths), error;

    for (int i = 0; i < P; i++)
        lengths[i] = counts[0];
    error = exchange(in, count, type, out, lengths, displs, displs[rank_in(comm)], to, comm);
    free(lengths);
    return error;
}

/* Blocks are a size apart for each element, and not an extent; in place, the rank of the world says where.
 * check allgatherv sizes_apart --nonzero: out-of-bounds|wrong-result|truncation|uninitialised-send P=1|2
 * check allgatherv sizes_apart --nonzero --divides: out-of-bounds|wrong-result|truncation|uninitialised-send P=1|2
 * check allgatherv sizes_apart --only 'n>=40': out-of-bounds|wrong-result|truncation|uninitialised-send P=1|2 */
int
sizes_apart(const void *in, int count, MPI_Datatype type, void *out, const int counts[], const int displs[],
            MPI_Datatype to, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);

    for (int i = 0; i < P; i++) {
        char *block = (char *)out + (size_t)displs[i] * sizeof(MPI_Aint);

        if (i == r && in != MPI_IN_PLACE)
            MPI_Sendrecv(in, count, type, 0, 4, block, counts[r], to, 0, 4, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Bcast(block, counts[i], to, i, comm);
    }
    return MPI_SUCCESS;
}

/* check allgatherv in_place_of_the_world: uninitialised-send|wrong-result|out-of-bounds|bad-rank|crash
 * check allgatherv in_place_of_the_world --nonzero: uninitialised-send|wrong-result|out-of-bounds|bad-rank|crash
 * check allgatherv in_place_of_the_world --buffers separate: proved */
int
in_place_of_the_world(const void *in, int count, MPI_Datatype type, void *out, const int counts[], const int displs[],
                      MPI_Datatype to, MPI_Comm comm)
{
    int world = rank_in(MPI_COMM_WORLD), P = size_of(comm);

    return exchange(in, count, type, out, counts, displs, displs[in == MPI_IN_PLACE ? world % P : 0], to, comm);
}

/* ------------------------------------------------------------------ buffers that count at the root alone */

static int
to_root(const void *in, int count, MPI_Datatype type, void *out, int length, MPI_Datatype to, int root, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);

    if (r != root)
        return MPI_Send(in, count, type, root, 5, comm);
    for (int i = 0; i < P; i++)
        if (i != root)
            MPI_Recv(at(out, (size_t)(i * length), to), length, to, i, 5, comm, MPI_STATUS_IGNORE);
        else if (in != MPI_IN_PLACE)
            MPI_Sendrecv(in, count, type, 0, 4, at(out, (size_t)(i * length), to), length, to, 0, 4, MPI_COMM_SELF,
                         MPI_STATUS_IGNORE);
    return MPI_SUCCESS;
}

/* check gather at_the_root: proved runs=given,roots,sizes,root,in_place,struct
 * check gather at_the_root --nonzero: proved runs=given,roots,sizes,root,in_place,struct
 * check gather at_the_root --only 'P>1,n>=P': proved runs=given,roots,sizes,in_place,struct limits=empty */
int
at_the_root(const void *in, int count, MPI_Datatype type, void *out, int length, MPI_Datatype to, int root,
            MPI_Comm comm)
{
    return to_root(in, count, type, out, length, to, root, comm);
}

/* check gather writes_everywhere: out-of-bounds P=2
 * check gather writes_everywhere --nonzero: out-of-bounds P=2
 * check gather writes_everywhere --only 'P>1,n>=P': out-of-bounds P=2 */
int
writes_everywhere(const void *in, int count, MPI_Datatype type, void *out, int length, MPI_Datatype to, int root,
                  MPI_Comm comm)
{
    if (out && rank_in(comm) != root)
        memcpy(out, in, (size_t)count * extent_of(type));
    return to_root(in, count, type, out, length, to, root, comm);
}

/* check scatter reads_everywhere: out-of-bounds P=2
 * check scatter reads_everywhere --nonzero: out-of-bounds P=2 */
int
reads_everywhere(const void *in, int count, MPI_Datatype type, void *out, int length, MPI_Datatype to, int root,
                 MPI_Comm comm)
{
    int r = rank_in(comm);

    if (in && out != MPI_IN_PLACE)
        memcpy(out, at(in, (size_t)(r * count), type), (size_t)length * extent_of(to));
    for (int i = 0; r == root && i < size_of(comm); i++)
        if (i != root)
            MPI_Send(at(in, (size_t)(i * count), type), count, type, i, 5, comm);
    return r == root ? MPI_SUCCESS : MPI_Recv(out, length, to, root, 5, comm, MPI_STATUS_IGNORE);
}

/* ------------------------------------------------------------------ what is kept from the first call */

static int kept_root = -1, kept_count;
static MPI_Comm kept_comm = MPI_COMM_NULL;

/* The root of the first call.
 * check broadcast keeps_root --call twice: proved
 * check broadcast keeps_root: wrong-result|deadlock|unmatched-message|uninitialised-send|collective-mismatch P=2
 * check broadcast keeps_root --nonzero: wrong-result|deadlock|unmatched-message|uninitialised-send P=2 */
int
keeps_root(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    kept_root = kept_root < 0 ? root : kept_root;
    return MPI_Bcast(buffer, count, type, kept_root, comm);
}

/* The length of the first call.
 * check broadcast keeps_count --call twice: proved
 * check broadcast keeps_count: wrong-result|out-of-bounds|uninitialised-send P=1|2
 * check broadcast keeps_count --root 0: wrong-result|out-of-bounds|uninitialised-send P=1|2
 * check broadcast keeps_count --only 'n%P=0': wrong-result|out-of-bounds|uninitialised-send P=1|2 */
int
keeps_count(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    kept_count = kept_count == 0 ? count : kept_count;
    return MPI_Bcast(buffer, kept_count, type, root, comm);
}

/* The communicator of the first call.
 * check broadcast keeps_comm --call twice: proved
 * check broadcast keeps_comm: wrong-result|deadlock|uninitialised-send|collective-mismatch|crash|bad-rank
 * check broadcast keeps_comm --divides: wrong-result|deadlock|uninitialised-send|collective-mismatch|crash|bad-rank */
int
keeps_comm(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    kept_comm = kept_comm == MPI_COMM_NULL ? comm : kept_comm;
    return MPI_Bcast(buffer, count, type, root, kept_comm);
}

/* ------------------------------------------------------------------ without a communicator */

/* It is called on the world alone.
 * check allreduce adds_on_the_world --arguments 'buffer, count' --elements float: proved runs=sizes limits=communicator
 * check allreduce adds_on_the_world --arguments 'buffer, count' --elements float --call twice+sizes: proved */
void
adds_on_the_world(float *a, int n)
{
    MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}
