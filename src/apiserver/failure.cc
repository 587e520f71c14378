#include "apiserver/failure.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

std::string Qualified(const Subject& subject) {
  return subject.group.empty() ? subject.kind : fmt::format("{}.{}", subject.kind, subject.group);
}

std::string Of(const Subject& subject) {
  return fmt::format("{} \"{}\"", Qualified(subject), subject.name);
}

Failure About(int code, const char* reason, const Subject& subject, std::string message) {
  return {.code = code, .reason = reason, .message = std::move(message), .subject = subject};
}

// `field: message`, and several in brackets.
std::string TextOfCauses(const std::vector<Cause>& causes) {
  std::vector<std::string> texts;
  for (const Cause& cause : causes) {
    std::string text = fmt::format("{}: {}", cause.field, cause.message);
    if (std::find(texts.begin(), texts.end(), text) == texts.end())
      texts.push_back(std::move(text));
  }
  if (texts.size() == 1) return texts.front();
  return fmt::format("[{}]", absl::StrJoin(texts, ", "));
}

std::string WithWhy(const char* what, const std::string& why) {
  return why.empty() ? what : fmt::format("{}: {}", what, why);
}

}  // namespace

Failure Failure::Forbidden(const Subject& subject, std::string why) {
  return About(403, "Forbidden", subject, fmt::format("{} is forbidden: {}", Of(subject), why));
}

Failure Failure::NotFound(const Subject& subject) {
  return About(404, "NotFound", subject, fmt::format("{} not found", Of(subject)));
}

Failure Failure::NoSuchPath() {
  return About(404, "NotFound", {}, "the server could not find the requested resource");
}

Failure Failure::NoContainers(std::string_view subresource) {
  return About(404, "NotFound", {},
               fmt::format("pods/{} is not served: no container runs in the lab", subresource));
}

Failure Failure::MethodNotAllowed() {
  return About(405, "MethodNotAllowed", {},
               "the server does not allow this method on the requested resource");
}

Failure Failure::AlreadyExists(const Subject& subject) {
  return About(409, "AlreadyExists", subject, fmt::format("{} already exists", Of(subject)));
}

Failure Failure::Conflict(const Subject& subject, std::string why) {
  return About(409, "Conflict", subject,
               fmt::format("Operation cannot be fulfilled on {}: {}", Of(subject), why));
}

Failure Failure::Invalid(const Subject& subject, std::vector<Cause> causes) {
  Failure failure = About(422, "Invalid", subject,
                          fmt::format("{} is invalid: {}", Of(subject), TextOfCauses(causes)));
  failure.causes = std::move(causes);
  return failure;
}

Failure Failure::TooManyRequests(std::string message, int64_t retry_after) {
  Failure failure = About(429, "TooManyRequests", {}, std::move(message));
  failure.retry_after = retry_after;
  return failure;
}

Json Failure::Body() const {
  Json body = {{"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", Json::object()},
               {"status", "Failure"}, {"message", message}, {"code", code}};
  if (!reason.empty()) body["reason"] = reason;
  Json details = Json::object();
  if (!subject.name.empty()) details["name"] = subject.name;
  if (!subject.group.empty()) details["group"] = subject.group;
  if (!subject.kind.empty()) details["kind"] = subject.kind;
  for (const Cause& cause : causes) {
    Json shown = {{"reason", cause.reason}, {"message", cause.message}};
    if (!cause.field.empty()) shown["field"] = cause.field;
    details["causes"].push_back(std::move(shown));
  }
  if (retry_after) details["retryAfterSeconds"] = *retry_after;
  const bool has_none = reason.empty() || reason == "BadRequest" || reason == "Expired" ||
                        reason == "UnsupportedMediaType";
  if (!details.empty() || !has_none) body["details"] = std::move(details);
  return body;
}

Cause RequiredValue(std::string field, const std::string& why) {
  return {"FieldValueRequired", WithWhy("Required value", why), std::move(field)};
}

Cause InvalidValue(std::string field, const Json& value, const std::string& why) {
  return {"FieldValueInvalid", fmt::format("Invalid value: {}: {}", value.dump(), why),
          std::move(field)};
}

Cause ForbiddenValue(std::string field, const std::string& why) {
  return {"FieldValueForbidden", WithWhy("Forbidden", why), std::move(field)};
}

Cause DuplicateValue(std::string field, const Json& value) {
  return {"FieldValueDuplicate", fmt::format("Duplicate value: {}", value.dump()),
          std::move(field)};
}

Cause NotSupportedValue(std::string field, const Json& value,
                        const std::vector<std::string>& known) {
  std::vector<std::string> quoted;
  quoted.reserve(known.size());
  for (const std::string& one : known) quoted.push_back(Json(one).dump());
  return {"FieldValueNotSupported",
          fmt::format("Unsupported value: {}: supported values: {}", value.dump(),
                      absl::StrJoin(quoted, ", ")),
          std::move(field)};
}

}  // namespace outrigger::apiserver
