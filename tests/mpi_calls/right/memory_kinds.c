/* nodes: 1 2 3 */
/* compiler: -g */
/* Data in memory of each kind: all of it, its last element, several blocks at once, memory that the C library has freed
 * or allocated again. */
#define _GNU_SOURCE
#include "check.h"
#include <alloca.h>
#include <malloc.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { COUNT = 12, PAGE = 4096 };

static int file_scope[COUNT], neighbour;

/* Broadcast the first or the last elements, and all in one vector. */
__attribute__((noinline)) static void
broadcast(int *memory, int count)
{
    MPI_Datatype every_other;

    for (int i = 0; i < count; i++)
        memory[i] = i;
    MPI_Bcast(memory, count, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(memory + count - 1, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Type_vector((count + 1) / 2, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    MPI_Bcast(memory, 1, every_other, 0, MPI_COMM_WORLD);
    MPI_Type_free(&every_other);
    for (int i = 0; i < count; i++)
        CHECK(memory[i] == i);
}

static void
heap(void)
{
    void *aligned = NULL;

    for (int count = 1; count < 100; count++) {
        size_t bytes = (size_t)count * sizeof(int);
        int *memory = malloc(bytes), *other = calloc((size_t)count, sizeof *other);

        broadcast(memory, count);
        memory = realloc(memory, 3 * bytes);
        broadcast(memory, 3 * count);
        memory = realloc(memory, bytes);
        broadcast(memory, count);
        broadcast(other, count);
        free(memory);
        free(other);
        memory = aligned_alloc(64, 2 * bytes);
        broadcast(memory, 2 * count);
        free(memory);
        CHECK(posix_memalign(&aligned, 256, bytes) == 0);
        broadcast(aligned, count);
        free(aligned);
        memory = memalign(32, bytes);
        broadcast(memory, count);
        free(memory);
    }
}

/* The C library frees and allocates the program's block. */
static void
lines(void)
{
    size_t room = 4;
    char *line = malloc(room), *text = NULL;
    FILE *file = tmpfile();

    for (int i = 0; i < 2000; i++)
        fputc(i % 1000 == 999 ? '\n' : 'x', file);
    rewind(file);
    for (int i = 0; i < 2; i++) {
        CHECK(getline(&line, &room, file) == 1000);
        MPI_Bcast(line, 1001, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
    fclose(file);
    free(line);
    CHECK(asprintf(&text, "%0300d", 7) == 300);
    MPI_Bcast(text, 301, MPI_CHAR, 0, MPI_COMM_WORLD);
    free(text);
}

static void
mappings(void)
{
    const int rights = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
    char *memory = mmap(NULL, 4 * PAGE, rights, flags, -1, 0);

    broadcast((int *)(void *)memory, 4 * PAGE / sizeof(int));
    CHECK(mmap(memory + PAGE, PAGE, rights, flags | MAP_FIXED, -1, 0) == memory + PAGE);
    broadcast((int *)(void *)(memory + PAGE), 2 * PAGE / sizeof(int));
    munmap(memory, PAGE);
    broadcast((int *)(void *)(memory + PAGE), 3 * PAGE / sizeof(int));
    munmap(memory + 3 * PAGE, PAGE);
    broadcast((int *)(void *)(memory + PAGE), 2 * PAGE / sizeof(int));
    memory = mremap(memory + PAGE, 2 * PAGE, 8 * PAGE, MREMAP_MAYMOVE);
    broadcast((int *)(void *)memory, 8 * PAGE / sizeof(int));
    munmap(memory, 8 * PAGE);
}

static void
on_stack(int count)
{
    int local[COUNT], dynamic[count], *apart = alloca((size_t)count * sizeof(int));
    _Alignas(double) int one = 1;
    double other = 2;
    struct {
        int first, rest[COUNT];
        char last;
    } members;
    MPI_Aint bytes[2] = {0, 0}, base;
    MPI_Datatype pair;

    broadcast(local, COUNT);
    broadcast(dynamic, count);
    broadcast(apart, count);
    broadcast(members.rest, COUNT);
    broadcast((int[COUNT]){0}, COUNT);
    for (int i = 0; i < 2; i++) {
        int inner[COUNT];

        broadcast(inner, COUNT - i);
    }
    /* two variables as a struct */
    MPI_Get_address(&one, &base);
    MPI_Get_address(&other, &bytes[1]);
    bytes[1] -= base;
    MPI_Type_create_struct(2, (int[]){1, 1}, bytes, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &pair);
    MPI_Type_commit(&pair);
    MPI_Bcast(&one, 1, pair, 0, MPI_COMM_WORLD);
    MPI_Type_free(&pair);
    CHECK(one == 1 && other == 2);
    if (count > COUNT)
        on_stack(count / 2);
}

static void
of_mpi(void)
{
    int *memory;
    MPI_Win window;

    MPI_Alloc_mem(COUNT * sizeof(int), MPI_INFO_NULL, &memory);
    broadcast(memory, COUNT);
    MPI_Free_mem(memory);
    MPI_Win_allocate(COUNT * sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    broadcast(memory, COUNT);
    MPI_Win_free(&window);
    MPI_Win_allocate_shared(COUNT * sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    broadcast(memory, COUNT);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Bcast(memory, size * COUNT, MPI_INT, 0, MPI_COMM_SELF); /* the parts are neighbours */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
    broadcast(file_scope, COUNT);
    broadcast(&neighbour, 1);
}

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    heap();
    lines();
    mappings();
    on_stack(3 * COUNT);
    of_mpi();
    MPI_Finalize();
    return 0;
}
