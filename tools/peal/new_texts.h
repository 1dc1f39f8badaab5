/* SPDX-License-Identifier: MIT */
/* The starts that peal new writes: the files of tools/peal/new/, with words in @ for what differs. */
#ifndef PEAL_NEW_TEXTS_H
#define PEAL_NEW_TEXTS_H

extern const char new_program[], new_algorithm[], new_assignment[], new_starter[], new_solution[], new_handout[];

#endif
