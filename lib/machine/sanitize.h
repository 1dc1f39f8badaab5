/* SPDX-License-Identifier: MIT */
/* Which sanitizer this is compiled for, and what all files need of its interface. */
#pragma once

#if defined __SANITIZE_ADDRESS__
#define ADDRESS_SANITIZER 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif
#if defined __SANITIZE_THREAD__
#define THREAD_SANITIZER 1
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZER 1
#endif
#endif
#ifndef ADDRESS_SANITIZER
#define ADDRESS_SANITIZER 0
#endif
#ifndef THREAD_SANITIZER
#define THREAD_SANITIZER 0
#endif

#if ADDRESS_SANITIZER
#include <stddef.h>
void __asan_unpoison_memory_region(const volatile void *memory, size_t bytes);
#endif
