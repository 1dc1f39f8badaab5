/* nodes: 1 3 */
/* SPDX-License-Identifier: MIT */
/* Attributes of communicators and datatypes: the functions that are called, their order, and their errors. */
#include "check.h"

static char trace[200];

static int
copy_comm(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)key;
    CHECK(comm == MPI_COMM_WORLD);
    sprintf(trace + strlen(trace), "c%s ", (const char *)extra);
    *(void **)out = (char *)in + 1;
    *flag = *(const char *)extra != 'B'; /* B is not copied */
    return MPI_SUCCESS;
}

static int
delete_comm(MPI_Comm comm, int key, void *value, void *extra)
{
    int size_of = 0;

    (void)key, (void)value;
    MPI_Comm_size(comm, &size_of); /* the communicator is still there */
    CHECK(size_of >= 1);
    sprintf(trace + strlen(trace), "d%s ", (const char *)extra);
    return MPI_SUCCESS;
}

static int
refuse(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value;
    return *(int *)extra ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void
expect(const char *expected)
{
    if (strcmp(trace, expected) != 0) {
        printf("rank %d: expected '%s', got '%s'\n", rank, expected, trace);
        MPI_Abort(MPI_COMM_WORLD, 9);
    }
    trace[0] = '\0';
}

static void
communicators(void)
{
    static char names[3][2] = {"A", "B", "C"}, values[8];
    int keys[3], flag = -1, refuses = 1, stubborn;
    void *value = NULL;
    MPI_Comm copy;

    for (int i = 0; i < 3; i++) {
        MPI_Comm_create_keyval(copy_comm, delete_comm, &keys[i], names[i]);
        MPI_Comm_set_attr(MPI_COMM_WORLD, keys[i], &values[i]);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    expect("cA cB cC ");
    MPI_Comm_get_attr(copy, keys[1], &value, &flag);
    CHECK(flag == 0);
    MPI_Comm_get_attr(copy, keys[2], &value, &flag);
    CHECK(flag == 1 && value == &values[3]);
    MPI_Comm_set_attr(copy, keys[0], values + 7);
    expect("dA ");
    MPI_Comm_free(&copy);
    expect("dA dC ");
    MPI_Comm_delete_attr(MPI_COMM_WORLD, keys[1]);
    expect("dB ");
    MPI_Comm_free_keyval(&keys[0]);
    CHECK(keys[0] == MPI_KEYVAL_INVALID);

    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &stubborn, &refuses);
    MPI_Comm_set_attr(copy, stubborn, NULL);
    CHECK(MPI_Comm_set_attr(copy, stubborn, NULL) == MPI_ERR_OTHER);
    CHECK(MPI_Comm_free(&copy) == MPI_ERR_OTHER && copy != MPI_COMM_NULL);
    CHECK(MPI_Type_set_attr(MPI_INT, stubborn, NULL) == MPI_ERR_KEYVAL);
    refuses = 0;
    CHECK(MPI_Comm_free(&copy) == MPI_SUCCESS);
    MPI_Comm_free_keyval(&stubborn);
    CHECK(MPI_Comm_free_keyval(&stubborn) == MPI_ERR_KEYVAL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static int
delete_type(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type, (void)key, (void)value;
    ++*(int *)extra;
    return MPI_SUCCESS;
}

static void
datatypes(void)
{
    int key, other, deleted = 0, flag = -1, values[2] = {0, 0};
    void *value = NULL;
    MPI_Datatype pair, copy;

    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, delete_type, &key, &deleted);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, delete_type, &other, &deleted);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_set_attr(pair, key, &values[0]);
    MPI_Type_set_attr(pair, other, &values[1]);
    MPI_Type_dup(pair, &copy);
    MPI_Type_get_attr(copy, key, &value, &flag);
    CHECK(flag && value == &values[0]);
    MPI_Type_get_attr(copy, other, &value, &flag);
    CHECK(!flag);
    MPI_Type_free(&pair);
    CHECK(deleted == 2);
    MPI_Type_delete_attr(copy, key);
    CHECK(deleted == 3);
    MPI_Type_free(&copy);
    CHECK(deleted == 3);
    /* A basic type has attributes of each node's own. */
    if (rank == 0)
        MPI_Type_set_attr(MPI_INT, key, &values[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_get_attr(MPI_INT, key, &value, &flag);
    CHECK(flag == (rank == 0));
    if (rank == 0)
        MPI_Type_delete_attr(MPI_INT, key);
    MPI_Type_free_keyval(&key);
    MPI_Type_free_keyval(&other);
}

static void
codes(void)
{
    int class, code, *last = NULL, flag = 0, before, of = -1;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
    CHECK(flag && *last >= MPI_ERR_LASTCODE);
    before = *last;
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
    CHECK(flag && *last > before && *last >= class && *last >= code);
    MPI_Error_class(code, &of);
    CHECK(of == class);
}

static int
at_end(MPI_Comm comm, int key, void *value, void *extra)
{
    int initialized = 0, finalized = 1;

    (void)comm, (void)key, (void)extra;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    CHECK(initialized && !finalized);
    sprintf(trace + strlen(trace), "%s ", (const char *)value);
    return MPI_SUCCESS;
}

int
main(int argc, char **argv)
{
    static char order[3][2] = {"1", "2", "3"};
    int key;

    begin(&argc, &argv);
    communicators();
    datatypes();
    codes();
    for (int i = 0; i < 3; i++) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, NULL);
        MPI_Comm_set_attr(MPI_COMM_SELF, key, order[i]);
        MPI_Comm_free_keyval(&key);
    }
    MPI_Finalize();
    return strcmp(trace, "3 2 1 ") != 0;
}
