#pragma once

#include <optional>
#include <string>
#include <vector>

#include "outrigger/k8s/pod.h"
#include "outrigger/k8s/selector.h"

namespace outrigger::plan {

/// What of a pod selectors look at.
struct PodIdentity {
  std::string namespace_;
  StringMap labels;
};

/// Which pods a term of pod affinity or anti-affinity is about.
///
/// Namespaces are known by name alone. So a namespaceSelector is judged by the one label that every
/// namespace has, kubernetes.io/metadata.name; one that asks for other labels is `guessed`.
struct PodMatcher {
  std::optional<LabelSelector> selector;  // absent: no pod
  std::vector<std::string> namespaces;    // in order, each once
  std::optional<LabelSelector> namespace_selector;
  bool guessed = false;

  /// `if_guessed`: what to take for the answer of a namespaceSelector that is guessed.
  bool Matches(const PodIdentity& pod, bool if_guessed) const;
};

/// `term` as the pod in `namespace_` means it: no namespaces and no namespaceSelector are its own.
PodMatcher MatcherOf(const PodAffinityTerm& term, const std::string& namespace_);

}  // namespace outrigger::plan
