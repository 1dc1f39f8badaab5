/* SPDX-License-Identifier: MIT */
/* The applications, one a file.  A new one is its file, one line here, and one in applications.c's table. */
#ifndef APPLICATIONS_APPLICATIONS_H
#define APPLICATIONS_APPLICATIONS_H

#include <peal/application.h>

extern const struct peal_application app_cannon, app_summa, app_cannon_25d;
extern const struct peal_application app_transpose, app_transpose_stripes;
extern const struct peal_application app_jacobi, app_jacobi_strips, app_jacobi_blocks, app_conjugate_gradient;
extern const struct peal_application app_sample_sort, app_bitonic_sort, app_odd_even_sort;
extern const struct peal_application app_prefix_sums, app_fft, app_n_body, app_bfs;

#endif
