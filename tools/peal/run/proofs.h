/* SPDX-License-Identifier: MIT */
/* Proofs for every number of nodes, from the C code of the catalogue's algorithms (--every). */
#pragma once

#include "run/checks.h"

/* Whether the request may ask for them, here.
 *
 *   errors   PEAL_USAGE beside options that narrow the cases; PEAL_RESOURCES without clang, solver or sources */
enum peal_status proofs_ask(const struct command_request *request, struct peal_error *error);

/* Prove the checks that are proved for a few numbers of nodes.  What fails when it is run is a finding of its check.
 *
 *   errors   those of peal_every_make, and of peal_check */
enum peal_status proofs_make(struct checks *all, struct peal_error *error);

enum { PROOF_TEXT = 700, PROVED_TEXT = 40 };

/* For which numbers of nodes the algorithm is proved, as proved.def says: "every P", "every even P", "every P = 2^q";
 * else those of its runs, "P <= 16". */
const char *proofs_claim(const struct peal_algorithm *a, char text[PROVED_TEXT]);

/* Print why the algorithm, or the function of --file, is right for every P, as on a board: what a node does, the
 * invariant, the obligations.
 *
 *   errors   those of proofs_ask; PEAL_USAGE where `what` is not one algorithm */
enum peal_status proofs_explain(const struct command_request *request, struct peal_error *error);

/* "every P to 2^24, every root, every m: 25 classes of P, 412 obligations; any order of arrival", or "not for every P:
 * why". */
void proofs_tell(const struct peal_check *check, const struct every *every, char text[PROOF_TEXT]);

/* The assumptions of the proof; of those of all algorithms if i is -1. */
void proofs_assumes(const struct checks *all, int i, char text[PROOF_TEXT]);
