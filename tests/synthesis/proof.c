/* SPDX-License-Identifier: MIT */
/* The checker of proofs: it accepts lemmas that follow and no others. */
#include "lib/synthesis/proof.h"
#include "lib/synthesis/sha256.h"
#include "lib/synthesis/solver.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/peal-proof-XXXXXX";

static void
open_path(void)
{
    close(mkstemp(path));
}

static void
remove_path(void)
{
    unlink(path);
}

TestSuite(proof, .init = open_path, .fini = remove_path, .timeout = 60);

/* All four clauses of two variables: no solution. */
static void
add_two(struct cnf *cnf)
{
    cnf_variables(cnf, 2);
    CNF_ADD(cnf, 1, 2);
    CNF_ADD(cnf, -1, 2);
    CNF_ADD(cnf, 1, -2);
    CNF_ADD(cnf, -1, -2);
}

static void
write_proof(const void *bytes, size_t count)
{
    FILE *out = fopen(path, "wb");

    fwrite(bytes, 1, count, out);
    fclose(out);
}

static enum peal_status
check_two(const char *bytes, size_t count, struct peal_error *error)
{
    struct cnf cnf = {0};
    struct proof_report report;

    add_two(&cnf);
    write_proof(bytes, count);
    enum peal_status status = proof_check(&cnf, path, &report, error);

    cnf_fini(&cnf);
    return status;
}
#define CHECK_TWO(bytes) check_two(bytes, sizeof(bytes) - 1, &error)

Test(proof, a_lemma_that_follows_is_accepted)
{
    struct peal_error error = {PEAL_OK, ""};

    cr_expect_eq(CHECK_TWO("a\x02\0"
                           "a\0"),
                 PEAL_OK, "%s", error.text); /* 1, then the empty clause */
    cr_expect_eq(CHECK_TWO("a\x05\0"
                           "a\0"),
                 PEAL_OK, "%s", error.text); /* ¬2 */
    cr_expect_eq(CHECK_TWO("d\x02\x04\0"
                           "d\x04\x02\0"
                           "a\x03\0"
                           "a\0"),
                 PEAL_FAILED); /* without 1 ∨ 2: ¬1, but not 1 */
    cr_expect_str_eq(error.text, "line 4 of the proof, a lemma of 0 literals, does not follow");
}

Test(proof, a_lemma_that_does_not_follow_is_refused)
{
    struct peal_error error;

    cr_expect_eq(CHECK_TWO("a\0"), PEAL_FAILED); /* only after a unit */
    cr_expect_str_eq(error.text, "line 1 of the proof, a lemma of 0 literals, does not follow");
    cr_expect_eq(CHECK_TWO("d\x02\x04\0"
                           "a\x02\0"
                           "a\0"),
                 PEAL_FAILED); /* 1 needs 1 ∨ 2 */
    cr_expect_str_eq(error.text, "line 2 of the proof, a lemma of 1 literals, does not follow");
}

Test(proof, a_damaged_proof_is_refused)
{
    struct peal_error error;

    cr_expect_eq(CHECK_TWO(""), PEAL_FAILED);
    cr_expect_str_eq(error.text, "the proof ends after 0 lines without the empty clause");
    cr_expect_eq(CHECK_TWO("d\x02\x04\0"), PEAL_FAILED);
    cr_expect_eq(CHECK_TWO("a\x02"), PEAL_FAILED);
    cr_expect_str_eq(error.text, "line 1 of the proof is malformed");
    cr_expect_eq(CHECK_TWO("x\x02\0"), PEAL_FAILED);
    cr_expect_eq(CHECK_TWO("a\x06\0"), PEAL_FAILED); /* variable 3 */
    cr_expect_eq(CHECK_TWO("a\x01\0"), PEAL_FAILED); /* variable 0 */
    cr_expect_eq(CHECK_TWO("a\xff\xff\xff\xff\xff\xff\xff\xff\0"), PEAL_FAILED);
    unlink(path);
    struct cnf cnf = {0};
    struct proof_report report;

    cr_expect_eq(proof_check(&cnf, path, &report, &error), PEAL_USAGE);
}

/* A variable is in a hole for each of more pigeons than holes. */
static void
add_pigeons(struct cnf *cnf, int pigeons, int holes)
{
    int list[32];

    cnf_variables(cnf, (size_t)(pigeons * holes));
    for (int pigeon = 0; pigeon < pigeons; pigeon++) {
        for (int hole = 0; hole < holes; hole++)
            list[hole] = pigeon * holes + hole + 1;
        cnf_add(cnf, list, (size_t)holes);
    }
    for (int hole = 0; hole < holes; hole++) {
        for (int pigeon = 0; pigeon < pigeons; pigeon++)
            list[pigeon] = pigeon * holes + hole + 1;
        cnf_at_most_one(cnf, list, (size_t)pigeons);
    }
}

static bool
solve(const struct cnf *cnf, const char *formula)
{
    struct peal_error error;
    enum answer answer;
    bool *truth = calloc((size_t)cnf->variables + 1, sizeof *truth);
    FILE *out = fopen(formula, "w");

    cnf_write(cnf, out);
    fclose(out);
    enum peal_status status = solver_run(formula, path, &(struct deadline){0}, cnf->variables, truth, &answer, &error);

    cr_assert_eq(status, PEAL_OK, "%s", error.text);
    free(truth);
    unlink(formula);
    return answer == ANSWER_SATISFIABLE;
}

Test(proof, the_solvers_proofs_are_accepted_and_no_part_of_them)
{
    struct cnf cnf = {0};
    struct proof_report report;
    struct peal_error error = {PEAL_OK, ""};
    char formula[] = "/tmp/peal-formula-XXXXXX";
    static char bytes[1 << 20];

    close(mkstemp(formula));
    add_pigeons(&cnf, 7, 6);
    cr_assert_not(solve(&cnf, formula));
    cr_assert_eq(proof_check(&cnf, path, &report, &error), PEAL_OK, "%s", error.text);
    cr_expect_gt(report.lemmas, 10);
    FILE *in = fopen(path, "rb");
    size_t count = fread(bytes, 1, sizeof bytes, in);

    fclose(in);
    for (size_t half = count / 2; half > 0; half /= 2) { /* the lemmas that are needed come to the end */
        write_proof(bytes, half);
        cr_expect_eq(proof_check(&cnf, path, &report, &error), PEAL_FAILED, "%zu bytes", half);
        write_proof(bytes + count - half, half);
        cr_expect_neq(proof_check(&cnf, path, &report, &error), PEAL_USAGE, "%zu bytes", half);
    }
    cnf_fini(&cnf);
}

static uint32_t
next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* The proof that seven pigeons do not fit into six holes, with changed bytes, against six pigeons in six holes and the
 * same number of variables: with any changes, a formula with a solution is never refuted. */
Test(proof, nothing_refutes_a_formula_with_a_solution)
{
    struct cnf none = {0}, some = {0};
    char formula[] = "/tmp/peal-formula-XXXXXX";
    static char bytes[1 << 20], changed[1 << 20];
    uint32_t state = 1;

    close(mkstemp(formula));
    add_pigeons(&none, 7, 6);
    add_pigeons(&some, 6, 6);
    cr_assert(solve(&some, formula));
    cr_assert_not(solve(&none, formula));
    cnf_variables(&some, (size_t)(none.variables - some.variables));
    FILE *in = fopen(path, "rb");
    size_t count = fread(bytes, 1, sizeof bytes, in);

    fclose(in);
    for (int i = 0; i < 300; i++) {
        struct proof_report report;
        struct peal_error error;

        memcpy(changed, bytes, count);
        for (int j = 0; j < i % 20; j++)
            changed[next_random(&state) % count] = (char)next_random(&state);
        write_proof(changed, count);
        cr_expect_eq(proof_check(&some, path, &report, &error), PEAL_FAILED, "change %d", i);
    }
    cnf_fini(&none);
    cnf_fini(&some);
}

Test(digest, is_that_of_the_standard)
{
    struct sha256 sha256;
    char digest[65];

    sha256_begin(&sha256);
    sha256_end(&sha256, digest);
    cr_expect_str_eq(digest, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sha256_begin(&sha256);
    sha256_add(&sha256, "abcdbcdecdefdefgefghfghighijhijkijkljklm", 40);
    sha256_add(&sha256, "klmnlmnomnopnopq", 16);
    sha256_end(&sha256, digest);
    cr_expect_str_eq(digest, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}
