/* A hostile "scatter": text that grows without end before it is compiled. */
#include <peal/peal.h>
#define A(x) x x x x x x x x x x x x x x x x
#define B(x) A(A(A(A(x))))
#define C(x) B(B(B(B(x))))
int many[] = {C(C(1,))};
