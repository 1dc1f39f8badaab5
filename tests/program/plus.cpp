// SPDX-License-Identifier: MIT
// A node program in C++: its peal_main is extern "C", as peal.h declares it.
#ifdef WITHOUT_PEAL
struct peal_node;
#else
#include <peal/peal.h>
#include <cstdio>
#include <string>
#endif

void
peal_main(struct peal_node *me, int, char **argv)
{
#ifdef WITHOUT_PEAL
    (void)me, (void)argv;
#else
    std::string text = "node " + std::to_string(peal_rank(me));

    peal_barrier(me);
    std::printf("%s of %s\n", text.c_str(), argv[1]);
#endif
}
