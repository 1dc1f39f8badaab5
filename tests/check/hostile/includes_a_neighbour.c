/* A hostile "scatter": it includes what somebody else handed in. */
#include <peal/peal.h>
#include "exits.c"
