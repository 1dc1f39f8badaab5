/* SPDX-License-Identifier: MIT */
/* Reads the list of a class: comma-separated values (RFC 4180), one student per line. */
#include "grade/submissions.h"
#include "lib/base/grow.h"
#include "write/files.h"
#include <strings.h>

/* Fields of a row; the most students of a list. */
enum { ID, NAME, PATH, FIELDS, MAX_STUDENTS = 10000 };

/* The byte order mark, which spreadsheets put first. */
#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

/* The list as it is read: texts stay where they are, without their quotes and each with a zero byte after it. */
struct class_list {
    const char *path;
    char *at; /* the text that is left, which ends with a zero byte */
    int line; /* that `at` is in */
    char *fields[FIELDS];
    int row_line, count; /* of the last row read: its first line; its number of fields */
    struct peal_error *error;
};

static enum peal_status
refuse_line(const struct class_list *list, int line, const char *what)
{
    return peal_refuse(list->error, PEAL_USAGE, "%s:%d: %s", list->path, line, what);
}

/* Remove the quotes of the field at list->at, and advance that past them; *end: the end of the field's text. */
static enum peal_status
read_quoted(struct class_list *list, char **end)
{
    const int line = list->line;
    char *to = list->at++;

    for (; *list->at && (list->at[0] != '"' || list->at[1] == '"'); list->at++) {
        list->at += *list->at == '"'; /* "" is one quote */
        list->line += *list->at == '\n';
        *to++ = *list->at;
    }
    *end = to;
    if (!*list->at)
        return refuse_line(list, line, "a quote (\") is not closed: one within a quoted field is written twice");
    list->at += 1 + strspn(list->at + 1, " ");
    if (*list->at && !strchr(",\r\n", *list->at))
        return refuse_line(list, list->line,
                           "text follows the closing quote of a field: a quote within one is written twice");
    return PEAL_OK;
}

/* Read one row, its line break included. */
static enum peal_status
read_row(struct class_list *list)
{
    bool more = true;

    list->row_line = list->line;
    for (list->count = 0; more; list->count++) {
        enum peal_status status = PEAL_OK;
        char *start = list->at += strspn(list->at, " "), *end;

        if (*start == '"') {
            status = read_quoted(list, &end);
        } else {
            list->at += strcspn(list->at, ",\r\n");
            end = list->at;
        }
        if (status != PEAL_OK)
            return status;
        more = *list->at == ',';
        list->at += more || *list->at == '\r';
        if (!more && *list->at == '\n') {
            list->line++;
            list->at++;
        }
        while (end > start && end[-1] == ' ')
            end--;
        *end = '\0';
        if (list->count < FIELDS)
            list->fields[list->count] = start;
    }
    return PEAL_OK;
}

/* The student of the row that was read. */
static enum peal_status
add_student(struct submissions *all, const struct class_list *list)
{
    const char *id = list->fields[ID];
    char text[200];
    struct peal_text what = empty_text(text, sizeof text);

    if (list->count < 2 || list->count > FIELDS)
        peal_append(what, "expected id, name and a file or folder, with commas between them, got %d field%s",
                    list->count, plural(list->count));
    else if (!*id)
        peal_append(what, "expected an id, got an empty field");
    else if (all->student_count == MAX_STUDENTS)
        peal_append(what, "%d students are the most", MAX_STUDENTS);
    for (int i = 0; i < all->student_count && !*text; i++)
        if (strcmp(all->students[i].id, id) == 0)
            peal_append(what, "duplicate id: line %d has it too: %s", all->students[i].line, id);
    if (*text) {
        make_plain(text);
        return refuse_line(list, list->row_line, text);
    }
    if (!grow_by_one(&all->students, (size_t)all->student_count, sizeof *all->students))
        return peal_refuse(list->error, PEAL_RESOURCES, "not enough memory");
    all->students[all->student_count++] = (struct student){.id = id,
                                                           .name = list->fields[NAME],
                                                           .path = list->count > PATH ? list->fields[PATH] : "",
                                                           .line = list->row_line};
    return PEAL_OK;
}

/* Whether the row names the fields. */
static bool
is_head(const struct class_list *list)
{
    return list->count >= 2 && strcasecmp(list->fields[ID], "id") == 0 && strcasecmp(list->fields[NAME], "name") == 0;
}

enum peal_status
students_read(struct submissions *submissions, const char *path, struct peal_error *error)
{
    struct class_list list = {.path = path, .line = 1, .error = error};
    size_t count;
    void *bytes;
    enum peal_status status = file_read_document(path, &bytes, &count, error);

    if (status != PEAL_OK)
        return status;
    submissions->class_bytes = list.at = bytes;
    if (strlen(list.at) < count)
        status = peal_refuse(error, PEAL_USAGE, "%s has bytes of 0: expected text, comma-separated values", path);
    if (strncmp(list.at, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0)
        list.at += strlen(BYTE_ORDER_MARK);
    for (bool first = true; status == PEAL_OK && *list.at;) {
        status = read_row(&list);
        if (status != PEAL_OK || (list.count == 1 && !*list.fields[0])) /* an empty line */
            continue;
        if (!first || !is_head(&list))
            status = add_student(submissions, &list);
        first = false;
    }
    if (status == PEAL_OK && submissions->student_count == 0)
        status = peal_refuse(error, PEAL_USAGE, "%s has no student", path);
    return status;
}
