#include "outrigger/k8s/selector.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "fmt/format.h"
#include "outrigger/k8s/label_syntax.h"
#include "outrigger/k8s/node.h"
#include "outrigger/k8s/pod.h"

namespace outrigger {
namespace {

constexpr std::array<std::pair<std::string_view, SelectorOperator>, 6> kOperators = {{
    {"In", SelectorOperator::kIn},
    {"NotIn", SelectorOperator::kNotIn},
    {"Exists", SelectorOperator::kExists},
    {"DoesNotExist", SelectorOperator::kDoesNotExist},
    {"Gt", SelectorOperator::kGt},
    {"Lt", SelectorOperator::kLt},
}};

// As Go's strconv.ParseInt(text, 10, 64).
std::optional<int64_t> ParseInt(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What is wrong with the values of a requirement, or nullptr.
const char* ValuesFault(SelectorOperator op, const std::vector<std::string>& values) {
  switch (op) {
    case SelectorOperator::kIn:
    case SelectorOperator::kNotIn:
      if (values.empty()) return "In and NotIn need one or more values";
      break;
    case SelectorOperator::kExists:
    case SelectorOperator::kDoesNotExist:
      if (!values.empty()) return "Exists and DoesNotExist allow no values";
      break;
    case SelectorOperator::kGt:
    case SelectorOperator::kLt:
      if (values.size() != 1 || !ParseInt(values.front())) return "Gt and Lt need one integer";
      break;
  }
  const bool valid = std::all_of(values.begin(), values.end(), IsLabelValue);
  return valid ? nullptr
               : "a value is empty or up to 63 of [A-Za-z0-9_.-], alphanumeric at its ends";
}

const char* Fault(const SelectorRequirement& requirement) {
  if (!IsLabelKey(requirement.key)) {
    return "a key is a name of up to 63 of [A-Za-z0-9_.-], after an optional DNS subdomain and '/'";
  }
  return ValuesFault(requirement.op, requirement.values);
}

// An invalid requirement spoils the whole selector, whatever the others say. It is looked for last,
// since most selectors do not match most objects.
bool AllMatch(const std::vector<SelectorRequirement>& requirements, const StringMap& labels) {
  return std::all_of(requirements.begin(), requirements.end(),
                     [&](const auto& requirement) { return requirement.Matches(labels); }) &&
         std::all_of(requirements.begin(), requirements.end(),
                     [](const auto& requirement) { return Fault(requirement) == nullptr; });
}

bool Contains(const StringMap& labels, const StringMap& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const StringMap::Entry& entry) {
    const std::string* value = labels.Find(entry.first);
    return value != nullptr && *value == entry.second;
  });
}

// Upstream knows metadata.name; every other field has the empty value.
bool FieldMatches(const SelectorRequirement& requirement, const Node& node) {
  if (requirement.values.size() != 1) return false;
  std::string_view value;
  if (requirement.key == "metadata.name") value = node.name;
  if (requirement.op == SelectorOperator::kIn) return value == requirement.values.front();
  if (requirement.op == SelectorOperator::kNotIn) return value != requirement.values.front();
  return false;
}

}  // namespace

bool SelectorRequirement::Matches(const StringMap& labels) const {
  const std::string* label = labels.Find(key);
  const auto listed = [&] {
    return std::find(values.begin(), values.end(), *label) != values.end();
  };
  switch (op) {
    case SelectorOperator::kIn:
      return label != nullptr && listed();
    case SelectorOperator::kNotIn:
      return label == nullptr || !listed();
    case SelectorOperator::kExists:
      return label != nullptr;
    case SelectorOperator::kDoesNotExist:
      return label == nullptr;
    case SelectorOperator::kGt:
    case SelectorOperator::kLt:
      break;
  }
  if (label == nullptr || values.size() != 1) return false;
  const std::optional<int64_t> left = ParseInt(*label);
  const std::optional<int64_t> right = ParseInt(values.front());
  if (!left || !right) return false;
  return op == SelectorOperator::kGt ? *left > *right : *left < *right;
}

absl::Status SelectorRequirement::Validate() const {
  const char* fault = Fault(*this);
  if (fault == nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format("selector requirement \"{}\": {}", key, fault));
}

absl::Status ParseSelectorOperator(std::string_view text, SelectorOperator* op) {
  for (const auto& [name, value] : kOperators) {
    if (name == text) {
      *op = value;
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(fmt::format(
      "selector operator \"{}\": expected In, NotIn, Exists, DoesNotExist, Gt or Lt", text));
}

bool LabelSelector::Matches(const StringMap& labels) const {
  return Contains(labels, match_labels) && AllMatch(match_expressions, labels);
}

bool NodeSelectorTerm::Matches(const Node& node) const {
  if (match_expressions.empty() && match_fields.empty()) return false;
  return AllMatch(match_expressions, node.labels) &&
         std::all_of(match_fields.begin(), match_fields.end(),
                     [&](const auto& field) { return FieldMatches(field, node); });
}

bool NodeSelector::Matches(const Node& node) const {
  return std::any_of(terms.begin(), terms.end(),
                     [&](const NodeSelectorTerm& term) { return term.Matches(node); });
}

bool MatchesNodeSelectorAndAffinity(const Pod& pod, const Node& node) {
  if (!Contains(node.labels, pod.node_selector)) return false;
  return !pod.affinity.required_node || pod.affinity.required_node->Matches(node);
}

}  // namespace outrigger
