#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "codec/json/body.h"
#include "codec/json/parser.h"
#include "codec/json/text.h"
#include "devices/objects/objects.h"
#include "devices/objects/parts.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"
#include "outrigger/k8s/label_syntax.h"

namespace outrigger::devices {
namespace {

using json::Field;
using json::Path;
using json::Value;

constexpr size_t kLongestName = 253;

/// An entry as it is written.
struct Entry {
  std::string name;
  std::string claim_name;
  std::string privileged_name;
  std::string spec;
};

// The bytes of an object, which is skipped.
absl::Status TakeObject(Value value, const Path& at, std::string* text) {
  if (json::Token(value).front() != '{')
    return json::Expected(at, "the spec of a DeviceClaim", value);
  const char* const begin = value.raw_json_token().data();
  absl::Status status = json::SkipValue(value, at);
  if (!status.ok()) return status;
  const char* end = nullptr;
  if (const auto error = value.current_location().get(end)) return json::Broken(at, error);
  while (end > begin && end[-1] != '}') --end;
  text->assign(begin, static_cast<size_t>(end - begin));
  return status;
}

absl::Status ReadEntry(Value value, const Path& at, Entry* entry) {
  const auto spec = [entry](Value object, const Path& place) {
    return TakeObject(object, place, &entry->spec);
  };
  const auto refuse = [](std::string_view key, const Path& place) {
    if (json::EqualsAnyCase(key, "claimTemplateName")) {
      return json::Invalid(place,
                           "templates are not supported; give the template's claimSpec as claim");
    }
    return json::Invalid(
        place, fmt::format("\"{}\" is not {}", json::Cut(key),
                           device_objects::FieldHint(
                               key, {"name", "claimName", "privilegedClaimName", "claim"})));
  };
  return json::ReadKnownFields<json::KeyCase::kAny>(
      value, at, refuse, Field{"name", &entry->name}, Field{"claimName", &entry->claim_name},
      Field{"privilegedClaimName", &entry->privileged_name}, Field{"claim", spec});
}

// `claim_name` may be that of an embedded claim.
absl::Status CheckClaimName(const Path& at, std::string_view claim_name) {
  if (IsDnsSubdomain(claim_name)) return absl::OkStatus();
  return json::Invalid(
      at, claim_name.size() > kLongestName
              ? fmt::format("the name of the claim has {} characters, at most {} are allowed",
                            claim_name.size(), kLongestName)
              : fmt::format("\"{}\" is not a valid object name", json::Cut(claim_name)));
}

absl::StatusOr<PodClaim> ToPodClaim(const Path& at, Entry entry, std::string_view pod_name) {
  if (!IsDnsLabel(entry.name)) {
    return json::Invalid(at.Key("name"),
                         fmt::format("\"{}\" is not a DNS label: at most 63 of a-z, 0-9 and '-'",
                                     json::Cut(entry.name)));
  }
  const int given = (entry.claim_name.empty() ? 0 : 1) + (entry.privileged_name.empty() ? 0 : 1) +
                    (entry.spec.empty() ? 0 : 1);
  if (given != 1) {
    return json::Invalid(at, fmt::format("{} of claimName, privilegedClaimName and claim are "
                                         "given, expected one",
                                         given == 0 ? "none" : "several"));
  }
  PodClaim claim;
  claim.name = entry.name;
  claim.privileged = !entry.privileged_name.empty();
  const bool embedded = !entry.spec.empty();
  const std::string_view field =
      embedded ? "name" : (claim.privileged ? "privilegedClaimName" : "claimName");
  claim.claim_name = embedded
                         ? EmbeddedClaimName(pod_name, entry.name)
                         : std::move(claim.privileged ? entry.privileged_name : entry.claim_name);
  claim.embedded_spec = std::move(entry.spec);
  absl::Status status = CheckClaimName(at.Key(field), claim.claim_name);
  if (!status.ok()) return status;
  return claim;
}

absl::Status CheckUnique(const Path& list, const std::vector<PodClaim>& claims) {
  absl::flat_hash_set<std::string_view> names;
  absl::flat_hash_set<std::pair<bool, std::string_view>> objects;
  for (size_t i = 0; i < claims.size(); ++i) {
    const Path at = list.Index(i);
    const PodClaim& claim = claims[i];
    if (!names.insert(claim.name).second) {
      return json::Invalid(at.Key("name"), fmt::format("\"{}\" is listed twice", claim.name));
    }
    if (!objects.insert({claim.privileged, claim.claim_name}).second) {
      return json::Invalid(
          at, fmt::format("claim \"{}\" is listed twice", json::Cut(claim.claim_name)));
    }
  }
  return absl::OkStatus();
}

absl::Status ReadPodClaims(Value value, const Path& at, std::string_view pod_name,
                           std::vector<PodClaim>* claims) {
  absl::Status status = json::ForEachElement(value, at, [&](Value element, const Path& place) {
    if (claims->size() == kMostPodClaims) {
      return json::Invalid(at, fmt::format("at most {} claims are allowed", kMostPodClaims));
    }
    Entry entry;
    absl::Status read = ReadEntry(element, place, &entry);
    if (!read.ok()) return read;
    auto claim = ToPodClaim(place, std::move(entry), pod_name);
    if (!claim.ok()) return claim.status();
    claims->push_back(*std::move(claim));
    return absl::OkStatus();
  });
  return status.ok() ? CheckUnique(at, *claims) : status;
}

}  // namespace

absl::StatusOr<std::vector<PodClaim>> ParsePodClaims(std::string_view text,
                                                     std::string_view pod_name) {
  std::vector<PodClaim> claims;
  if (Trimmed(text).empty()) return claims;
  if (text.size() > kMostAnnotationBytes) {
    return absl::InvalidArgumentError(
        fmt::format("claims: {} bytes, at most {} are allowed", text.size(), kMostAnnotationBytes));
  }
  // The reader looks only at what it needs; the rest becomes part of an object.
  if (!nlohmann::json::accept(text)) {
    return absl::InvalidArgumentError("claims: not JSON");
  }
  const json::Padded body(fmt::format("{{\"claims\":{}}}", text));
  const json::ParserLease parser;
  json::Object root;
  absl::Status status = parser->Open(body.body(), &root);
  if (!status.ok()) return status;
  const auto list = [&](Value value, const Path& at) {
    return ReadPodClaims(value, at, pod_name, &claims);
  };
  status = json::ReadObject(root, Path(""), Field{"claims", list});
  if (status.ok()) status = parser->Close();
  if (!status.ok()) return status;
  return claims;
}

std::string EmbeddedClaimName(std::string_view pod_name, std::string_view name) {
  if (name.find('-') == std::string_view::npos) return fmt::format("{}-{}", pod_name, name);
  return fmt::format("{}-{}.{}", pod_name, name, name.size());
}

std::string EmbeddedClaimConflict(const ClaimObject& object, const PodClaim& claim,
                                  std::string_view pod_uid) {
  if (object.owner_pod_uid == pod_uid) return {};
  return fmt::format(
      "DeviceClaim {} {}, or rename claim \"{}\" in the pod's annotation", NameOf(object.claim),
      object.owner_pod_uid.empty()
          ? "was not made for this pod: delete it"
          : "belongs to another pod, such as an earlier pod of this name: wait until it is deleted",
      claim.name);
}

std::string EmbeddedClaim(std::string_view pod_namespace, std::string_view pod_name,
                          std::string_view pod_uid, const PodClaim& claim) {
  std::string text = fmt::format("{{\"apiVersion\":\"{}/{}\",\"kind\":\"{}\",\"metadata\":{{",
                                 kClaimKind.group, kClaimKind.version, kClaimKind.kind);
  const auto add = [&text](std::string_view key, std::string_view value) {
    text += fmt::format("\"{}\":", key);
    json::AppendString(value, &text);
    text += ',';
  };
  add("name", claim.claim_name);
  add("namespace", pod_namespace);
  text += "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\",";
  add("name", pod_name);
  add("uid", pod_uid);
  text += "\"controller\":true,\"blockOwnerDeletion\":false}]},\"spec\":";
  text += claim.embedded_spec.empty() ? "{}" : claim.embedded_spec;
  text += '}';
  return text;
}

}  // namespace outrigger::devices
