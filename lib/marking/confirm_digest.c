/* SPDX-License-Identifier: MIT */
/* What a node does, apart from its data, as digests: the two runs of a case must have the same. */
#include "lib/marking/confirm.h"

/* A polynomial over a prime field at a point that no node knows: whatever two sequences a node chooses, they have the
 * same digest with a probability of their length / 2^61.  Without the secret point it could choose its last message so
 * that the digests agree. */
static void
digest_add(const struct coordinator *coordinator, uint64_t *acts, const void *bytes, size_t count)
{
    const uint64_t prime = (UINT64_C(1) << 61) - 1;

    for (size_t at = 0; at < count; at += sizeof(uint32_t)) {
        uint32_t word = 0;

        memcpy(&word, (const char *)bytes + at, count - at < sizeof word ? count - at : sizeof word);
        *acts = (uint64_t)((unsigned __int128)(*acts + word + 1) * coordinator->key % prime);
    }
}

void
confirm_note(const struct coordinator *coordinator, struct node_process *process, const void *bytes, size_t count)
{
    digest_add(coordinator, &process->acts, bytes, count);
}

/* In a program the lengths of messages may depend on the data, since they are charged; and with them the note that MPI
 * adds, of their type and count.  No other node learns what a node prints and draws, how many draws are left at its
 * end, or which collective it claims to be in. */
void
confirm_note_message(const struct coordinator *coordinator, struct node_process *process,
                     const struct confirm_message *message)
{
    bool apart = coordinator->program && message->what == CONFIRM_POST;
    const uint64_t all[] = {message->what,
                            (uint64_t)message->peer,
                            (uint64_t)message->tag,
                            message->context,
                            message->what == CONFIRM_END ? 0 : message->number,
                            apart ? 0 : message->words,
                            apart && coordinator->mpi ? 0 : message->note,
                            message->kind,
                            message->mode,
                            message->lenient};

    if (coordinator->program && (message->what == CONFIRM_PRINT || message->what == CONFIRM_RANDOM))
        return;
    confirm_note(coordinator, process, all, sizeof all);
    if (apart) {
        digest_add(coordinator, &process->lengths, &message->words, sizeof message->words);
        digest_add(coordinator, &process->notes, &message->note, sizeof message->note);
    }
}
