/* SPDX-License-Identifier: MIT */
/* The calls before accesses of an instrumented program (lib/program/instrument.h): one definition of each, in terms of
 * macros that the includer has defined:
 *
 *   HOOK(type, name, parameters)            begins the definition of __tsan_NAME
 *   look(address, bytes, write, pc)         looks at an access of up to 16 bytes, made at `pc`
 *   LOOK_RANGE(address, bytes, write, pc) likewise for any number of bytes
 *
 * The program's and the functions' beginnings and ends are the includer's own. */
#define HERE __builtin_return_address(0)

/* A read and a write of `bytes` bytes, whose names begin with `how`. */
#define READ_WRITE(how, bytes)                                                                                         \
    HOOK(void, how##read##bytes, const void *address)                                                                  \
    {                                                                                                                  \
        look(address, bytes, false, HERE);                                                                             \
    }                                                                                                                  \
    HOOK(void, how##write##bytes, void *address)                                                                       \
    {                                                                                                                  \
        look(address, bytes, true, HERE);                                                                              \
    }
#define ACCESS(bytes)                                                                                                  \
    READ_WRITE(, bytes)                                                                                                \
    READ_WRITE(volatile_, bytes)                                                                                       \
    HOOK(void, read##bytes##_pc, const void *address, void *pc)                                                        \
    {                                                                                                                  \
        look(address, bytes, false, pc);                                                                               \
    }                                                                                                                  \
    HOOK(void, write##bytes##_pc, void *address, void *pc)                                                             \
    {                                                                                                                  \
        look(address, bytes, true, pc);                                                                                \
    }
INSTRUMENT_SIZES(ACCESS)

#define UNALIGNED(bytes)                                                                                               \
    READ_WRITE(unaligned_, bytes)                                                                                      \
    READ_WRITE(unaligned_volatile_, bytes)
INSTRUMENT_UNALIGNED(UNALIGNED)

HOOK(void, read_range, const void *address, size_t bytes)
{
    LOOK_RANGE(address, bytes, false, HERE);
}

HOOK(void, write_range, void *address, size_t bytes)
{
    LOOK_RANGE(address, bytes, true, HERE);
}

/* C++: the pointer of an object to its virtual functions. */
HOOK(void, vptr_update, void **place, void *value)
{
    (void)value;
    look(place, sizeof *place, true, HERE);
}

HOOK(void, vptr_read, void **place)
{
    look(place, sizeof *place, false, HERE);
}

/* ------------------------------------------------------------------ atomic accesses: one node runs at a time */

#define WORD(bits) uint##bits##_t
#define FETCH(bits, name)                                                                                              \
    HOOK(WORD(bits), atomic##bits##_fetch_##name, volatile WORD(bits) * address, WORD(bits) value, int order)          \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        look((void *)(uintptr_t)address, sizeof *address, true, HERE);                                                 \
        return __atomic_fetch_##name(address, value, __ATOMIC_SEQ_CST);                                                \
    }
#define EXCHANGE(bits, strength, weak)                                                                                 \
    HOOK(int, atomic##bits##_compare_exchange_##strength, volatile WORD(bits) * address, WORD(bits) * expected,        \
         WORD(bits) value, int order, int otherwise)                                                                   \
    {                                                                                                                  \
        (void)order, (void)otherwise;                                                                                  \
        look((void *)(uintptr_t)address, sizeof *address, true, HERE);                                                 \
        look(expected, sizeof *expected, true, HERE);                                                                  \
        return __atomic_compare_exchange_n(address, expected, value, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);        \
    }
#define ATOMIC(bits)                                                                                                   \
    HOOK(WORD(bits), atomic##bits##_load, const volatile WORD(bits) * address, int order)                              \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        look((void *)(uintptr_t)address, sizeof *address, false, HERE);                                                \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                             \
    }                                                                                                                  \
    HOOK(void, atomic##bits##_store, volatile WORD(bits) * address, WORD(bits) value, int order)                       \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        look((void *)(uintptr_t)address, sizeof *address, true, HERE);                                                 \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                            \
    }                                                                                                                  \
    HOOK(WORD(bits), atomic##bits##_exchange, volatile WORD(bits) * address, WORD(bits) value, int order)              \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        look((void *)(uintptr_t)address, sizeof *address, true, HERE);                                                 \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                                  \
    }                                                                                                                  \
    HOOK(WORD(bits), atomic##bits##_compare_exchange_val, volatile WORD(bits) * address, WORD(bits) expected,          \
         WORD(bits) value, int order, int otherwise)                                                                   \
    {                                                                                                                  \
        (void)order, (void)otherwise;                                                                                  \
        look((void *)(uintptr_t)address, sizeof *address, true, HERE);                                                 \
        __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);             \
        return expected;                                                                                               \
    }                                                                                                                  \
    EXCHANGE(bits, strong, false)                                                                                      \
    EXCHANGE(bits, weak, true)                                                                                         \
    INSTRUMENT_FETCHES(FETCH, bits)
INSTRUMENT_ATOMICS(ATOMIC)

HOOK(void, atomic_thread_fence, int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

HOOK(void, atomic_signal_fence, int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
