/* SPDX-License-Identifier: MIT */
/* Calls that bring a node no information from other nodes.  This is a list of allowed calls: the nodes of a process
 * share so much (descriptors, signal handlers, the environment, buffers that functions return) that a list of forbidden
 * calls would never be complete. */
#include "lib/check/channels.h"
#include "lib/program/source.h"
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
static const char *const known[] = {
    /* string.h, strings.h: all without state; not strerror, strsignal and the family of strtok_r */
    "mem*", "bcmp", "bcopy", "bzero", "ffs*", "rawmemchr", "stpcpy", "stpncpy", "str*cmp", "strcasestr", "strcat",
    "strchr*", "strcoll", "strcpy", "str*spn", "str*dup", "strlen", "strncasecmp", "strncat", "strncpy", "strnlen",
    "strpbrk", "strrchr", "strsep", "strstr", "strtok*", "strxfrm", "strverscmp", "strlcpy", "strlcat", "index",
    "rindex", "swab",
    /* stdlib.h: memory, numbers, sorting, random numbers, which are a node's own, exits */
    "malloc", "calloc", "realloc", "reallocarray", "free", "aligned_alloc", "posix_memalign", "abs", "labs", "llabs",
    "imaxabs", "div", "ldiv", "lldiv", "imaxdiv", "ato[fil]", "atoll", "strto[dfl]", "strto[ui]max", "strtold",
    "strtol*", "strtoul*", "strtoq", "strtouq", "qsort*", "bsearch", "rand", "rand_r", "srand", "random", "srandom",
    "drand48", "lrand48", "mrand48", "srand48", "exit", "_exit", "_Exit", "quick_exit", "abort", "getenv",
    /* stdio.h, for output and strings */
    "printf", "vprintf", "fprintf", "vfprintf", "s*printf", "vs*printf", "asprintf", "vasprintf", "puts", "fputs",
    "putc*", "putchar*", "fputc*", "fputs_unlocked", "fwrite*", "fflush", "perror", "sscanf", "vsscanf", "stdout",
    "stderr", "psignal",
    /* ctype.h, wchar.h without a state, setjmp.h, assert.h, time */
    "is*", "to[ul]*er", "wcs*", "wmem*", "*setjmp", "longjmp", "siglongjmp", "clock", "clock_gettime", "time",
    "difftime", "gettimeofday", "nanosleep", "usleep", "sleep", "getpid", "getpagesize", "sysconf", "sched_yield",
    /* math.h, complex.h: those not recognised by their ending */
    "acos*", "asin*", "atan*", "cbrt*", "ceil*", "copysign*", "cos*", "erf*", "exp*", "fabs*", "fdim*", "floor*",
    "fma*", "fmin*", "fmod*", "frexp*", "hypot*", "ilogb*", "ldexp*", "llr*", "log*", "lr*int*", "lround*", "modf*",
    "nan*", "nearbyint*", "next*", "pow*", "remainder*", "remquo*", "rint*", "round*", "scalb*", "sin*", "sqrt*",
    "tan*", "tgamma*", "trunc*", "j[01n]*", "y[01n]*", "cabs*", "cacos*", "carg*", "casin*", "catan*", "ccos*", "cexp*",
    "cimag*", "clog*", "conj*", "cpow*", "cproj*", "creal*", "csin*", "csqrt*", "ctan*", "significand*", "drem*",
    "gamma_r", "lgamma*_r",
    /* the names by which compilers and headers replace them */
    "__tsan_*", "__sanitizer_cov*", "__asan_*", "__ubsan_*", "__gcov_*", "__llvm_*", "__stack_chk_*",
    "__aarch64_*", /* atomics that are calls */
    "__assert*_fail",
    "__assert_perror_fail", "__errno_location", "__*_chk", "__isoc??_*scanf", "__isoc??_strto*", "__isoc??_wcsto*",
    "__ctype_*_loc", "__mul*", "__div*", "__udiv*", "__umod*", "__mod*", "__pow*", "__float*", "__fix*", "__add*",
    "__sub*", "__neg*", "__ashl*", "__ashr*", "__lshr*", "__cmp*", "__popcount*", "__clz*", "__ctz*", "__ffs*",
    "__parity*", "__bswap*", "__extend*", "__trunc*", "__eq*", "__ne*", "__g[et]*", "__l[et]*", "__unord*",
    "__*_finite", "__finite*", "__is[in]*", "__signbit*", "__fpclassify*", "__str*", "__mem*", "__sigsetjmp",
    "__tls_get_addr", "_GLOBAL_OFFSET_TABLE_", "__atomic_*", "__sync_*", "_setjmp",
    /* C++: new and delete, exceptions, types, containers, strings, streams; docs: std::cout's format is shared */
    "_Zn[wa]*", "_Zd[la]*", "__cxa_*", "__gxx_personality_*", "_Unwind_*", "__dso_handle", "__dynamic_cast",
    "_ZT[ISTV]*", "_ZSt*__throw_*", "_ZNSt*_error*", "_ZNKSt*_error*", "_ZNSt9exception*", "_ZNKSt9exception*",
    "_ZNSt15__exception_ptr*", "_ZSt*exception*", "_ZSt9terminatev", "_ZNSt*invalid_argument*",
    "_ZNSt*out_of_range*", "_ZNSt*bad_*",
    "_ZNSt*basic_string*", "_ZNKSt*basic_string*", "_ZStplI*", "_ZNS[adios]*", "_ZNKS[adios]*", "_ZSt7nothrow",
    "_ZNSt*basic_[ios]*stream*",
    "_ZNKSt*basic_[ios]*stream*", "_ZNSt9basic_ios*", "_ZNKSt9basic_ios*", "_ZNSt8ios_base*", "_ZNKSt8ios_base*",
    "_ZSt21ios_base_library_initv", /* of g++ 13 and later, where <iostream> is included */
    "_ZNSt6localeC*", "_ZNSt6localeD*", "_ZNKSt5ctype*", "_ZSt4c[oe]*", "_ZSt4clog", "_ZSt*basic_[io]stream*",
    "__libc_single_threaded",
    "_ZSt*_Rb_tree_*", "_ZNSt8__detail*", "_ZNKSt8__detail*", "_ZSt11_Hash_bytes*", "_ZNSt6chrono*now*",
    /* Fortran: statements for input and output, intrinsic procedures */
    "_gfortran*",
    /* Peal's, and MPI's */
    "peal_*", "PEAL_*", "MPI_*", "PMPI_*",
    NULL
};

/* Calls that match `known`, but share information. */
static const char *const sharing[] = {
    "peal_split*", "peal_run*", "peal_machine*", "peal_program*", "peal_contained*", "peal_check*", "peal_sandbox*",
    "peal_declare_call*", "peal_enter*", "peal_exercise*", "peal_wrap_*",
    "*MPI_File_*", "*MPI_Win_allocate_shared", "*MPI_Win_shared_query",
    "_ZNSt8ios_base*xalloc*", "_ZNSt8ios_base*sync_with_stdio*", "_ZNSt8ios_base*register_callback*",
    "_ZNSt8ios_base*_M_grow_words*", "_ZNSt9basic_ios*rdbuf*", "__cxa_thread_atexit*", "__cxa_get_globals*",
    "_ZNSt15basic_streambuf*pub*", "_ZNSt*basic_[io]*fstream*", "_ZNSt13basic_filebuf*",
    "_gfortran_*alarm*", "_gfortran_chdir*", "_gfortran_chmod*", "_gfortran_execute_command*", "_gfortran_system",
    "_gfortran_system_sub", "_gfortran_kill*", "_gfortran_*link*", "_gfortran_symlnk*", "_gfortran_rename*",
    "_gfortran_signal*", "_gfortran_umask*", "_gfortran_caf_*",
    "memfd_*", "wcs*tombs", "truncate*", "login*", "logout*", "logwtmp", "__get*", "__memalign*",
    NULL
};
/* Of Peal's calls those that a graded function may make: what a node does (node.h), collectives (calls.h), and queries
 * with the same answer for all nodes.  tests/check/hostile_test.c compares the list with the headers. */
static const char *const graded[] = {
    "peal_abort*", "peal_alloc*", "peal_clock", "peal_compute*", "peal_elements_of_*", "peal_exit", "peal_free",
    "peal_next_round*", "peal_node_network", "peal_node_options", "peal_*printf", "peal_random", "peal_rank*",
    "peal_recv*", "peal_send*",
    "peal_show", "peal_size", "peal_test*", "peal_wait", "peal_wait_at", "peal_wait_all*", "peal_word_bytes",
    "peal_world_rank",
    "peal_write",
    "peal_allgather*", "peal_allreduce*", "peal_alltoall*", "peal_barrier*", "peal_broadcast*", "peal_exscan*",
    "peal_gather*", "peal_multicast*", "peal_reduce*", "peal_scan*", "peal_scatter*", "peal_shift*", "peal_block*",
    "peal_op_find", "peal_affine", "peal_sum_*", "peal_max_*", "peal_min_*", "peal_prod_*",
    "peal_algorithm_*", "peal_call_find", "peal_call_name", "peal_closed_*", "peal_collective_*", "peal_cut_text",
    "peal_identical_*", "peal_lower_bound*", "peal_requirements_text", "peal_situation_on", "peal_network_*",
    "peal_cost_*", "peal_parameter*", "peal_scratch*", "peal_self", "peal_is_world", "peal_packet", "peal_fail_at",
    "peal_code_line", "peal_version", "peal_suggest", "peal_parse_*", "peal_refuse", "peal_status_text",
    "peal_failure_*", "peal_form_of",
    "peal_equal_*_", "peal_differ_*_", "peal_sizeof_*_", /* of MPI's modules */
    NULL
};
/* clang-format on */

static bool
patterns_match(const char *const *patterns, const char *name)
{
    while (*patterns && fnmatch(*patterns, name, 0) != 0)
        patterns++;
    return *patterns != NULL;
}

static bool
shares(const char *name)
{
    return !patterns_match(known, name) || patterns_match(sharing, name);
}

bool
peal_contained_shares(const char *name)
{
    return shares(name) || (strncmp(name, "peal_", 5) == 0 && !patterns_match(graded, name));
}

const char *
channels_find(const char *calls, char name[200])
{
    for (size_t length; calls && *calls; calls += length + (calls[length] != '\0')) {
        length = strcspn(calls, "\n");
        snprintf(name, 200, "%.*s", (int)length, calls);
        if (*name && *name != '=' && shares(name)) {
            demangle(name);
            return name;
        }
    }
    return NULL;
}

const char *
channels_how(const char *name)
{
    return strncmp(name, "peal_split", 10) == 0 ? "whose colours and keys nodes learn without a message"
                                                : "through which nodes can share data without a message";
}
