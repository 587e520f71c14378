#include "object_file_tree.h"

#include "check.h"
#include "codec/json/text.h"
#include "console/format/yaml_scalar.h"
#include "yaml-cpp/yaml.h"

namespace outrigger::fuzz {
namespace {

// Bytes that are not UTF-8 have no form in JSON but U+FFFD.
std::string AsUtf8(const std::string& text) {
  std::string utf8;
  outrigger::json::AppendUtf8(text, &utf8);
  return utf8;
}

bool IsNullWord(const YAML::Node& node) {
  return cli::FormOf(node.Tag(), node.Scalar()).json == "null";
}

nlohmann::json TreeOf(const YAML::Node& node) {
  if (node.IsSequence()) {
    nlohmann::json array = nlohmann::json::array();
    for (const YAML::Node& element : node) array.push_back(TreeOf(element));
    return array;
  }
  if (node.IsMap()) {
    nlohmann::json object = nlohmann::json::object();
    for (const auto& field : node) object[AsUtf8(field.first.Scalar())] = TreeOf(field.second);
    return object;
  }
  if (node.IsNull()) return {};
  const cli::ScalarForm form = cli::FormOf(node.Tag(), node.Scalar());
  OUTRIGGER_REQUIRE(form.kind != cli::ScalarForm::Kind::kImpossible);
  const bool is_text = form.kind == cli::ScalarForm::Kind::kText;
  return is_text ? nlohmann::json(AsUtf8(node.Scalar())) : ParsedJson(form.json);
}

}  // namespace

nlohmann::json ParsedJson(std::string_view text) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::out_of_range&) {
    return {};
  } catch (const nlohmann::json::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    OUTRIGGER_REQUIRE(false);
  }
}

std::string TextAt(const nlohmann::json& object, const char* key) {
  const bool has = object.is_object() && object.contains(key) && object[key].is_string();
  return has ? object[key].get<std::string>() : std::string();
}

void CheckPrintable(std::string_view text) {
  for (const char c : text) {
    OUTRIGGER_REQUIRE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  }
}

std::vector<nlohmann::json> TreesOf(const std::string& text) {
  std::vector<nlohmann::json> trees;
  for (const YAML::Node& document : YAML::LoadAll(text)) {
    const bool empty = document.IsNull() || (document.IsScalar() && IsNullWord(document));
    if (!empty) trees.push_back(TreeOf(document));
  }
  return trees;
}

}  // namespace outrigger::fuzz
