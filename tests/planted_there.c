/* SPDX-License-Identifier: MIT */
/* A circle, for the test of symbols.py: planted.c and this file use one another. */
int planted(void);
int planted_there(void);

int
planted_there(void)
{
    return planted();
}
