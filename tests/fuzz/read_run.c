/* SPDX-License-Identifier: MIT */
/* Any bytes of a recorded run are refused in one line, or are a record that can be priced, written, and read again
 * unchanged. */
#include "tests/fuzz/expect.h"
#include <peal/tools.h>

/* Write the record, read that, and compare the two. */
static void
round_trip(const struct peal_record *record)
{
    struct peal_error error = {PEAL_OK, ""};
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    expect(out && peal_write_record(out, record, &error) == PEAL_OK, "a record is written");
    fclose(out);
    struct peal_record *again = peal_read_json("again", text, bytes, &error);

    expect(again != NULL, error.text);
    expect(peal_cost_equal(again->cost, record->cost), "the cost is the same again");
    expect(again->schedule.round_count == record->schedule.round_count, "there are as many rounds again");
    expect(again->schedule.transfer_count == record->schedule.transfer_count, "there are as many transfers again");
    for (size_t i = 0; i < record->schedule.round_count; i++) {
        const struct peal_round *is = peal_schedule_round(&again->schedule, i),
                                *was = peal_schedule_round(&record->schedule, i);

        expect(is->count == was->count &&
                   memcmp(&again->schedule.transfers[is->first], &record->schedule.transfers[was->first],
                          was->count * sizeof(struct peal_transfer)) == 0,
               "a round's transfers are the same again");
    }
    peal_record_destroy(again);
    free(text);
}

/* Write the record in every format for other tools; a format may refuse it, in one line. */
static void
write_traces(const struct peal_record *record)
{
    struct peal_error error = {PEAL_OK, ""};
    const char *format, *summary;

    for (int i = 0; peal_trace_format(i, &format, &summary); i++) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *out = open_memstream(&text, &bytes);
        enum peal_status status = peal_write_trace(out, format, record, &error);

        expect(status == PEAL_OK || (status == PEAL_USAGE && error.text[0]),
               "a trace is written, or refused with a reason");
        fclose(out);
        expect(status != PEAL_OK || bytes > 0, "a trace is not empty");
        free(text);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const networks[] = {"full", "mesh", "ring"};
    struct peal_error error = {PEAL_OK, ""};
    struct peal_record *record = peal_read_json("fuzz", data, size, &error);

    if (!record) {
        expect(error.status == PEAL_USAGE && strncmp(error.text, "fuzz, line ", 11) == 0,
               "what is wrong is said with its line");
        return 0;
    }
    round_trip(record);
    if (record->options.nodes <= 4096)
        write_traces(record);
    for (size_t i = 0; record->options.nodes <= 4096 && i < 3; i++) {
        struct peal_options on = record->options;

        on.topology = networks[i];
        on.routing = NULL;
        on.switching = i == 1 ? PEAL_WORMHOLE : PEAL_STORE_FORWARD;
        struct peal_record *priced = peal_record_price(record, &on, &error);

        expect(priced != NULL, error.text);
        round_trip(priced);
        peal_record_destroy(priced);
    }
    peal_record_destroy(record);
    return 0;
}
