#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/failure.h"
#include "apiserver/json.h"

namespace re2 {
class RE2;
}

namespace outrigger::apiserver {

/// The patterns of a schema, compiled. Immutable after the last Add(), so thread-safe.
class SchemaPatterns {
 public:
  SchemaPatterns();
  ~SchemaPatterns();
  SchemaPatterns(SchemaPatterns&&) noexcept;
  SchemaPatterns& operator=(SchemaPatterns&&) noexcept;

  /// The fault of the pattern; "": none, it is kept.
  std::string Add(const std::string& pattern);
  /// True also for a pattern that was not added.
  bool Matches(const std::string& pattern, const std::string& text) const;

 private:
  std::map<std::string, std::unique_ptr<re2::RE2>> compiled_;
};

/// What is wrong with `value` by an OpenAPI v3 schema, with the texts and paths of upstream's
/// validator. Of `oneOf` and `anyOf` the alternative that fits best tells its faults. Bounded by
/// the size of the value times that of the schema. Pure.
std::vector<Cause> ValidateBySchema(const Json& schema, const SchemaPatterns& patterns,
                                    const Json& value);

/// Items that come twice in lists with x-kubernetes-list-type "set" or "map". `path` is that of the
/// value.
void FindDuplicates(const Json& schema, const Json& value, const std::string& path,
                    std::vector<Cause>* causes);

/// Whether texts of this `format` are checked ("date-time", "uuid"); others are free.
bool IsKnownFormat(const std::string& format);
bool HasFormat(const std::string& format, const std::string& text);

}  // namespace outrigger::apiserver
