#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/failure.h"

namespace outrigger::apiserver {

/// Parameters of a query, decoded; of one that is given twice the first.
class Query {
 public:
  static std::optional<Failure> Parse(std::string_view text, Query* query);
  bool Has(std::string_view name) const { return values_.contains(name); }
  std::string Text(std::string_view name) const;
  /// "", "0", "false" and what is not there are false, as upstream reads a bool.
  bool Is(std::string_view name) const;
  /// Nothing: not there, or no number.
  std::optional<int64_t> Number(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// What a path names:
/// `/apis/<group>/<version>/namespaces/<namespace>/<plural>/<name>/<subresource>`.
struct Target {
  std::string group;  // empty: core
  std::string version;
  std::string namespace_;
  std::string plural;  // empty: the group version itself
  std::string name;
  std::string subresource;
};

/// Nothing: a path of another form. Decodes percents.
std::optional<Target> ParseTarget(std::string_view path);

}  // namespace outrigger::apiserver
