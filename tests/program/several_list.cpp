// SPDX-License-Identifier: MIT
// Belongs to several.c: what C++ keeps once a process, an inline variable, is a node's own here; exceptions find their way.
#include <stdexcept>
#include <vector>

template <typename T> struct kept {
    static inline std::vector<T> list;
};

extern "C" int
remember(int number)
{
    kept<int>::list.push_back(number);
    return static_cast<int>(kept<int>::list.size());
}

extern "C" const char *
try_odd(int n)
{
    try {
        if (n % 2 != 0)
            throw std::runtime_error("odd");
        return "even";
    } catch (const std::exception &) {
        return "odd";
    }
}
