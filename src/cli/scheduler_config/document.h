#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "yaml-cpp/node/node.h"

// Typed reading of a KubeSchedulerConfiguration, with the place of every value.

namespace outrigger::cli {

/// A place of the document, or of an object of the cluster.
struct Place {
  std::string path;  // "extenders[1].httpTimeout"
  int line = 1;      // from 1; of a missing field: where it would belong; 0: not of the document
  int column = 0;    // from 1; 0: not known
};

/// A field of the document, which may be missing, or have a value that kube-scheduler refuses
/// (CheckShape() says so; all others leave it alone).
template <typename T>
struct Field {
  enum class State : uint8_t { kAbsent, kGiven, kBroken };
  T value{};
  State state = State::kAbsent;
  Place place;

  bool Given() const { return state == State::kGiven; }
  bool Absent() const { return state == State::kAbsent; }
  bool Broken() const { return state == State::kBroken; }
  T Or(T fallback) const { return Given() ? value : fallback; }
};

/// As Go's time.ParseDuration reads it; nothing for what that refuses.
std::optional<absl::Duration> GoDuration(const std::string& text);

/// The value of a scalar as Kubernetes types it; nothing if it has another type.
std::optional<std::string> TextOf(const YAML::Node& node);
std::optional<int64_t> IntegerOf(const YAML::Node& node);
std::optional<double> NumberOf(const YAML::Node& node);
std::optional<bool> TruthOf(const YAML::Node& node);
std::optional<absl::Duration> DurationOf(const YAML::Node& node);

/// Reads a mapping; what is none has no fields. Throws nothing.
class MapReader {
 public:
  MapReader(const YAML::Node& node, Place place);

  const Place& place() const { return place_; }
  bool Has(const std::string& field) const;

  Field<std::string> Text(const std::string& field) const;
  Field<int64_t> Integer(const std::string& field) const;
  Field<double> Number(const std::string& field) const;
  Field<bool> Truth(const std::string& field) const;
  Field<absl::Duration> Duration(const std::string& field) const;
  MapReader Map(const std::string& field) const;
  /// Those elements that are mappings.
  std::vector<MapReader> List(const std::string& field) const;
  /// Those elements of a list that are texts.
  std::vector<Field<std::string>> Texts(const std::string& field) const;

 private:
  YAML::Node Find(const std::string& field) const;
  Place PlaceOf(const std::string& field, const YAML::Node& node) const;
  template <typename T>
  Field<T> Read(const std::string& field,
                std::optional<T> (*value_of)(const YAML::Node& node)) const;

  YAML::Node node_;
  Place place_;
};

}  // namespace outrigger::cli
