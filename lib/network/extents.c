/* SPDX-License-Identifier: MIT */
/* Reads and completes the extents of a grid, and proposes others when they do not make the machine's nodes. */
#include "lib/network/extents.h"
#include "lib/base/number.h"
#include "lib/base/text.h"

void
extents_name(struct peal_network *network)
{
    snprintf(network->name, sizeof network->name, "%s", network->topology->name);
    for (int i = 0; i < network->dimensions; i++)
        peal_append(IN_ARRAY(network->name), "%c%d", i ? 'x' : ':', network->extent[i]);
}

/* Refuse "mesh:3xq", as it was typed, with the reason. */
static enum peal_status
refuse_text(const struct peal_network *network, const char *text, const char *what, struct peal_error *error)
{
    return peal_refuse(error, PEAL_USAGE, "topology %s %s: %s (the form is %s)", network->topology->name,
                       quote(text).text, what, network->topology->form);
}

enum peal_status
extents_read(struct peal_network *network, const char *text, int fewest, int most, int smallest,
             struct peal_error *error)
{
    const char *at = text;
    int count = 0;

    for (bool more = true; more; at++) {
        size_t length = strcspn(at, "x");
        char word[sizeof(struct quoted)];
        char what[200];
        struct peal_error wrong;
        uint64_t value;

        if (count == most) {
            snprintf(what, sizeof what, "it takes at most %d number%s", most, plural(most));
            return refuse_text(network, text, what, error);
        }
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), at);
        if (number_parse(word, INT_MAX, &value, &wrong)) {
            snprintf(what, sizeof what, "%.*s", (int)sizeof what - 1, wrong.text);
            return refuse_text(network, text, what, error);
        }
        if (value < (uint64_t)smallest) {
            snprintf(what, sizeof what, "each number is at least %d", smallest);
            return refuse_text(network, text, what, error);
        }
        network->extent[count++] = (int)value;
        at += length;
        more = *at == 'x';
    }
    if (count < fewest) {
        char what[100];

        snprintf(what, sizeof what, "it takes %d numbers", fewest);
        return refuse_text(network, text, what, error);
    }
    network->dimensions = count;
    extents_name(network);
    return PEAL_OK;
}

/* Whether base to the power is at most n. */
static bool
power_fits(int base, int power, int n)
{
    int64_t product = 1;

    while (power-- > 0) {
        product *= base;
        if (product > n)
            return false;
    }
    return true;
}

/* Make the extents as square as possible: their product is `nodes`, the smallest comes first. */
static void
make_square(int nodes, int dimensions, int *extents)
{
    for (int left = dimensions; left > 0; left--) {
        int largest = 1;

        if (left == 1) {
            largest = nodes;
        } else {
            for (int divisor = 1; power_fits(divisor, left, nodes); divisor++)
                if (nodes % divisor == 0)
                    largest = divisor;
        }
        extents[dimensions - left] = largest;
        nodes /= largest;
    }
}

void
fits_add(struct fits *fits, const struct peal_network *network, const int *extents, int dimensions)
{
    if (fits->count == 3)
        return;
    peal_append(IN_ARRAY(fits->text), "%s%s", fits->count ? " or " : "", network->topology->name);
    for (int i = 0; i < dimensions; i++)
        peal_append(IN_ARRAY(fits->text), "%c%d", i ? 'x' : ':', extents[i]);
    fits->count++;
}

enum peal_status
fits_refuse(const struct fits *fits, const struct peal_network *network, uint64_t size, struct peal_error *error)
{

    if (size == 0)
        return peal_refuse(error, PEAL_USAGE, "topology %s lacks its numbers: for %d node%s use %s",
                           network->topology->name, network->nodes, plural(network->nodes), fits->text);
    if (size > INT_MAX)
        return peal_refuse(error, PEAL_USAGE, "%s has more than %d nodes, the machine has %d: use %s", network->name,
                           INT_MAX, network->nodes, fits->text);
    return peal_refuse(error, PEAL_USAGE, "%s has %d node%s, the machine has %d: use %s, or %d node%s", network->name,
                       (int)size, plural(size), network->nodes, fits->text, (int)size, plural(size));
}

/* Refuse extents that do not make the machine's nodes: name up to three that do, with as many dimensions. */
static enum peal_status
refuse_product(struct peal_network *network, uint64_t product, struct peal_error *error)
{
    int square[PEAL_MAX_DIMENSIONS];
    struct fits fits = {0};

    make_square(network->nodes, network->dimensions, square);
    fits_add(&fits, network, square, network->dimensions);
    for (int divisor = square[0] - 1; network->dimensions == 2 && divisor > 0; divisor--)
        if (network->nodes % divisor == 0)
            fits_add(&fits, network, (int[]){divisor, network->nodes / divisor}, 2);
    return fits_refuse(&fits, network, product, error);
}

enum peal_status
extents_of_grid(struct peal_network *network, const char *text, int dimensions, struct peal_error *error)
{
    uint64_t product = 1;

    if (!text) {
        network->dimensions = dimensions ? dimensions : 2;
        make_square(network->nodes, network->dimensions, network->extent);
        extents_name(network);
        return PEAL_OK;
    }
    if (extents_read(network, text, dimensions ? dimensions : 1, dimensions ? dimensions : PEAL_MAX_DIMENSIONS, 1,
                     error))
        return PEAL_USAGE;
    for (int i = 0; i < network->dimensions; i++)
        product = product > INT_MAX ? product : product * (uint64_t)network->extent[i];
    return product == (uint64_t)network->nodes ? PEAL_OK : refuse_product(network, product, error);
}
