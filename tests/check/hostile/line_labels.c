/* Hostile: static functions with the assembler names of what the driver calls. */
#include <peal/peal.h>

int my_line(struct peal_node *me, int x);
static int my_atoi(const char *text) __asm__("atoi");
static int my_memcmp(const void *a, const void *b, size_t bytes) __asm__("memcmp");
static void my_abort(struct peal_node *me, const char *text, const char *file, int line) __asm__("peal_abort_at");

__attribute__((used)) static int
my_atoi(const char *text)
{
    (void)text;
    return 0;
}

__attribute__((used)) static int
my_memcmp(const void *a, const void *b, size_t bytes)
{
    (void)a, (void)b, (void)bytes;
    return 0;
}

__attribute__((used)) static void
my_abort(struct peal_node *me, const char *text, const char *file, int line)
{
    (void)me, (void)text, (void)file, (void)line;
}

int
my_line(struct peal_node *me, int x)
{
    (void)me;
    return x;
}
