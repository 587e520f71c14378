#include "kube/errors.h"

#include <charconv>
#include <cstdint>
#include <string>

#include "absl/strings/cord.h"
#include "codec/protobuf/envelope.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "outrigger/base/text.h"
#include "sdk/base/files.h"

namespace outrigger::kube {
namespace {

using Json = nlohmann::json;

constexpr char kPayload[] = "outrigger/metav1.Status";
// Texts of the server end in logs and conditions: longer ones tell people no more.
constexpr size_t kLongestText = 4096;
// A Status is small; what is larger is some other page.
constexpr size_t kLargestBody = size_t{1} << 20;
constexpr int64_t kLongestWait = 86'400;

// One line of valid UTF-8: what reaches a log is not for the server to choose.
std::string Clean(std::string_view text) {
  size_t end = text.size();
  if (end > kLongestText) {
    end = kLongestText;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  }
  std::string clean(text.substr(0, end));
  for (char& c : clean) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return clean;
}

std::string Text(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? Clean(found->get<std::string>()) : "";
}

std::optional<int64_t> Number(const Json& object, const char* key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  // Above 2^63 it would come out negative.
  if (found->is_number_unsigned() && found->get<uint64_t>() > INT64_MAX) return INT64_MAX;
  return found->get<int64_t>();
}

std::optional<std::chrono::seconds> Wait(std::optional<int64_t> seconds) {
  if (!seconds || *seconds < 0) return std::nullopt;
  return std::chrono::seconds(std::min(*seconds, kLongestWait));
}

// Seconds only: the API server never sends a date.
std::optional<int64_t> HeaderSeconds(std::string_view text) {
  text = Trimmed(text);
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (at != end || text.empty() || text.front() == '-') return std::nullopt;
  if (error == std::errc::result_out_of_range) return kLongestWait;
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

// "pods \"web-1\""
std::string DetailsText(const std::string& kind, const std::string& name) {
  if (kind.empty() || name.empty()) return kind + name;
  return Clean(fmt::format("{} \"{}\"", kind, name));
}

void TakeCode(std::optional<int64_t> code, ApiError* error) {
  if (code && *code >= 100 && *code <= 999) error->code = static_cast<int>(*code);
}

void TakeWait(std::optional<int64_t> seconds, ApiError* error) {
  error->retry_after = Wait(seconds);
  if (error->retry_after && error->retry_after->count() == 0) error->retry_after.reset();
}

ApiError ReadProtobufStatus(std::string_view body) {
  ApiError error;
  protobuf::Envelope envelope;
  protobuf::ApiStatus status;
  if (!protobuf::OpenEnvelope(body, &envelope).ok() || envelope.kind != "Status" ||
      !protobuf::ReadStatus(envelope.raw, &status).ok()) {
    return error;
  }
  TakeCode(status.code, &error);
  error.reason = Clean(status.reason);
  error.message = Clean(status.message);
  error.details = DetailsText(Clean(status.details_kind), Clean(status.details_name));
  TakeWait(status.retry_after_seconds, &error);
  return error;
}

ApiError ReadStatus(std::string_view body) {
  ApiError error;
  if (body.size() > kLargestBody) return error;
  if (protobuf::IsEnvelope(body)) return ReadProtobufStatus(body);
  const Json status = Json::parse(body.begin(), body.end(), nullptr, false);
  if (!status.is_object()) return error;
  const auto kind = status.find("kind");
  if (kind == status.end() || *kind != "Status") return error;
  TakeCode(Number(status, "code"), &error);
  error.reason = Text(status, "reason");
  error.message = Text(status, "message");
  const auto details = status.find("details");
  if (details != status.end()) {
    error.details = DetailsText(Text(*details, "kind"), Text(*details, "name"));
    TakeWait(Number(*details, "retryAfterSeconds"), &error);
  }
  return error;
}

absl::StatusCode CodeOf(const ApiError& error) {
  switch (error.code) {
    case 400:
    case 413:
    case 415:
    case 422:
      return absl::StatusCode::kInvalidArgument;
    case 401:
      return absl::StatusCode::kUnauthenticated;
    case 403:
      return absl::StatusCode::kPermissionDenied;
    case 404:
      return absl::StatusCode::kNotFound;
    case 405:
      return absl::StatusCode::kUnimplemented;
    case 409:
      return error.reason == "AlreadyExists" ? absl::StatusCode::kAlreadyExists
                                             : absl::StatusCode::kAborted;
    case 410:
      return absl::StatusCode::kOutOfRange;
    case 429:
      return absl::StatusCode::kResourceExhausted;
    case 500:
      return absl::StatusCode::kInternal;
    case 504:
      return absl::StatusCode::kDeadlineExceeded;
    default:
      return error.code > 500 && error.code <= 599 ? absl::StatusCode::kUnavailable
                                                   : absl::StatusCode::kUnknown;
  }
}

absl::Status ToStatus(const ApiError& error) {
  std::string text = fmt::format("the API server answered {}", error.code);
  if (!error.reason.empty()) text += ' ' + error.reason;
  if (!error.message.empty()) text += ": " + error.message;
  absl::Status status(CodeOf(error), text);
  Json payload = {{"code", error.code},
                  {"reason", error.reason},
                  {"message", error.message},
                  {"details", error.details}};
  if (error.retry_after) payload["retryAfter"] = error.retry_after->count();
  status.SetPayload(kPayload, absl::Cord(payload.dump()));
  return status;
}

}  // namespace

absl::Status ErrorOfAnswer(int code, std::string_view body, std::string_view retry_after) {
  ApiError error = ReadStatus(body);
  error.code = code;  // what was answered counts, not what the body says of it
  if (const auto header = Wait(HeaderSeconds(retry_after))) error.retry_after = header;
  return ToStatus(error);
}

std::optional<ApiError> ApiErrorOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kPayload);
  if (!payload) return std::nullopt;
  const Json object = Json::parse(std::string(*payload), nullptr, false);
  if (!object.is_object()) return std::nullopt;
  ApiError error;
  error.code = static_cast<int>(Number(object, "code").value_or(0));
  error.reason = Text(object, "reason");
  error.message = Text(object, "message");
  error.details = Text(object, "details");
  error.retry_after = Wait(Number(object, "retryAfter"));
  return error;
}

absl::Status ErrorOfEvent(std::string_view body) {
  ApiError error = ReadStatus(body);
  // client-go takes an event without a Status for an error of the server.
  if (error.code < 400) error.code = 500;
  return ToStatus(error);
}

}  // namespace outrigger::kube
