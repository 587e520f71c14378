#include "penalty/replace/slots.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::penalty {
namespace {

// Whether the manifest is of the class of which the rest of the intent is.
bool IsOf(const PriorityClass& manifest, const Intent& intent) {
  return manifest.name == intent.class_name && manifest.uid == intent.uid &&
         manifest.resource_version == intent.resource_version && manifest.value == intent.before &&
         !manifest.global_default && !manifest.is_deleted && manifest.finalizers.empty();
}

}  // namespace

IntentSlots::IntentSlots(const PriorityClassAccess* classes, ConfigMapAccess* maps,
                         std::string namespace_, std::chrono::milliseconds timeout)
    : classes_(classes), maps_(maps), namespace_(std::move(namespace_)), timeout_(timeout) {}

std::string IntentSlots::MapName(int slot) const {
  return fmt::format("{}/{}", namespace_, IntentMapName(slot));
}

bool IntentSlots::AllFree() const {
  return std::all_of(slots_.begin(), slots_.end(),
                     [](const Slot& slot) { return slot.state == State::kFree; });
}

std::optional<int> IntentSlots::FindOpen(std::string_view class_name) const {
  for (int slot = 0; slot < kIntentSlots; ++slot) {
    if (state(slot) == State::kOpen && intent(slot).class_name == class_name) return slot;
  }
  return std::nullopt;
}

// Decides whether what was read can be obeyed.
absl::Status IntentSlots::Judge(Slot* slot) const {
  slot->state = State::kBroken;
  absl::StatusOr<Intent> intent = ReadIntent(slot->map);
  if (!intent.ok()) return intent.status();
  const absl::StatusOr<PriorityClass> manifest = classes_->ParsePriorityClass(intent->manifest);
  if (!manifest.ok() || !IsOf(*manifest, *intent)) {
    return absl::InvalidArgumentError(fmt::format(
        "ConfigMap {}/{}: key manifest is not class {} of its key intent; if that class is there, "
        "delete the ConfigMap, else create the class first",
        namespace_, slot->map.name, Printable(intent->class_name)));
  }
  slot->intent = *std::move(intent);
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
  for (int slot = 0; slot < kIntentSlots; ++slot) {
    if (state(slot) != State::kUnknown) continue;
    const absl::Status read = Read(slot, term);
    if (!read.ok() && state(slot) == State::kUnknown) return read;
  }
  return absl::OkStatus();
}

absl::Status IntentSlots::Write(Slot* slot, const Intent& intent, const std::stop_token& term) {
  ConfigMap map = slot->map;
  if (absl::Status fits = WriteIntent(intent, &map); !fits.ok()) return fits;
  slot->state = State::kUnknown;
  absl::StatusOr<ConfigMap> written = maps_->WriteConfigMap(map, Limits(term));
  if (!written.ok()) return written.status();
  *slot = {State::kOpen, intent, *std::move(written)};
  return absl::OkStatus();
}

// Reads what has turned up in a slot that was free, a write that came late: free again if nothing
// has come of it, else Aborted.
absl::Status IntentSlots::MakeRoom(int slot, const std::stop_token& term) {
  const absl::Status read = Read(slot, term);
  switch (state(slot)) {
    case State::kUnknown:
      return read;
    case State::kBroken:
    case State::kFree:
      return absl::OkStatus();
    case State::kOpen:
      break;
  }
  if (intent(slot).step == Intent::Step::kPrepared) return Remove(slot, term);
  return absl::AbortedError(
      fmt::format("ConfigMap {} has an intent of another process", MapName(slot)));
}

absl::StatusOr<int> IntentSlots::Add(const Intent& intent, const std::stop_token& term) {
  for (int slot = 0; slot < kIntentSlots; ++slot) {
    for (int turns = 0; turns < 2 && state(slot) == State::kFree; ++turns) {
      At(slot).map = {};
      At(slot).map.namespace_ = namespace_;
      At(slot).map.name = IntentMapName(slot);
      const absl::Status written = Write(&At(slot), intent, term);
      if (written.ok()) return slot;
      if (absl::IsInvalidArgument(written) && state(slot) == State::kFree) return written;
      if (!absl::IsAlreadyExists(written)) return written;
      if (absl::Status made = MakeRoom(slot, term); !made.ok()) return made;
    }
  }
  return absl::ResourceExhaustedError(
      fmt::format("{} intents are open (ConfigMaps {} to {}); each waits for its class",
                  kIntentSlots, MapName(0), MapName(kIntentSlots - 1)));
}

absl::Status IntentSlots::Mark(int slot, const std::stop_token& term) {
  Intent marked = intent(slot);
  marked.step = Intent::Step::kDeleting;
  return Write(&At(slot), marked, term);
}

absl::Status IntentSlots::Remove(int slot, const std::stop_token& term) {
  At(slot).state = State::kUnknown;
  const absl::Status removed = maps_->DeleteConfigMap(At(slot).map, Limits(term));
  if (!removed.ok() && !absl::IsNotFound(removed)) return removed;
  At(slot).state = State::kFree;
  return absl::OkStatus();
}

}  // namespace outrigger::penalty
