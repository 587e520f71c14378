#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "fmt/format.h"

namespace outrigger::desk {

/// A coordination.k8s.io Lease.
struct LeaseName {
  std::string namespace_;
  std::string name;  // empty: there is none

  std::string Text() const { return fmt::format("{}/{}", namespace_, name); }
};

/// The Lease that a setting names: "namespace/name". InvalidArgument for anything else; `accepted`
/// ends that text.
absl::StatusOr<LeaseName> ReadLeaseName(std::string_view setting, const std::string& text,
                                        std::string_view accepted);

}  // namespace outrigger::desk
