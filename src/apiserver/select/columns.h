#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/json.h"
#include "apiserver/select/json_path.h"

// Tables: what `kubectl get` shows of each kind.

namespace outrigger::apiserver {

/// How kubectl prints a time span: "3m12s", "5d"; "<invalid>" below -1 s.
std::string AgeText(absl::Duration age);

/// What a cell shows is made of: the values at its column's path, or the whole object.
struct CellSource {
  const std::vector<const Json*>& values;
  const Json& object;
  absl::Time now;
  std::string_view type = "string";  // of the column

  const Json& first() const;  // null where there is none
};
/// Null: there is nothing to show.
using CellFunction = Json (*)(const CellSource& source);

struct Column {
  std::string name;
  std::string type = "string";  // "string", "integer", "number", "boolean", "date"
  std::string format = {};      // "name" of the column that names the object
  int priority = 0;             // 1: with -o wide only
  JsonPath path = {};
  CellFunction cell = nullptr;
  Json otherwise = {};  // what is shown where there is nothing
};

/// The columns of a kind. Immutable, so thread-safe.
class Columns {
 public:
  /// Those that kube-apiserver 1.37 has of a built-in kind that a scheduler's users look at; of
  /// others the name and the age.
  static const Columns& OfKind(std::string_view group, std::string_view kind);
  /// Those of a custom resource, by the additionalPrinterColumns of its version (null: none, then
  /// the age). Columns with a JSONPath that cannot be read stay empty.
  static Columns OfCustomResource(const Json& printer_columns);

  /// `columnDefinitions` of a Table.
  Json Definitions() const;
  /// `cells` of the object's row; its ages are those at `now`.
  Json CellsOf(const Json& object, absl::Time now) const;
  const std::vector<Column>& all() const { return columns_; }

 private:
  std::vector<Column> columns_;
};

}  // namespace outrigger::apiserver
