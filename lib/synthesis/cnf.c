/* SPDX-License-Identifier: MIT */
/* Adds clauses and counters to a formula, and writes it for the solver.  Once memory fails, the formula stays full. */
#include "lib/synthesis/cnf.h"
#include "lib/base/grow.h"
#include "lib/synthesis/sha256.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LITERALS = 1 << 30, PAIRWISE = 6, LOOK_EVERY = 1 << 16 };

void
cnf_fini(struct cnf *cnf)
{
    free(cnf->literals);
    *cnf = (struct cnf){0};
}

bool
cnf_is_late(const struct cnf *cnf)
{
    return cnf->deadline && deadline_is_over(cnf->deadline);
}

int
cnf_variables(struct cnf *cnf, size_t count)
{
    int first = cnf->variables + 1;

    if (count > (size_t)(INT_MAX / 4 - cnf->variables)) {
        cnf->full = true;
        return 1;
    }
    cnf->variables += (int)count;
    return first;
}

void
cnf_add(struct cnf *cnf, const int *literals, size_t count)
{
    if (cnf->full)
        return;
    if ((cnf->clauses % LOOK_EVERY == 0 && cnf_is_late(cnf)) || cnf->count + count >= MAX_LITERALS ||
        !array_grow(&cnf->literals, &cnf->capacity, cnf->count + count + 1, sizeof *cnf->literals)) {
        cnf->full = true;
        return;
    }
    memcpy(cnf->literals + cnf->count, literals, count * sizeof *literals);
    cnf->count += count;
    cnf->literals[cnf->count++] = 0;
    cnf->clauses++;
}

void
cnf_at_most_one(struct cnf *cnf, const int *literals, size_t count)
{
    while (count > PAIRWISE) { /* the first five, or any of the others: a new variable for these */
        int others = cnf_variables(cnf, 1);

        for (size_t i = PAIRWISE - 1; i < count; i++)
            CNF_ADD(cnf, -literals[i], others);
        for (size_t i = 0; i < PAIRWISE - 1; i++) {
            CNF_ADD(cnf, -literals[i], -others);
            for (size_t j = 0; j < i; j++)
                CNF_ADD(cnf, -literals[i], -literals[j]);
        }
        literals += PAIRWISE - 1;
        count -= PAIRWISE - 1;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            CNF_ADD(cnf, -literals[i], -literals[j]);
}

int
cnf_sum(struct cnf *cnf, const int *a, int a_count, const int *b, int b_count, int most, int *sum)
{
    most = a_count + b_count < most ? a_count + b_count : most;
    int first = cnf_variables(cnf, (size_t)most);

    for (int i = 0; i < most; i++)
        sum[i] = first + i;
    for (int i = 0; i <= a_count; i++)
        for (int j = i == 0; j <= b_count && i + j <= most; j++) {
            if (i == 0)
                CNF_ADD(cnf, -b[j - 1], sum[j - 1]);
            else if (j == 0)
                CNF_ADD(cnf, -a[i - 1], sum[i - 1]);
            else
                CNF_ADD(cnf, -a[i - 1], -b[j - 1], sum[i + j - 1]);
        }
    for (int i = 1; i < most; i++)
        CNF_ADD(cnf, -sum[i], sum[i - 1]);
    return most;
}

int
cnf_count(struct cnf *cnf, const int *literals, size_t count, int most, int *sum)
{
    if (count <= 1 || cnf->full) {
        if (count == 1 && most > 0)
            sum[0] = literals[0];
        return count == 1 && most > 0;
    }
    size_t half = count / 2, most_digits = (size_t)most;
    int *digits = malloc(2 * (most_digits + 1) * sizeof *digits);

    if (digits == NULL) {
        cnf->full = true;
        return 0;
    }
    int *right = digits + most_digits + 1;
    int a = cnf_count(cnf, literals, half, most, digits);
    int b = cnf_count(cnf, literals + half, count - half, most, right);
    int result = cnf_sum(cnf, digits, a, right, b, most, sum);

    free(digits);
    return result;
}

void
cnf_at_most(struct cnf *cnf, const int *literals, size_t count, int most)
{
    if ((size_t)most >= count)
        return;
    if (most == 1) {
        cnf_at_most_one(cnf, literals, count);
        return;
    }
    int *sum = malloc(((size_t)most + 1) * sizeof *sum);

    if (sum == NULL) {
        cnf->full = true;
        return;
    }
    if (cnf_count(cnf, literals, count, most + 1, sum) > most)
        CNF_ADD(cnf, -sum[most]);
    free(sum);
}

/* ------------------------------------------------------------------ writing */

typedef void take_text(void *to, const char *text, size_t bytes);

static void
tell_text(const struct cnf *cnf, take_text *take, void *to)
{
    char text[80];

    take(to, text, (size_t)snprintf(text, sizeof text, "p cnf %d %zu\n", cnf->variables, cnf->clauses));
    for (size_t i = 0; i < cnf->count && (i % LOOK_EVERY != 0 || !cnf_is_late(cnf)); i++)
        take(to, text, (size_t)snprintf(text, sizeof text, cnf->literals[i] ? "%d " : "0\n", cnf->literals[i]));
}

static void
take_into_file(void *to, const char *text, size_t bytes)
{
    fwrite(text, 1, bytes, to);
}

static void
take_into_digest(void *to, const char *text, size_t bytes)
{
    sha256_add(to, text, bytes);
}

void
cnf_write(const struct cnf *cnf, FILE *out)
{
    tell_text(cnf, take_into_file, out);
}

void
cnf_digest(const struct cnf *cnf, char digest[65])
{
    struct sha256 sha256;

    sha256_begin(&sha256);
    tell_text(cnf, take_into_digest, &sha256);
    sha256_end(&sha256, digest);
}
