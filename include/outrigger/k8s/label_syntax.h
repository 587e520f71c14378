#pragma once

#include <string_view>

// What Kubernetes accepts as key and value of a label and as names of objects
// (apimachinery/pkg/api/validate/content).
// Pure and thread-safe.

namespace outrigger {

/// An optional DNS subdomain (up to 253 characters) and '/', then a name as IsLabelValue() has it,
/// but not empty. The keys of annotations, and topology keys, are of the same form.
bool IsLabelKey(std::string_view key);

/// Empty, or up to 63 of [A-Za-z0-9_.-] with a letter or digit at both ends.
bool IsLabelValue(std::string_view value);

/// The name of most objects: up to 253 of [a-z0-9.-], with a letter or digit at both ends and on
/// both sides of each dot (IsDNS1123Subdomain()).
bool IsDnsSubdomain(std::string_view name);

/// The name of a namespace: up to 63 of [a-z0-9-], with a letter or digit at both ends
/// (IsDNS1123Label()).
bool IsDnsLabel(std::string_view name);

}  // namespace outrigger
