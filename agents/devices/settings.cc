#include "settings.h"

#include <unistd.h>
#include <algorithm>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "outrigger/agent/lease_claim.h"
#include "outrigger/base/text.h"
#include "outrigger/k8s/label_syntax.h"

namespace outrigger::devices::agent {
namespace {

constexpr size_t kLongestAttribute = 128;

absl::Status NotAccepted(std::string_view setting, std::string_view value, std::string_view what) {
  return absl::InvalidArgumentError(
      fmt::format("{}: \"{}\" is not accepted; expected {}", setting, value, what));
}

}  // namespace

std::string NewIdentity() {
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  std::random_device random;
  return fmt::format("{}_{:08x}", host, random());
}

absl::StatusOr<Options> OptionsFrom(const Settings& settings) {
  if (!IsDnsLabel(settings.name_space)) {
    return NotAccepted("namespace", settings.name_space, "the name of a namespace");
  }
  if (!IsDnsSubdomain(settings.lease)) {
    return NotAccepted("lease", settings.lease, "the name of a Lease");
  }
  if (settings.packing + settings.intact + settings.choice <= 0) {
    return NotAccepted("packing", "0", "one of packing, intact and choice above 0");
  }
  Options options;
  options.allocator.network_pools = settings.network_pools;
  options.dra = settings.dra;
  options.allocator.always_resolve = true;
  options.allocator.hides_others = true;
  options.allocator.weights = {
      .packing = settings.packing, .intact = settings.intact, .choice = settings.choice};
  if (!settings.topology_attributes.empty()) {
    options.allocator.topology_attributes = SplitList(settings.topology_attributes);
  }
  for (const std::string& attribute : options.allocator.topology_attributes) {
    if (!attribute.empty() && attribute.size() <= kLongestAttribute) continue;
    return NotAccepted("topology-attributes", settings.topology_attributes,
                       "names of attributes, separated by commas");
  }
  options.intent_deadline = std::chrono::seconds(settings.intent_deadline);
  options.binding_time =
      std::min(options.binding_time, std::chrono::milliseconds(options.intent_deadline) / 2);
  options.lease = LeaseClaimOf(settings.name_space, settings.lease, settings.lease_seconds);
  return options;
}

}  // namespace outrigger::devices::agent
