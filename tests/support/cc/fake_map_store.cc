#include "fake_map_store.h"

#include "fmt/format.h"

namespace outrigger::testing {
namespace {

constexpr size_t kMostBytes = 1024 * 1024;
constexpr size_t kLongestKey = 253;

absl::Status NoSuchMap(std::string_view name) {
  return absl::NotFoundError(fmt::format("configmaps \"{}\" not found", name));
}

bool IsKey(std::string_view key) {
  constexpr std::string_view kAccepted =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
  return !key.empty() && key.size() <= kLongestKey && key != "." && !key.starts_with("..") &&
         key.find_first_not_of(kAccepted) == std::string_view::npos;
}

absl::Status Validate(const ConfigMap& map) {
  size_t bytes = 0;
  for (const auto& [key, value] : map.data) {
    if (!IsKey(key)) {
      return absl::InvalidArgumentError(
          fmt::format("data[{}]: a valid config key must consist of "
                      "alphanumeric characters, '-', '_' or '.'",
                      key));
    }
    bytes += value.size();
  }
  if (bytes <= kMostBytes) return absl::OkStatus();
  return absl::InvalidArgumentError("Too long: may not be more than 1048576 bytes");
}

}  // namespace

absl::StatusOr<ConfigMap> FakeMapStore::Read(std::string_view namespace_,
                                             std::string_view name) const {
  const auto found = maps_.find({std::string(namespace_), std::string(name)});
  if (found == maps_.end()) return NoSuchMap(name);
  return found->second;
}

absl::StatusOr<ConfigMap> FakeMapStore::Write(const ConfigMap& map) {
  if (absl::Status wrong = Validate(map); !wrong.ok()) return wrong;
  const auto found = maps_.find({map.namespace_, map.name});
  const bool creates = map.resource_version.empty();
  if (creates && found != maps_.end()) {
    return absl::AlreadyExistsError(fmt::format("configmaps \"{}\" already exists", map.name));
  }
  if (!creates && found == maps_.end()) return NoSuchMap(map.name);
  if (!creates && (map.resource_version != found->second.resource_version ||
                   (!map.uid.empty() && map.uid != found->second.uid))) {
    return absl::AbortedError(
        "the object has been modified; please apply your changes to the latest version");
  }
  ConfigMap written = map;
  written.uid = creates ? fmt::format("map-{}", ++last_uid_) : found->second.uid;
  written.resource_version = std::to_string(++version_);
  maps_[{map.namespace_, map.name}] = written;
  return written;
}

absl::Status FakeMapStore::Delete(const ConfigMap& map) {
  const auto found = maps_.find({map.namespace_, map.name});
  if (found == maps_.end()) return NoSuchMap(map.name);
  const ConfigMap& there = found->second;
  if ((!map.uid.empty() && map.uid != there.uid) ||
      (!map.resource_version.empty() && map.resource_version != there.resource_version)) {
    return absl::AbortedError("Precondition failed");
  }
  maps_.erase(found);
  ++version_;
  return absl::OkStatus();
}

std::vector<ConfigMap> FakeMapStore::All() const {
  std::vector<ConfigMap> all;
  for (const auto& [name, map] : maps_) all.push_back(map);
  return all;
}

}  // namespace outrigger::testing
