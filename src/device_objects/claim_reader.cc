#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device_objects/parts.h"
#include "device_objects/readers.h"

namespace outrigger::device_objects {
namespace {

using devices::Claim;
using devices::Detail;
using devices::Request;

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

absl::Status ReadDetailFields(Value value, const Path& at, Detail* detail,
                              std::vector<Detail>* one_of) {
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
  const auto alternatives = [one_of](Value list, const Path& place) {
    return ReadList(list, place, one_of, [](Value item, const Path& where, Detail* alternative) {
      std::vector<Detail> none;
      return ReadDetailFields(item, where, alternative, &none);
    });
  };
  return ReadFields(value, at, Field{"deviceClass", &detail->device_class},
                    Field{"deviceType", &detail->device_type},
                    Field{"constraints", &detail->constraints}, Field{"requests", requests},
                    Field{"limits", limits}, Field{"matchAttributes", &detail->match_attributes},
                    Field{"oneOf", alternatives});
}

absl::Status ReadRequest(Value value, const Path& at, Request* request) {
  Detail own;
  std::vector<Detail> one_of;
  absl::Status status = ReadDetailFields(value, at, &own, &one_of);
  if (one_of.empty()) {
    request->details.push_back(std::move(own));
  } else {
    request->details = std::move(one_of);
  }
  return status;
}

/// The fields of both dialects, until it is clear which it is.
struct Spec {
  Detail flat;
  std::vector<std::string> match_attributes;
  std::optional<std::vector<Request>> claims;
};

absl::Status ReadSpec(Value value, const Path& at, Spec* spec) {
  const auto claims = [spec](Value list, const Path& place) {
    return ReadList(list, place, &spec->claims.emplace(), ReadRequest);
  };
  return ReadFields(value, at, Field{"deviceClass", &spec->flat.device_class},
                    Field{"driver", &spec->flat.driver},
                    Field{"constraints", &spec->flat.constraints},
                    Field{"minDeviceCount", &spec->flat.min_count},
                    Field{"maxDeviceCount", &spec->flat.max_count},
                    Field{"matchAttributes", &spec->match_attributes}, Field{"claims", claims});
}

absl::Status ReadAllocation(Value value, const Path& at, devices::Allocation* allocation) {
  const auto amounts = [allocation](Value list, const Path& place) {
    return json::ForEachElement(list, place, [&](Value element, const Path& where) {
      std::string name;
      std::optional<Quantity> amount;
      const auto read = [&amount](Value quantity, const Path& at_amount) {
        return ReadQuantity(quantity, at_amount, &amount);
      };
      absl::Status status =
          ReadFields(element, where, Field{"name", &name}, Field{"allocation", read});
      if (amount.has_value()) allocation->amounts[name] = *amount;
      return status;
    });
  };
  return ReadFields(value, at, Field{"devicePoolName", &allocation->pool},
                    Field{"deviceName", &allocation->device},
                    Field{"deviceCount", &allocation->count}, Field{"allocations", amounts});
}

void SetRequests(Spec spec, bool is_privileged, Claim* claim) {
  const bool is_flat = !(spec.flat == Detail());
  if (spec.claims.has_value()) {
    if (is_flat) claim->fault = "spec.claims and fields of the count dialect exclude each other";
    claim->match_attributes = std::move(spec.match_attributes);
    claim->requests = *std::move(spec.claims);
    return;
  }
  spec.flat.match_attributes = std::move(spec.match_attributes);
  spec.flat.all = is_privileged;
  spec.flat.admin_access = is_privileged;
  if (is_privileged && spec.flat.device_class.empty()) spec.flat.device_class = "device";
  claim->counts = !is_privileged;
  claim->requests.push_back({{std::move(spec.flat)}});
}

}  // namespace

absl::Status ReadClaim(json::Object object, const Path& at, bool is_privileged, Claim* claim) {
  *claim = Claim();
  Spec spec;
  const auto read_spec = [&spec](Value value, const Path& place) {
    return ReadSpec(value, place, &spec);
  };
  const auto allocations = [claim](Value list, const Path& place) {
    return ReadList(list, place, &claim->allocations, ReadAllocation);
  };
  const auto status = [&](Value value, const Path& place) {
    return ReadFields(value, place, Field{"allocations", allocations},
                      Field{"podNames", &claim->pods});
  };
  Metadata metadata;
  absl::Status done = ReadKind(object, at, &metadata, read_spec, status);
  claim->namespace_ = std::move(metadata.namespace_);
  claim->name = std::move(metadata.name);
  claim->uid = std::move(metadata.uid);
  SetRequests(std::move(spec), is_privileged, claim);
  return done;
}

}  // namespace outrigger::device_objects
