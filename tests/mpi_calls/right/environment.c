/* nodes: 1 3 */
/* SPDX-License-Identifier: MIT */
/* Queries about the library, the time and the threads; info objects, hints and names; memory. */
#include "check.h"

static void
library(void)
{
    int provided, flag, version, subversion, length;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    double before;

    MPI_Query_thread(&provided);
    CHECK(provided == MPI_THREAD_FUNNELED);
    MPI_Is_thread_main(&flag);
    CHECK(flag);
    MPI_Get_version(&version, &subversion);
    CHECK(version == MPI_VERSION && subversion == MPI_SUBVERSION);
    MPI_Get_library_version(text, &length);
    CHECK((int)strlen(text) == length && strstr(text, "Peal"));
    MPI_Get_processor_name(text, &length);
    CHECK((int)strlen(text) == length && length > 0);
    CHECK(MPI_Pcontrol(1) == MPI_SUCCESS && MPI_Pcontrol(2, "all", 3) == MPI_SUCCESS);

    CHECK(MPI_Wtick() > 0 && MPI_Wtick() <= 1e-6);
    before = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(MPI_Wtime() > before);
}

static void
info_objects(void)
{
    MPI_Info info, copy;
    int count, flag, length;
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];

    MPI_Info_create(&info);
    MPI_Info_set(info, "first", "one");
    MPI_Info_set(info, "second", "two");
    MPI_Info_set(info, "first", "uno"); /* in its place */
    MPI_Info_get_nkeys(info, &count);
    CHECK(count == 2);
    MPI_Info_get_nthkey(info, 0, key);
    CHECK(strcmp(key, "first") == 0);
    MPI_Info_get_nthkey(info, 1, key);
    CHECK(strcmp(key, "second") == 0);
    MPI_Info_get_valuelen(info, "first", &length, &flag);
    CHECK(flag && length == 3);
    MPI_Info_get_valuelen(info, "third", &length, &flag);
    CHECK(!flag);
    MPI_Info_dup(info, &copy);
    MPI_Info_delete(info, "first");
    MPI_Info_get_nkeys(info, &count);
    CHECK(count == 1);
    MPI_Info_get(info, "first", MPI_MAX_INFO_VAL, value, &flag);
    CHECK(!flag);
    MPI_Info_get(copy, "first", MPI_MAX_INFO_VAL, value, &flag);
    CHECK(flag && strcmp(value, "uno") == 0);
    MPI_Info_get(copy, "first", 1, value, &flag); /* as much as there is room for */
    CHECK(flag && strcmp(value, "u") == 0);
    MPI_Info_free(&info);
    MPI_Info_free(&copy);
    CHECK(info == MPI_INFO_NULL);
}

static void
hints_and_names(void)
{
    MPI_Comm copy, shared;
    MPI_Info hints, used;
    MPI_Win window;
    int length, result, all, flag, held = 0;
    char name[MPI_MAX_OBJECT_NAME], value[MPI_MAX_INFO_VAL + 1];

    MPI_Info_create(&hints);
    MPI_Info_set(hints, "no_locks", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, hints, &copy);
    MPI_Comm_compare(MPI_COMM_WORLD, copy, &result);
    CHECK(result == MPI_CONGRUENT);
    MPI_Comm_set_info(copy, hints);
    MPI_Comm_get_info(copy, &used);
    MPI_Info_free(&used);
    MPI_Comm_set_name(copy, "a copy");
    MPI_Comm_get_name(copy, name, &length);
    CHECK(strcmp(name, "a copy") == 0 && length == 6);

    MPI_Comm_split_type(copy, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &shared); /* all nodes share memory */
    MPI_Comm_size(shared, &all);
    CHECK(all == size);
    MPI_Comm_rank(shared, &result);
    CHECK(result == size - 1 - rank);
    MPI_Comm_free(&shared);
    MPI_Comm_split_type(copy, rank == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
    CHECK((shared == MPI_COMM_NULL) == (rank == 0));
    if (shared != MPI_COMM_NULL)
        MPI_Comm_free(&shared);

    MPI_Win_create(&held, sizeof held, sizeof held, MPI_INFO_NULL, copy, &window);
    MPI_Win_set_info(window, hints);
    MPI_Win_get_info(window, &used);
    MPI_Info_get(used, "no_locks", MPI_MAX_INFO_VAL, value, &flag);
    CHECK(flag && strcmp(value, "true") == 0);
    MPI_Info_free(&used);
    MPI_Win_free(&window);
    MPI_Info_free(&hints);
    MPI_Comm_free(&copy);
}

int
main(int argc, char **argv)
{
    int provided = -1;
    char *memory;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK(provided == MPI_THREAD_FUNNELED);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    library();
    info_objects();
    hints_and_names();
    MPI_Alloc_mem(1000, MPI_INFO_NULL, &memory);
    memset(memory, rank, 1000);
    MPI_Bcast(memory, 1000, MPI_BYTE, size - 1, MPI_COMM_WORLD);
    CHECK(memory[999] == size - 1);
    MPI_Free_mem(memory);
    MPI_Finalize();
    return 0;
}
