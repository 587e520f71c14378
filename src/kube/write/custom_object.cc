#include "kube/write/custom_object.h"

#include <chrono>
#include <optional>
#include <utility>

#include "codec/json/text.h"
#include "fmt/format.h"
#include "kube/errors.h"
#include "kube/json_text.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {
namespace {

using Json = nlohmann::json;

// So often a version that was read is patched in vain, because others write at the same time.
constexpr int kTries = 5;

// A path that is not served is 404, too, but without the name of an object.
absl::StatusOr<std::string> Explained(const CustomKind& kind, absl::StatusOr<std::string> answer) {
  if (!absl::IsNotFound(answer.status())) return answer;
  const std::optional<ApiError> error = ApiErrorOf(answer.status());
  return error && error->details.empty() ? NotServed(kind) : std::move(answer);
}

std::string Metadata(const std::string& object, const char* pointer) {
  return TextAt(Json::parse(object, nullptr, /*allow_exceptions=*/false), pointer);
}

absl::Status AnotherOne(const CustomKind& kind, const CustomObjectName& object) {
  return absl::AbortedError(fmt::format("{} {}/{} was replaced: it no longer has the UID {}",
                                        NameOf(ResourceOf(kind)), object.namespace_, object.name,
                                        object.uid));
}

// What is merged into the object. The patch goes on as it is: numbers of any size stay.
std::string BodyOf(std::string_view resource_version, std::string_view status_patch) {
  std::string body = "{";
  if (!resource_version.empty()) {
    body += R"("metadata":{"resourceVersion":)";
    json::AppendString(resource_version, &body);
    body += "},";
  }
  body += R"("status":)";
  body += status_patch;
  body += '}';
  return body;
}

bool IsObject(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && text[begin] == '{' && Json::accept(text);
}

absl::StatusOr<std::string> PatchVersion(Api& api, const CustomKind& kind,
                                         const CustomObjectName& object,
                                         std::string_view status_patch,
                                         const CallOptions& options) {
  const PatchOptions merge{.type = PatchType::kMerge, .field_manager = "outrigger", .force = false};
  auto written =
      Explained(kind, PatchStatus(api, ResourceOf(kind), {object.namespace_, object.name},
                                  BodyOf(object.resource_version, status_patch), merge, options));
  if (!written.ok() || object.uid.empty()) return written;
  // Of no object that the version was read of, unless a backup of etcd was restored.
  const std::string uid = Metadata(*written, "/metadata/uid");
  if (uid == object.uid) return written;
  return absl::InternalError(
      fmt::format("{} {}/{} was written in the version {}, which is that of the UID {} and not {}",
                  NameOf(ResourceOf(kind)), object.namespace_, object.name, object.resource_version,
                  uid, object.uid));
}

}  // namespace

Resource ResourceOf(const CustomKind& kind) {
  return {.group = kind.group,
          .version = kind.version,
          .plural = kind.plural,
          .kind = kind.kind,
          .namespaced = kind.namespaced};
}

absl::Status NotServed(const CustomKind& kind, std::string_view versions) {
  return absl::NotFoundError(fmt::format(
      "{} of {}/{} is not served by the API server{}{}: apply its CustomResourceDefinition",
      kind.kind, kind.group, kind.version, versions.empty() ? "" : ", which has it in ", versions));
}

absl::StatusOr<std::string> ReadCustomObject(Api& api, const CustomKind& kind,
                                             const CustomObjectName& object,
                                             const CallOptions& options) {
  return Explained(kind, Get(api, ResourceOf(kind), {object.namespace_, object.name},
                             Unhindered(options, /*may_retry=*/true)));
}

absl::StatusOr<std::string> CreateCustomObject(Api& api, const CustomKind& kind,
                                               std::string_view namespace_, std::string_view json,
                                               const CallOptions& options) {
  return Explained(kind, Create(api, ResourceOf(kind), namespace_, json,
                                Unhindered(options, /*may_retry=*/false)));
}

absl::StatusOr<std::string> PatchCustomStatus(Api& api, const CustomKind& kind,
                                              const CustomObjectName& object,
                                              std::string_view status_patch,
                                              const CallOptions& options) {
  if (!IsObject(status_patch)) {
    return absl::InvalidArgumentError(
        fmt::format("{}: the patch of a status is no JSON object", NameOf(ResourceOf(kind))));
  }
  const CallOptions once = Unhindered(options, /*may_retry=*/false);
  if (object.uid.empty() || !object.resource_version.empty()) {
    return PatchVersion(api, kind, object, status_patch, once);
  }
  const auto begin = std::chrono::steady_clock::now();
  absl::StatusOr<std::string> written = absl::AbortedError("");
  for (int tries = 0; tries < kTries && absl::IsAborted(written.status()); ++tries) {
    const auto present = ReadCustomObject(api, kind, object, WithTimeLeft(options, begin));
    if (!present.ok()) return present.status();
    if (Metadata(*present, "/metadata/uid") != object.uid) return AnotherOne(kind, object);
    const std::string version = Metadata(*present, "/metadata/resourceVersion");
    CustomObjectName that = object;
    that.resource_version = version;
    written = PatchVersion(api, kind, that, status_patch, WithTimeLeft(once, begin));
  }
  return written;
}

}  // namespace outrigger::kube
