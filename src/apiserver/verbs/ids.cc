#include "apiserver/verbs/ids.h"

#include <string_view>

#include "fmt/format.h"

namespace outrigger::apiserver {

std::string Ids::Uid() {
  const MutexLock lock(mutex_);
  const uint64_t high = (random_() & ~uint64_t{0xf000}) | 0x4000;
  const uint64_t low = (random_() >> 2) | (uint64_t{1} << 63);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xffff, low >> 48, low & 0xffffffffffff);
}

std::string Ids::NameEnd() {
  constexpr std::string_view kCharacters = "bcdfghjklmnpqrstvwxz2456789";
  const MutexLock lock(mutex_);
  std::string end;
  for (int i = 0; i < 5; ++i) end += kCharacters[random_() % kCharacters.size()];
  return end;
}

}  // namespace outrigger::apiserver
