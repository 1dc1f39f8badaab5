/* nodes: 1 2 */
/* SPDX-License-Identifier: MIT */
/* external32: the bytes that the standard asks for, there and back; datatypes by precision; names of MPI's
 * datatypes. */
#include "check.h"
#include <wchar.h>

static void
bytes_of(MPI_Datatype type, const void *value, size_t value_bytes, const char *expected, int count)
{
    unsigned char packed[64], back[64];
    MPI_Aint needed = -1, at = 0;

    MPI_Pack_external_size("external32", 1, type, &needed);
    CHECK(needed == count);
    MPI_Pack_external("external32", value, 1, type, packed, sizeof packed, &at);
    CHECK(at == count && memcmp(packed, expected, (size_t)count) == 0);
    at = 0;
    memset(back, 0, sizeof back);
    MPI_Unpack_external("external32", packed, needed, &at, back, 1, type);
    CHECK(at == count && memcmp(back, value, value_bytes) == 0);
}

static void
basic(void)
{
    int i = -2;
    unsigned u = 0x01020304;
    long l = -3;
    unsigned long ul = 0xFFFFFFFEUL;
    long long ll = -0x0102030405060708LL;
    short s = 0x1234;
    wchar_t w = 0x20AC;
    float f = 1.5F;
    double d = -2.0;
    long double q = 1.25L;
    char c = 'x';

    bytes_of(MPI_INT, &i, sizeof i, "\xFF\xFF\xFF\xFE", 4);
    bytes_of(MPI_UNSIGNED, &u, sizeof u, "\x01\x02\x03\x04", 4);
    bytes_of(MPI_LONG, &l, sizeof l, "\xFF\xFF\xFF\xFD", 4);
    bytes_of(MPI_UNSIGNED_LONG, &ul, sizeof ul, "\xFF\xFF\xFF\xFE", 4);
    bytes_of(MPI_LONG_LONG, &ll, sizeof ll, "\xFE\xFD\xFC\xFB\xFA\xF9\xF8\xF8", 8);
    bytes_of(MPI_SHORT, &s, sizeof s, "\x12\x34", 2);
    bytes_of(MPI_WCHAR, &w, sizeof w, "\x20\xAC", 2);
    bytes_of(MPI_FLOAT, &f, sizeof f, "\x3F\xC0\0\0", 4);
    bytes_of(MPI_DOUBLE, &d, sizeof d, "\xC0\0\0\0\0\0\0\0", 8);
    bytes_of(MPI_LONG_DOUBLE, &q, 10, "\x3F\xFF\x40\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    bytes_of(MPI_CHAR, &c, 1, "x", 1);
    bytes_of(MPI_INTEGER16, ((long long[]){9, -2}), 16, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE\0\0\0\0\0\0\0\x09", 16);
    bytes_of(MPI_REAL16, ((long long[]){5, 0x4000800000000000}), 16, "\x40\0\x80\0\0\0\0\0\0\0\0\0\0\0\0\x05", 16);
    bytes_of(MPI_C_DOUBLE_COMPLEX, ((double[]){1.0, 2.0}), 16, "\x3F\xF0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0", 16);
}

static void
derived(void)
{
    struct {
        double value;
        int place;
    } pair = {1.0, 7}, gaps[3] = {{1.0, 1}, {2.0, 2}, {3.0, 3}}, back[3];
    MPI_Datatype type, resized;
    unsigned char packed[64];
    MPI_Aint at = 0;

    bytes_of(MPI_DOUBLE_INT, &pair, 12, "\x3F\xF0\0\0\0\0\0\0\0\0\0\x07", 12);
    /* The place, followed by the value. */
    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){8, 0}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &type);
    MPI_Type_create_resized(type, 0, sizeof pair, &resized);
    MPI_Type_commit(&resized);
    MPI_Pack_external("external32", gaps, 3, resized, packed, 36, &at);
    CHECK(at == 36 && packed[3] == 1 && packed[15] == 2 && packed[27] == 3);
    at = 12;
    memset(back, 0, sizeof back);
    MPI_Unpack_external("external32", packed, 36, &at, back, 2, resized);
    CHECK(at == 36 && back[0].place == 2 && back[1].place == 3 && back[1].value == 3.0 && back[2].place == 0);
    MPI_Type_free(&type);
    MPI_Type_free(&resized);
}

static void
refused(void)
{
    long large = 1L << 31, least = -(1L << 31);
    unsigned char packed[4];
    MPI_Aint at = 0;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Pack_external("native", &large, 1, MPI_LONG, packed, 4, &at) == MPI_ERR_UNSUPPORTED_DATAREP);
    CHECK(MPI_Pack_external("external32", &large, 1, MPI_LONG, packed, 3, &at) == MPI_ERR_TRUNCATE && at == 0);
    CHECK(MPI_Pack_external("external32", &large, 1, MPI_LONG, packed, 4, &at) == MPI_ERR_CONVERSION);
    at = 0;
    CHECK(MPI_Pack_external("external32", &large, 1, MPI_UNSIGNED_LONG, packed, 4, &at) == MPI_SUCCESS);
    at = 0;
    CHECK(MPI_Pack_external("external32", &least, 1, MPI_LONG, packed, 4, &at) == MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void
precision(void)
{
    MPI_Datatype real, again, whole, complex_type, none;
    int bytes = 0, ints, addresses, types, combiner, contents[2];
    double mine = rank + 1, sum = 0;
    char name[MPI_MAX_OBJECT_NAME];

    MPI_Type_create_f90_real(10, 100, &real);
    MPI_Type_create_f90_real(10, 100, &again);
    CHECK(real == again);
    MPI_Type_size(real, &bytes);
    CHECK(bytes == 8);
    MPI_Type_get_envelope(real, &ints, &addresses, &types, &combiner);
    CHECK(ints == 2 && addresses == 0 && types == 0 && combiner == MPI_COMBINER_F90_REAL);
    MPI_Type_get_contents(real, 2, 0, 0, contents, NULL, NULL);
    CHECK(contents[0] == 10 && contents[1] == 100);
    MPI_Datatype column, copy, part;

    MPI_Type_vector(3, 1, 4, MPI_DOUBLE, &column);
    MPI_Type_dup(column, &copy);
    MPI_Type_get_contents(copy, 0, 0, 1, contents, NULL, &part); /* a handle of its own, to be freed */
    MPI_Type_free(&part);
    MPI_Type_free(&copy);
    MPI_Type_free(&column);
    MPI_Allreduce(&mine, &sum, 1, real, MPI_SUM, MPI_COMM_WORLD);
    CHECK((int)sum == size * (size + 1) / 2);
    MPI_Type_create_f90_integer(9, &whole);
    MPI_Type_size(whole, &bytes);
    CHECK(bytes == 4);
    MPI_Type_create_f90_complex(6, MPI_UNDEFINED, &complex_type);
    MPI_Type_size(complex_type, &bytes);
    CHECK(bytes == 8);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Type_create_f90_integer(39, &none) == MPI_ERR_ARG);
    CHECK(MPI_Type_create_f90_real(MPI_UNDEFINED, MPI_UNDEFINED, &none) == MPI_ERR_ARG);
    CHECK(MPI_Type_free(&real) == MPI_ERR_TYPE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (rank == 0)
        MPI_Type_set_name(MPI_INT, "mine");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_get_name(MPI_INT, name, &bytes);
    CHECK(strcmp(name, rank == 0 ? "mine" : "MPI_INT") == 0);
}

static void
processes(void)
{
    MPI_Comm parent = MPI_COMM_SELF, copy;

    MPI_Comm_get_parent(&parent);
    CHECK(parent == MPI_COMM_NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_disconnect(&copy);
    CHECK(copy == MPI_COMM_NULL);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    basic();
    derived();
    refused();
    precision();
    processes();
    MPI_Finalize();
    return 0;
}
