#include "console/settings/config_file.h"

#include <exception>
#include <map>
#include <utility>

#include "console/format/text.h"
#include "console/format/yaml_documents.h"
#include "console/format/yaml_error.h"
#include "fmt/format.h"
#include "outrigger/base/text.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::cli {
namespace {

// Reads one document; the methods return the first error.
class Reader {
 public:
  explicit Reader(std::string_view name) : name_(name) {}

  absl::Status ReadDocument(const YAML::Node& root) {
    if (!root.IsDefined() || root.IsNull()) return absl::OkStatus();
    if (!root.IsMap())
      return Error(root, "a settings file must be a mapping, such as `port: 9870`");
    return ReadMap(root, "");
  }

  std::vector<FileValue> TakeValues() { return std::move(values_); }

 private:
  absl::Status ReadMap(const YAML::Node& map, const std::string& section) {
    for (const auto& entry : map) {
      if (!entry.first.IsScalar()) return Error(entry.first, "a key must be a plain word");
      const std::string key = section + entry.first.Scalar();
      const auto [seen, added] = places_.emplace(key, Place(entry.first));
      if (!added)
        return Error(entry.first, fmt::format("{} is given twice, first at {}", key, seen->second));
      absl::Status status = ReadValue(key, Place(entry.first), entry.second, section.empty());
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status ReadValue(const std::string& key, std::string key_place, const YAML::Node& value,
                         bool top) {
    if (value.IsMap() && value.size() == 0) return Error(value, key + " is empty; remove the key");
    if (value.IsMap() && top) return ReadMap(value, key + ".");
    FileValue found;
    found.key = key;
    found.key_place = std::move(key_place);
    found.place = Place(value);
    if (value.IsScalar()) {
      found.text = value.Scalar();
      found.quoted = value.Tag() == "!";
    } else if (value.IsSequence()) {
      absl::Status status = JoinList(key, value, &found);
      if (!status.ok()) return status;
    } else if (value.IsNull()) {
      return Error(value, key + " has no value; give one or remove the key");
    } else {
      return Error(value, key + " is a mapping; a setting must be a single value");
    }
    values_.push_back(std::move(found));
    return absl::OkStatus();
  }

  absl::Status JoinList(const std::string& key, const YAML::Node& list, FileValue* found) {
    if (key != "agents" && key != "adminBind") {
      return Error(list, key + " is a list; a setting must be a single value");
    }
    const std::string element = key == "agents" ? "the name of an agent" : "an address";
    for (const auto& item : list) {
      if (!item.IsScalar())
        return Error(item, fmt::format("{}: an element must be {}", key, element));
      if (!found->text.empty()) found->text += ',';
      found->text += item.Scalar();
    }
    return absl::OkStatus();
  }

  std::string Place(const YAML::Node& node) const {
    return fmt::format("{}:{}:{}", name_, node.Mark().line + 1, node.Mark().column + 1);
  }

  absl::Status Error(const YAML::Node& node, const std::string& what) const {
    return absl::InvalidArgumentError(Printable(fmt::format("{}: {}", Place(node), what)));
  }

  const std::string name_;
  std::vector<FileValue> values_;
  // Of the whole file: `safe.maxRisk` is also `maxRisk` in the section `safe`.
  std::map<std::string, std::string> places_;
};

}  // namespace

absl::StatusOr<std::vector<FileValue>> ParseConfigFile(std::string_view name,
                                                       const std::string& text) {
  Reader reader(name);
  // yaml-cpp reports by exceptions, and some of its versions throw other types than its own.
  try {
    const std::vector<YAML::Node> documents = LoadDocuments(text);
    if (documents.size() > 1) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: has {} documents; a settings file must have one", name, documents.size()));
    }
    if (!documents.empty()) {
      absl::Status status = reader.ReadDocument(documents[0]);
      if (!status.ok()) return status;
    }
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(Printable(YamlErrorText(name, text, error)));
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(
        Printable(fmt::format("{}: not YAML: {}", name, error.what())));
  }
  return reader.TakeValues();
}

}  // namespace outrigger::cli
