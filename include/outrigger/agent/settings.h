#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace outrigger {

// An agent declares its settings once, in a struct of its own, and everything else follows from
// that: flags (--safe.max-risk), environment (OUTRIGGER_SAFE_MAX_RISK), keys of the settings file
// (safe.maxRisk), the help text, the reference page and the error on nonsense.
//
//     struct Settings {
//       int64_t max = 100;
//       static constexpr auto kFields = std::tuple{
//           Setting{"max", &Settings::max, Range{1, 1'000'000'000},
//                   "congestion at which a node scores 0"}
//               .LegacyEnv("CONGESTION_FACTOR_MAX")};
//     };

/// Accepted values of a number, both ends included.
template <typename T>
struct Range {
  T min;
  T max;
};
template <typename T>
Range(T, T) -> Range<T>;

/// How an older program wrote a value in its environment.
enum class LegacyForm : uint8_t {
  kSame,     ///< as the setting itself
  kPercent,  ///< an integer 0..100 that stands for a hundredth
};

/// One setting: a member of `Owner` of type bool, int64_t, double or std::string. The name is
/// kebab-case. Texts must be literals.
template <typename Owner, typename T>
class Setting {
  static_assert(std::is_same_v<T, bool> || std::is_same_v<T, int64_t> ||
                    std::is_same_v<T, double> || std::is_same_v<T, std::string>,
                "a setting is a bool, int64_t, double or std::string");

 public:
  constexpr Setting(std::string_view kebab_name, T Owner::*member, std::string_view text)
      : name(kebab_name), field(member), help(text) {}
  template <typename U>
  constexpr Setting(
      std::string_view kebab_name, T Owner::*member, Range<U> accepted,
      std::string_view text) requires std::is_same_v<T, int64_t> || std::is_same_v<T, double>
      : name(kebab_name),
        field(member),
        range{static_cast<T>(accepted.min), static_cast<T>(accepted.max)},
        has_range(true),
        help(text) {}
  /// A text that must be one of `accepted`, written "a|b|c".
  constexpr Setting(std::string_view kebab_name, T Owner::*member, std::string_view accepted,
                    std::string_view text) requires std::is_same_v<T, std::string>
      : name(kebab_name), field(member), choices(accepted), help(text) {}

  /// An environment variable of an older program, read when nothing newer is set. As there, a value
  /// that is not accepted means the default; Outrigger warns about it.
  constexpr Setting LegacyEnv(std::string_view variable,
                              LegacyForm form = LegacyForm::kSame) const {
    Setting copy = *this;
    copy.legacy_env = variable;
    copy.legacy_form = form;
    return copy;
  }

  /// A former switch that is now two values of this choice: `on` for true, `off` for false. It
  /// still works, with a warning; both names in one source are an error.
  constexpr Setting FormerSwitch(std::string_view former, std::string_view on, std::string_view off)
      const requires std::is_same_v<T, std::string> {
    Setting copy = *this;
    copy.former_switch = former;
    copy.former_on = on;
    copy.former_off = off;
    return copy;
  }

  /// Several agents have this setting, with this meaning: the reference page lists it once, in the
  /// section "Of `who`", and not in theirs.
  constexpr Setting SharedBy(std::string_view who) const {
    Setting copy = *this;
    copy.shared_by = who;
    return copy;
  }

  std::string_view name;
  T Owner::*field;
  // Ranges are for numbers; a std::string could not be constexpr here.
  Range<std::conditional_t<std::is_same_v<T, std::string>, bool, T>> range{};
  bool has_range = false;
  std::string_view choices;
  std::string_view help;
  std::string_view legacy_env;
  LegacyForm legacy_form = LegacyForm::kSame;
  std::string_view former_switch;
  std::string_view former_on;
  std::string_view former_off;
  std::string_view shared_by;
};

/// A removed setting: an element of the struct's array `kRetired`, if it has one. Flag, variable
/// and key of that name are accepted with any value, which is ignored with a warning. If the value
/// still has an effect, use an element of the tuple `kFormer` instead: a Setting with `why` as its
/// help. Texts must be literals.
struct Retired {
  std::string_view name;  ///< kebab-case
  std::string_view is;    ///< the value in effect now; empty: it depends
  std::string_view why;   ///< what replaces it, or where the value comes from
};

template <typename Owner, typename T, typename... Rest>
Setting(std::string_view, T Owner::*, Rest...) -> Setting<Owner, T>;

/// A struct for agents without settings.
struct NoSettings {
  static constexpr auto kFields = std::tuple<>{};
};

/// A setting with its types erased, as flags, files and help see it.
struct SettingSpec {
  std::string name;          // "max-risk"
  std::string type;          // "boolean", "integer", "number" or "text"
  std::string default_text;  // "0.3"
  std::string accepted;      // "a number from 0 to 1"
  std::string help;
  std::string legacy_env;  // or empty
  /// A switch of earlier versions, or empty, and what its values mean.
  std::string former_switch = {};
  std::string former_on = {};
  std::string former_off = {};
  std::string shared_by = {};  // as in Setting, or empty
  /// Sets the field of the settings struct from text. InvalidArgument says what is accepted (the
  /// caller adds the setting's name and the value).
  std::function<absl::Status(void* settings, std::string_view text)> parse;
  std::function<absl::Status(void* settings, std::string_view text)> parse_legacy;
  /// The field's present value as text.
  std::function<std::string(const void* settings)> print;
};

/// The values of one agent's settings; a copy shares them.
class SettingsValues {
 public:
  SettingsValues() = default;
  SettingsValues(std::shared_ptr<void> values, const std::type_info& type)
      : values_(std::move(values)), type_(&type) {}

  /// The settings struct; `T` must be the one that the schema was made from.
  template <typename T>
  const T& As() const {
    if (type_ == nullptr || *type_ != typeid(T)) std::abort();  // a fault of the caller
    return *static_cast<const T*>(values_.get());
  }

  /// Names of the settings that were set, to whatever value; copies share them.
  const std::set<std::string, std::less<>>& given() const { return *given_; }
  void MarkGiven(std::string_view name) const { given_->emplace(name); }

  void* get() { return values_.get(); }
  const void* get() const { return values_.get(); }

 private:
  std::shared_ptr<void> values_;
  const std::type_info* type_ = nullptr;
  std::shared_ptr<std::set<std::string, std::less<>>> given_ =
      std::make_shared<std::set<std::string, std::less<>>>();
};

/// All settings of one agent.
class SettingsSchema {
 public:
  /// The schema of struct `T` with a `kFields` tuple.
  template <typename T>
  static SettingsSchema Of();

  const std::vector<SettingSpec>& specs() const { return specs_; }
  /// The spec named `name` (kebab-case), or nullptr.
  const SettingSpec* Find(std::string_view name) const;
  /// The struct's kRetired, if it has one.
  const std::vector<Retired>& retired() const { return retired_; }
  /// The struct's kFormer, if it has one.
  const std::vector<SettingSpec>& former() const { return former_; }
  /// A new set of values, all at their defaults.
  SettingsValues Defaults() const { return make_(); }

 private:
  std::vector<SettingSpec> specs_;
  std::vector<Retired> retired_;
  std::vector<SettingSpec> former_;
  std::function<SettingsValues()> make_;
};

namespace internal {

// What settings.cc knows about the four types; texts say what is accepted.
absl::Status ParseSetting(std::string_view text, std::string_view accepted, bool* value);
absl::Status ParseSetting(std::string_view text, std::string_view accepted, int64_t* value);
absl::Status ParseSetting(std::string_view text, std::string_view accepted, double* value);
absl::Status ParseSetting(std::string_view text, std::string_view accepted, std::string* value);
/// An integer 0..100, divided by 100, read as Go's Atoi reads.
absl::Status ParsePercent(std::string_view text, double* value);
std::string PrintSetting(bool value);
std::string PrintSetting(int64_t value);
std::string PrintSetting(double value);
std::string PrintSetting(const std::string& value);
bool IsChoice(std::string_view text, std::string_view choices);
absl::Status NotAccepted(std::string_view accepted);

template <typename Owner, typename T>
std::string Accepted(const Setting<Owner, T>& setting) {
  if constexpr (std::is_same_v<T, bool>) {
    return "true or false";
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (setting.choices.empty()) return "a text";
    return "one of " + std::string(setting.choices);
  } else {
    std::string kind = std::is_same_v<T, int64_t> ? "an integer" : "a number";
    if (!setting.has_range) return kind;
    return kind + " from " + PrintSetting(setting.range.min) + " to " +
           PrintSetting(setting.range.max);
  }
}

template <typename Owner, typename T>
absl::Status SetField(const Setting<Owner, T>& setting, const std::string& accepted,
                      LegacyForm form, std::string_view text, void* settings) {
  T value{};
  absl::Status status;
  if constexpr (std::is_same_v<T, double>) {
    status = form == LegacyForm::kPercent ? ParsePercent(text, &value)
                                          : ParseSetting(text, accepted, &value);
  } else {
    status = ParseSetting(text, accepted, &value);
  }
  if (!status.ok()) return status;
  if constexpr (std::is_same_v<T, std::string>) {
    if (!setting.choices.empty() && !IsChoice(value, setting.choices)) return NotAccepted(accepted);
  } else if constexpr (!std::is_same_v<T, bool>) {
    // Written so that NaN is refused.
    if (setting.has_range && !(value >= setting.range.min && value <= setting.range.max)) {
      return NotAccepted(accepted);
    }
  }
  static_cast<Owner*>(settings)->*setting.field = std::move(value);
  return absl::OkStatus();
}

template <typename Owner, typename T>
SettingSpec SpecOf(const Setting<Owner, T>& setting) {
  SettingSpec spec;
  spec.name = setting.name;
  spec.type = std::is_same_v<T, bool>      ? "boolean"
              : std::is_same_v<T, int64_t> ? "integer"
              : std::is_same_v<T, double>  ? "number"
                                           : "text";
  spec.accepted = Accepted(setting);
  spec.default_text = PrintSetting(Owner{}.*setting.field);
  spec.help = setting.help;
  spec.legacy_env = setting.legacy_env;
  spec.former_switch = setting.former_switch;
  spec.former_on = setting.former_on;
  spec.former_off = setting.former_off;
  spec.shared_by = setting.shared_by;
  spec.parse = [setting, accepted = spec.accepted](void* settings, std::string_view text) {
    return SetField(setting, accepted, LegacyForm::kSame, text, settings);
  };
  spec.parse_legacy = [setting, accepted = spec.accepted](void* settings, std::string_view text) {
    return SetField(setting, accepted, setting.legacy_form, text, settings);
  };
  spec.print = [setting](const void* settings) {
    return PrintSetting(static_cast<const Owner*>(settings)->*setting.field);
  };
  return spec;
}

}  // namespace internal

template <typename T>
SettingsSchema SettingsSchema::Of() {
  SettingsSchema schema;
  std::apply([&](const auto&... field) { (schema.specs_.push_back(internal::SpecOf(field)), ...); },
             T::kFields);
  if constexpr (requires { T::kFormer; }) {
    std::apply(
        [&](const auto&... field) { (schema.former_.push_back(internal::SpecOf(field)), ...); },
        T::kFormer);
  }
  if constexpr (requires { T::kRetired; }) {
    schema.retired_.assign(T::kRetired.begin(), T::kRetired.end());
  }
  schema.make_ = [] { return SettingsValues(std::make_shared<T>(), typeid(T)); };
  return schema;
}

}  // namespace outrigger
