#include "devices/objects/admin_access.h"

#include <algorithm>
#include <vector>

#include "devices/objects/readers.h"
#include "fmt/format.h"
#include "outrigger/k8s/string_map.h"

namespace outrigger::devices {

bool HasAdminAccess(const ClaimObject& claim, const Inventory& inventory) {
  const auto has = [&inventory](const Detail& detail) {
    const Class* const of = inventory.FindClass(detail.device_class);
    return detail.admin_access || (of != nullptr && of->admin_access);
  };
  const std::vector<Allocation>& allocations = claim.claim.allocations;
  const std::vector<Request>& requests = claim.claim.requests;
  return claim.privileged ||
         std::any_of(allocations.begin(), allocations.end(),
                     [](const Allocation& one) { return one.admin_access; }) ||
         std::any_of(requests.begin(), requests.end(), [&](const Request& one) {
           return std::any_of(one.details.begin(), one.details.end(), has);
         });
}

std::string AdminAccessFault(const ClaimObject& claim, AdminAccessTerms terms) {
  if (terms.is_embedded) {
    return "a claim embedded in a pod cannot use a class with adminAccess: refer to a DeviceClaim "
           "by claimName";
  }
  if (terms.in_admin_namespace) return {};
  return fmt::format("admin access to devices needs the label {}: \"true\" on namespace {}",
                     kAdminAccessLabel, claim.claim.namespace_);
}

}  // namespace outrigger::devices

namespace outrigger::device_objects {

absl::Status ReadNamespace(json::Object object, const json::Path& at,
                           devices::NamespaceObject* name_space) {
  *name_space = devices::NamespaceObject();
  StringMap labels;
  const auto metadata = [&](json::Value value, const json::Path& place) {
    return json::ReadObject(value, place, json::Field{"name", &name_space->name},
                            json::Field{"labels", &labels});
  };
  absl::Status status = json::ReadObject(object, at, json::Field{"metadata", metadata});
  if (status.ok() && name_space->name.empty()) {
    return json::Invalid(at.Key("metadata").Key("name"), "is empty");
  }
  name_space->admin_access = labels.Get(devices::kAdminAccessLabel) == "true";
  return status;
}

}  // namespace outrigger::device_objects
