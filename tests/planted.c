/* SPDX-License-Identifier: MIT */
/* A call upwards, for the test of symbols.py: the first layer asks the last but one. */
int planted(void);
void peal_check(void);

int
planted(void)
{
    peal_check();
    return 0;
}
