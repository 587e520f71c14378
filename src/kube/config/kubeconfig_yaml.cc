#include "kube/config/kubeconfig_yaml.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"

namespace outrigger::kube {
namespace {

constexpr int kDeepest = 32;
constexpr int kMostNodes = 10'000;
constexpr size_t kMostBytes = size_t{256} << 10;

// Aliases are written out here, so a short text may stand for a document without end.
class JsonWriter {
 public:
  nlohmann::json Convert(const YAML::Node& node, int depth) {
    if (depth > kDeepest || ++nodes_ > kMostNodes || bytes_ > kMostBytes) {
      good_ = false;
      return nullptr;
    }
    if (node.IsScalar()) return Scalar(node);
    if (node.IsSequence()) {
      nlohmann::json list = nlohmann::json::array();
      for (const auto& item : node) {
        list.push_back(Convert(item, depth + 1));
        if (!good_) break;
      }
      return list;
    }
    if (!node.IsMap()) return nullptr;
    nlohmann::json map = nlohmann::json::object();
    for (const auto& entry : node) {
      if (!entry.first.IsScalar()) good_ = false;
      if (!good_) break;
      bytes_ += entry.first.Scalar().size();
      map[entry.first.Scalar()] = Convert(entry.second, depth + 1);
    }
    return map;
  }
  bool good() const { return good_; }

 private:
  nlohmann::json Scalar(const YAML::Node& node) {
    const std::string& text = node.Scalar();
    bytes_ += text.size();
    if (node.Tag() == "!") return text;  // quoted
    if (text == "true" || text == "false") return text == "true";
    const nlohmann::json number = nlohmann::json::parse(text, nullptr, false);
    return number.is_number() ? number : nlohmann::json(text);
  }

  int nodes_ = 0;
  size_t bytes_ = 0;
  bool good_ = true;
};

}  // namespace

std::string JsonOfYaml(const YAML::Node& node) {
  JsonWriter writer;
  const nlohmann::json json = writer.Convert(node, 0);
  if (!writer.good()) return {};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

YamlFields::YamlFields(const YAML::Node& node, std::string where) : where_(std::move(where)) {
  if (!node.IsDefined() || node.IsNull()) return;
  if (!node.IsMap()) {
    Fail("must be a mapping");
    return;
  }
  for (const auto& entry : node) {
    if (!entry.first.IsScalar()) {
      Fail("a key must be a plain word");
    } else if (!fields_.emplace(entry.first.Scalar(), entry.second).second) {
      Fail(fmt::format("{} is given twice", entry.first.Scalar()));
    }
    if (!status_.ok()) return;
  }
}

void YamlFields::Fail(std::string_view what) {
  Take(absl::InvalidArgumentError(Printable(fmt::format("{}: {}", where_, what))));
}

void YamlFields::Take(const absl::Status& status) {
  if (status_.ok()) status_ = status;
}

YAML::Node YamlFields::Child(const char* key) const {
  const auto found = fields_.find(std::string_view(key));
  return found == fields_.end() ? YAML::Node(YAML::NodeType::Undefined) : found->second;
}

bool YamlFields::Has(const char* key) const {
  const YAML::Node node = Child(key);
  return node.IsDefined() && !node.IsNull();
}

bool YamlFields::Scalar(const char* key, std::string* to) {
  if (!status_.ok() || !Has(key)) return false;
  const YAML::Node node = Child(key);
  if (!node.IsScalar()) {
    Fail(fmt::format("{} must be a single value", key));
    return false;
  }
  *to = node.Scalar();
  return true;
}

void YamlFields::Text(const char* key, std::string* to) {
  Scalar(key, to);
}

void YamlFields::Bool(const char* key, bool* to) {
  std::string text;
  if (!Scalar(key, &text)) return;
  // As YAML 1.1 has it, and kubectl with it: yes and on are true.
  if (!YAML::convert<bool>::decode(Child(key), *to)) {
    Fail(fmt::format("{} is '{}'; accepted are true and false", key, text));
  }
}

void YamlFields::Texts(const char* key, std::vector<std::string>* to) {
  if (!status_.ok() || !Has(key)) return;
  const YAML::Node list = Child(key);
  if (!list.IsSequence()) return Fail(fmt::format("{} must be a list", key));
  for (const auto& item : list) {
    if (!item.IsScalar()) return Fail(fmt::format("{} must be a list of strings", key));
    to->push_back(item.Scalar());
  }
}

void YamlFields::Base64(const char* key, std::string* to) {
  std::string text;
  if (!Scalar(key, &text) || text.empty()) return;
  if (!absl::Base64Unescape(text, to) || to->empty()) {
    Fail(fmt::format("{} is not base64 of anything", key));
  }
}

void YamlFields::Each(const char* key,
                      const std::function<absl::Status(const YAML::Node& element)>& each) {
  if (!status_.ok() || !Has(key)) return;
  const YAML::Node list = Child(key);
  if (!list.IsSequence()) return Fail(fmt::format("{} must be a list", key));
  for (const auto& item : list) {
    Take(each(item));
    if (!status_.ok()) return;
  }
}

}  // namespace outrigger::kube
