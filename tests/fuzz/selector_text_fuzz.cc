// The text form of a label selector: to requirements, back to text, and through the JSON of a pod.
#include <string>
#include <string_view>
#include <vector>

#include "check.h"
#include "outrigger/k8s/selector.h"
#include "selector_print.h"
#include "wire_input.h"

namespace outrigger::fuzz {
namespace {

using Requirements = std::vector<SelectorRequirement>;

void RequireSame(const Requirements& a, const Requirements& b) {
  OUTRIGGER_REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) OUTRIGGER_REQUIRE(Same(a[i], b[i]));
}

SelectorOperator Opposite(SelectorOperator op) {
  switch (op) {
    case SelectorOperator::kIn:
      return SelectorOperator::kNotIn;
    case SelectorOperator::kNotIn:
      return SelectorOperator::kIn;
    case SelectorOperator::kExists:
      return SelectorOperator::kDoesNotExist;
    case SelectorOperator::kDoesNotExist:
      return SelectorOperator::kExists;
    default:
      return op;
  }
}

// All requirements together are the selector; of each, the opposite says the opposite.
void CheckMatches(const LabelSelector& selector) {
  const Requirements& requirements = selector.match_expressions;
  for (const StringMap& labels : LabelsToTry(requirements)) {
    bool all = true;
    for (const SelectorRequirement& requirement : requirements) {
      const bool matches = requirement.Matches(labels);
      all = all && matches;
      SelectorRequirement opposite = requirement;
      opposite.op = Opposite(requirement.op);
      if (opposite.op != requirement.op) OUTRIGGER_REQUIRE(opposite.Matches(labels) != matches);
    }
    OUTRIGGER_REQUIRE(selector.Matches(labels) == all);
  }
}

void CheckTextAgain(const Requirements& requirements) {
  LabelSelector again;
  OUTRIGGER_REQUIRE(ParseLabelSelector(SelectorText(requirements), &again).ok());
  RequireSame(again.match_expressions, requirements);
}

// The same selector in a pod's affinity is read as the same requirements.
void CheckThroughWire(const Requirements& requirements) {
  const std::string json =
      R"({"Pod":{"spec":{"affinity":{"podAffinity":)"
      R"({"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":)" +
      SelectorJson(requirements) + R"(}]}}}},"NodeNames":[]})";
  const Input input(json, ' ');
  wire::ExtenderArgs args;
  OUTRIGGER_REQUIRE(wire::DecodeExtenderArgs(input.body(), Needs::All(), &args).ok());
  const auto& terms = args.pod.affinity.required_pod;
  OUTRIGGER_REQUIRE(terms.size() == 1 && terms[0].label_selector.has_value());
  RequireSame(terms[0].label_selector->match_expressions, requirements);
}

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

void Run(std::string_view text) {
  const LabelSelector before = {{{"kept", "here"}}, {{"kept", SelectorOperator::kExists, {}}}};
  LabelSelector selector = before;
  const absl::Status status = ParseLabelSelector(text, &selector);
  if (!status.ok()) {
    OUTRIGGER_REQUIRE(status.code() == absl::StatusCode::kInvalidArgument);
    OUTRIGGER_REQUIRE(selector.match_labels == before.match_labels);
    RequireSame(selector.match_expressions, before.match_expressions);
    return;
  }
  const Requirements& requirements = selector.match_expressions;
  OUTRIGGER_REQUIRE(selector.match_labels.empty());
  OUTRIGGER_REQUIRE(requirements.empty() == IsBlank(text));
  for (const SelectorRequirement& requirement : requirements) {
    OUTRIGGER_REQUIRE(requirement.Validate().ok());
  }
  CheckMatches(selector);
  CheckTextAgain(requirements);
  CheckThroughWire(requirements);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run(outrigger::fuzz::Text(data, size));
  return 0;
}
