/* SPDX-License-Identifier: MIT */
/* Translates messages about faults from C's terms to Fortran's.  The messages are in lib/machine/texts.def and where
 * faults are found; the programs of tests/fortran/wrong show the results. */
#include "lib/base/in_fortran.h"
#include "lib/base/text.h"
#include <ctype.h>
#include <stdlib.h>

bool
peal_is_fortran(const char *path)
{
    static const char *const endings[] = {".f", ".for", ".ftn", ".f90", ".f95", ".f03", ".f08",
                                          ".F", ".FOR", ".FTN", ".F90", ".F95", ".F03", ".F08"};

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (text_has_ending(path, endings[i]))
            return true;
    return false;
}

/* C's phrases and Fortran's; a longer phrase stands before its parts. */
static const char *const phrases[][2] = {
    {": malloc takes bytes, n * sizeof *a for n elements", ""},
    {": malloc takes bytes, a length words", ""},
    {", the argument of malloc in bytes", ""},
    {"allocated with malloc at", "allocated at"},
    {"does not begin a block from malloc", "ALLOCATE did not give"},
    {" from malloc", " from ALLOCATE"},
    {"ends and has not freed", "ends and has not deallocated"},
    {"free the block after its last use, or set the pointer to NULL where it is freed",
     "deallocate it after its last use, and NULLIFY other pointers to it there"},
    {"free it at one place only, or set the pointer to NULL where it is freed",
     "deallocate it at one place only, and NULLIFY other pointers to it there"},
    {"a pointer is NULL here on", "an array is not allocated, or a pointer not associated, here on"},
    {"see that it is set, or allocated, on every path", "see that it is on every path"},
    {"a pointer whose value is not an address?", "an index out of bounds, or a pointer that is not associated?"},
    {"is NULL, or next to it: pass the address of a variable, or of memory that it allocated",
     "is not allocated, or not associated: allocate it before"},
    {"was a variable that held a pointer: pass the pointer, not its address (no &)", "held a pointer"},
    {", as C's arrays do", ""},
    {" that of the C variables", " that of the variables"},
    {"MPI_INT, MPI_DOUBLE, ...", "MPI_INTEGER, MPI_DOUBLE_PRECISION, ..."},
    {": MPI_2INT, MPI_DOUBLE_INT, MPI_FLOAT_INT; in Fortran pairs of one type: ", " of one type: "},
    {"on an int", "on LOGICAL"},
    {"an int was passed or cast: a handle does not fit into one; declare the variable, or the parameter, as ",
     "its variable was not set, or written over: no call gave this "},
    {", not int", ""},
    {"overflowed an int", "overflowed an INTEGER"},
    {"than an int holds: bytes and offsets are of size_t or MPI_Aint",
     "than an INTEGER holds: bytes and offsets are INTEGER(KIND=MPI_ADDRESS_KIND)"},
    {"first in main", "first"},
    {"to the end of main", "to the end of the program"},
    {"fopen and fwrite", "OPEN and WRITE"},
    {"before the function that has", "before the procedure that has"},
    {"a block or function", "a block or procedure"},
    {"status.MPI_SOURCE", "the status's MPI_SOURCE"},
    {": rank == root ? MPI_IN_PLACE : data", ""},
    {" != ", " /= "},
    {"add the number of nodes before %", "add the number of nodes before MOD"},
    {"in C ", ""},
    {"offsetof", "MPI_Get_address"},
    {"the extent from sizeof", "the extent from two elements of an array"},
};

/* Replace `length` bytes at `at` of the text; without room the text stays as it is. */
static char *
fortran_replace(char *text, size_t bytes, char *at, size_t length, const char *by)
{
    size_t with = strlen(by), rest = strlen(at + length) + 1;

    if ((size_t)(at - text) + with + rest > bytes)
        return at + length;
    memmove(at + with, at + length, rest);
    memcpy(at, by, with);
    return at + with;
}

/* Where the operand that ends before `end` begins: (...), a name or a number, with its sign. */
static char *
begin_of_operand(char *text, char *end)
{
    char *at = end;
    int depth = 0;

    while (at > text && (depth > 0 || at[-1] == ')' || isalnum((unsigned char)at[-1]) || at[-1] == '_')) {
        at--;
        depth += *at == ')' ? 1 : *at == '(' ? -1 : 0;
        if (depth == 0 && *at == '(')
            break;
    }
    return at > text && at[-1] == '-' && *at != '(' ? at - 1 : at;
}

/* Write f(a, b) for "a % b" and "a ^ b". */
static void
fortran_write_call(char *text, size_t bytes, const char *sign, const char *function)
{
    for (char *at = text; (at = strstr(at, sign));) {
        char *begin = begin_of_operand(text, at), *second = at + strlen(sign);
        size_t length = strspn(second, "0123456789"), first = (size_t)(at - begin);
        char call[100];
        bool bracketed = *begin == '(';

        if (length > 0 && first > 0 &&
            snprintf(call, sizeof call, "%s(%.*s, %.*s)", function, (int)first - 2 * bracketed, begin + bracketed,
                     (int)length, second) < (int)sizeof call)
            at = fortran_replace(text, bytes, begin, (size_t)(second - begin) + length, call);
        else
            at = second;
    }
}

/* Count from 1 what stands after this sign, and replace the brackets: "dims[0]" and "request 0 ". */
static void
count_from_1(char *text, size_t bytes, const char *sign, char end, const char *format)
{
    for (char *at = text; (at = strstr(at, sign));) {
        char *number = at + strlen(sign), *after, counted[40];
        long index = strtol(number, &after, 10);
        bool named = *sign != '[' || (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_'));

        if (!named || after == number || *after != end || index < 0) {
            at = number;
            continue;
        }
        snprintf(counted, sizeof counted, format, index + 1);
        at = fortran_replace(text, bytes, at, (size_t)(after + 1 - at), counted);
    }
}

void
fortran_words(char *text, size_t bytes)
{
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        for (char *at = text; (at = strstr(at, phrases[i][0]));)
            at = fortran_replace(text, bytes, at, strlen(phrases[i][0]), phrases[i][1]);
    fortran_write_call(text, bytes, " % ", "mod");
    fortran_write_call(text, bytes, " ^ ", "ieor");
    count_from_1(text, bytes, "[", ']', "(%ld)");
    count_from_1(text, bytes, ": request ", ' ', ": request %ld ");
    for (char *at = text; (at = strstr(at, " *")); at++) /* parameters that C passes by their addresses */
        if (islower((unsigned char)at[2]))
            fortran_replace(text, bytes, at + 1, 1, "");
}
