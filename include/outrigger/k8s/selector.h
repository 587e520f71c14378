#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "outrigger/k8s/string_map.h"

namespace outrigger {

struct Node;

/// How a requirement compares; Gt and Lt are valid in node selectors only.
enum class SelectorOperator : uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

/// One line of `matchExpressions` or `matchFields`.
struct SelectorRequirement {
  std::string key;
  SelectorOperator op = SelectorOperator::kIn;
  std::vector<std::string> values;

  /// As upstream's labels.Requirement: NotIn and DoesNotExist match where the key is absent; Gt and
  /// Lt compare base-10 integers and never match what is not one.
  bool Matches(const StringMap& labels) const;

  friend bool operator==(const SelectorRequirement&, const SelectorRequirement&) = default;

  /// As upstream's labels.NewRequirement: InvalidArgument if the number of values does not suit the
  /// operator (In and NotIn want one or more, Exists and DoesNotExist none, Gt and Lt exactly one
  /// integer), or the key or a value is not one that a label may have.
  absl::Status Validate() const;
};

/// Reads "In", "NotIn", "Exists", "DoesNotExist", "Gt" or "Lt"; InvalidArgument otherwise.
absl::Status ParseSelectorOperator(std::string_view text, SelectorOperator* op);

/// metav1.LabelSelector: all of `match_labels` and all of `match_expressions`. An empty selector
/// matches everything; one with an invalid requirement matches nothing; an *absent* one (nothing)
/// is the caller's to represent.
struct LabelSelector {
  StringMap match_labels;
  std::vector<SelectorRequirement> match_expressions;

  bool Matches(const StringMap& labels) const;
  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

/// One term of a node selector: all expressions over labels and all fields (metadata.name only).
/// Fields know In and NotIn with exactly one value. A term that is empty or has an invalid part
/// matches no node: kube-scheduler skips it and goes on with the others.
struct NodeSelectorTerm {
  std::vector<SelectorRequirement> match_expressions;
  std::vector<SelectorRequirement> match_fields;

  bool Matches(const Node& node) const;
  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

/// A node selector: any of its terms. Without terms it matches no node.
struct NodeSelector {
  std::vector<NodeSelectorTerm> terms;

  bool Matches(const Node& node) const;
  friend bool operator==(const NodeSelector&, const NodeSelector&) = default;
};

/// A weighted preference for nodes (preferredDuringSchedulingIgnoredDuringExecution).
struct PreferredSchedulingTerm {
  int32_t weight = 1;  // 1..100
  NodeSelectorTerm preference;
};

/// Parses the text form of a label selector, as in `kubectl get -l`: "a=b,c!=d,e in (f,g),h notin
/// (i),j,!k,l>1,m<2". Accepts what upstream's labels.Parse accepts; all requirements become
/// match_expressions ("a=b" is In, "c!=d" NotIn), since a key may come twice. Every text that is
/// not empty or blank has at least one. InvalidArgument names the wrong part, and leaves `selector`
/// unchanged.
absl::Status ParseLabelSelector(std::string_view text, LabelSelector* selector);

}  // namespace outrigger
