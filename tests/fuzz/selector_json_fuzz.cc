// A selector in JSON, read at both places of a pod where it may stand: as the label selector of a
// pod affinity and as a term of the node affinity. What is valid goes to text and back.
#include <algorithm>
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

bool AllValid(const Requirements& requirements) {
  return std::all_of(requirements.begin(), requirements.end(),
                     [](const auto& requirement) { return requirement.Validate().ok(); });
}

// Labels to match are requirements of one value.
Requirements WithLabels(const LabelSelector& selector) {
  Requirements all = selector.match_expressions;
  for (const auto& [key, value] : selector.match_labels) {
    all.push_back({key, SelectorOperator::kIn, {value}});
  }
  return all;
}

void CheckLabelSelector(const LabelSelector& selector) {
  const Requirements all = WithLabels(selector);
  const bool valid = AllValid(selector.match_expressions);
  LabelSelector from_text;
  const bool has_text = AllValid(all);
  if (has_text) OUTRIGGER_REQUIRE(ParseLabelSelector(SelectorText(all), &from_text).ok());
  for (const StringMap& labels : LabelsToTry(all)) {
    const bool matches = selector.Matches(labels);
    if (!valid) OUTRIGGER_REQUIRE(!matches);
    if (has_text) OUTRIGGER_REQUIRE(from_text.Matches(labels) == matches);
  }
  if (all.empty()) OUTRIGGER_REQUIRE(selector.Matches({}));
}

// A term of expressions alone is a label selector of them, but an empty one matches nothing.
void CheckTerm(const NodeSelectorTerm& term) {
  const LabelSelector same = {{}, term.match_expressions};
  NodeSelector selector;
  OUTRIGGER_REQUIRE(!selector.Matches(Node()));
  selector.terms = {NodeSelectorTerm(), term};
  for (const StringMap& labels : LabelsToTry(term.match_expressions)) {
    Node node;
    node.name = "n";
    node.labels = labels;
    const bool matches = term.Matches(node);
    OUTRIGGER_REQUIRE(selector.Matches(node) == matches);
    if (term.match_expressions.empty() && term.match_fields.empty()) OUTRIGGER_REQUIRE(!matches);
    if (matches) OUTRIGGER_REQUIRE(same.Matches(labels));
    if (term.match_fields.empty() && !term.match_expressions.empty()) {
      OUTRIGGER_REQUIRE(same.Matches(labels) == matches);
    }
  }
}

std::string Call(std::string_view affinity, std::string_view json, std::string_view end) {
  return R"({"Pod":{"spec":{"affinity":{)" + std::string(affinity) + std::string(json) +
         std::string(end) + R"(}}},"NodeNames":["n"]})";
}

void Run(std::string_view json) {
  const Input as_labels(
      Call(R"("podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":)",
           json, "}]}"),
      ' ');
  const Input as_term(Call(R"("nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
                           R"({"nodeSelectorTerms":[)",
                           json, "]}}"),
                      ' ');
  wire::ExtenderArgs args;
  absl::Status status = wire::DecodeExtenderArgs(as_labels.body(), Needs::All(), &args);
  CheckStatus(status);
  if (status.ok()) {
    for (const PodAffinityTerm& term : args.pod.affinity.required_pod) {
      if (term.label_selector) CheckLabelSelector(*term.label_selector);
    }
  }
  status = wire::DecodeExtenderArgs(as_term.body(), Needs::All(), &args);
  CheckStatus(status);
  if (!status.ok() || !args.pod.affinity.required_node) return;
  for (const NodeSelectorTerm& term : args.pod.affinity.required_node->terms) CheckTerm(term);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run(outrigger::fuzz::Text(data, size));
  return 0;
}
