#include "file_state.h"

#include <cstdint>

#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "state_file.h"
#include "state_rules.h"

namespace outrigger::internal {
namespace {

// FNV-1a of 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/.
uint64_t SumOf(std::string_view bytes) {
  constexpr uint64_t kOffset = 14695981039346656037U;
  constexpr uint64_t kPrime = 1099511628211U;
  uint64_t sum = kOffset;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * kPrime;
  return sum;
}

std::string VersionOf(uint64_t counter, std::string_view content) {
  return fmt::format("{}-{:016x}", counter, SumOf(content));
}

}  // namespace

absl::StatusOr<StoredState> FileState::Read(uint64_t* counter) const {
  const auto content = ReadStateFile(path_);
  if (!content.ok()) return content.status();
  if (!content->has_value()) return StoredState();
  auto form = ParseState(**content);
  if (!form.ok()) return form.status();
  if (form->agent != agent_) {
    constexpr size_t kShown = 64;
    return absl::FailedPreconditionError(fmt::format(
        "it is the state of \"{}\", not of {}", Shortened(Printable(form->agent), kShown), agent_));
  }
  *counter = form->version;
  return StoredState{std::move(form->data), VersionOf(form->version, **content)};
}

absl::StatusOr<StoredState> FileState::Load(const CallLimits& /*limits*/) {
  uint64_t counter = 0;
  auto state = Read(&counter);
  if (!state.ok()) return At(Place(), state.status());
  return state;
}

absl::StatusOr<std::string> FileState::Save(const StoredState& state, const CallLimits& limits) {
  if (absl::Status wrong = CheckState(state); !wrong.ok()) return At(Place(), wrong);
  auto version = Replace(state, limits);
  if (!version.ok()) return At(Place(), version.status());
  return version;
}

absl::StatusOr<std::string> FileState::Replace(const StoredState& state,
                                               const CallLimits& limits) const {
  const std::string path = ResolvedStateFile(path_);
  const auto lock = FolderLock::Take(path, limits);
  if (!lock.ok()) return lock.status();
  uint64_t counter = 0;
  const auto stored = Read(&counter);
  const bool is_lost = absl::IsDataLoss(stored.status());
  if (!stored.ok() && !is_lost) return stored.status();
  const std::string there = is_lost ? "" : stored->version;
  if (state.version != there || (is_lost && !state.version.empty())) {
    return absl::AbortedError("another version is stored");
  }
  const std::string content =
      PrintState({.agent = agent_, .version = counter + 1, .data = state.data});
  if (absl::Status written = ReplaceStateFile(path, content); !written.ok()) return written;
  return VersionOf(counter + 1, content);
}

}  // namespace outrigger::internal
