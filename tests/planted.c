/* SPDX-License-Identifier: MIT */
/* A call upwards, for the test of symbols.py (the first layer asks the last but one), and a circle of two files. */
int planted(void);
int planted_there(void);
void peal_check(void);

int
planted(void)
{
    peal_check();
    return planted_there();
}
