#include "devices/writer/object_calls.h"

#include <utility>

#include "fmt/format.h"

namespace outrigger::device_writer {
namespace {

using devices::ClaimObject;
using devices::PoolEntry;
using devices::PoolObject;

absl::Status About(std::string_view object, const absl::Status& status) {
  return {status.code(), fmt::format("{}: {}", object, std::string(status.message()))};
}

// What was answered, as a value. An answer that cannot be read is Internal: it may be of a success.
template <typename Object>
absl::StatusOr<Object> Read(const std::string& object, const absl::StatusOr<std::string>& answer,
                            absl::StatusOr<Object> (*parse)(std::string_view json)) {
  if (!answer.ok()) return About(object, answer.status());
  absl::StatusOr<Object> parsed = parse(*answer);
  if (parsed.ok()) return parsed;
  return About(object, absl::InternalError(std::string(parsed.status().message())));
}

std::string PoolText(std::string_view name) {
  return fmt::format("pool {}", name);
}

const CustomKind& KindOf(bool privileged) {
  return privileged ? devices::kPrivilegedClaimKind : devices::kClaimKind;
}

// Without a version a write would not be conditional.
absl::Status CheckVersion(const std::string& object, const devices::ObjectVersion& version) {
  if (!version.uid.empty() && !version.resource_version.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("{} has no UID or version: it was not read from an API server", object));
}

}  // namespace

ClaimName NameOf(const ClaimObject& claim) {
  return {claim.claim.namespace_, claim.claim.name, claim.version.uid, claim.privileged};
}

std::string TextOf(const ClaimName& claim) {
  return fmt::format("claim {}/{}", claim.namespace_, claim.name);
}

void Lose(const ClaimName& claim, devices::Chooser* chooser) {
  chooser->LoseClaim({.namespace_ = claim.namespace_,
                      .name = claim.name,
                      .uid = claim.uid,
                      .resource_version = {}},
                     claim.privileged);
}

bool MayHaveHappened(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kUnknown:
      return true;
    default:
      return false;
  }
}

absl::StatusOr<CallLimits> ObjectCalls::Left() const {
  CallLimits left = budget_.Left();
  if (left.timeout.count() > 0) return left;
  return absl::ResourceExhaustedError(
      fmt::format("the {} ms for its calls are used up", budget_.limits().timeout.count()));
}

absl::StatusOr<PoolObject> ObjectCalls::ReadPool(std::string_view name) const {
  const CustomObjectName object{.name = name};
  const auto left = Left();
  if (!left.ok()) return About(PoolText(name), left.status());
  return Read<PoolObject>(PoolText(name), api_.ReadCustomObject(devices::kPoolKind, object, *left),
                          devices::ParsePool);
}

absl::StatusOr<PoolObject> ObjectCalls::WritePool(const PoolObject& at,
                                                  const std::vector<PoolEntry>& entries) const {
  const std::string text = PoolText(at.pool.name);
  absl::Status status = CheckVersion(text, at.version);
  if (!status.ok()) return status;
  const auto left = Left();
  if (!left.ok()) return About(text, left.status());
  const CustomObjectName object{.namespace_ = {},
                                .name = at.pool.name,
                                .uid = at.version.uid,
                                .resource_version = at.version.resource_version};
  return Read<PoolObject>(text,
                          api_.PatchCustomStatus(devices::kPoolKind, object,
                                                 devices::PoolStatusPatch(at, entries), *left),
                          devices::ParsePool);
}

absl::StatusOr<ClaimObject> ObjectCalls::ReadClaim(const ClaimName& claim) const {
  const CustomObjectName object{.namespace_ = claim.namespace_, .name = claim.name};
  const auto left = Left();
  if (!left.ok()) return About(TextOf(claim), left.status());
  auto read = Read<ClaimObject>(TextOf(claim),
                                api_.ReadCustomObject(KindOf(claim.privileged), object, *left),
                                devices::ParseClaim);
  if (read.ok() && !claim.uid.empty() && read->version.uid != claim.uid) {
    return absl::NotFoundError(
        fmt::format("{} was replaced: it no longer has the UID {}", TextOf(claim), claim.uid));
  }
  return read;
}

absl::StatusOr<ClaimObject> ObjectCalls::WriteClaim(const ClaimObject& at,
                                                    std::string_view status_patch) const {
  const std::string text = TextOf(NameOf(at));
  absl::Status status = CheckVersion(text, at.version);
  if (!status.ok()) return status;
  const auto left = Left();
  if (!left.ok()) return About(text, left.status());
  const CustomObjectName object{.namespace_ = at.claim.namespace_,
                                .name = at.claim.name,
                                .uid = at.version.uid,
                                .resource_version = at.version.resource_version};
  return Read<ClaimObject>(
      text, api_.PatchCustomStatus(KindOf(at.privileged), object, status_patch, *left),
      devices::ParseClaim);
}

}  // namespace outrigger::device_writer
