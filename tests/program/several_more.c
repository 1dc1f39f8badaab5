/* SPDX-License-Identifier: MIT */
/* Belongs to several.c. */
#include <stdio.h>

int add(int more);
long random(void);

static int sum;

int
add(int more)
{
    return sum += more;
}

long
random(void)
{
    return 4;
}
