#include "penalty/classes/intent.h"

#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "penalty/classes/journal/record.h"
#include "penalty/classes/policy.h"

namespace outrigger::penalty {
namespace {

constexpr std::string_view kIntentKey = "intent";
constexpr std::string_view kManifestKey = "manifest";
constexpr size_t kMostName = 253;

bool IsLine(std::string_view text) {
  return Printable(text) == text && text.size() <= kMostName;
}

std::string_view StepText(IntentStep step) {
  return step == IntentStep::kDeleting ? "deleting" : "begun";
}

absl::Status Check(const Intent& intent, int index) {
  const auto wrong = [&intent](std::string_view field) {
    return absl::InvalidArgumentError(
        fmt::format("intent of class {}: {} is out of range", intent.class_name, field));
  };
  if (index < 0 || index >= kIntentMaps) return wrong("index");
  if (intent.class_name.empty() || !IsLine(intent.class_name)) return wrong("class");
  if (!IsLine(intent.uid)) return wrong("uid");
  if (!IsLine(intent.resource_version)) return wrong("version");
  if (intent.base < kLowestValue || intent.base > kHighestValue) return wrong("base");
  if (intent.target < kLowestValue || intent.target > intent.base) return wrong("target");
  if (intent.before < kLowestValue || intent.before > kHighestValue) return wrong("before");
  if (intent.epoch < 1) return wrong("epoch");
  if (intent.begun < 0 || intent.begun > kEndOfTime) return wrong("begun");
  return absl::OkStatus();
}

template <typename T>
bool Keep(const std::optional<T>& read, T* field) {
  if (read) *field = *read;
  return read.has_value();
}

// An edited text may be anything.
bool KeepText(const std::optional<std::string_view>& read, std::string* field) {
  if (!read || !IsLine(*read)) return false;
  *field = *read;
  return true;
}

bool KeepStep(const std::optional<std::string_view>& read, IntentStep* step) {
  for (const IntentStep known : {IntentStep::kBegun, IntentStep::kDeleting}) {
    if (read == StepText(known)) *step = known;
  }
  return read == StepText(*step);
}

// False if a field is missing or beyond its limits.
bool ReadFields(RecordFields* fields, Intent* intent, std::string* manifest_check) {
  bool ok = KeepText(fields->Text("class"), &intent->class_name) && !intent->class_name.empty();
  ok = KeepText(fields->Text("uid"), &intent->uid) && ok;
  ok = KeepText(fields->Text("version"), &intent->resource_version) && ok;
  const bool has_base = Keep(fields->Integer("base", kLowestValue, kHighestValue), &intent->base);
  const int64_t most = has_base ? intent->base : kHighestValue;
  ok = Keep(fields->Integer("target", kLowestValue, most), &intent->target) && has_base && ok;
  ok = Keep(fields->Integer("before", kLowestValue, kHighestValue), &intent->before) && ok;
  ok = Keep(fields->Integer("epoch", 1, INT64_MAX), &intent->epoch) && ok;
  ok = Keep(fields->Time("begun"), &intent->begun) && ok;
  const std::optional<std::string_view> cause = fields->Text("cause");
  if (cause) intent->cause = CauseText(*cause);
  ok = KeepStep(fields->Text("step"), &intent->step) && ok;
  ok = KeepText(fields->Text("manifest-check"), manifest_check) && cause && ok;
  fields->ReportUnknown();
  return ok;
}

}  // namespace

absl::StatusOr<ConfigMap> WriteIntent(const Intent& intent, int index) {
  absl::Status status = Check(intent, index);
  if (!status.ok()) return status;
  RecordWriter record;
  record.Add("class", intent.class_name);
  record.Add("uid", intent.uid);
  record.Add("version", intent.resource_version);
  record.Add("base", intent.base);
  record.Add("target", intent.target);
  record.Add("before", intent.before);
  record.Add("epoch", intent.epoch);
  record.AddTime("begun", intent.begun);
  record.Add("cause", CauseText(intent.cause));
  record.Add("step", StepText(intent.step));
  record.Add("manifest-check", CheckOf(kManifestKey, intent.manifest));
  ConfigMap map;
  map.name = JournalMapName({JournalMapKind::kIntent, index});
  map.labels = JournalLabels();
  map.data.emplace(kIntentKey, std::move(record).Finish(kIntentKey));
  map.data.emplace(kManifestKey, intent.manifest);
  if (const size_t bytes = JsonBytes(map); bytes > kMostMapBytes) {
    return absl::ResourceExhaustedError(fmt::format(
        "the intent of class {} would have {} bytes, more than the {} allowed in a ConfigMap",
        intent.class_name, bytes, kMostMapBytes));
  }
  return map;
}

IntentRead ReadIntent(const ConfigMap& map) {
  IntentRead read;
  const auto report = [&](std::string_view key, std::string_view text) {
    read.findings.push_back({Printable(Shortened(map.name, kMostName)),
                             Printable(Shortened(key, kMostName)), 0, std::string(text)});
  };
  for (const auto& [key, value] : map.data) {
    if (key != kIntentKey && key != kManifestKey) report(key, "is not known");
  }
  const auto record = map.data.find(kIntentKey);
  std::string manifest_check;
  if (record == map.data.end()) {
    report(kIntentKey, "is missing");
  } else {
    RecordLines lines(map.name, kIntentKey, record->second, &read.findings);
    RecordFields fields(&lines);
    const bool is_complete = ReadFields(&fields, &read.intent, &manifest_check);
    if (!is_complete) lines.Report(0, "is not complete");
    read.is_intact = is_complete && lines.is_intact();
  }
  const auto manifest = map.data.find(kManifestKey);
  if (manifest == map.data.end()) {
    report(kManifestKey, "is missing");
    return read;
  }
  read.intent.manifest = manifest->second;
  read.is_manifest_intact = manifest_check == CheckOf(kManifestKey, manifest->second);
  if (!read.is_manifest_intact) report(kManifestKey, "was edited: its checksum does not match");
  return read;
}

}  // namespace outrigger::penalty
