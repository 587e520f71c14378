#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/json.h"

// What a request is refused with, as upstream's apimachinery (api/errors) says it.

namespace outrigger::apiserver {

/// One field of an object that is invalid: a StatusCause.
struct Cause {
  std::string reason;   // "FieldValueRequired", "FieldValueInvalid", ...
  std::string message;  // "Required value: ..."
  std::string field;    // "spec.containers[0].name"
};

/// The kind and object that a request is about; of a Status its `details`.
struct Subject {
  std::string group;
  std::string kind;  // of most errors the resource ("pods"); of Invalid the kind ("Pod")
  std::string name;
};

/// An answer other than 2xx. A plain value.
struct Failure {
  int code = 500;
  std::string reason = "InternalError";  // empty: of what upstream gives none
  std::string message;
  Subject subject = {};
  std::vector<Cause> causes = {};
  std::optional<int64_t> retry_after = {};

  static Failure BadRequest(std::string message) { return {400, "BadRequest", std::move(message)}; }
  static Failure Forbidden(const Subject& subject, std::string why);  // 403
  static Failure NotFound(const Subject& subject);                    // 404: pods "a" not found
  static Failure NoSuchPath();                                        // 404 of an unknown path
  static Failure NoContainers(std::string_view subresource);          // of pods: "log", "exec"
  static Failure MethodNotAllowed();                                  // 405
  static Failure AlreadyExists(const Subject& subject);               // 409
  static Failure Conflict(const Subject& subject, std::string why);   // 409
  static Failure Expired(std::string message) { return {410, "Expired", std::move(message)}; }
  static Failure TooLarge(std::string message) {
    return {413, "RequestEntityTooLarge", std::move(message)};
  }
  static Failure UnsupportedMediaType(std::string message) {
    return {415, "UnsupportedMediaType", std::move(message)};
  }
  static Failure Invalid(const Subject& subject, std::vector<Cause> causes);  // 422
  static Failure TooManyRequests(std::string message, int64_t retry_after);   // 429

  /// The Status object.
  Json Body() const;
};

/// Causes as upstream's field.Error prints them: `Required value: why`, and so on. `value` is the
/// JSON of what is wrong.
Cause RequiredValue(std::string field, const std::string& why = "");
Cause InvalidValue(std::string field, const Json& value, const std::string& why);
Cause ForbiddenValue(std::string field, const std::string& why);
Cause DuplicateValue(std::string field, const Json& value);
Cause NotSupportedValue(std::string field, const Json& value,
                        const std::vector<std::string>& known);

}  // namespace outrigger::apiserver
