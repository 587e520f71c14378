#include "cli/settings/former_names.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "outrigger/base/text.h"

namespace outrigger::cli {
namespace {

// A value that a source gives.
struct OldValue {
  std::string where;  // "--gang.window", "outrigger.yaml:3:3: gang.window"
  std::string value;
};

// The three sources in one form. Names are those of the source.
class Flags {
 public:
  explicit Flags(SettingSources* sources) : values_(sources->flags) {}
  static const std::string& NameIn(const SettingNames& names) { return names.flag; }
  std::optional<OldValue> Find(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    return OldValue{name, found->second};
  }
  void Erase(const std::string& name) { values_.erase(name); }
  void Rename(const std::string& from, const std::string& to, const std::string& value) {
    values_.erase(from);
    values_[to] = value;
  }

 private:
  std::map<std::string, std::string>& values_;
};

class Variables {
 public:
  explicit Variables(SettingSources* sources) : values_(sources->environment) {}
  static const std::string& NameIn(const SettingNames& names) { return names.env; }
  std::optional<OldValue> Find(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end() || IsServiceLink(name, found->second)) return std::nullopt;
    return OldValue{name, found->second};
  }
  void Erase(const std::string& name) { values_.erase(name); }
  void Rename(const std::string& from, const std::string& to, const std::string& value) {
    values_.erase(from);
    values_[to] = value;
  }

 private:
  Environment& values_;
};

class FileKeys {
 public:
  explicit FileKeys(SettingSources* sources) : values_(sources->file) {}
  static const std::string& NameIn(const SettingNames& names) { return names.key; }
  std::optional<OldValue> Find(const std::string& name) const {
    const auto found = std::find_if(values_.begin(), values_.end(), Is(name));
    if (found == values_.end()) return std::nullopt;
    return OldValue{found->key_place + ": " + name, found->text};
  }
  void Erase(const std::string& name) { std::erase_if(values_, Is(name)); }
  // A key that is there under both names stands once then.
  void Rename(const std::string& from, const std::string& to, const std::string& value) {
    std::erase_if(values_, Is(to));
    for (FileValue& one : values_) {
      if (one.key != from) continue;
      one.key = to;
      one.text = value;
    }
  }

 private:
  struct Is {
    explicit Is(std::string key) : name(std::move(key)) {}
    bool operator()(const FileValue& value) const { return value.key == name; }
    std::string name;
  };
  std::vector<FileValue>& values_;
};

std::string With(const OldValue& given) {
  return Printable(fmt::format("{}={}", given.where, given.value));
}

absl::Status Both(const std::string& former, const std::string& present) {
  return absl::InvalidArgumentError(
      fmt::format("{} is the former name of {}: give one of them", former, present));
}

template <typename Source>
absl::Status Rename(const BoundSetting& setting, Source* source,
                    std::vector<std::string>* warnings) {
  if (setting.former.flag.empty()) return absl::OkStatus();
  const std::string& name = Source::NameIn(setting.former);
  const std::string& present = Source::NameIn(setting);
  const auto old = source->Find(name);
  if (!old) return absl::OkStatus();
  if (source->Find(present)) return Both(old->where, present);
  warnings->push_back(
      fmt::format("{} is now {}; the former name still works", old->where, present));
  source->Rename(name, present, old->value);
  return absl::OkStatus();
}

// A switch that is a choice now.
template <typename Source>
absl::Status Turn(const BoundSetting& setting, Source* source, std::vector<std::string>* warnings) {
  if (setting.former_switch.flag.empty()) return absl::OkStatus();
  const std::string& name = Source::NameIn(setting.former_switch);
  const std::string& present = Source::NameIn(setting);
  const auto old = source->Find(name);
  if (!old) return absl::OkStatus();
  bool on = false;
  if (!internal::ParseSetting(old->value, "true or false", &on).ok()) {
    return absl::InvalidArgumentError(fmt::format("{} is not accepted: true or false", With(*old)));
  }
  const std::string& value = on ? setting.spec.former_on : setting.spec.former_off;
  const auto other = source->Find(present);
  if (other && other->value != value) {
    return absl::InvalidArgumentError(
        fmt::format("{} is the former name of {}={}, and {} is given: give that one alone",
                    With(*old), present, value, With(*other)));
  }
  warnings->push_back(
      fmt::format("{} is now {}={}; the former name still works", old->where, present, value));
  source->Rename(name, present, value);
  return absl::OkStatus();
}

template <typename Source>
void Retire(const RetiredSetting& retired, Source* source, std::vector<std::string>* warnings) {
  const std::string& name = Source::NameIn(retired);
  const auto old = source->Find(name);
  if (!old) return;
  const bool is_so = !retired.spec.is.empty() && old->value == retired.spec.is;
  warnings->push_back(fmt::format(
      "{}: {}; leave it out",
      is_so ? Printable(old->where) + " is no longer needed" : With(*old) + " is ignored",
      retired.spec.why));
  source->Erase(name);
}

template <typename Source>
absl::Status Update(const std::vector<SettingGroup>& groups, Source source,
                    std::vector<std::string>* warnings) {
  for (const SettingGroup& group : groups) {
    for (const BoundSetting& setting : group.settings) {
      absl::Status status = Rename(setting, &source, warnings);
      if (status.ok()) status = Turn(setting, &source, warnings);
      if (!status.ok()) return status;
    }
    for (const RetiredSetting& retired : group.retired) Retire(retired, &source, warnings);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SettingSources> WithPresentNames(SettingSources sources,
                                                const std::vector<SettingGroup>& groups,
                                                std::vector<std::string>* warnings) {
  absl::Status status = Update(groups, Flags(&sources), warnings);
  if (status.ok()) status = Update(groups, Variables(&sources), warnings);
  if (status.ok()) status = Update(groups, FileKeys(&sources), warnings);
  if (!status.ok()) return status;
  return sources;
}

}  // namespace outrigger::cli
