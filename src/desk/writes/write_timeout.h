#pragma once

#include <chrono>

namespace outrigger::desk {

/// A write to a pod is given up after so long. It costs an API server that has too much to do its
/// connection and mostly is done all the same, and then it is sent again: so this is long, but less
/// than the 15 s (leaseDuration) after which another scheduler is in charge. With a Lease of our
/// own it is given up when the term is over.
inline constexpr std::chrono::seconds kWriteTimeout{10};

}  // namespace outrigger::desk
