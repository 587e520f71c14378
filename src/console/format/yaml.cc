#include "console/format/yaml.h"

#include <regex>

#include "nlohmann/json.hpp"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

// What YAML 1.1 (and so Go's reader) would take for something other than text.
bool LooksTyped(const std::string& text) {
  static const std::regex typed(
      "|~|null|Null|NULL|true|True|TRUE|false|False|FALSE|y|Y|yes|Yes|YES|n|N|no|No|NO|on|On|ON|"
      "off|Off|OFF|=|<<|[-+.0-9].*");
  return std::regex_match(text, typed);
}

// Files in ConfigMaps: lines, the last of which ends.
bool IsFileText(const std::string& text) {
  return text.size() > 1 && text.back() == '\n' && text[text.size() - 2] != '\n' &&
         text.front() != ' ' && text.front() != '\n';
}

void WriteText(const std::string& text, YAML::Emitter& out) {
  if (IsFileText(text)) {
    out << YAML::Literal << text.substr(0, text.size() - 1);
    return;
  }
  if (LooksTyped(text)) out << YAML::DoubleQuoted;
  out << text;
}

// A few words, which are read more easily on one line.
bool IsShort(const nlohmann::ordered_json& json) {
  constexpr size_t kMost = 96;
  return json.is_structured() && json.dump().size() <= kMost;
}

void WriteJson(const nlohmann::ordered_json& json, YAML::Emitter& out, bool is_root = false) {
  if (!is_root && IsShort(json)) out << YAML::Flow;
  if (json.is_object()) {
    out << YAML::BeginMap;
    for (const auto& [key, value] : json.items()) {
      out << YAML::Key;
      WriteText(key, out);
      out << YAML::Value;
      WriteJson(value, out);
    }
    out << YAML::EndMap;
  } else if (json.is_array()) {
    out << YAML::BeginSeq;
    for (const auto& item : json) WriteJson(item, out);
    out << YAML::EndSeq;
  } else if (json.is_string()) {
    WriteText(json.get<std::string>(), out);
  } else if (json.is_null()) {
    out << YAML::Null;  // its text would be quoted
  } else {
    out << json.dump();
  }
}

class NodeWriter {
 public:
  absl::Status Write(const YAML::Node& node, int depth) {
    constexpr int kDeepest = 100;
    constexpr int kMost = 100'000;
    if (depth > kDeepest || ++written_ > kMost) {
      return absl::InvalidArgumentError(
          "the document is nested too deeply, or its aliases make it too large");
    }
    if (node.IsMap()) return WriteMap(node, depth);
    if (node.IsSequence()) return WriteList(node, depth);
    if (node.IsScalar()) {
      WriteScalar(node);
    } else {
      out_ << YAML::Null;  // its text would be quoted
    }
    return absl::OkStatus();
  }

  std::string Text() const { return std::string(out_.c_str()) + "\n"; }

 private:
  absl::Status WriteMap(const YAML::Node& node, int depth) {
    out_ << YAML::BeginMap;
    for (const auto& entry : node) {
      out_ << YAML::Key;
      absl::Status status = Write(entry.first, depth + 1);
      out_ << YAML::Value;
      if (status.ok()) status = Write(entry.second, depth + 1);
      if (!status.ok()) return status;
    }
    out_ << YAML::EndMap;
    return absl::OkStatus();
  }

  absl::Status WriteList(const YAML::Node& node, int depth) {
    out_ << YAML::BeginSeq;
    for (const auto& item : node) {
      absl::Status status = Write(item, depth + 1);
      if (!status.ok()) return status;
    }
    out_ << YAML::EndSeq;
    return absl::OkStatus();
  }

  // yaml-cpp forgets quotes except for the tag "!": without them "1" would come back as a number.
  void WriteScalar(const YAML::Node& node) {
    const std::string& tag = node.Tag();
    const bool explicit_tag = !tag.empty() && tag != "?" && tag != "!";
    if (explicit_tag) out_ << YAML::VerbatimTag(tag);
    if (tag == "!" || (explicit_tag && LooksTyped(node.Scalar()))) out_ << YAML::DoubleQuoted;
    out_ << node.Scalar();
  }

  YAML::Emitter out_;
  int written_ = 0;
};

}  // namespace

std::string YamlFromJson(const nlohmann::ordered_json& json) {
  YAML::Emitter out;
  WriteJson(json, out, /*is_root=*/true);
  return std::string(out.c_str()) + "\n";
}

bool IsAbsent(const YAML::Node& node) {
  return !node.IsDefined() || node.IsNull();
}

YAML::Node TextNode(const std::string& text) {
  YAML::Node node(text);
  if (LooksTyped(text)) node.SetTag("!");
  return node;
}

absl::StatusOr<std::string> YamlFromNode(const YAML::Node& node) {
  NodeWriter writer;
  absl::Status status = writer.Write(node, 0);
  if (!status.ok()) return status;
  return writer.Text();
}

}  // namespace outrigger::cli
