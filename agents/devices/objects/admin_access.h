#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "devices/allocation/inventory.h"
#include "devices/objects/objects.h"
#include "outrigger/agent/custom_objects.h"

// Which claims may have devices that others use: a DevicePrivilegedClaim, and a claim of a class
// with adminAccess, in a namespace with a label, as it is with DRA. Plain functions; all are
// thread-safe. Linked by Outrigger::devices.

namespace outrigger::devices {

/// DRA's label (DRAAdminNamespaceLabelKey of k8s.io/api/resource): with the value "true" claims of
/// the namespace may have admin access. Namespaces are labelled by administrators of the cluster,
/// so that no right inside a namespace gives devices that others use.
inline constexpr std::string_view kAdminAccessLabel = "resource.kubernetes.io/admin-access";

inline constexpr CustomKind kNamespaceKind{"", "v1", "namespaces", "Namespace", false};

/// A namespace, as far as its claims go.
struct NamespaceObject {
  std::string name;
  bool admin_access = false;  ///< it has kAdminAccessLabel
  friend bool operator==(const NamespaceObject&, const NamespaceObject&) = default;
};
/// Reads one from JSON. InvalidArgument names the field and what is accepted.
absl::StatusOr<NamespaceObject> ParseNamespace(std::string_view json);

/// True if the claim has devices by admin access, or some request of it may take devices that are
/// in use, by its kind or by a class that `inventory` has.
bool HasAdminAccess(const ClaimObject& claim, const Inventory& inventory);

/// Whom a claim with admin access is for.
struct AdminAccessTerms {
  bool is_embedded = false;         ///< in a pod
  bool in_admin_namespace = false;  ///< NamespaceObject::admin_access
};
/// What is in the way of a claim with admin access, and what would help; empty: nothing is. The
/// agent creates embedded claims with its own rights, so they have none in any namespace.
std::string AdminAccessFault(const ClaimObject& claim, AdminAccessTerms terms);

}  // namespace outrigger::devices
