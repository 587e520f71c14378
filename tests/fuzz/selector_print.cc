#include "selector_print.h"

#include <string_view>

#include "check.h"
#include "codec/json/text.h"

namespace outrigger::fuzz {
namespace {

std::string Joined(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) {
    if (&value != &values.front()) text += ',';
    text += value;
  }
  return text;
}

std::string RequirementText(const SelectorRequirement& requirement) {
  const std::string& key = requirement.key;
  switch (requirement.op) {
    case SelectorOperator::kIn:
      return key + " in (" + Joined(requirement.values) + ")";
    case SelectorOperator::kNotIn:
      return key + " notin (" + Joined(requirement.values) + ")";
    case SelectorOperator::kExists:
      return key;
    case SelectorOperator::kDoesNotExist:
      return "!" + key;
    case SelectorOperator::kGt:
      return key + " > " + requirement.values.front();
    case SelectorOperator::kLt:
      return key + "<" + requirement.values.front();
  }
  OUTRIGGER_REQUIRE(false);
  return {};
}

std::string_view OperatorName(SelectorOperator op) {
  switch (op) {
    case SelectorOperator::kIn:
      return "In";
    case SelectorOperator::kNotIn:
      return "NotIn";
    case SelectorOperator::kExists:
      return "Exists";
    case SelectorOperator::kDoesNotExist:
      return "DoesNotExist";
    case SelectorOperator::kGt:
      return "Gt";
    case SelectorOperator::kLt:
      return "Lt";
  }
  OUTRIGGER_REQUIRE(false);
  return {};
}

}  // namespace

std::string SelectorText(const std::vector<SelectorRequirement>& requirements) {
  std::string text;
  for (const SelectorRequirement& requirement : requirements) {
    if (!text.empty()) text += ',';
    text += RequirementText(requirement);
  }
  return text;
}

std::string SelectorJson(const std::vector<SelectorRequirement>& requirements) {
  std::string json = R"({"matchExpressions":[)";
  for (const SelectorRequirement& requirement : requirements) {
    if (json.back() == '}') json += ',';
    json += R"({"key":)";
    json::AppendString(requirement.key, &json);
    json += R"(,"operator":")";
    json += OperatorName(requirement.op);
    json += R"(","values":[)";
    for (const std::string& value : requirement.values) {
      if (&value != &requirement.values.front()) json += ',';
      json::AppendString(value, &json);
    }
    json += "]}";
  }
  return json + "]}";
}

std::vector<StringMap> LabelsToTry(const std::vector<SelectorRequirement>& requirements) {
  constexpr size_t kMost = 64;
  std::vector<StringMap> tries = {{}};
  StringMap all;
  for (const SelectorRequirement& requirement : requirements) {
    tries.push_back({{requirement.key, ""}});
    tries.push_back({{requirement.key, "7"}});
    for (const std::string& value : requirement.values) {
      tries.push_back({{requirement.key, value}});
      all.Set(requirement.key, value);
    }
    if (requirement.op == SelectorOperator::kExists) all.Set(requirement.key, "");
    tries.push_back(all);
    if (tries.size() > kMost) break;
  }
  return tries;
}

bool Same(const SelectorRequirement& a, const SelectorRequirement& b) {
  return a.key == b.key && a.op == b.op && a.values == b.values;
}

}  // namespace outrigger::fuzz
