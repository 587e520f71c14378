#include "penalty/classes/replace/slots.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "penalty/classes/eligibility.h"

namespace outrigger::penalty {
namespace {

// Whether the manifest is of the class of which the rest of the intent is. (Its version may be an
// older one's.)
bool IsOf(const PriorityClass& manifest, const Intent& intent) {
  return manifest.name == intent.class_name && !RefusalOf(manifest, Purpose::kRestore);
}

// A ConfigMap's name as in the journal.
std::string IntentMapName(int slot) {
  return JournalMapName({JournalMapKind::kIntent, slot});
}

}  // namespace

IntentSlots::IntentSlots(const PriorityClassAccess* classes, ConfigMapAccess* maps,
                         std::string intents_namespace, std::chrono::milliseconds timeout)
    : classes_(classes), maps_(maps), namespace_(std::move(intents_namespace)), timeout_(timeout) {}

std::string IntentSlots::MapName(int slot) const {
  return fmt::format("{}/{}", namespace_, IntentMapName(slot));
}

bool IntentSlots::AllFree() const {
  return std::all_of(slots_.begin(), slots_.end(),
                     [](const Slot& slot) { return slot.state == State::kFree; });
}

std::optional<int> IntentSlots::FindOpen(std::string_view class_name) const {
  for (int slot = 0; slot < kIntentMaps; ++slot) {
    if (state(slot) == State::kOpen && intent(slot).class_name == class_name) return slot;
  }
  return std::nullopt;
}

// Decides whether what was read can be obeyed.
absl::Status IntentSlots::Judge(Slot* slot) const {
  slot->state = State::kBroken;
  IntentRead read = ReadIntent(slot->map);
  if (!read.is_intact || !read.is_manifest_intact) {
    return absl::InvalidArgumentError(read.findings.empty() ? "an intent was edited"
                                                            : FindingText(read.findings.front()));
  }
  const absl::StatusOr<PriorityClass> manifest = classes_->ParsePriorityClass(read.intent.manifest);
  if (!manifest.ok() || !IsOf(*manifest, read.intent)) {
    return absl::InvalidArgumentError(FindingText(
        {slot->map.name, "manifest", 0,
         fmt::format("is not class {}, or must not be replaced", read.intent.class_name)}));
  }
  slot->intent = std::move(read.intent);
  slot->state = State::kOpen;
  return absl::OkStatus();
}

absl::Status IntentSlots::Read(int slot, const std::stop_token& term) {
  Slot& at = At(slot);
  absl::StatusOr<ConfigMap> map =
      maps_->ReadConfigMap(namespace_, IntentMapName(slot), Limits(term));
  at.state = State::kUnknown;
  if (absl::IsNotFound(map.status())) {
    at.state = State::kFree;
    return absl::OkStatus();
  }
  if (!map.ok()) return map.status();
  at.map = *std::move(map);
  return Judge(&at);
}

absl::Status IntentSlots::ReadUnknown(const std::stop_token& term) {
  for (int slot = 0; slot < kIntentMaps; ++slot) {
    if (state(slot) != State::kUnknown) continue;
    absl::Status read = Read(slot, term);
    if (!read.ok() && state(slot) == State::kUnknown) return read;
  }
  return absl::OkStatus();
}

absl::Status IntentSlots::Rewrite(int slot, const Intent& intent, const std::stop_token& term) {
  Slot& at = At(slot);
  absl::StatusOr<ConfigMap> map = WriteIntent(intent, slot);
  if (!map.ok()) return map.status();
  map->namespace_ = namespace_;
  map->uid = at.map.uid;
  map->resource_version = at.map.resource_version;
  at.state = State::kUnknown;
  absl::StatusOr<ConfigMap> written = maps_->WriteConfigMap(*map, Limits(term));
  if (!written.ok()) return written.status();
  at = {State::kOpen, intent, *std::move(written)};
  return absl::OkStatus();
}

// Reads what has turned up in a slot that was free, a write that came late: free again if nothing
// has come of it, else Aborted.
absl::Status IntentSlots::MakeRoom(int slot, const std::stop_token& term) {
  absl::Status read = Read(slot, term);
  switch (state(slot)) {
    case State::kUnknown:
      return read;
    case State::kBroken:
    case State::kFree:
      return absl::OkStatus();
    case State::kOpen:
      break;
  }
  if (intent(slot).step == IntentStep::kBegun) return Remove(slot, term);
  return absl::AbortedError(
      fmt::format("ConfigMap {} has an intent of another process", MapName(slot)));
}

absl::StatusOr<int> IntentSlots::Add(const Intent& intent, const std::stop_token& term) {
  for (int slot = 0; slot < kIntentMaps; ++slot) {
    for (int turns = 0; turns < 2 && state(slot) == State::kFree; ++turns) {
      At(slot).map = {};
      const absl::Status written = Rewrite(slot, intent, term);
      if (written.ok()) return slot;
      if (!absl::IsAlreadyExists(written)) return written;
      if (absl::Status made = MakeRoom(slot, term); !made.ok()) return made;
    }
  }
  return absl::ResourceExhaustedError(
      fmt::format("{} intents are open (ConfigMaps {} to {}); each waits for its class",
                  kIntentMaps, MapName(0), MapName(kIntentMaps - 1)));
}

absl::Status IntentSlots::Remove(int slot, const std::stop_token& term) {
  At(slot).state = State::kUnknown;
  absl::Status removed = maps_->DeleteConfigMap(At(slot).map, Limits(term));
  if (!removed.ok() && !absl::IsNotFound(removed)) return removed;
  At(slot).state = State::kFree;
  return absl::OkStatus();
}

}  // namespace outrigger::penalty
