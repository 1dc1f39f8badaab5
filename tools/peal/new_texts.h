/* SPDX-License-Identifier: MIT */
/* The templates of peal new: the files of tools/peal/new/, with words in @ for the parts that differ. */
#ifndef PEAL_NEW_TEXTS_H
#define PEAL_NEW_TEXTS_H

extern const char new_program[], new_algorithm[], new_assignment[], new_starter[], new_solution[], new_handout[];

#endif
