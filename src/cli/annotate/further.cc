#include "cli/annotate/further.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "annotate/allocation_keys.h"
#include "annotate/usage_values.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "outrigger/k8s/label_syntax.h"

namespace outrigger::cli {
namespace {

constexpr std::string_view kSection = "further.";

bool IsOwn(const std::string& key) {
  const auto has = [&](const std::vector<std::string>& keys) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  return has(annotate::UsageKeys({})) || has(annotate::AllocationKeys());
}

absl::Status Check(const FileValue& value, const std::string& key) {
  const auto refuse = [&](std::string_view why) {
    return absl::InvalidArgumentError(
        fmt::format("{}: {:?}: {}", value.key_place, Printable(key), why));
  };
  if (!IsLabelKey(key)) return refuse("is no name of an annotation");
  if (IsOwn(key)) return refuse("is an annotation that the annotators write themselves");
  if (value.text.empty()) return refuse("has no query");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<usage::FurtherQuery>> TakeFurther(std::vector<FileValue>* file) {
  std::vector<usage::FurtherQuery> queries;
  for (const FileValue& value : *file) {
    if (!value.key.starts_with(kSection)) continue;
    std::string key = value.key.substr(kSection.size());
    absl::Status status = Check(value, key);
    if (!status.ok()) return status;
    queries.push_back({std::move(key), value.text});
  }
  std::erase_if(*file, [](const FileValue& value) { return value.key.starts_with(kSection); });
  return queries;
}

}  // namespace outrigger::cli
