#pragma once

#include "apiserver/json.h"
#include "outrigger/k8s/selector.h"

namespace outrigger::apiserver {

/// A metav1.LabelSelector that conforms to its type. One that is absent (null), or has an operator
/// that is none, selects nothing, an empty one everything. Pure.
LabelSelector ReadLabelSelector(const Json& selector);

/// Whether a metav1.LabelSelector selects an object. Pure.
bool Selects(const Json& selector, const Json& labelled);

/// The labels of an object.
StringMap LabelsOf(const Json& object);

}  // namespace outrigger::apiserver
