#include "devices/dra/decode.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "codec/json/body.h"
#include "codec/json/parser.h"
#include "devices/dra/read_parts.h"
#include "devices/dra/reader.h"
#include "fmt/format.h"

namespace outrigger::dra {
namespace {

constexpr std::string_view kGroup = "resource.k8s.io/";

using ReadIt = absl::FunctionRef<absl::Status(json::Object root, const Path& at)>;

absl::Status CheckVersion(const json::ListedObject& object) {
  const std::string_view version = object.api_version;
  if (version.empty() || version == "resource.k8s.io/v1" || version == "resource.k8s.io/v1beta2") {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("{}: apiVersion {} of a {} is not supported, only resource.k8s.io/v1 and "
                  "v1beta2; get it with kubectl get KIND.v1.resource.k8s.io",
                  object.place, json::Cut(version), json::Cut(object.kind)));
}

absl::Status Decode(const json::ListedObject& object, std::vector<json::MalformedValue>* malformed,
                    const std::string& name, ReadIt read) {
  absl::Status status = CheckVersion(object);
  if (!status.ok()) return status;
  const json::ParserLease parser;
  const Path at = Path(object.place, malformed).AsObject();
  json::Object root;
  status = parser->Open(object.body, &root);
  if (status.ok()) status = read(root, at);
  if (status.ok()) status = parser->Close();
  if (status.ok() && name.empty()) {
    return json::Invalid(at.Key("metadata").Key("name"), "is empty");
  }
  return status;
}

// Reads an object into `metadata` and by `rest`.
template <typename... Fields>
absl::Status ReadKind(json::Object root, const Path& at, Metadata* metadata,
                      const Fields&... rest) {
  const auto read = [metadata](Value part, const Path& place) {
    return ReadMetadata(part, place, metadata);
  };
  return json::ReadObject(root, at, Field{"metadata", read}, rest...);
}

template <typename Object, typename Decode>
absl::StatusOr<Object> Parse(std::string_view json, Decode decode) {
  const json::Padded text(json);
  json::ListedObject whole;
  whole.body = text.body();
  std::vector<json::MalformedValue> malformed;
  Object object;
  absl::Status status = decode(whole, &object, &malformed);
  if (status.ok() && !malformed.empty()) {
    status = absl::InvalidArgumentError(fmt::format("{}: \"{}\" is not {}", malformed[0].field,
                                                    malformed[0].value, malformed[0].accepted));
  }
  if (!status.ok()) return status;
  return object;
}

}  // namespace

bool IsOfDra(std::string_view api_version) {
  return api_version.starts_with(kGroup);
}

std::string NameOf(const Claim& claim) {
  return fmt::format("{}/{}", claim.namespace_, claim.name);
}

absl::Status DecodeSlice(const json::ListedObject& object, Slice* slice,
                         std::vector<json::MalformedValue>* malformed) {
  *slice = Slice();
  return Decode(object, malformed, slice->name,
                [slice](json::Object root, const Path& at) { return ReadSlice(root, at, slice); });
}

absl::Status DecodeClass(const json::ListedObject& object, Class* of,
                         std::vector<json::MalformedValue>* malformed) {
  *of = Class();
  return Decode(object, malformed, of->name, [of](json::Object root, const Path& at) {
    const auto spec = [of](Value part, const Path& place) {
      return json::ReadObject(part, place, Field{"selectors", ListOf(&of->selectors, ReadSelector)},
                              Field{"config", ListOf(&of->configs, ReadConfig)});
    };
    Metadata metadata;
    absl::Status status = ReadKind(root, at, &metadata, Field{"spec", spec});
    of->name = std::move(metadata.name);
    return status;
  });
}

absl::Status DecodeTaintRule(const json::ListedObject& object, TaintRule* rule,
                             std::vector<json::MalformedValue>* malformed) {
  *rule = TaintRule();
  return Decode(object, malformed, rule->name, [rule](json::Object root, const Path& at) {
    const auto selector = [rule](Value part, const Path& place) {
      rule->selects = true;
      return json::ReadObject(part, place, Field{"driver", &rule->driver},
                              Field{"pool", &rule->pool}, Field{"device", &rule->device});
    };
    const auto taint = [rule](Value part, const Path& place) {
      return ReadTaint(part, place, &rule->taint);
    };
    const auto spec = [&](Value part, const Path& place) {
      return json::ReadObject(part, place, Field{"deviceSelector", selector},
                              Field{"taint", taint});
    };
    Metadata metadata;
    absl::Status status = ReadKind(root, at, &metadata, Field{"spec", spec});
    rule->name = std::move(metadata.name);
    return status;
  });
}

absl::Status DecodeClaim(const json::ListedObject& object, Claim* claim,
                         std::vector<json::MalformedValue>* malformed) {
  *claim = Claim();
  return Decode(object, malformed, claim->name, [claim](json::Object root, const Path& at) {
    const auto spec = [claim](Value part, const Path& place) {
      return ReadClaimSpec(part, place, claim);
    };
    const auto read_status = [claim](Value part, const Path& place) {
      return ReadClaimStatus(part, place, claim);
    };
    Metadata metadata;
    absl::Status status =
        ReadKind(root, at, &metadata, Field{"spec", spec}, Field{"status", read_status});
    claim->namespace_ = std::move(metadata.namespace_);
    claim->name = std::move(metadata.name);
    claim->uid = std::move(metadata.uid);
    claim->owner = std::move(metadata.owner_pod);
    return status;
  });
}

absl::Status DecodeTemplate(const json::ListedObject& object, std::string* name, Claim* claim,
                            std::vector<json::MalformedValue>* malformed) {
  *claim = Claim();
  name->clear();
  return Decode(object, malformed, *name, [&](json::Object root, const Path& at) {
    const auto inner = [claim](Value part, const Path& place) {
      return ReadClaimSpec(part, place, claim);
    };
    const auto spec = [&](Value part, const Path& place) {
      return json::ReadObject(part, place, Field{"spec", inner});
    };
    Metadata metadata;
    absl::Status status = ReadKind(root, at, &metadata, Field{"spec", spec});
    claim->namespace_ = std::move(metadata.namespace_);
    *name = std::move(metadata.name);
    return status;
  });
}

absl::Status DecodePodClaims(const json::ListedObject& object, PodClaims* pod) {
  *pod = PodClaims();
  std::vector<PodClaim> made;
  const auto claim = [](Value part, const Path& place, PodClaim* to) {
    return json::ReadObject(part, place, Field{"name", &to->name},
                            Field{"resourceClaimName", &to->claim},
                            Field{"resourceClaimTemplateName", &to->of_template});
  };
  const auto spec = [&](Value part, const Path& place) {
    return json::ReadObject(part, place, Field{"nodeName", &pod->node},
                            Field{"resourceClaims", ListOf(&pod->claims, claim)});
  };
  const auto read_status = [&](Value part, const Path& place) {
    return json::ReadObject(part, place, Field{"resourceClaimStatuses", ListOf(&made, claim)});
  };
  Metadata metadata;
  std::vector<json::MalformedValue> malformed;
  const json::ParserLease parser;
  const Path at = Path(object.place, &malformed).AsObject();
  json::Object root;
  absl::Status status = parser->Open(object.body, &root);
  if (status.ok()) {
    status = ReadKind(root, at, &metadata, Field{"spec", spec}, Field{"status", read_status});
  }
  if (status.ok()) status = parser->Close();
  for (PodClaim& each : pod->claims) {
    for (const PodClaim& there : made) {
      if (each.claim.empty() && there.name == each.name) each.claim = there.claim;
    }
  }
  pod->namespace_ = std::move(metadata.namespace_);
  pod->name = std::move(metadata.name);
  return status;
}

absl::StatusOr<Slice> ParseSlice(std::string_view json) {
  return Parse<Slice>(json, DecodeSlice);
}

absl::StatusOr<Class> ParseClass(std::string_view json) {
  return Parse<Class>(json, DecodeClass);
}

absl::StatusOr<TaintRule> ParseTaintRule(std::string_view json) {
  return Parse<TaintRule>(json, DecodeTaintRule);
}

absl::StatusOr<Claim> ParseClaim(std::string_view json) {
  return Parse<Claim>(json, DecodeClaim);
}

}  // namespace outrigger::dra
