/* SPDX-License-Identifier: MIT */
/* Has main where a node program has peal_main. */
int
main(void)
{
    return 0;
}
