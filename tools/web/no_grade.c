/* SPDX-License-Identifier: MIT */
/* peal grade in a build without inih: it reports that. */
#include "grade/grade.h"
#include "options/options.h"

static int
command_no_grade_run(const struct command_request *request)
{
    (void)request;
    return complain_of(PEAL_RESOURCES, "this build has no peal grade: install libinih-dev and build again");
}

int
grade_enclosed(int argc, char **argv)
{
    (void)argc, (void)argv;
    return PEAL_RESOURCES;
}

const struct command command_grade = {
    .name = "grade",
    .arguments = "ASSIGNMENT.ini FILE...  [options]",
    .summary = "mark submissions by an assignment (not in this build)",
    .examples = "  peal grade scatter.ini mine.c               needs libinih-dev when Peal is built\n",
    .completes = WORDS_FILE,
    .run = command_no_grade_run,
};
