/* SPDX-License-Identifier: MIT */
/* What a node of a confirmation does goes into the coordinator's digest, field by field: whichever is left out there,
 * a node could say something by it that is not charged. */
#include "lib/marking/confirm.h"
#include <criterion/criterion.h>

/* The digests of what one node says. */
static struct node_process
digests_of(const struct coordinator *coordinator, const struct confirm_message *message)
{
    struct node_process process = {.acts = 0};

    confirm_note_message(coordinator, &process, message);
    return process;
}

enum { KEY = 123456789 };
static const struct coordinator proof = {.key = KEY}, program = {.key = KEY, .program = true},
                                program_of_mpi = {.key = KEY, .program = true, .mpi = true};

/* Messages of which each differs from the one above it in this field alone. */
static const struct {
    const char *field;
    struct confirm_message one, other;
} fields[] = {
    {"what", {.what = CONFIRM_REST}, {.what = CONFIRM_CLOCK}},
    {"peer", {.what = CONFIRM_POST, .peer = 1}, {.what = CONFIRM_POST, .peer = 2}},
    {"no peer", {.what = CONFIRM_POST, .peer = -1}, {.what = CONFIRM_POST, .peer = 0}},
    {"tag", {.what = CONFIRM_POST, .tag = 1}, {.what = CONFIRM_POST, .tag = 1 << 30}},
    {"key", {.what = CONFIRM_SPLIT, .tag = 1}, {.what = CONFIRM_SPLIT, .tag = 2}},
    {"enough", {.what = CONFIRM_ASK, .tag = 1}, {.what = CONFIRM_ASK, .tag = -1}},
    {"context", {.what = CONFIRM_POST, .context = 2}, {.what = CONFIRM_POST, .context = 4}},
    {"number", {.what = CONFIRM_WAIT, .number = 1}, {.what = CONFIRM_WAIT, .number = 2}},
    {"of which meeting", {.what = CONFIRM_MEET, .number = 1}, {.what = CONFIRM_MEET, .number = 2}},
    {"operations", {.what = CONFIRM_COMPUTE, .words = 1}, {.what = CONFIRM_COMPUTE, .words = 2}},
    {"bytes of a meeting", {.what = CONFIRM_MEET, .words = 8}, {.what = CONFIRM_MEET, .words = 16}},
    {"length of a result", {.what = CONFIRM_END, .words = 8}, {.what = CONFIRM_END, .words = 16}},
    {"kind", {.what = CONFIRM_POST, .kind = PEAL_POST_SEND}, {.what = CONFIRM_POST, .kind = PEAL_POST_RECEIVE}},
    {"mode", {.what = CONFIRM_POST, .mode = PEAL_STANDARD}, {.what = CONFIRM_POST, .mode = PEAL_BUFFERED}},
    {"lenient", {.what = CONFIRM_POST, .lenient = false}, {.what = CONFIRM_POST, .lenient = true}},
};

Test(digest, each_field_of_what_a_node_says_is_in_it)
{
    const struct coordinator *const judges[] = {&proof, &program, &program_of_mpi};

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        for (size_t k = 0; k < sizeof judges / sizeof *judges; k++)
            cr_expect_neq(digests_of(judges[k], &fields[i].one).acts, digests_of(judges[k], &fields[i].other).acts,
                          "%s, coordinator %zu", fields[i].field, k);
}

Test(digest, lengths_and_notes_are_in_it_of_a_proof_and_apart_from_it_of_a_program)
{
    const struct confirm_message one = {.what = CONFIRM_POST, .words = 1}, longer = {.what = CONFIRM_POST, .words = 2},
                                 noted = {.what = CONFIRM_POST, .words = 1, .note = 5};

    cr_expect_neq(digests_of(&proof, &one).acts, digests_of(&proof, &longer).acts);
    cr_expect_neq(digests_of(&proof, &one).acts, digests_of(&proof, &noted).acts);
    cr_expect_eq(digests_of(&program, &one).acts, digests_of(&program, &longer).acts);
    cr_expect_neq(digests_of(&program, &one).lengths, digests_of(&program, &longer).lengths);
    cr_expect_neq(digests_of(&program, &one).acts, digests_of(&program, &noted).acts);
    cr_expect_eq(digests_of(&program_of_mpi, &one).acts, digests_of(&program_of_mpi, &noted).acts);
    cr_expect_neq(digests_of(&program_of_mpi, &one).notes, digests_of(&program_of_mpi, &noted).notes);
}

Test(digest, the_order_of_what_a_node_says_is_in_it)
{
    const struct confirm_message one = {.what = CONFIRM_POST, .peer = 1}, other = {.what = CONFIRM_POST, .peer = 2};
    struct node_process first = digests_of(&proof, &one), second = digests_of(&proof, &other);

    confirm_note_message(&proof, &first, &other);
    confirm_note_message(&proof, &second, &one);
    cr_expect_neq(first.acts, second.acts);
}

Test(digest, what_a_program_prints_and_draws_is_not)
{
    const struct confirm_message prints = {.what = CONFIRM_PRINT, .words = 5}, draws = {.what = CONFIRM_RANDOM},
                                 few = {.what = CONFIRM_END, .number = 1}, many = {.what = CONFIRM_END, .number = 2};

    cr_expect_eq(digests_of(&program, &prints).acts, 0);
    cr_expect_eq(digests_of(&program, &draws).acts, 0);
    cr_expect_eq(digests_of(&program, &few).acts, digests_of(&program, &many).acts);
}
