/* SPDX-License-Identifier: MIT */
/* The table of collectives. */
#include "lib/collective/catalog.h"

#define FORM(collective, folder) extern const struct peal_form folder##_form;
#include <peal/forms.def>
#undef FORM

static const struct peal_form program = {.name = "program"};

static const struct peal_form *const rows[PEAL_COLLECTIVES + 1] = {
#define FORM(collective, folder) [collective] = &folder##_form,
#include <peal/forms.def>
#undef FORM
    [PEAL_COLLECTIVES] = &program,
};

void
catalog_register(const struct peal_algorithm *const *algorithms, int count)
{
    forms_register(rows);
    algorithms_register(algorithms, count);
}
