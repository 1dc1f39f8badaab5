/* SPDX-License-Identifier: MIT */
/* Programs that mean harm (those in hostile): each is stopped and reported correctly, and the check goes on to its
 * end. */
#include "lib/check/channels.h"
#include "lib/check/rerun.h"
#include "lib/machine/machine.h"
#include "lib/marking/contained.h"
#include "lib/sandbox/parts.h"
#include <criterion/criterion.h>
#include <dirent.h>
#include <peal/tools.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Check hostile/NAME.c, compiled with further flags, as a scatter on two nodes. */
static struct peal_verdict
check_with(const char *name, const char *more)
{
    static char path[500], flags[1200];
    struct peal_verdict verdict;
    struct peal_error error;

    snprintf(path, sizeof path, "%s/%s.c", PROGRAMS, name);
    snprintf(flags, sizeof flags, "-D_GNU_SOURCE -DPROGRAM=\"%s\"%s", path, more);
    struct peal_check check = {
        .collective = PEAL_SCATTER,
        .file = path,
        .symbol = "my_scatter",
        .flags = flags,
        .untrusted = true,
        .nodes_from = 2,
        .nodes_to = 2,
        .has_root = true,
        .has_words = true,
        .words = 1,
        .has_ports = true,
        .ports = 1,
        .has_delivery = true,
        .timeout_seconds = 1,
    };

    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s: %s", name, error.text);
    return verdict;
}

static struct peal_verdict
check_file(const char *name)
{
    return check_with(name, "");
}

/* It is a finding of this kind, whose message has `text`. */
static void
is_found(const char *name, enum peal_failure_kind kind, const char *text)
{
    struct peal_verdict verdict = check_file(name);

    cr_assert_eq(verdict.error.status, PEAL_OK, "%s: %s", name, verdict.error.text);
    cr_assert(!verdict.proved && verdict.finding_count >= 1, "%s was not found", name);
    cr_expect_eq(verdict.findings[0].kind, kind, "%s is reported as %s: %s", name,
                 peal_failure_name(verdict.findings[0].kind), verdict.findings[0].message);
    cr_expect(strstr(verdict.findings[0].message, text), "%s: %s", name, verdict.findings[0].message);
}

/* It does not compile, and the message holds nothing of the system's list of users. */
static void
does_not_compile(const char *name)
{
    struct peal_verdict verdict = check_file(name);

    cr_expect_eq(verdict.error.status, PEAL_PROGRAM, "%s compiles", name);
    cr_expect(!strstr(verdict.error.text, "root:"), "%s: %s", name, verdict.error.text);
}

static bool
works(enum peal_sandbox_part part)
{
    return (peal_sandbox_parts() & part) != 0;
}

Test(hostile, an_end_of_the_process_is_a_crash_whatever_its_code)
{
    is_found("exits", PEAL_CRASH, "ended the whole process, with exit code 0");
    is_found("forges_stdout", PEAL_CRASH, "ended the whole process, with exit code 0");
    is_found("closes_all", PEAL_CRASH, "ended the whole process");
}

Test(hostile, an_endless_loop_is_a_timeout)
{
    is_found("loops", PEAL_TIMED_OUT, "still computing");
}

Test(hostile, a_call_that_waits_for_ever_is_a_timeout)
{
    is_found("pauses", PEAL_TIMED_OUT, "waits in pause()");
}

Test(hostile, output_is_discarded)
{
    struct peal_verdict verdict = check_file("prints");

    cr_expect(!verdict.proved && verdict.finding_count >= 1);
}

Test(hostile, a_forged_verdict_is_not_believed)
{
    is_found("forges_pipe", PEAL_CRASH, "wrote to one of Peal's own pipes");
}

/* It knows where everything is that the judge takes from its process. */
Test(hostile, what_it_forges_and_overwrites_does_not_end_the_judge, .timeout = 60)
{
    for (int way = 0; way < 3; way++) {
        char places[600];

        snprintf(
            places, sizeof places,
            " -DWAY=%d -DNODE_OF=%zu -DMACHINE_OF=%zu -DCHOOSER_OF=%zu -DEXPLORER=%zu -DPROGRESS_OF=%zu -DNODES=%zu"
            " -DINDEX=%zu -DCHILD_OF=%zu -DREPORT_TO=%zu -DTOKEN=%zu -DTOKEN_BYTES=%d -DMESSAGE_BYTES=%zu"
            " -DMESSAGES=%d",
            way, offsetof(struct peal_node, node), offsetof(struct node, machine),
            offsetof(struct peal_machine, match_chooser), offsetof(struct prover, explorer),
            offsetof(struct prover, progress), offsetof(struct proof_progress, nodes),
            offsetof(struct proof_progress, index), offsetof(struct prover, reporter.child),
            offsetof(struct child, report.to), offsetof(struct child, token), CHILD_TOKEN_BYTES,
            sizeof(struct prover_message), MESSAGE_END + 1);
        struct peal_verdict verdict = check_with("spoils_verdict", places);

        cr_assert(!verdict.proved && verdict.finding_count == 1, "way %d", way);
        cr_expect_eq(verdict.findings[0].where.nodes, 2, "way %d", way);
        cr_expect(strstr(verdict.findings[0].message, way == 0 ? "one of Peal's own pipes" : "ended the whole process"),
                  "way %d: %s", way, verdict.findings[0].message);
    }
}

Test(hostile, processes_programs_sockets_and_signals_are_stopped_and_named)
{
    if (!works(PEAL_SANDBOX_CALLS))
        cr_skip_test("no filter of system calls here");
    is_found("fork_bomb", PEAL_CRASH, "it asked the system for ");
    is_found("runs_a_program", PEAL_CRASH, "it asked the system for ");
    is_found("executes", PEAL_CRASH, "it asked the system for execve");
    is_found("socket", PEAL_CRASH, "it asked the system for socket");
    is_found("kills_parent", PEAL_CRASH, "it asked the system for kill");
    is_found("kills_all", PEAL_CRASH, "it asked the system for kill");
    is_found("traces", PEAL_CRASH, "it asked the system for ptrace");
    cr_expect_neq(access("/tmp/peal-hostile", F_OK), 0);
}

#ifdef __x86_64__
/* Whether this kernel takes calls of 32-bit programs: some are built or started without. */
static bool
takes_32_bit_calls(void)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        long result;

        __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory"); /* getpid */
        _exit(result != getpid());
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

Test(hostile, calls_past_the_c_library_are_named, .timeout = 60)
{
    if (!works(PEAL_SANDBOX_CALLS))
        cr_skip_test("no filter of system calls here");
    is_found("raw_exit", PEAL_CRASH, "it ended its thread by the system call exit");
    is_found("raw_exit_by_syscall", PEAL_CRASH, "it ended its thread by the system call exit");
    is_found("x32_call", PEAL_CRASH, "it asked the system for exit by the x32 interface");
    if (takes_32_bit_calls())
        is_found("int_80", PEAL_CRASH, "it asked the system for exit by the 32-bit interface");
}
#endif

Test(hostile, other_processes_keep_their_signals_cores_and_priorities, .timeout = 60)
{
    if (!works(PEAL_SANDBOX_CALLS))
        cr_skip_test("no filter of system calls here");
    is_found("owns_signals", PEAL_CRASH, "it asked the system for fcntl");
    is_found("owns_signals_high", PEAL_WRONG_RESULT, "");
    is_found("slows_judge", PEAL_CRASH, "it asked the system for setpriority");
}

Test(hostile, a_refusal_is_named_whatever_becomes_of_its_signal, .timeout = 60)
{
    if (!works(PEAL_SANDBOX_CALLS))
        cr_skip_test("no filter of system calls here");
    is_found("takes_sigsys", PEAL_CRASH, "it asked the system for socket");
    is_found("blocks_sigsys", PEAL_CRASH,
             "it asked the system for a call with SIGSYS blocked, as posix_spawn and system do, which a "
             "checked program may not");
}

Test(hostile, a_refused_access_is_named_with_the_crash)
{
    if (!works(PEAL_SANDBOX_CALLS) || !works(PEAL_SANDBOX_FILES))
        cr_skip_test("no sandbox here");
    is_found("opens_and_crashes", PEAL_CRASH,
             "before that, fopen(\"data.txt\"): No such file or directory (a checked function has no files");
}

Test(hostile, words_that_no_message_carried_prove_nothing)
{
    is_found("shares_split", PEAL_PRIVATE_MEMORY, "depend on the numbers that it is given");
    is_found("shares_handler", PEAL_PRIVATE_MEMORY, "with each in a process of its own, node 1 has a wrong word 0");
    if (works(PEAL_SANDBOX_CALLS))
        is_found("shares_pipe", PEAL_CRASH, "it asked the system for pipe");
}

Test(hostile, names_that_share_are_distinguished_from_those_that_do_not)
{
    static const char *const sharing[] = {"peal_split_at", "pipe",    "sigaction",  "memfd_create",
                                          "environ",       "setenv",  "dlsym",      "strerror",
                                          "localtime",     "syscall", "localeconv", "stdin"};
    static const char *const harmless[] = {
        "peal_send_at", "memcpy", "strlen", "qsort",           "printf",  "sqrt",    "malloc", "fmin",
        "strtol",       "powf",   "abs",    "__isoc99_sscanf", "longjmp", "isalpha", "stdout", "__stack_chk_fail"};

    for (size_t i = 0; i < sizeof sharing / sizeof *sharing; i++)
        cr_expect(peal_contained_shares(sharing[i]), "%s", sharing[i]);
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        cr_expect(!peal_contained_shares(harmless[i]), "%s", harmless[i]);
}

/* Whether the calls that a header declares may be made by graded functions, except those that begin with `others`. */
static void
calls_are(const char *header, bool allowed, const char *others)
{
    char path[400], line[1000], name[200];
    int count = 0;

    snprintf(path, sizeof path, "%s/../../../include/peal/%s", PROGRAMS, header);
    FILE *in = fopen(path, "r");

    cr_assert(in, "%s", path);
    while (fgets(line, sizeof line, in)) {
        const char *at = strncmp(line, "PEAL_API ", 9) == 0 ? strstr(line, "peal_") : NULL;

        while (at && at[strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789")] != '(')
            at = strstr(at + 1, "peal_");
        if (!at || strstr(line, "typedef"))
            continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "("), at);
        cr_expect_eq(!peal_contained_shares(name), allowed != (others && strncmp(name, others, strlen(others)) == 0),
                     "%s of %s", name, header);
        count++;
    }
    fclose(in);
    cr_expect_gt(count, 5, "%s", header);
}

Test(hostile, a_graded_function_may_call_what_nodes_and_collectives_have_and_no_posts)
{
    calls_are("node.h", true, "peal_split");
    calls_are("calls.h", true, NULL);
    calls_are("post.h", false, NULL);
    calls_are("machine.h", false, "peal_failure_");
    calls_are("program.h", false, NULL);
}

Test(hostile, a_check_ends_after_its_total_time)
{
    static char path[] = PROGRAMS "/sleeps_shortly.c";
    struct peal_verdict verdict;
    struct peal_error error;
    struct peal_check check = {.collective = PEAL_BARRIER,
                               .file = path,
                               .symbol = "my_barrier",
                               .untrusted = true,
                               .nodes_from = 2,
                               .nodes_to = 200,
                               .total_seconds = 1};

    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
    const struct peal_finding *late = NULL;

    for (int i = 0; i < verdict.finding_count; i++) /* of whichever case its time was over in */
        late = verdict.findings[i].kind == PEAL_TIMED_OUT ? &verdict.findings[i] : late;
    cr_assert_not_null(late, "%s", verdict.error.text);
    cr_expect(strstr(late->message, "its runs take more than 1 second"), "%s", late->message);
}

/* The processes that a hostile program has named so. */
static int
processes_left(void)
{
    DIR *all = opendir("/proc");
    char path[300], name[20];
    int count = 0;

    for (const struct dirent *one; all && (one = readdir(all));) {
        snprintf(path, sizeof path, "/proc/%s/comm", one->d_name);
        FILE *in = *one->d_name >= '0' && *one->d_name <= '9' ? fopen(path, "r") : NULL;

        count += in && fgets(name, sizeof name, in) && strcmp(name, "peal-left\n") == 0;
        if (in)
            fclose(in);
    }
    if (all)
        closedir(all);
    return count;
}

/* With a filter of system calls there are none; without one they end with the check, and do not keep it waiting. */
Test(hostile, no_process_outlives_the_check)
{
    struct peal_verdict verdict = check_file("leaves_processes");

    cr_expect_eq(verdict.error.status, PEAL_OK, "%s", verdict.error.text);
    cr_expect_eq(verdict.proved, !works(PEAL_SANDBOX_CALLS));
    cr_expect_eq(processes_left(), 0, "%d processes are left", processes_left());
}

Test(hostile, code_that_runs_at_loading_is_in_the_sandbox_too)
{
    if (!works(PEAL_SANDBOX_CALLS))
        cr_skip_test("no filter of system calls here");
    struct peal_verdict verdict = check_file("before_main");

    cr_expect_eq(verdict.error.status, PEAL_PROGRAM);
    cr_expect(strstr(verdict.error.text, "it asked the system for "), "%s", verdict.error.text);
}

Test(hostile, a_file_that_is_never_loaded_to_its_end_is_ended)
{
    struct peal_verdict verdict = check_file("sleeps_before_main");

    cr_expect_eq(verdict.error.status, PEAL_TIMEOUT);
    cr_expect(strstr(verdict.error.text, "as the file was loaded, it did not end within 1 second ("), "%s",
              verdict.error.text);
    cr_expect(strstr(verdict.error.text, "/sleeps_before_main.c:9)"), "%s", verdict.error.text);
}

Test(hostile, files_are_neither_read_nor_written)
{
    if (!works(PEAL_SANDBOX_FILES))
        cr_skip_test("no Landlock here");
    cr_expect_eq(check_file("reads_files").finding_count, 0);
    cr_expect_eq(check_file("writes_files").finding_count, 0);
    cr_expect_neq(access("/tmp/peal-hostile", F_OK), 0);
    cr_expect_neq(access("/tmp/peal-hostile-folder", F_OK), 0);
}

Test(hostile, the_environment_is_empty)
{
    is_found("reads_environment", PEAL_CRASH, "nothing is there");
}

Test(hostile, the_compiler_reads_no_file_for_it)
{
    if (!works(PEAL_SANDBOX_FILES))
        cr_skip_test("no Landlock here");
    does_not_compile("includes_passwd");
    does_not_compile("includes_a_neighbour");
    does_not_compile("embeds");
    does_not_compile("embeds_share");
}

Test(hostile, the_compiler_is_held_to_its_limits)
{
    setenv("PEAL_COMPILE_SECONDS", "1", 1);
    does_not_compile("large_object");
    does_not_compile("slow_to_compile");
}

/* A limit that is reached in a fraction of the time that a run may take. */
static void
runs_out_of_memory(const char *name)
{
    char path[500];
    struct peal_verdict verdict;
    struct peal_error error;
    struct peal_check check = {.collective = PEAL_SCATTER,
                               .file = path,
                               .symbol = "my_scatter",
                               .untrusted = true,
                               .nodes_from = 2,
                               .nodes_to = 2,
                               .timeout_seconds = 60};

    snprintf(path, sizeof path, "%s/%s.c", PROGRAMS, name);
    setenv("PEAL_CHECK_MEBIBYTES", "300", 1);
    cr_assert_eq(peal_check(&check, 1, 1, &verdict, &error), PEAL_OK, "%s: %s", name, error.text);
    cr_assert_eq(verdict.error.status, PEAL_OK, "%s: %s", name, verdict.error.text);
    cr_assert_eq(verdict.finding_count, 1, "%s", name);
    cr_expect(!verdict.proved);
    cr_expect_eq(verdict.findings[0].kind, PEAL_OUT_OF_MEMORY, "%s: %s", name,
                 peal_failure_name(verdict.findings[0].kind));
    cr_expect(strstr(verdict.findings[0].message, "more memory than a check may"), "%s", verdict.findings[0].message);
}

Test(hostile, memory_above_the_limit_is_a_finding, .timeout = 120)
{
    runs_out_of_memory("takes_memory_slowly");
    runs_out_of_memory("memory_of_tables");
}

Test(hostile, no_memory_is_hidden_from_the_limit)
{
    if (!works(PEAL_SANDBOX_CALLS))
        cr_skip_test("no filter of system calls here");
    cr_expect_eq(check_file("memory_unseen").finding_count, 0);
}

static void *
stay(void *arg)
{
    pause();
    return arg;
}

/* Those that its user has do not raise the limit of another user, whom it becomes. */
Test(hostile, threads_are_limited, .timeout = 60)
{
    int child = fork();

    if (child == 0) {
        pthread_t thread;

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (int i = 0; i < 600; i++)
            pthread_create(&thread, NULL, stay, NULL);
        raise(SIGSTOP);
    }
    waitpid(child, NULL, WUNTRACED);
    struct peal_verdict verdict = check_file("takes_threads");

    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    cr_expect(verdict.finding_count == 0 || !strstr(verdict.findings[0].message, "it could start them all"));
}

Test(hostile, memory_without_end_is_taken_back)
{
    struct peal_verdict verdict = check_file("takes_memory");

    cr_assert(verdict.finding_count >= 1);
    cr_expect(verdict.findings[0].kind == PEAL_TIMED_OUT || verdict.findings[0].kind == PEAL_OUT_OF_MEMORY ||
              verdict.findings[0].kind == PEAL_CRASH);
}

Test(hostile, nothing_replaces_the_call_of_a_check)
{
    struct peal_verdict verdict;
    struct peal_error error;
    struct peal_check barrier = {.collective = PEAL_BARRIER,
                                 .file = PROGRAMS "/barrier_unchecked.c",
                                 .symbol = "my_barrier",
                                 .untrusted = true,
                                 .nodes_from = 2,
                                 .nodes_to = 2};

    cr_assert_eq(peal_check(&barrier, 1, 1, &verdict, &error), PEAL_OK, "%s", error.text);
    cr_expect(!verdict.proved && verdict.finding_count >= 1, "%s", verdict.error.text);
    cr_expect_eq(verdict.findings[0].kind, PEAL_WRONG_RESULT);
}

Test(hostile, the_restrictions_in_force_are_reported)
{
    unsigned parts = peal_sandbox_parts();

    cr_expect(parts & PEAL_SANDBOX_LIMITS);
    cr_log_info("sandbox: %u", parts);
}
