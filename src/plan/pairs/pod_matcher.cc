#include "plan/pairs/pod_matcher.h"

#include <algorithm>
#include <string_view>

namespace outrigger::plan {
namespace {

constexpr std::string_view kName = "kubernetes.io/metadata.name";

bool IsGuessed(const LabelSelector& selector) {
  const auto& labels = selector.match_labels;
  const auto& expressions = selector.match_expressions;
  return std::any_of(labels.begin(), labels.end(),
                     [](const auto& label) { return label.first != kName; }) ||
         std::any_of(expressions.begin(), expressions.end(),
                     [](const auto& requirement) { return requirement.key != kName; });
}

}  // namespace

bool PodMatcher::Matches(const PodIdentity& pod, bool if_guessed) const {
  const auto in_namespaces = [&] {
    if (std::binary_search(namespaces.begin(), namespaces.end(), pod.namespace_)) return true;
    if (!namespace_selector.has_value()) return false;
    if (guessed) return if_guessed;
    return namespace_selector->Matches({{std::string(kName), pod.namespace_}});
  };
  return selector.has_value() && in_namespaces() && selector->Matches(pod.labels);
}

PodMatcher MatcherOf(const PodAffinityTerm& term, const std::string& namespace_) {
  PodMatcher matcher{term.label_selector, term.namespaces, term.namespace_selector};
  auto& namespaces = matcher.namespaces;
  if (namespaces.empty() && !term.namespace_selector.has_value()) namespaces = {namespace_};
  std::sort(namespaces.begin(), namespaces.end());
  namespaces.erase(std::unique(namespaces.begin(), namespaces.end()), namespaces.end());
  matcher.guessed = term.namespace_selector.has_value() && IsGuessed(*term.namespace_selector);
  return matcher;
}

}  // namespace outrigger::plan
