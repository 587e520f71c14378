#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/failure.h"
#include "apiserver/verbs/catalog.h"
#include "http/server.h"

// A request about a resource: what its path, query and headers say; and what it is answered with.

namespace outrigger::apiserver {

/// Parameters of a query, decoded; of one that is given twice the first.
class Query {
 public:
  static std::optional<Failure> Parse(std::string_view text, Query* query);
  bool Has(std::string_view name) const { return values_.contains(name); }
  std::string Text(std::string_view name) const;
  void Set(const std::string& name, std::string text) { values_[name] = std::move(text); }
  /// "0", "false" and what is not there are false, as upstream reads a bool.
  bool Is(std::string_view name) const;
  /// Nothing: not there, or no number.
  std::optional<int64_t> Number(std::string_view name) const;
  /// resourceVersion; 0: none is given.
  std::optional<Failure> Version(uint64_t* version) const;

  /// Whether those that are options have values that these may have; `kind`: "CreateOptions".
  std::optional<Failure> Check(const std::string& kind) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// What a path names:
/// `/apis/<group>/<version>/namespaces/<namespace>/<plural>/<name>/<subresource>`.
struct Target {
  std::string group;  // empty: core
  std::string version;
  std::string namespace_;
  std::string plural;
  std::string name;  // empty: all
  std::string subresource;
};

/// Nothing: a path of another form. Decodes percents.
std::optional<Target> ParseTarget(std::string_view path);

/// A request about a resource that is served.
struct Call {
  const http::Request& http;
  Target target;
  Query query;
  ServedPtr served;
  std::vector<std::string> warnings = {};  // headers `Warning: 299` of the answer

  Subject subject() const { return served->SubjectOf(target.name); }
  ObjectName object_name() const { return {target.namespace_, target.name}; }
  bool is_dry_run() const { return query.Text("dryRun") == "All"; }
  /// "application/json" of `application/json; charset=utf-8`.
  std::string_view media_type() const;
  /// Whether the client takes JSON; whether it wants tables.
  bool accepts_json() const;
  bool wants_table() const;
};

/// What a call is answered with, if it does not fail.
struct Reply {
  int code = 200;
  std::string body;
  std::string name = {};  // of an object that was created
  std::shared_ptr<http::Stream> stream = nullptr;
};

}  // namespace outrigger::apiserver
