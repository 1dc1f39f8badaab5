/* SPDX-License-Identifier: MIT */
/* Whether the data that a call sends were ever written, in watched runs. */
#pragma once

#include "mpi/span.h"

/* Report it if nobody has written the data that the call sends; what it receives counts as written from now on. */
void unwritten_look(struct mpi *mpi, const struct typed_data *data, const struct byte_span *span, bool writes);
