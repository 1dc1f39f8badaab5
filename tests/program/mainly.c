/* SPDX-License-Identifier: MIT */
/* Has main in place of peal_main. */
int
main(void)
{
    return 0;
}
