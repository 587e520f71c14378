#pragma once

#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "cli/scheduler_config/document.h"

namespace outrigger::cli::policy {

/// A document of the scheduler that Policies configured; `name` is for messages.
class Source {
 public:
  explicit Source(std::string name) : name_(std::move(name)) {}
  const std::string& name() const { return name_; }

  /// "policy.json:3: extenders[0].weight: WHAT"
  absl::Status Error(const Place& place, const std::string& what) const;

  /// InvalidArgument, with the place, unless `node` is a mapping of `known` keys, each once.
  absl::Status CheckKeys(const YAML::Node& node, const Place& place,
                         std::span<const std::string_view> known) const;

  /// InvalidArgument, with the place, for a value of another type.
  template <typename T>
  absl::Status CheckType(const Field<T>& field, const std::string& accepted) const {
    return field.Broken() ? Error(field.place, "expected " + accepted) : absl::OkStatus();
  }

 private:
  std::string name_;
};

/// "extenders[2]" with the line of the element.
Place PlaceOfElement(const std::string& list, size_t index, const YAML::Node& element);

}  // namespace outrigger::cli::policy
