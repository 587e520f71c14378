#pragma once

#include <cstdint>

#include "outrigger/k8s/pod.h"

namespace outrigger::testing {

/// A pod with something in every field, or, now and then, nothing: a pure function of the seed.
/// Amounts and texts are of every kind, absurd ones included.
Pod RandomPod(uint64_t seed);

}  // namespace outrigger::testing
