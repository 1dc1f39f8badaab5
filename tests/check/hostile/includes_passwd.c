/* A hostile "scatter": the compiler's messages shall tell what a file holds. */
#include <peal/peal.h>
#include "/etc/passwd"
