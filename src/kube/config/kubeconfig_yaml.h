#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "outrigger/base/text.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::kube {

/// One mapping of a YAML document, read field by field; the first error stays and makes the rest
/// do nothing. Not thread-safe.
class YamlFields {
 public:
  /// `where` names the mapping in errors. A null node is an empty mapping.
  YamlFields(const YAML::Node& node, std::string where);

  /// The field's text; `to` stays as it is where there is none.
  void Text(const char* key, std::string* to);
  void Bool(const char* key, bool* to);
  void Texts(const char* key, std::vector<std::string>* to);
  /// The bytes of base64.
  void Base64(const char* key, std::string* to);
  /// The field, for a mapping or list within; an undefined node if there is none.
  YAML::Node Child(const char* key) const;
  /// Calls `each` for the elements of a list of mappings.
  void Each(const char* key, const std::function<absl::Status(const YAML::Node& element)>& each);
  bool Has(const char* key) const;

  void Fail(std::string_view what);
  void Take(const absl::Status& status);
  const absl::Status& status() const { return status_; }
  const std::string& where() const { return where_; }

 private:
  bool Scalar(const char* key, std::string* to);

  const std::string where_;
  std::map<std::string, YAML::Node, std::less<>> fields_;
  absl::Status status_;
};

/// `node` as JSON; empty if it is larger or deeper than a piece of configuration can be.
std::string JsonOfYaml(const YAML::Node& node);

}  // namespace outrigger::kube
