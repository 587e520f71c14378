// What an API server says when it refuses: two bytes that make the HTTP code, a line that is the
// header Retry-After, and the body, which is also taken for that of a watch event.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "check.h"
#include "kube/errors.h"
#include "nlohmann/json.hpp"

namespace outrigger::fuzz {
namespace {

using absl::StatusCode;
using kube::ApiError;
using nlohmann::json;

// The table of errors.h, written once more.
StatusCode Expected(int code, const std::string& reason) {
  if (code == 400 || code == 413 || code == 415 || code == 422) return StatusCode::kInvalidArgument;
  if (code == 401) return StatusCode::kUnauthenticated;
  if (code == 403) return StatusCode::kPermissionDenied;
  if (code == 404) return StatusCode::kNotFound;
  if (code == 405) return StatusCode::kUnimplemented;
  if (code == 409 && reason == "AlreadyExists") return StatusCode::kAlreadyExists;
  if (code == 409) return StatusCode::kAborted;
  if (code == 410) return StatusCode::kOutOfRange;
  if (code == 429) return StatusCode::kResourceExhausted;
  if (code == 500) return StatusCode::kInternal;
  if (code == 504) return StatusCode::kDeadlineExceeded;
  return code > 500 && code < 600 ? StatusCode::kUnavailable : StatusCode::kUnknown;
}

// Fit for a line of a log: short, UTF-8, without control bytes.
void CheckText(std::string_view text, size_t longest) {
  OUTRIGGER_REQUIRE(text.size() <= longest);
  for (const char c : text) {
    OUTRIGGER_REQUIRE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  }
  const std::string quoted =
      json(std::string(text)).dump(-1, ' ', false, json::error_handler_t::ignore);
  OUTRIGGER_REQUIRE(json::parse(quoted) == std::string(text));
}

ApiError CheckError(const absl::Status& status) {
  OUTRIGGER_REQUIRE(!status.ok());
  const std::optional<ApiError> error = kube::ApiErrorOf(status);
  OUTRIGGER_REQUIRE(error.has_value());
  OUTRIGGER_REQUIRE(status.code() == Expected(error->code, error->reason));
  CheckText(kube::MessageOf(status), 9000);
  for (const std::string* text : {&error->reason, &error->message, &error->details}) {
    CheckText(*text, 4096);
  }
  if (error->retry_after) {
    OUTRIGGER_REQUIRE(error->retry_after->count() >= 0 && error->retry_after->count() <= 86'400);
  }
  // Whoever names the call in front loses nothing.
  const auto again = kube::ApiErrorOf(kube::WithMessage(status, "GET /: x"));
  OUTRIGGER_REQUIRE(again && again->code == error->code && again->message == error->message &&
                    again->reason == error->reason && again->details == error->details &&
                    again->retry_after == error->retry_after);
  return *error;
}

bool IsStatus(const json& object) {
  return object.is_object() && object.contains("kind") && object["kind"] == "Status";
}

void CheckBody(const ApiError& error, std::string_view body) {
  const json object = json::parse(body.begin(), body.end(), nullptr, false);
  if (!IsStatus(object)) {
    OUTRIGGER_REQUIRE(error.reason.empty() && error.message.empty() && error.details.empty());
    return;
  }
  const bool has_reason = object.contains("reason") && object["reason"].is_string();
  const std::string reason = has_reason ? object["reason"].get<std::string>() : "";
  const bool plain =
      std::all_of(reason.begin(), reason.end(), [](char c) { return c > 0x20 && c < 0x7f; });
  if (plain) OUTRIGGER_REQUIRE(error.reason == reason.substr(0, 4096));
}

void Run(std::string_view input) {
  if (input.size() < 2) return;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(input[i]); };
  const int code = (byte(0) * 256 + byte(1)) % 1000;
  input.remove_prefix(2);
  const size_t end = std::min(input.find('\n'), input.size());
  const std::string_view header = input.substr(0, end);
  const std::string_view body = input.substr(std::min(end + 1, input.size()));

  const ApiError answered = CheckError(kube::ErrorOfAnswer(code, body, header));
  OUTRIGGER_REQUIRE(answered.code == code);
  CheckBody(answered, body);
  const ApiError event = CheckError(kube::ErrorOfEvent(body));
  OUTRIGGER_REQUIRE(event.code >= 400);
  OUTRIGGER_REQUIRE(event.message == answered.message && event.reason == answered.reason);
}

}  // namespace
}  // namespace outrigger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  outrigger::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
