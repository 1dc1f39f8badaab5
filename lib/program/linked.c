/* SPDX-License-Identifier: MIT */
/* Reads programs from pealcc and leads their calls to Peal by overwriting slots of the loaded copies. */
#include "lib/program/linked.h"
#include "lib/base/text.h"
#include "lib/machine/engine.h"
#include "lib/machine/stacks.h"
#include "lib/program/interpose.h"
#include "lib/program/sampled.h"
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined __aarch64__
enum { SLOT = R_AARCH64_GLOB_DAT, CALL_SLOT = R_AARCH64_JUMP_SLOT, ADDRESS = R_AARCH64_ABS64, MACHINE = EM_AARCH64 };
#else
enum { SLOT = R_X86_64_GLOB_DAT, CALL_SLOT = R_X86_64_JUMP_SLOT, ADDRESS = R_X86_64_64, MACHINE = EM_X86_64 };
#endif

/* ------------------------------------------------------------------ reading */

bool
linked_is(const char *path)
{
    char begin[SELFMAG] = "";
    struct stat about;
    int file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    bool is = file >= 0 && read(file, begin, sizeof begin) == sizeof begin && memcmp(begin, ELFMAG, SELFMAG) == 0;

    if (file >= 0)
        close(file);
    return is;
}

/* Whether the object exports a start file's function whose name begins with this; `length` counts the final zero for a
 * whole name. */
static bool
has_entry(const unsigned char *bytes, size_t size, const char *name, size_t length)
{
    return memmem(bytes, size, name, length) != NULL;
}

/* Whether the object has a segment of this type with these rights. */
static bool
has_segment(const unsigned char *bytes, size_t size, unsigned type, unsigned rights)
{
    Elf64_Ehdr head;
    Elf64_Phdr segment;

    memcpy(&head, bytes, sizeof head);
    for (size_t i = 0; i < head.e_phnum; i++) {
        if (head.e_phoff > size || (i + 1) * sizeof segment > size - head.e_phoff)
            break;
        memcpy(&segment, bytes + head.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type == type && (segment.p_flags & rights) == rights)
            return true;
    }
    return false;
}

enum peal_program_needs
linked_needs(const unsigned char *bytes, size_t size)
{
    static const char gnu[] = "libgomp.so", llvm[] = "libomp.so";

    if (memmem(bytes, size, gnu, sizeof gnu - 1) || memmem(bytes, size, llvm, sizeof llvm - 1))
        return PEAL_PROGRAM_USES_OPENMP;
    return has_segment(bytes, size, PT_TLS, 0) ? PEAL_PROGRAM_HAS_THREAD_LOCALS : PEAL_PROGRAM_NEEDS_NOTHING;
}

bool
linked_starts_threads(const unsigned char *bytes, size_t size)
{
    static const char *const names[] = {"pthread_create", "thrd_create", "_ZNSt6thread15_M_start_thread",
                                        "GOMP_parallel", "__kmpc_fork_call"};
    bool found = false;

    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = memmem(bytes, size, names[i], strlen(names[i]));
    return found;
}

/* Whether the program puts code on its stack: Fortran may, and is linked so that the loader does not refuse it; in C
 * the object says so. */
static bool
executes_stack(const unsigned char *bytes, size_t size)
{
    static const char fortran[] = "peal_mpi_fortran_exit";

    return memmem(bytes, size, fortran, sizeof fortran) || has_segment(bytes, size, PT_GNU_STACK, PF_X);
}

enum peal_status
linked_read(const char *path, struct compiled *program, struct peal_error *error)
{
    static const char handler[] = "__gxx_personality_v";
    Elf64_Ehdr head;

    *program = (struct compiled){.linked = true};
    program->bytes = folder_bytes(path, &program->size);
    if (!program->bytes)
        return peal_refuse(error, errno == ENOMEM ? PEAL_RESOURCES : PEAL_PROGRAM, "%s cannot be read: %s", path,
                           strerror(errno));
    if (program->size < sizeof head)
        return peal_refuse(error, PEAL_PROGRAM, "%s is cut off: %zu bytes", path, program->size);
    memcpy(&head, program->bytes, sizeof head);
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != MACHINE)
        return peal_refuse(error, PEAL_PROGRAM, "%s is for another machine than this one", path);
    if (head.e_type == ET_REL)
        return peal_refuse(error, PEAL_PROGRAM, "%s is an object file: link it with pealcc", path);
    bool entry = has_entry(program->bytes, program->size, LINKED_ENTRY, sizeof LINKED_ENTRY);

    if (!entry && has_entry(program->bytes, program->size, LINKED_ENTRY_OF_ANY, sizeof LINKED_ENTRY_OF_ANY - 1))
        return peal_refuse(error, PEAL_PROGRAM,
                           "%s was compiled by another version of pealcc, whose mpi.h has other constants: compile and "
                           "link it again",
                           path);
    if (head.e_type != ET_DYN || !entry)
        return peal_refuse(error, PEAL_PROGRAM,
                           "%s was not linked by pealcc: build the program with CC=pealcc, as in "
                           "make CC=pealcc or pealcc prog.c -o prog",
                           path);
    program->writable = !elf_is_constant(program->bytes, program->size);
    /* The unwinder of exceptions asks the loader for frames. */
    program->unwinds = memmem(program->bytes, program->size, handler, sizeof handler - 1) != NULL;
    if (!stacks_execute && executes_stack(program->bytes, program->size)) {
        stacks_forget();
        stacks_execute = true;
    }
    return PEAL_OK;
}

/* ------------------------------------------------------------------ slots */

/* The parts of the dynamic section that we use; addresses are those in memory. */
struct tables {
    const Elf64_Sym *symbols;
    const char *names;
    const Elf64_Rela *rela[2];
    size_t count[2];
};

static struct tables
read_tables(const void *dynamic)
{
    struct tables tables = {.symbols = NULL};

    for (const Elf64_Dyn *tag = dynamic; tag->d_tag != DT_NULL; tag++) {
        if (tag->d_tag == DT_SYMTAB)
            memcpy(&tables.symbols, &tag->d_un.d_ptr, sizeof tables.symbols);
        else if (tag->d_tag == DT_STRTAB)
            memcpy(&tables.names, &tag->d_un.d_ptr, sizeof tables.names);
        else if (tag->d_tag == DT_RELA)
            memcpy(&tables.rela[0], &tag->d_un.d_ptr, sizeof tables.rela[0]);
        else if (tag->d_tag == DT_RELASZ)
            tables.count[0] = tag->d_un.d_val / sizeof(Elf64_Rela);
        else if (tag->d_tag == DT_JMPREL)
            memcpy(&tables.rela[1], &tag->d_un.d_ptr, sizeof tables.rela[1]);
        else if (tag->d_tag == DT_PLTRELSZ)
            tables.count[1] = tag->d_un.d_val / sizeof(Elf64_Rela);
    }
    return tables;
}

/* Call `fill` for each slot of an imported name; it returns the address that the slot holds from now on, or NULL.
 * Calls of sampled functions have slots, too. */
static void
fill_slots(char *base, const void *dynamic, void *(*fill)(const char *name))
{
    const struct tables tables = read_tables(dynamic);

    for (int t = 0; t < 2; t++)
        for (size_t i = 0; tables.symbols && tables.names && i < tables.count[t]; i++) {
            const Elf64_Rela *one = &tables.rela[t][i];
            const Elf64_Sym *symbol = &tables.symbols[ELF64_R_SYM(one->r_info)];
            unsigned type = (unsigned)ELF64_R_TYPE(one->r_info);

            if (type != SLOT && type != CALL_SLOT && type != ADDRESS)
                continue;
            const char *name = tables.names + symbol->st_name;
            bool own = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && fill == interpose_address;
            void *address = symbol->st_shndx == SHN_UNDEF ? fill(name)
                            : own                         ? sampled_address(name, symbol->st_value)
                                                          : NULL;

            if (address)
                memcpy(base + one->r_offset, &address, sizeof address);
        }
}

/* Fill them while the read-only part is made writable.  Afterwards it has the rights of the code before it, so that
 * both stay one map. */
static bool
fill_unlocked(char *base, const void *dynamic, size_t code, size_t frozen, void *(*fill)(const char *name))
{
    if (frozen > code && mprotect(base + code, frozen - code, PROT_READ | PROT_WRITE) != 0)
        return false;
    fill_slots(base, dynamic, fill);
    return frozen <= code || mprotect(base + code, frozen - code, PROT_READ | PROT_EXEC) == 0;
}

/* ------------------------------------------------------------------ the C++ library
 *
 * std::cout, std::cin and std::chrono are functions of a library that all copies share, and that calls the C
 * library.  In strict runs its allocations are known, too: programs free some of its blocks, and it some of theirs. */

static void *
cplusplus_address(const char *name)
{
    static const char *const led[] = {"fwrite", "fputs",  "fputc",   "putc",          "fflush",
                                      "getc",   "fread",  "read",    "clock_gettime", "gettimeofday",
                                      "malloc", "calloc", "realloc", "free",          NULL};

    for (size_t i = 0; led[i]; i++)
        if (strcmp(led[i], name) == 0)
            return interpose_address(name);
    return NULL;
}

/* Change the slots of one library, whose page may have been made read-only. */
static bool
lead_slots(char *base, const void *dynamic)
{
    const struct tables tables = read_tables(dynamic);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    for (int t = 0; t < 2; t++)
        for (size_t i = 0; tables.symbols && tables.names && i < tables.count[t]; i++) {
            const Elf64_Rela *one = &tables.rela[t][i];
            const Elf64_Sym *symbol = &tables.symbols[ELF64_R_SYM(one->r_info)];
            unsigned type = (unsigned)ELF64_R_TYPE(one->r_info);
            void *address = (type == SLOT || type == CALL_SLOT) && symbol->st_shndx == SHN_UNDEF
                                ? cplusplus_address(tables.names + symbol->st_name)
                                : NULL;
            uintptr_t slot = (uintptr_t)base + one->r_offset;

            if (!address)
                continue;
            if (mprotect((char *)slot - slot % page, page, PROT_READ | PROT_WRITE) != 0)
                return false;
            memcpy((char *)slot, &address, sizeof address);
        }
    return true;
}

/* Called for each loaded library: 1 ends the walk, as a failure. */
static int
lead_library(struct dl_phdr_info *info, size_t size, void *nothing)
{
    const char *name = file_name(info->dlpi_name);

    (void)size, (void)nothing;
    if (strncmp(name, "libstdc++.so", 12) != 0 && strncmp(name, "libc++.so", 9) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return !lead_slots((char *)info->dlpi_addr, (char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    return 0;
}

bool
linked_bind_cplusplus(void)
{
    static const char *const runtimes[] = {"libstdc++.so.6", "libc++abi.so.1"};

    for (size_t i = 0; !engine_exceptions && i < sizeof runtimes / sizeof *runtimes; i++) {
        void *library = dlopen(runtimes[i], RTLD_NOW | RTLD_NOLOAD),
             *globals = library ? dlsym(library, "__cxa_get_globals") : NULL;

        memcpy(&engine_exceptions, &globals, sizeof globals); /* C has no cast from data to function */
        if (library)
            dlclose(library);
    }
    return dl_iterate_phdr(lead_library, NULL) == 0;
}

/* ------------------------------------------------------------------ standard input */

static FILE *empty_input; /* of all nodes except node 0, once there are any */

static void *
empty_input_for(const char *name)
{
    return strcmp(name, "stdin") == 0 ? &empty_input : NULL;
}

static bool
open_empty_input(void)
{
    if (!empty_input)
        empty_input = fopen("/dev/null", "re");
    return empty_input != NULL;
}

static bool uses_input;

static void *
note_input(const char *name)
{
    uses_input |= strcmp(name, "stdin") == 0;
    return NULL;
}

bool
linked_bind(char *base, const void *dynamic, size_t code, size_t frozen, bool further)
{
    return fill_unlocked(base, dynamic, code, frozen, interpose_address) &&
           (!further || linked_empty_input(base, dynamic, code, frozen));
}

bool
linked_empty_input(char *base, const void *dynamic, size_t code, size_t frozen)
{
    uses_input = false;
    fill_slots(base, dynamic, note_input);
    if (!uses_input)
        return true;
    return open_empty_input() && fill_unlocked(base, dynamic, code, frozen, empty_input_for);
}
