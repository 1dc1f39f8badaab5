/* SPDX-License-Identifier: MIT */
/* Any bytes of a schedule, or of a scenario of messages, are refused in one line, or are a plan that can be judged;
 * what MSCCL has a form for is the same plan when it is written and read again. */
#include "lib/plan/plan.h"
#include "tests/fuzz/expect.h"

static void
is_refused(const struct peal_error *error)
{
    expect(error->status == PEAL_USAGE && error->text[0] && !strchr(error->text, '\n'),
           "what is wrong is said in a line");
}

static struct peal_plan_verdict
judge(struct peal_plan *plan)
{
    struct peal_plan_verdict verdict = {0};
    struct peal_error error = {PEAL_OK, ""};

    if (peal_plan_judge(plan, NULL, &verdict, &error) != PEAL_OK)
        is_refused(&error); /* too large for labels */
    return verdict;
}

static void
round_trip(const struct peal_plan *plan, const struct peal_plan_verdict *verdict)
{
    struct peal_error error = {PEAL_OK, ""};
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    enum peal_status status = peal_plan_write_msccl(out, plan, &error);

    fclose(out);
    if (status == PEAL_OK) {
        struct peal_plan *again = peal_plan_read("again", text, bytes, &error);

        expect(again != NULL, error.text);
        struct peal_plan_verdict same = judge(again);

        expect(again->step_count >= plan->step_count, "no step is lost"); /* several needs take steps of their own */
        expect(same.proved == verdict->proved && same.messages == verdict->messages, "the verdict is the same again");
        peal_plan_destroy(again);
    } else {
        is_refused(&error);
    }
    free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct peal_error error = {PEAL_OK, ""};
    char text[400] = "";

    if (size < sizeof text)
        memcpy(text, data, size);
    struct peal_plan *plan = peal_plan_is(data, size) ? peal_plan_read("fuzz", data, size, &error)
                                                      : peal_plan_read_messages(text, 0, 1, 8, &error);

    if (!plan) {
        is_refused(&error);
        return 0;
    }
    if (plan->nodes <= 256 && plan->step_count <= 4096) {
        struct peal_plan_verdict verdict = judge(plan);

        if (!plan->bare)
            round_trip(plan, &verdict);
    }
    peal_plan_destroy(plan);
    return 0;
}
