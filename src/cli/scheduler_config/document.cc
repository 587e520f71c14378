#include "cli/scheduler_config/document.h"

#include <charconv>

#include "console/format/yaml.h"
#include "console/format/yaml_scalar.h"
#include "fmt/format.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

// What a scalar is in JSON, unless it is a text.
std::optional<std::string> JsonOf(const YAML::Node& node) {
  if (!node.IsScalar()) return std::nullopt;
  const ScalarForm form = FormOf(node.Tag(), node.Scalar());
  if (form.kind != ScalarForm::Kind::kOther) return std::nullopt;
  return form.json;
}

template <typename T>
std::optional<T> ParsedNumber(const YAML::Node& node) {
  const std::optional<std::string> json = JsonOf(node);
  if (!json) return std::nullopt;
  T value{};
  const char* const end = json->data() + json->size();
  const auto [stop, error] = std::from_chars(json->data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<absl::Duration> GoDuration(const std::string& text) {
  absl::Duration duration;
  if (!absl::ParseDuration(text, &duration)) return std::nullopt;
  if (duration == absl::InfiniteDuration() || duration == -absl::InfiniteDuration()) {
    return std::nullopt;
  }
  return duration;
}

std::optional<std::string> TextOf(const YAML::Node& node) {
  if (!node.IsScalar()) return std::nullopt;
  if (FormOf(node.Tag(), node.Scalar()).kind != ScalarForm::Kind::kText) return std::nullopt;
  return node.Scalar();
}

std::optional<int64_t> IntegerOf(const YAML::Node& node) {
  return ParsedNumber<int64_t>(node);
}

std::optional<double> NumberOf(const YAML::Node& node) {
  return ParsedNumber<double>(node);
}

std::optional<bool> TruthOf(const YAML::Node& node) {
  const std::optional<std::string> json = JsonOf(node);
  if (json != "true" && json != "false") return std::nullopt;
  return json == "true";
}

std::optional<absl::Duration> DurationOf(const YAML::Node& node) {
  const std::optional<std::string> text = TextOf(node);
  return text ? GoDuration(*text) : std::nullopt;
}

MapReader::MapReader(const YAML::Node& node, Place place)
    : node_(node.IsDefined() && node.IsMap() ? node : YAML::Node(YAML::NodeType::Map)),
      place_(std::move(place)) {}

YAML::Node MapReader::Find(const std::string& field) const {
  const YAML::Node& map = node_;  // the other operator[] adds what it does not find
  return map[field];
}

bool MapReader::Has(const std::string& field) const {
  return !IsAbsent(Find(field));
}

Place MapReader::PlaceOf(const std::string& field, const YAML::Node& node) const {
  Place place{place_.path.empty() ? field : place_.path + "." + field, place_.line};
  if (!IsAbsent(node)) place.line = node.Mark().line + 1;
  return place;
}

template <typename T>
Field<T> MapReader::Read(const std::string& field,
                         std::optional<T> (*value_of)(const YAML::Node& node)) const {
  const YAML::Node node = Find(field);
  Field<T> read;
  read.place = PlaceOf(field, node);
  if (IsAbsent(node)) return read;
  const std::optional<T> value = value_of(node);
  read.state = value ? Field<T>::State::kGiven : Field<T>::State::kBroken;
  if (value) read.value = *value;
  return read;
}

Field<std::string> MapReader::Text(const std::string& field) const {
  return Read<std::string>(field, TextOf);
}

Field<int64_t> MapReader::Integer(const std::string& field) const {
  return Read<int64_t>(field, IntegerOf);
}

Field<double> MapReader::Number(const std::string& field) const {
  return Read<double>(field, NumberOf);
}

Field<bool> MapReader::Truth(const std::string& field) const {
  return Read<bool>(field, TruthOf);
}

Field<absl::Duration> MapReader::Duration(const std::string& field) const {
  return Read<absl::Duration>(field, DurationOf);
}

MapReader MapReader::Map(const std::string& field) const {
  const YAML::Node node = Find(field);
  return MapReader(node, PlaceOf(field, node));
}

std::vector<Field<std::string>> MapReader::Texts(const std::string& field) const {
  std::vector<Field<std::string>> texts;
  const YAML::Node list = Find(field);
  if (!list.IsDefined() || !list.IsSequence()) return texts;
  for (size_t i = 0; i < list.size(); ++i) {
    const std::optional<std::string> text = TextOf(list[i]);
    if (!text) continue;
    Place place = PlaceOf(field, list);
    place.path += fmt::format("[{}]", i);
    place.line = list[i].Mark().line + 1;
    texts.push_back({*text, Field<std::string>::State::kGiven, std::move(place)});
  }
  return texts;
}

std::vector<MapReader> MapReader::List(const std::string& field) const {
  std::vector<MapReader> elements;
  const YAML::Node node = Find(field);
  if (IsAbsent(node) || !node.IsSequence()) return elements;
  const std::string path = PlaceOf(field, node).path;
  size_t index = 0;
  for (const auto& element : node) {
    Place place{fmt::format("{}[{}]", path, index++), element.Mark().line + 1};
    if (element.IsMap()) elements.emplace_back(element, std::move(place));
  }
  return elements;
}

}  // namespace outrigger::cli
