#include "http/short_turns.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace outrigger::http {
namespace {

// sched_setattr(2), which Debian 12's libc has no header for.
struct Attributes {
  uint32_t size = sizeof(Attributes);
  uint32_t policy = 0;
  uint64_t flags = 0;
  int32_t nice = 0;
  uint32_t priority = 0;
  uint64_t runtime = 0;  // of SCHED_OTHER: the length of a turn, in nanoseconds
  uint64_t deadline = 0;
  uint64_t period = 0;
};

constexpr uint32_t kOther = 0;           // SCHED_OTHER
constexpr uint64_t kShortest = 100'000;  // what the kernel allows

}  // namespace

void AskForShortTurns() {
  Attributes attributes;
  // What an administrator has set (nice, another policy) stays.
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) != 0) return;
  if (attributes.policy != kOther) return;
  attributes.size = sizeof(attributes);
  attributes.runtime = kShortest;
  static_cast<void>(::syscall(SYS_sched_setattr, 0, &attributes, 0));
}

}  // namespace outrigger::http
