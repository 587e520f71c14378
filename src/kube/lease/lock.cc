#include "kube/lease/lock.h"

#include <optional>
#include <utility>

#include "fmt/format.h"
#include "kube/json_text.h"
#include "kube/objects.h"
#include "kube/resource.h"
#include "nlohmann/json.hpp"

namespace outrigger::kube {
namespace {

using Json = nlohmann::json;

// client-go's: how much longer a waiting one may pause.
constexpr double kJitterFactor = 1.2;

// client-go compares renewTimes in whole seconds: it may believe that the last renewal was so much
// earlier than it was.
constexpr std::chrono::milliseconds kCoarseness{1000};

CallOptions Within(std::chrono::milliseconds timeout, std::stop_token stop) {
  return {.timeout = timeout, .stop = std::move(stop), .rate_limited = false};
}

/// What is left of a try; nothing once it is over.
std::optional<std::chrono::milliseconds> Left(Clock::TimePoint end, Clock::TimePoint now) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - now);
  if (left.count() <= 0) return std::nullopt;
  return left;
}

absl::Status TooLate() {
  return absl::DeadlineExceededError("reading the Lease left no time to write it");
}

Json SpecOf(const Json& lease) {
  const auto found = lease.find("spec");
  return found != lease.end() && found->is_object() ? *found : Json::object();
}

template <typename T>
T FieldOf(const Json& spec, const char* key, T otherwise) {
  const auto found = spec.find(key);
  if (found == spec.end()) return otherwise;
  if constexpr (std::is_same_v<T, std::string>) {
    return found->is_string() ? found->get<std::string>() : otherwise;
  } else {
    return found->is_number_integer() ? found->get<T>() : otherwise;
  }
}

absl::Status Refuse(std::string_view field, std::string_view value, std::string_view accepted) {
  return absl::InvalidArgumentError(
      fmt::format("lease: {} \"{}\" is not accepted; expected {}", field, value, accepted));
}

}  // namespace

absl::Status CheckLeaseOptions(const LeaseOptions& options) {
  if (options.namespace_.empty()) return Refuse("namespace", "", "the namespace of the Lease");
  if (options.name.empty()) return Refuse("name", "", "the name of the Lease");
  if (options.identity.empty()) return Refuse("identity", "", "a name of its own for each process");
  if (options.lease_duration < options.renew_deadline + kCoarseness) {
    return Refuse("leaseDuration", fmt::format("{}s", options.lease_duration.count()),
                  fmt::format("a second more than the renewDeadline of {}ms, or longer",
                              options.renew_deadline.count()));
  }
  const auto longest_pause = std::chrono::duration<double, std::milli>(
      kJitterFactor * static_cast<double>(options.retry_period.count()));
  if (options.retry_period.count() <= 0 || options.renew_deadline <= longest_pause) {
    return Refuse("retryPeriod", fmt::format("{}ms", options.retry_period.count()),
                  fmt::format("above 0, and 1.2 times of it below the renewDeadline of {}ms",
                              options.renew_deadline.count()));
  }
  return absl::OkStatus();
}

LeaseLock::LeaseLock(Api* api, LeaseOptions options, Clock clock)
    : api_(api), options_(std::move(options)), clock_(std::move(clock)) {}

absl::StatusOr<LeaseLock::Record> LeaseLock::Read(std::chrono::milliseconds timeout,
                                                  std::stop_token stop) const {
  auto text =
      Get(*api_, kLeases, {options_.namespace_, options_.name}, Within(timeout, std::move(stop)));
  if (absl::IsNotFound(text.status())) return Record();
  if (!text.ok()) return text.status();
  const Json lease = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!lease.is_object()) return absl::InternalError("the Lease that was read is not an object");
  const Json spec = SpecOf(lease);
  Record record;
  record.holder = FieldOf<std::string>(spec, "holderIdentity", "");
  record.duration = std::chrono::seconds(FieldOf<int64_t>(spec, "leaseDurationSeconds", 0));
  record.transitions = FieldOf<int64_t>(spec, "leaseTransitions", 0);
  record.json = *std::move(text);
  return record;
}

void LeaseLock::See(Record record) {
  if (record.json == seen_.json) return;
  seen_ = std::move(record);
  seen_at_ = clock_.now();
}

bool LeaseLock::HeldByOther() const {
  return !seen_.holder.empty() && seen_.holder != options_.identity &&
         clock_.now() < seen_at_ + seen_.duration;
}

/// The object as it shall be: what others wrote into it stays, its resourceVersion too, so that
/// only one of two claims succeeds.
std::string LeaseLock::Claim(const Record& record) const {
  Json lease =
      record.json.empty()
          ? Json{{"apiVersion", "coordination.k8s.io/v1"},
                 {"kind", "Lease"},
                 {"metadata", {{"name", options_.name}, {"namespace", options_.namespace_}}}}
          : Json::parse(record.json, nullptr, false);
  const std::string now = MicroTime(clock_.wall());
  Json spec = SpecOf(lease);
  if (record.holder != options_.identity) {
    spec["acquireTime"] = now;
    spec["leaseTransitions"] = record.transitions + (record.json.empty() ? 0 : 1);
  }
  spec["holderIdentity"] = options_.identity;
  spec["leaseDurationSeconds"] = options_.lease_duration.count();
  spec["renewTime"] = now;
  lease["spec"] = std::move(spec);
  return lease.dump();
}

absl::StatusOr<bool> LeaseLock::Write(const std::string& json, bool create,
                                      std::chrono::milliseconds timeout, std::stop_token stop) {
  const CallOptions options = Within(timeout, std::move(stop));
  const ObjectName name{options_.namespace_, options_.name};
  may_hold_ = true;  // whatever is heard of it
  auto written = create ? Create(*api_, kLeases, options_.namespace_, json, options)
                        : Update(*api_, kLeases, name, json, options);
  // Somebody was quicker; the next try sees who.
  if (absl::IsAborted(written.status()) || absl::IsAlreadyExists(written.status())) return false;
  if (!written.ok()) return written.status();
  See({options_.identity, *std::move(written), options_.lease_duration, 0});
  return true;
}

absl::StatusOr<bool> LeaseLock::TryAcquireOrRenew(std::chrono::milliseconds timeout,
                                                  std::stop_token stop) {
  const Clock::TimePoint end = clock_.now() + timeout;
  auto record = Read(timeout, stop);
  if (!record.ok()) return record.status();
  // A claim of ours that is still under way would meet a newer resourceVersion.
  if (record->holder != options_.identity) may_hold_ = false;
  const bool create = record->json.empty();
  const std::string claim = Claim(*record);
  See(*std::move(record));
  if (HeldByOther()) return false;
  const auto left = Left(end, clock_.now());
  return left ? Write(claim, create, *left, std::move(stop)) : TooLate();
}

absl::Status LeaseLock::Release(std::chrono::milliseconds timeout) {
  const Clock::TimePoint end = clock_.now() + timeout;
  while (may_hold_) {
    const auto left = Left(end, clock_.now());
    if (!left) return TooLate();
    // Read anew: the answer to the last renewal may have been lost.
    const auto record = Read(*left, {});
    if (!record.ok()) return record.status();
    if (record->holder != options_.identity) return Forget();
    absl::Status written = WriteReleased(*record, end);
    if (written.ok()) return Forget();
    // Aborted: another one has it already, or a renewal of ours came late.
    if (!absl::IsAborted(written)) return written;
  }
  return absl::OkStatus();
}

absl::Status LeaseLock::WriteReleased(const Record& record, Clock::TimePoint end) {
  Json lease = Json::parse(record.json);
  const std::string now = MicroTime(clock_.wall());
  Json spec = SpecOf(lease);
  spec["holderIdentity"] = "";
  spec["leaseDurationSeconds"] = 1;
  spec["renewTime"] = now;
  spec["acquireTime"] = now;
  lease["spec"] = std::move(spec);
  const auto left = Left(end, clock_.now());
  if (!left) return TooLate();
  return Update(*api_, kLeases, {options_.namespace_, options_.name}, lease.dump(),
                Within(*left, {}))
      .status();
}

/// It is not ours, nor will it be.
absl::Status LeaseLock::Forget() {
  may_hold_ = false;
  seen_.holder.clear();
  return absl::OkStatus();
}

}  // namespace outrigger::kube
