// Spec and status of a ResourceClaim.
#include <optional>
#include <string>
#include <utility>

#include "codec/json/object_readers.h"
#include "devices/dra/read_parts.h"
#include "fmt/format.h"

namespace outrigger::dra {
namespace {

absl::Status ReadToleration(Value value, const Path& at, Toleration* toleration) {
  std::string op;
  std::string effect;
  absl::Status status =
      json::ReadObject(value, at, Field{"key", &toleration->key}, Field{"operator", &op},
                       Field{"value", &toleration->value}, Field{"effect", &effect});
  using Operator = Toleration::Operator;
  if (op == "Exists") toleration->op = Operator::kExists;
  if (!op.empty() && op != "Exists" && op != "Equal") toleration->op = Operator::kUnknown;
  if (!effect.empty()) toleration->effect = ParseEffect(effect);
  return status;
}

// Fields that decide and are not known here.
struct Unknown {
  std::string* text;

  absl::Status operator()(std::string_view key, const Path& place) const {
    if (text->empty()) *text = place.Text();
    static_cast<void>(key);
    return absl::OkStatus();
  }
};

absl::Status ReadAsk(Value value, const Path& at, Ask* ask, std::string* unknown) {
  std::string mode;
  const auto capacity = [ask](Value part, const Path& place) {
    const auto requests = [ask](Value amounts, const Path& where) {
      return ReadQuantities(amounts, where, &ask->capacity);
    };
    return json::ReadObject(part, place, Field{"requests", requests});
  };
  absl::Status status = json::ReadKnownFields<json::KeyCase::kExact>(
      value, at, Unknown{unknown}, Field{"name", &ask->name},
      Field{"deviceClassName", &ask->device_class},
      Field{"selectors", ListOf(&ask->selectors, ReadSelector)}, Field{"allocationMode", &mode},
      Field{"count", &ask->count}, Field{"adminAccess", &ask->admin_access},
      Field{"tolerations", ListOf(&ask->tolerations, ReadToleration)}, Field{"capacity", capacity});
  ask->all = mode == "All";
  if (!mode.empty() && mode != "All" && mode != "ExactCount" && unknown->empty()) {
    *unknown = fmt::format("allocationMode {}", mode);
  }
  return status;
}

absl::Status ReadRequest(Value value, const Path& at, Request* request, std::string* unknown) {
  const auto exactly = [&](Value part, const Path& place) {
    absl::Status status = ReadAsk(part, place, &request->asks.emplace_back(), unknown);
    request->asks.back().name.clear();
    return status;
  };
  const auto first = [&](Value list, const Path& place) {
    request->is_list = true;
    return ReadList(list, place, &request->asks, [unknown](Value part, const Path& in, Ask* ask) {
      return ReadAsk(part, in, ask, unknown);
    });
  };
  return json::ReadKnownFields<json::KeyCase::kExact>(
      value, at, Unknown{unknown}, Field{"name", &request->name}, Field{"exactly", exactly},
      Field{"firstAvailable", first});
}

absl::Status ReadConstraint(Value value, const Path& at, Constraint* constraint,
                            std::string* unknown) {
  std::string distinct;
  absl::Status status = json::ReadKnownFields<json::KeyCase::kExact>(
      value, at, Unknown{unknown}, Field{"requests", &constraint->requests},
      Field{"matchAttribute", &constraint->attribute}, Field{"distinctAttribute", &distinct});
  if (!distinct.empty()) {
    constraint->distinct = true;
    constraint->attribute = std::move(distinct);
  }
  return status;
}

absl::Status ReadResult(Value value, const Path& at, Result* result) {
  std::string share;
  const auto consumed = [result](Value part, const Path& place) {
    return ReadQuantities(part, place, &result->consumed);
  };
  absl::Status status = json::ReadObject(
      value, at, Field{"request", &result->request}, Field{"driver", &result->driver},
      Field{"pool", &result->pool}, Field{"device", &result->device},
      Field{"adminAccess", &result->admin_access}, Field{"shareID", &share},
      Field{"consumedCapacity", consumed});
  result->share = !share.empty();
  return status;
}

}  // namespace

absl::Status ReadClaimSpec(Value value, const Path& at, Claim* claim) {
  const auto request = [claim](Value part, const Path& place, Request* to) {
    return ReadRequest(part, place, to, &claim->unknown);
  };
  const auto constraint = [claim](Value part, const Path& place, Constraint* to) {
    return ReadConstraint(part, place, to, &claim->unknown);
  };
  const auto devices = [&](Value part, const Path& place) {
    return json::ReadKnownFields<json::KeyCase::kExact>(
        part, place, Unknown{&claim->unknown}, Field{"requests", ListOf(&claim->requests, request)},
        Field{"constraints", ListOf(&claim->constraints, constraint)},
        Field{"config", ListOf(&claim->configs, ReadConfig)});
  };
  return json::ReadObject(value, at, Field{"devices", devices});
}

absl::Status ReadClaimStatus(Value value, const Path& at, Claim* claim) {
  const auto devices = [claim](Value part, const Path& place) {
    return json::ReadObject(part, place, Field{"results", ListOf(&claim->results, ReadResult)});
  };
  const auto allocation = [&](Value part, const Path& place) {
    claim->allocated = true;
    return json::ReadObject(part, place, Field{"devices", devices},
                            Field{"nodeSelector", &claim->nodes});
  };
  const auto user = [](Value part, const Path& place, std::string* name) {
    return json::ReadObject(part, place, Field{"name", name});
  };
  return json::ReadObject(value, at, Field{"allocation", allocation},
                          Field{"reservedFor", ListOf(&claim->users, user)});
}

}  // namespace outrigger::dra
