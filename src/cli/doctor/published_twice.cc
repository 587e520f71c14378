#include "cli/doctor/published_twice.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/objects/objects.h"
#include "fmt/format.h"
#include "kube/json_text.h"
#include "kube/resource.h"
#include "nlohmann/json.hpp"

namespace outrigger::cli {
namespace {

using Tree = nlohmann::json;

// A pool counts its devices, or lists them as a slice does.
bool HasDevices(const Tree& spec) {
  const auto count = spec.find("count");
  if (count != spec.end() && count->is_number() && count->get<double>() > 0) return true;
  const auto devices = spec.find("devices");
  return devices != spec.end() && devices->is_array() && !devices->empty();
}

absl::Status TakeDriver(const json::ListedObject& object,
                        std::map<std::string, std::set<std::string>>* drivers) {
  const Tree tree = Tree::parse(object.body.data, object.body.data + object.body.size, nullptr,
                                /*allow_exceptions=*/false);
  if (tree.is_discarded()) {
    return absl::InvalidArgumentError(fmt::format("{} {}: is not JSON", object.kind, object.place));
  }
  const auto spec = tree.find("spec");
  if (spec == tree.end() || !HasDevices(*spec)) return absl::OkStatus();
  std::string node = kube::TextAt(*spec, "/nodeName");
  std::string driver = kube::TextAt(*spec, "/driver");
  if (!node.empty() && !driver.empty()) (*drivers)[std::move(node)].insert(std::move(driver));
  return absl::OkStatus();
}

// ".gpu.example.com." of "gpu.example.com" and "gpu-example.com": whole parts can be looked for.
std::string PartsOf(std::string_view name) {
  std::string parts = fmt::format(".{}.", name);
  std::replace_if(
      parts.begin(), parts.end(), [](char c) { return c == '-' || c == '/'; }, '.');
  return parts;
}

bool HasDomainOf(std::string_view driver, std::string_view resource) {
  const std::string domain = PartsOf(resource.substr(0, resource.find('/')));
  return PartsOf(driver).find(domain) != std::string::npos;
}

struct Seen {
  size_t nodes = 0;
  std::string example;  // the first node
  void Add(const std::string& node) {
    if (nodes++ == 0) example = node;
  }
};

}  // namespace

absl::Status PublishedTwice::Take(const json::ListedObject& object) {
  const auto is_of = [&object](std::string_view kind, std::string_view group) {
    return object.kind == kind && object.api_version.starts_with(group);
  };
  if (is_of(devices::kPoolKind.kind, devices::kPoolKind.group)) return TakeDriver(object, &pools_);
  if (is_of(kube::kDeviceSlices.kind, kube::kDeviceSlices.group)) {
    return TakeDriver(object, &slices_);
  }
  return is_of(kube::kNodes.kind, kube::kNodes.version) ? TakeNode(object) : absl::OkStatus();
}

absl::Status PublishedTwice::TakeNode(const json::ListedObject& object) {
  Node node;
  std::vector<json::MalformedValue> none;
  absl::Status status = json::DecodeNode(object, Needs().NodeAllocatable(), &node, &none);
  for (const auto& [name, amount] : node.allocatable) {
    // The kubelet leaves 0 of a device plugin that is gone.
    const bool is_extended = name.find('/') != std::string::npos;
    if (is_extended && !amount.IsZero()) resources_[node.name].insert(name);
  }
  return status;
}

void PublishedTwice::AddTo(Findings* findings) const {
  std::map<std::string, Seen> certain;                           // by driver
  std::map<std::pair<std::string, std::string>, Seen> possible;  // by driver and resource
  for (const auto& [node, drivers] : pools_) {
    const auto slices = slices_.find(node);
    const auto resources = resources_.find(node);
    for (const std::string& driver : drivers) {
      if (slices != slices_.end() && slices->second.contains(driver)) certain[driver].Add(node);
      if (resources == resources_.end()) continue;
      for (const std::string& resource : resources->second) {
        if (HasDomainOf(driver, resource)) possible[{driver, resource}].Add(node);
      }
    }
  }
  const auto add = [findings](const Seen& seen, std::string_view what, std::string fix) {
    findings->Add(FindingId::kPublishedTwice, Place{"node " + seen.example, 0, 0},
                  fmt::format("{} node{}: {}", seen.nodes, seen.nodes == 1 ? "" : "s", what),
                  std::move(fix));
  };
  for (const auto& [driver, seen] : certain) {
    add(seen, fmt::format("driver {} has DevicePools and ResourceSlices", driver),
        "delete the DevicePools, or stop the driver from publishing ResourceSlices");
  }
  for (const auto& [names, seen] : possible) {
    add(seen,
        fmt::format("driver {} has DevicePools, and a device plugin offers {}: they may be the "
                    "same devices",
                    names.first, names.second),
        "if they are, delete the DevicePools or stop the device plugin");
  }
}

}  // namespace outrigger::cli
