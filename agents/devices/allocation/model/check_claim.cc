#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "devices/allocation/claim.h"
#include "devices/allocation/device_class.h"
#include "devices/allocation/model/amount.h"
#include "fmt/format.h"

namespace outrigger::devices {
namespace {

template <typename... Args>
absl::Status ClaimFault(fmt::format_string<Args...> text, Args&&... args) {
  return absl::InvalidArgumentError(fmt::format(text, std::forward<Args>(args)...));
}

bool InRange(const std::optional<int64_t>& count) {
  return !count.has_value() || (*count >= 1 && *count <= kMostWanted);
}

absl::Status CheckDetail(const Detail& detail) {
  const bool is_of_driver = detail.admin_access && !detail.driver.empty();  // privileged claims
  if (detail.device_class.empty() && detail.device_type.empty() && !is_of_driver) {
    return ClaimFault("neither deviceClass nor deviceType is given");
  }
  if (!InRange(detail.min_count)) {
    return ClaimFault("{} devices at least: must be from 1 to {}", *detail.min_count, kMostWanted);
  }
  if (!InRange(detail.max_count)) {
    return ClaimFault("{} devices at most: must be from 1 to {}", *detail.max_count, kMostWanted);
  }
  for (const auto& [name, amount] : detail.amounts) {
    if (!ToAmount(amount).has_value()) {
      return ClaimFault("{} of \"{}\": must be from 0 to 10^18", amount.ToString(), name);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckRequest(const Request& request) {
  if (request.details.empty() || request.details.size() > kMostAlternatives) {
    return ClaimFault("{} alternatives: must be from 1 to {}", request.details.size(),
                      kMostAlternatives);
  }
  for (const Detail& detail : request.details) {
    absl::Status status = CheckDetail(detail);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

std::string NameOf(const Claim& claim) {
  return fmt::format("{}/{}", claim.namespace_, claim.name);
}

absl::Status CheckClaim(const Claim& claim) {
  if (!claim.fault.empty()) return absl::InvalidArgumentError(claim.fault);
  if (claim.requests.empty()) return ClaimFault("it requests nothing");
  if (claim.requests.size() > kMostRequests) {
    return ClaimFault("{} requests: at most {} are allowed", claim.requests.size(), kMostRequests);
  }
  for (const Request& request : claim.requests) {
    absl::Status status = CheckRequest(request);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckClass(const Class& of) {
  if (of.name.empty()) return ClaimFault("the class has no name");
  if (!of.fault.empty()) return absl::InvalidArgumentError(of.fault);
  if (!InRange(of.min_count) || !InRange(of.max_count)) {
    return ClaimFault("a device count must be from 1 to {}", kMostWanted);
  }
  if (of.max_count.has_value() && of.min_count.value_or(1) > *of.max_count) {
    return ClaimFault("minDeviceCount above maxDeviceCount");
  }
  return absl::OkStatus();
}

}  // namespace outrigger::devices
