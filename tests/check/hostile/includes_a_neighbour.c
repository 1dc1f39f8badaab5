/* A hostile "scatter": it includes another student's submission. */
#include <peal/peal.h>
#include "exits.c"
