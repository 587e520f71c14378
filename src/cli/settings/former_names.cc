#include "cli/settings/former_names.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

namespace outrigger::cli {
namespace {

absl::Status Both(const std::string& former, const std::string& present) {
  return absl::InvalidArgumentError(
      fmt::format("{} is the former name of {}: give one of them", former, present));
}

std::string StillWorks(const std::string& former, const std::string& present) {
  return fmt::format("{} is now {}; the former name still works", former, present);
}

template <typename Map>  // of flags or of the environment: their comparisons differ
absl::Status Rename(const std::string& former, const std::string& present, Map* values,
                    std::vector<std::string>* warnings) {
  const auto old = values->find(former);
  if (old == values->end()) return absl::OkStatus();
  if (values->contains(present)) return Both(former, present);
  warnings->push_back(StillWorks(former, present));
  auto node = values->extract(old);
  node.key() = present;
  values->insert(std::move(node));
  return absl::OkStatus();
}

absl::Status RenameKey(const std::string& former, const std::string& present,
                       std::vector<FileValue>* file, std::vector<std::string>* warnings) {
  const auto find = [file](const std::string& key) {
    return std::find_if(file->begin(), file->end(),
                        [&key](const FileValue& value) { return value.key == key; });
  };
  const auto old = find(former);
  if (old == file->end()) return absl::OkStatus();
  const std::string where = old->key_place + ": " + former;
  if (find(present) != file->end()) return Both(where, present);
  warnings->push_back(StillWorks(where, present));
  old->key = present;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SettingSources> WithPresentNames(SettingSources sources,
                                                const std::vector<SettingGroup>& groups,
                                                std::vector<std::string>* warnings) {
  for (const SettingGroup& group : groups) {
    for (const BoundSetting& setting : group.settings) {
      const SettingNames& former = setting.former;
      if (former.flag.empty()) continue;
      absl::Status status = Rename(former.flag, setting.flag, &sources.flags, warnings);
      if (status.ok()) status = Rename(former.env, setting.env, &sources.environment, warnings);
      if (status.ok()) status = RenameKey(former.key, setting.key, &sources.file, warnings);
      if (!status.ok()) return status;
    }
  }
  return sources;
}

}  // namespace outrigger::cli
