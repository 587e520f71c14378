#pragma once

#include <string>
#include <vector>

#include "outrigger/k8s/selector.h"

// Selectors as text and as JSON, for the fuzzers that go from one form to the other.

namespace outrigger::fuzz {

/// `requirements` in the form that ParseLabelSelector() reads. They must be valid.
std::string SelectorText(const std::vector<SelectorRequirement>& requirements);

/// `requirements` as metav1.LabelSelector in JSON.
std::string SelectorJson(const std::vector<SelectorRequirement>& requirements);

/// Some sets of labels that tell selectors apart: none, and, from `requirements` themselves, each
/// key with no value, with each of its values, and with a number beside it.
std::vector<StringMap> LabelsToTry(const std::vector<SelectorRequirement>& requirements);

bool Same(const SelectorRequirement& a, const SelectorRequirement& b);

}  // namespace outrigger::fuzz
