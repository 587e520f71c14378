#pragma once

#include <string>

// Admission policies that belong to a rendering, as YAML documents.

namespace outrigger::cli::manifests {

/// Rejects pods with device claims of all schedulers but `scheduler`: they would start without
/// their devices.
std::string DeviceClaimsPolicy(const std::string& scheduler);

/// `name`: confines the annotator of this account to its annotations: RBAC cannot say which part of
/// a node may be patched.
std::string UsageAnnotatorPolicy(const std::string& name_space, const std::string& account,
                                 const std::string& name);

}  // namespace outrigger::cli::manifests
