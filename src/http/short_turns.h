#pragma once

namespace outrigger::http {

/// Asks the kernel that the calling thread run soon after it wakes, in turns of 0.1 ms if others
/// want the processor, too: who has a short turn is chosen earlier (EEVDF, Linux 6.12 and later).
/// Its share of the processor stays the same. Where the kernel does not know or forbids that,
/// nothing happens.
void AskForShortTurns();

}  // namespace outrigger::http
