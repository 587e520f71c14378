#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "devices/objects/parts.h"
#include "devices/objects/readers.h"
#include "fmt/format.h"

namespace outrigger::device_objects {
namespace {

using devices::Claim;
using devices::Detail;
using devices::Request;
using Configs = std::vector<devices::ConfigReference>;

constexpr std::string_view kCount = "count";
constexpr std::string_view kAcceptedCount = "a whole number of devices";

// Takes "count" out of amounts. What is beyond int64 stays out of range.
void TakeCount(const Path& at, devices::Amounts* amounts, std::optional<int64_t>* count) {
  const auto found = amounts->find(kCount);
  if (found == amounts->end()) return;
  const Quantity most = Quantity::FromInt(devices::kMostWanted);
  const Quantity bounded = std::clamp(found->second, -most, most + Quantity::FromInt(1));
  if (bounded == Quantity::FromInt(bounded.Value())) {
    *count = bounded.Value();
  } else {
    at.Key(kCount).Malformed(found->second.ToString(), kAcceptedCount);
  }
  amounts->erase(found);
}

// `configs` is appended to. `more` are fields that not every detail has.
template <typename... Fields>
absl::Status ReadDetail(Value value, const Path& at, Detail* detail, Configs* configs,
                        const Fields&... more) {
  const auto requests = [detail](Value map, const Path& place) {
    absl::Status status = ReadAmounts(map, place, &detail->amounts);
    TakeCount(place, &detail->amounts, &detail->min_count);
    return status;
  };
  const auto limits = [detail](Value map, const Path& place) {
    devices::Amounts amounts;
    absl::Status status = ReadAmounts(map, place, &amounts);
    TakeCount(place, &amounts, &detail->max_count);
    return status;
  };
  const auto references = [configs](Value list, const Path& place) {
    return ReadConfigs(list, place, configs);
  };
  std::vector<std::string> old_types;
  std::vector<std::string> old_matches;
  absl::Status status = ReadSpecFields(
      value, at, Field{"deviceClass", &detail->device_class},
      Field{kDeviceType.name, &detail->device_type}, Field{kDeviceType.old_name, &old_types},
      Field{"constraints", &detail->constraints}, Field{"requests", requests},
      Field{"limits", limits}, Field{kMatchAttributes.name, &detail->match_attributes},
      Field{kMatchAttributes.old_name, &old_matches}, Field{"configs", references}, more...);
  TakeOldTypes(at, std::move(old_types), &detail->device_type);
  TakeOld(at, kMatchAttributes, std::move(old_matches), &detail->match_attributes);
  return status;
}

absl::Status ReadRequest(Value value, const Path& at, Request* request, Configs* configs) {
  const auto first = static_cast<std::ptrdiff_t>(configs->size());
  Detail own;
  std::vector<Detail> one_of;
  const auto read = [&](Value item, const Path& where, Detail* alternative) {
    const size_t before = configs->size();
    absl::Status status = ReadDetail(item, where, alternative, configs);
    for (size_t i = before; i < configs->size(); ++i) {
      (*configs)[i].alternative = static_cast<int>(one_of.size()) - 1;
    }
    return status;
  };
  const auto alternatives = [&](Value list, const Path& place) {
    return ReadList(list, place, &one_of, read);
  };
  absl::Status status = ReadDetail(value, at, &own, configs, Field{"oneOf", alternatives});
  if (one_of.empty()) {
    request->details.push_back(std::move(own));
    return status;
  }
  const bool has_own_configs =
      std::any_of(configs->begin() + first, configs->end(),
                  [](const devices::ConfigReference& one) { return one.alternative < 0; });
  if (has_own_configs || !(own == Detail())) {
    at.Key("oneOf").Malformed("oneOf", "alone; move the other fields into its entries");
  }
  request->details = std::move(one_of);
  return status;
}

/// The fields of both dialects, until it is clear which it is.
struct Spec {
  Detail flat;
  std::vector<std::string> match_attributes;
  std::optional<std::vector<Request>> claims;
  Configs configs;
  Configs configs_of_requests;
};

absl::Status ReadSpec(Value value, const Path& at, Spec* spec) {
  const auto claims = [spec](Value list, const Path& place) {
    const auto read = [spec](Value item, const Path& where, Request* request) {
      Configs& configs = spec->configs_of_requests;
      const size_t before = configs.size();
      absl::Status status = ReadRequest(item, where, request, &configs);
      for (size_t i = before; i < configs.size(); ++i) {
        configs[i].request = static_cast<int>(spec->claims->size()) - 1;
      }
      return status;
    };
    return ReadList(list, place, &spec->claims.emplace(), read);
  };
  const auto references = [spec](Value list, const Path& place) {
    return ReadConfigs(list, place, &spec->configs);
  };
  std::optional<int64_t> old_most;
  std::vector<std::string> old_matches;
  absl::Status status = ReadSpecFields(value, at, Field{"deviceClass", &spec->flat.device_class},
                                       Field{"driver", &spec->flat.driver},
                                       Field{"constraints", &spec->flat.constraints},
                                       Field{"minDeviceCount", &spec->flat.min_count},
                                       Field{kMaxDeviceCount.name, &spec->flat.max_count},
                                       Field{kMaxDeviceCount.old_name, &old_most},
                                       Field{kMatchAttributes.name, &spec->match_attributes},
                                       Field{kMatchAttributes.old_name, &old_matches},
                                       Field{"configs", references}, Field{"claims", claims});
  TakeOld(at, kMaxDeviceCount, old_most, &spec->flat.max_count);
  TakeOld(at, kMatchAttributes, std::move(old_matches), &spec->match_attributes);
  return status;
}

// The kind may come after the spec, so it is not known while that is read.
bool HasOnlyPrivileged(const Spec& spec) {
  Detail privileged;
  privileged.driver = spec.flat.driver;
  privileged.constraints = spec.flat.constraints;
  return spec.flat == privileged && spec.match_attributes.empty() && !spec.claims.has_value();
}

void SetRequests(Spec spec, bool is_privileged, Claim* claim) {
  if (is_privileged && !HasOnlyPrivileged(spec)) {
    claim->fault = "spec: a DevicePrivilegedClaim has only driver, constraints and configs";
  }
  const bool is_flat = !(spec.flat == Detail()) || !spec.configs.empty();
  if (spec.claims.has_value()) {
    if (is_flat) claim->fault = "spec.claims and fields of the count dialect exclude each other";
    claim->match_attributes = std::move(spec.match_attributes);
    claim->requests = *std::move(spec.claims);
    return;
  }
  spec.flat.match_attributes = std::move(spec.match_attributes);
  spec.flat.all = is_privileged;
  spec.flat.admin_access = is_privileged;
  claim->counts = !is_privileged;
  claim->requests.push_back({{std::move(spec.flat)}});
}

Configs AllConfigs(const Spec& spec) {
  Configs all = spec.configs;
  all.insert(all.end(), spec.configs_of_requests.begin(), spec.configs_of_requests.end());
  return all;
}

absl::Status CheckClaimType(const Path& at, std::string_view api_version, std::string_view kind) {
  const bool is_known =
      kind == devices::kClaimKind.kind || kind == devices::kPrivilegedClaimKind.kind;
  if (is_known) return CheckType(at, api_version, {}, devices::kClaimKind);
  const bool is_kept = kind == "DeviceSetClaim" || kind == "DeviceClaimTemplate";
  return json::Invalid(at.Key("kind"),
                       fmt::format("\"{}\" is not {}DeviceClaim or DevicePrivilegedClaim",
                                   json::Cut(kind), is_kept ? "scheduled, unlike " : ""));
}

}  // namespace

absl::Status ReadClaim(json::Object object, const Path& at, std::string_view kind,
                       devices::ClaimObject* read) {
  *read = devices::ClaimObject();
  Spec spec;
  const auto read_spec = [&spec](Value value, const Path& place) {
    return ReadSpec(value, place, &spec);
  };
  const auto status = [read](Value value, const Path& place) {
    return ReadClaimStatus(value, place, read);
  };
  Metadata metadata;
  std::string own_kind(kind);
  std::string api_version;
  absl::Status done = ReadKind(object, at, &metadata, &own_kind, &api_version,
                               Field{"spec", read_spec}, Field{"status", status});
  if (done.ok()) done = CheckClaimType(at, api_version, own_kind);
  read->privileged = own_kind == devices::kPrivilegedClaimKind.kind;
  Claim& claim = read->claim;
  claim.namespace_ = std::move(metadata.namespace_);
  claim.name = std::move(metadata.name);
  claim.uid = metadata.version.uid;
  read->version = std::move(metadata.version);
  read->owner_pod_uid = std::move(metadata.owner_pod_uid);
  read->configs = AllConfigs(spec);
  read->claim.fault = ConfigsFault(read->configs, claim.namespace_);
  SetRequests(std::move(spec), read->privileged, &claim);
  return done;
}

}  // namespace outrigger::device_objects
