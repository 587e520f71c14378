#pragma once

#include <cstdio>
#include <cstdlib>

// What a fuzzer asserts. On in every build: a property that does not hold ends the program, which
// libFuzzer and ctest both take for a finding.

/// Aborts, with the place and the text of the condition, unless `condition` holds.
#define OUTRIGGER_REQUIRE(condition)                                                      \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)
