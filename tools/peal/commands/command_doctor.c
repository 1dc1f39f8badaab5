/* SPDX-License-Identifier: MIT */
/* peal doctor: the capabilities of this build and this system, one per line, and what to install for a missing one. */
#include "commands/commands.h"
#include "lib/base/process.h"
#include "lib/machine/host.h"
#include "lib/proof/every.h"
#include "lib/sandbox/parts.h"
#include "lib/synthesis/synthesis.h"
#include <errno.h>
#include <limits.h>
#include <sys/uio.h>

enum state { OK, ABSENT, BROKEN, FACT }; /* ABSENT: an optional part that this build leaves out */

/* One line of the report. */
struct finding {
    char name[24];
    enum state state;
    char text[300];
    char cure[200]; /* what to do about it; "" */
};

enum { MAX_FINDINGS = 24, NAME_COLUMNS = 18, STATE_COLUMNS = 8 };

struct doctor_report {
    struct finding findings[MAX_FINDINGS];
    int count;
};

static struct finding *doctor_add(struct doctor_report *report, const char *name, enum state state, const char *format,
                                  ...) PEAL_PRINTF(4, 5);

static struct finding *
doctor_add(struct doctor_report *report, const char *name, enum state state, const char *format, ...)
{
    struct finding *finding = &report->findings[report->count++];
    va_list list;

    snprintf(finding->name, sizeof finding->name, "%s", name);
    finding->state = state;
    va_start(list, format);
    vsnprintf(finding->text, sizeof finding->text, format, list);
    va_end(list);
    return finding;
}

/* ------------------------------------------------------------------ the system */

static void
look_at_system(struct doctor_report *report)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE), free_pages = sysconf(_SC_AVPHYS_PAGES);

    doctor_add(report, "cores", FACT, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    doctor_add(report, "memory", FACT, "%.1f GiB, %.1f GiB of it free", (double)pages * (double)page / 0x1p30,
               (double)free_pages * (double)page / 0x1p30);
}

/* ------------------------------------------------------------------ engines */

static void
look_at_engines(struct doctor_report *report)
{
    static const char *const engines[] = {"threads", "fibers"};

    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        struct peal_options options;
        struct peal_error error;
        char name[40];

        peal_options_init(&options);
        options.nodes = 1;
        options.engine = engines[i];
        struct peal_machine *machine = peal_machine_create(&options, &error);

        snprintf(name, sizeof name, "engine %s", engines[i]);
        if (!machine) {
            struct finding *finding = doctor_add(report, name, error.status == PEAL_USAGE ? ABSENT : BROKEN, "%.290s",
                                                 error.status == PEAL_USAGE ? "not in this build" : error.text);

            if (error.status == PEAL_USAGE && strcmp(engines[i], "fibers") == 0)
                strcpy(finding->cure, "install libboost-context-dev and build again");
        } else if (i == 0) {
            const char *which = "";
            long limit = peal_threads_allowed(&which);

            if (limit > 0)
                doctor_add(report, name, OK, "fewer than %ld nodes (%s)", limit, which);
            else
                doctor_add(report, name, OK, "no limit on threads was found");
        } else {
            doctor_add(report, name, OK, "in this build");
        }
        peal_machine_destroy(machine);
    }
}

static void
look_at_mpi(struct doctor_report *report)
{
    char built[80] = "";
    const char *name;

    for (int i = 0; (name = peal_mpi_built(i)); i++)
        peal_append(IN_ARRAY(built), "%s%s", i > 0 ? ", " : "", name);
    if (built[0])
        doctor_add(report, "engine mpi", OK, "in this build, for %s", built);
    else
        strcpy(doctor_add(report, "engine mpi", ABSENT, "not in this build")->cure,
               "install libopenmpi-dev or libmpich-dev and build again");
}

/* ------------------------------------------------------------------ programs in files */

static void
look_at_compiler(struct doctor_report *report)
{
    const char *own = getenv("CC");
    const char *name = own && *own ? own : "cc";
    FILE *in = popen("${CC:-cc} --version 2>/dev/null", "r");
    char line[160] = "";

    if (in && !fgets(line, sizeof line, in))
        line[0] = '\0';
    bool there = in && pclose(in) == 0 && line[0];

    line[strcspn(line, "\n")] = '\0';
    if (there)
        doctor_add(report, "compiler", OK, "%s: %s", name, line);
    else
        strcpy(doctor_add(report, "compiler", BROKEN, "%s was not found", name)->cure,
               "apt-get install gcc libc6-dev, or set CC to your compiler");
}

static const char test_program[] = "#include <peal/peal.h>\n"
                                   "static int calls;\n"
                                   "void peal_main(struct peal_node *me, int argc, char **argv)\n"
                                   "{\n"
                                   "    (void)argc, (void)argv;\n"
                                   "    peal_barrier(me);\n"
                                   "    if (++calls != 1) peal_abort(me, \"two nodes share a global\");\n"
                                   "}\n";

/* Compile and run the test program in `path`.  errors: those of the calls it makes, or the run's failure */
static enum peal_status
try_program(const char *path, int nodes, struct peal_error *error)
{
    char *argv[] = {(char[]){"doctor"}, NULL};
    struct peal_program_options program = {.argc = 1, .argv = argv};
    struct peal_options options;

    peal_options_init(&options);
    options.nodes = nodes;
    struct peal_program_file *file = peal_program_load(path, nodes, &program, error);
    struct peal_machine *machine = file ? peal_machine_create(&options, error) : NULL;
    const struct peal_failure *failure = machine ? peal_program_run(machine, file) : NULL;
    enum peal_status status = machine ? PEAL_OK : error->status;

    if (failure)
        status = peal_refuse(error, failure->status, "%s", failure->message);
    peal_machine_destroy(machine);
    peal_program_destroy(file);
    return status;
}

/* Write a program into doctor.c in a new directory; a failure is reported as `name`. */
static bool
doctor_write_source(struct doctor_report *report, const char *name, const char *text, char directory[PATH_MAX],
                    char source[PATH_MAX + 16])
{
    const char *parent = getenv("TMPDIR");
    FILE *out = NULL;

    snprintf(directory, PATH_MAX, "%s/peal-doctor-XXXXXX", parent && *parent ? parent : "/tmp");
    if (mkdtemp(directory)) {
        snprintf(source, PATH_MAX + 16, "%s/doctor.c", directory);
        out = fopen(source, "w");
    }
    if (out && fputs(text, out) >= 0 && fclose(out) == 0)
        return true;
    doctor_add(report, name, BROKEN, "no file can be written in %.200s: %s", directory, strerror(errno));
    return false;
}

static void
look_at_programs(struct doctor_report *report)
{
    enum { NODES = 4 };
    char directory[PATH_MAX], path[PATH_MAX + 16];
    struct peal_error error = {PEAL_OK, ""};

    if (!doctor_write_source(report, "node programs", test_program, directory, path))
        return;
    if (try_program(path, NODES, &error) == PEAL_OK)
        doctor_add(report, "node programs", OK, "one was compiled against Peal's headers and run on %d nodes", NODES);
    else
        strcpy(doctor_add(report, "node programs", BROKEN, "%.290s", error.text)->cure,
               "see the compiler's message, if there is one; PEAL_INCLUDE says where Peal's headers are");
    unlink(path);
    rmdir(directory);
}

/* ------------------------------------------------------------------ MPI programs */

static const char mpi_program[] = "#include <mpi.h>\n"
                                  "static int calls;\n"
                                  "int main(int argc, char **argv)\n"
                                  "{\n"
                                  "    int size;\n"
                                  "    MPI_Init(&argc, &argv);\n"
                                  "    MPI_Comm_size(MPI_COMM_WORLD, &size);\n"
                                  "    MPI_Barrier(MPI_COMM_WORLD);\n"
                                  "    MPI_Finalize();\n"
                                  "    return ++calls == 1 && size == 4 ? 0 : 1;\n"
                                  "}\n";
static const char mpi_program_in_fortran[] = "use mpi\n"
                                             "integer, save :: calls = 0\n"
                                             "integer :: nodes, ierror\n"
                                             "call MPI_Init(ierror)\n"
                                             "call MPI_Comm_size(MPI_COMM_WORLD, nodes, ierror)\n"
                                             "calls = calls + 1\n"
                                             "call MPI_Finalize(ierror)\n"
                                             "if (calls /= 1 .or. nodes /= 4) stop 1\n"
                                             "end\n";

/* The path of a command that belongs to this one: beside it, or its bare name, to be found along PATH. */
static void
beside(const char *name, char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 32);
    char *slash;

    path[length > 0 ? length : 0] = '\0';
    if ((slash = strrchr(path, '/')))
        snprintf(slash + 1, 32, "%s", name);
    if (!slash || access(path, X_OK) != 0)
        snprintf(path, PATH_MAX, "%s", name);
}

/* The compiler of MPI programs in each language; C++ and Fortran are optional. */
static const struct mpi_language {
    const char *name, *wrapper, *option, *program, *cure;
    enum state missing;
} mpi_languages[] = {
    {"MPI programs", "pealcc", "-xc", mpi_program,
     "apt-get install gcc libc6-dev, or set PEAL_CC to your compiler; pealcc -show prints the command", BROKEN},
    {"MPI programs, C++", "pealc++", "-xc++", mpi_program,
     "apt-get install g++, or set PEAL_CXX to your compiler; pealc++ -show prints the command", ABSENT},
    {"Fortran programs", "pealfort", "-xf95", mpi_program_in_fortran, "see pealfort PROGRAM.f90", ABSENT},
};

/* Whether an MPI program compiles and runs, by the commands that users have. */
static void
look_at_mpi_programs(struct doctor_report *report, const struct mpi_language *by)
{
    char directory[PATH_MAX], source[PATH_MAX + 16], program[PATH_MAX + 16], compiler[PATH_MAX], runner[PATH_MAX];
    char option[8];

    if (!doctor_write_source(report, by->name, by->program, directory, source))
        return;
    snprintf(program, sizeof program, "%s/doctor", directory);
    snprintf(option, sizeof option, "%s", by->option);
    beside(by->wrapper, compiler);
    beside("pealrun", runner);
    if (!command_succeeds((char *[]){compiler, option, source, (char[]){"-xnone"}, (char[]){"-o"}, program, NULL}))
        strcpy(doctor_add(report, by->name, by->missing, "%.250s does not compile one", compiler)->cure, by->cure);
    else if (!command_succeeds((char *[]){runner, (char[]){"-n"}, (char[]){"4"}, program, NULL}))
        doctor_add(report, by->name, BROKEN, "%.250s does not run one that %s has compiled", runner, by->wrapper);
    else
        doctor_add(report, by->name, OK, "one was compiled by %s and run by pealrun on 4 nodes", by->wrapper);
    unlink(program);
    unlink(source);
    rmdir(directory);
}

/* Nodes that are processes: how their buffers are copied, and whether one in Python runs. */
static void
look_at_processes(struct doctor_report *report)
{
    static const char program[] = "from mpi4py import MPI; assert MPI.COMM_WORLD.allreduce(1) == 2";
    char runner[PATH_MAX], from = 'x', to = 0;
    struct iovec ours = {&to, 1}, theirs = {&from, 1};
    const char *how = process_vm_readv(getpid(), &ours, 1, &theirs, 1, 0) == 1
                          ? "their buffers are copied by process_vm_readv"
                          : "the system has no process_vm_readv here, so they copy buffers themselves, which is slower";

    beside("pealrun", runner);
    if (!command_succeeds((char *[]){(char[]){"python3"}, (char[]){"-c"}, (char[]){"import mpi4py"}, NULL}))
        strcpy(
            doctor_add(report, "Python programs", ABSENT, "python3 has no mpi4py; of other processes: %s", how)->cure,
            "apt-get install python3-mpi4py, and call /usr/bin/python3 if python3 is another one");
    else if (!command_succeeds((char *[]){runner, (char[]){"-n"}, (char[]){"2"}, (char[]){"python3"}, (char[]){"-c"},
                                          (char *)(uintptr_t)program, NULL}))
        strcpy(doctor_add(report, "Python programs", ABSENT, "pealrun does not run one of python3 with mpi4py")->cure,
               "see pealrun -n 2 python3 -c 'from mpi4py import MPI'");
    else
        doctor_add(report, "Python programs", OK, "one was run on 2 nodes; %s", how);
}

static void
look_at_page(struct doctor_report *report)
{
    const char *why;

    if (!report_page_absent)
        doctor_add(report, "report page", OK, "in this build, with D3");
    else
        strcpy(doctor_add(report, "report page", ABSENT, "not in this build")->cure, "install node-d3 and build again");
    if (picture_available(true, &why))
        doctor_add(report, "pictures", report_page_absent ? ABSENT : OK,
                   "node draws those of --svg, and rsvg-convert makes those of --png");
    else if (picture_available(false, &why))
        doctor_add(report, "pictures", report_page_absent ? ABSENT : OK,
                   "node draws those of --svg; those of --png need librsvg2-bin");
    else
        strcpy(doctor_add(report, "pictures", ABSENT, "node, which draws those of --svg, was not found")->cure,
               "apt-get install nodejs");
}

/* Ask the smallest question: it needs the solver. */
static void
look_at_synthesis(struct doctor_report *report)
{
    struct peal_error error = {PEAL_OK, ""};
    struct peal_network *network = peal_network_create("full", 2, NULL, &error);
    struct peal_synthesis asked = {
        .collective = PEAL_BROADCAST, .network = network, .ports = 1, .chunks = 1, .steps = 1, .rounds = 1};
    struct peal_synthesis_effort effort = {.deadline = {.end = seconds_now() + 10}};
    struct peal_synthesized result = {0};

    if (network && peal_synthesize(&asked, &effort, &result, &error) == PEAL_OK)
        doctor_add(report, "synthesis", OK, "with the solver cadical");
    else
        strcpy(doctor_add(report, "synthesis", ABSENT, "%.290s", error.text)->cure, "install cadical");
    peal_synthesized_fini(&result);
    peal_network_destroy(network);
}

static void
look_at_proofs(struct doctor_report *report)
{
    struct peal_error error;

    if (peal_every_available("z3", &error) == PEAL_OK)
        doctor_add(report, "proofs", OK, "for every P, with clang and the solver z3");
    else
        doctor_add(report, "proofs", ABSENT, "%.290s", error.text);
}

/* ------------------------------------------------------------------ the sandbox of checks */

/* Report which namespaces a node of a confirmation has of its own. */
static void
look_at_namespaces(struct doctor_report *report, unsigned held)
{
    static const struct {
        enum peal_sandbox_part part;
        const char *name;
    } parts[] = {
        {PEAL_SANDBOX_PROCESSES, "processes"}, {PEAL_SANDBOX_MOUNTS, "mounts"}, {PEAL_SANDBOX_IPC, "IPC"},
        {PEAL_SANDBOX_NETWORK, "network"},     {PEAL_SANDBOX_USERS, "users"},
    };
    char shared[60] = "";

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if ((held & parts[i].part) == 0)
            peal_append(IN_ARRAY(shared), "%s%s", shared[0] ? ", " : "", parts[i].name);
    if (!shared[0]) {
        doctor_add(report, "sandbox nodes", OK,
                   "nodes that confirm a mark have namespaces of their own: processes, mounts, IPC, network, users");
        return;
    }
    strcpy(doctor_add(report, "sandbox nodes", ABSENT,
                      "nodes that confirm a mark share namespaces (%s): only the filter of system calls separates them",
                      shared)
               ->cure,
           "mark as root with CAP_SYS_ADMIN, or allow user namespaces (sysctl user.max_user_namespaces)");
}

/* Run a child in the sandbox, and report which of its limits held when it tried them. */
static void
look_at_sandbox(struct doctor_report *report)
{
    static const struct {
        enum peal_sandbox_part part;
        const char *name, *held, *missing, *cure;
    } parts[] = {
        {PEAL_SANDBOX_LIMITS, "sandbox limits", "processor time and sizes of files are limited, memory is watched",
         "the limits could not be set", ""},
        {PEAL_SANDBOX_FILES, "sandbox files", "Landlock keeps checked programs from files",
         "this kernel has no Landlock: a checked program can read what you can", "Linux 5.13 with lsm=landlock has it"},
        {PEAL_SANDBOX_CALLS, "sandbox calls", "a seccomp filter keeps them from processes, sockets and signals",
         "no filter of system calls: a checked program can do what you can",
         "install libseccomp-dev and build again, on a kernel with seccomp"},
        {PEAL_SANDBOX_CLOCKS, "sandbox clocks", "nodes that confirm a mark have no clock",
         "nodes that confirm a mark can read a clock, and so see how long others compute",
         "x86-64, or arm64 with Linux 6.12 or later, can forbid it"},
    };
    unsigned held = peal_sandbox_parts();

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        bool works = (held & parts[i].part) != 0;
        struct finding *finding =
            doctor_add(report, parts[i].name, works ? OK : ABSENT, "%s", works ? parts[i].held : parts[i].missing);

        if (!works)
            snprintf(finding->cure, sizeof finding->cure, "%s", parts[i].cure);
    }
    look_at_namespaces(report, held);
}

/* ------------------------------------------------------------------ the report */

static const char *
state_word(enum state state)
{
    static const char *const words[] = {"ok", "no", "BROKEN", ""};

    return words[state];
}

static void
print_table(const struct doctor_report *report)
{
    static const enum ink inks[] = {GOOD, FAINT, BAD, PLAIN};

    printf("peal %s\n", peal_version());
    for (int i = 0; i < report->count; i++) {
        const struct finding *f = &report->findings[i];

        print_left(stdout, f->name, NAME_COLUMNS);
        print_ink(stdout, inks[f->state]);
        print_left(stdout, state_word(f->state), STATE_COLUMNS);
        print_ink(stdout, PLAIN);
        print_wrapped(stdout, f->text, NAME_COLUMNS + STATE_COLUMNS);
        if (f->cure[0]) {
            printf("%*s", NAME_COLUMNS + STATE_COLUMNS, "");
            print_wrapped(stdout, f->cure, NAME_COLUMNS + STATE_COLUMNS);
        }
    }
}

static void
print_json(const struct doctor_report *report)
{
    static const char *const states[] = {"ok", "absent", "broken", "fact"};
    struct peal_json json = {.out = stdout};

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_STRING("schema", "peal/doctor/1"),
                  PEAL_STRING("version", peal_version()), PEAL_OPEN("findings", '['));
    for (int i = 0; i < report->count; i++) {
        const struct finding *f = &report->findings[i];

        peal_json_put(&json, PEAL_LINE(2), PEAL_OPEN(NULL, '{'), PEAL_STRING("name", f->name),
                      PEAL_STRING("state", states[f->state]), PEAL_STRING("text", f->text),
                      PEAL_STRING("cure", f->cure[0] ? f->cure : NULL), PEAL_CLOSE('}'));
    }
    peal_json_put(&json, PEAL_LINE(0), PEAL_CLOSE(']'), PEAL_CLOSE('}'));
}

static int
command_doctor_run(const struct command_request *request)
{
    struct doctor_report report = {.count = 0};

    if (request->argument_count > 0 || request->program)
        return complain_of(PEAL_USAGE, "doctor takes no arguments");
    look_at_system(&report);
    look_at_engines(&report);
    look_at_mpi(&report);
    look_at_compiler(&report);
    look_at_programs(&report);
    for (size_t i = 0; i < sizeof mpi_languages / sizeof *mpi_languages; i++)
        look_at_mpi_programs(&report, &mpi_languages[i]);
    look_at_sandbox(&report);
    look_at_processes(&report);
    look_at_page(&report);
    look_at_synthesis(&report);
    look_at_proofs(&report);
    if (request->document.json)
        print_json(&report);
    else
        print_table(&report);
    for (int i = 0; i < report.count; i++)
        if (report.findings[i].state == BROKEN)
            return PEAL_FAILED;
    return 0;
}

const struct command command_doctor = {
    .name = "doctor",
    .arguments = "[--json]",
    .summary = "report what this build and this system can do, and what to install",
    .examples = "  peal doctor             engines, limits, compiler\n"
                "  peal doctor --json      for programs\n",
    .run = command_doctor_run,
};
