#include "console/settings/former_names.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

// A value that a source gives.
struct OldValue {
  std::string where;  // "--gang.window", "outrigger.yaml:3:3: gang.window"
  std::string value;
};

using Named = std::map<std::string, std::string>::value_type;

const std::string& KeyOf(const Named& value) {
  return value.first;
}
const std::string& KeyOf(const FileValue& value) {
  return value.key;
}
OldValue Old(const Named& value) {
  return {value.first, value.second};
}
OldValue Old(const FileValue& value) {
  return {value.key_place + ": " + value.key, value.text};
}

template <typename Less>
void SetKey(std::map<std::string, std::string, Less>* values, const std::string& from,
            const std::string& to) {
  auto node = values->extract(from);
  node.key() = to;
  values->insert(std::move(node));
}
void SetKey(std::vector<FileValue>* values, const std::string& from, const std::string& to) {
  for (FileValue& one : *values) {
    if (one.key == from) one.key = to;
  }
}

std::string* TextOf(Named* value) {
  return &value->second;
}
std::string* TextOf(FileValue* value) {
  return &value->text;
}

// One of the three sources. Names are those of the source.
template <typename Values>
class Source {
 public:
  Source(Values* values, std::string SettingNames::*name) : values_(*values), name_(name) {}
  const std::string& NameIn(const SettingNames& names) const { return names.*name_; }
  std::optional<OldValue> Find(const std::string& name) const {
    const auto found = std::find_if(values_.begin(), values_.end(), Is(name));
    if (found == values_.end()) return std::nullopt;
    OldValue old = Old(*found);
    if (name_ == &SettingNames::env && IsServiceLink(name, old.value)) return std::nullopt;
    return old;
  }
  void Erase(const std::string& name) { std::erase_if(values_, Is(name)); }
  // What is there under both names stands once then.
  void Rename(const std::string& from, const std::string& to, const std::string& value) {
    Erase(to);
    SetKey(&values_, from, to);
    for (auto& one : values_) {
      if (KeyOf(one) == to) *TextOf(&one) = value;
    }
  }

 private:
  static auto Is(const std::string& name) {
    return [&name](const auto& value) { return KeyOf(value) == name; };
  }
  Values& values_;
  std::string SettingNames::*const name_;
};

std::string With(const OldValue& given) {
  return Printable(fmt::format("{}={}", given.where, given.value));
}

absl::Status Both(const std::string& former, const std::string& present) {
  return absl::InvalidArgumentError(
      fmt::format("{} is the former name of {}: give only one", former, present));
}

// A switch that is a choice now.
template <typename From>
absl::Status Turn(const BoundSetting& setting, From* source, std::vector<std::string>* warnings) {
  if (setting.former_switch.flag.empty()) return absl::OkStatus();
  const std::string& name = source->NameIn(setting.former_switch);
  const std::string& present = source->NameIn(setting);
  const auto old = source->Find(name);
  if (!old) return absl::OkStatus();
  bool on = false;
  if (!internal::ParseSetting(old->value, "true or false", &on).ok()) {
    return absl::InvalidArgumentError(
        fmt::format("{} is not accepted; expected true or false", With(*old)));
  }
  const std::string& value = on ? setting.spec.former_on : setting.spec.former_off;
  if (source->Find(present)) return Both(With(*old), present + "=" + value);
  warnings->push_back(
      fmt::format("{} is now {}={}; the former name still works", old->where, present, value));
  source->Rename(name, present, value);
  return absl::OkStatus();
}

template <typename From>
absl::Status Retire(const RetiredSetting& retired, From* source,
                    std::vector<std::string>* warnings) {
  const std::string& name = source->NameIn(retired);
  const auto old = source->Find(name);
  if (!old) return absl::OkStatus();
  if (retired.Counts()) {
    const absl::Status set = retired.former.parse(retired.target, old->value);
    if (!set.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("{} is not accepted; expected {}", With(*old), std::string(set.message())));
    }
  }
  const bool is_so = !retired.spec.is.empty() && old->value == retired.spec.is;
  const std::string what = is_so              ? Printable(old->where) + " is no longer needed"
                           : retired.Counts() ? With(*old) + " works until version 0.2.0, then"
                                              : With(*old) + " is ignored";
  warnings->push_back(fmt::format("{}: {}; leave it out", what, retired.spec.why));
  source->Erase(name);
  return absl::OkStatus();
}

template <typename From>
absl::Status Update(const std::vector<SettingGroup>& groups, From source,
                    std::vector<std::string>* warnings) {
  for (const SettingGroup& group : groups) {
    for (const BoundSetting& setting : group.settings) {
      absl::Status status = Turn(setting, &source, warnings);
      if (!status.ok()) return status;
    }
    for (const RetiredSetting& retired : group.retired) {
      absl::Status status = Retire(retired, &source, warnings);
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SettingSources> WithPresentNames(SettingSources sources,
                                                const std::vector<SettingGroup>& groups,
                                                std::vector<std::string>* warnings) {
  // From the weakest source to the strongest, whose values stay.
  absl::Status status = Update(groups, Source(&sources.file, &SettingNames::key), warnings);
  if (status.ok())
    status = Update(groups, Source(&sources.environment, &SettingNames::env), warnings);
  if (status.ok()) status = Update(groups, Source(&sources.flags, &SettingNames::flag), warnings);
  if (!status.ok()) return status;
  return sources;
}

}  // namespace outrigger::cli
