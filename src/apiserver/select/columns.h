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

/// A column of a table; of what is computed by `function` from `path`, or by a JSONPath.
struct Column {
  std::string name;
  std::string type = "string";  // "string", "integer", "number", "boolean", "date"
  std::string format = {};      // "name" of the column that names the object
  std::string description = {};
  int priority = 0;  // 1: with -o wide only
  std::string function = {};
  std::string path = {};
  std::string otherwise = {};  // what is shown where there is nothing
  bool has_otherwise = false;
  JsonPath json_path = {};
};

/// The columns of a kind. Immutable, so thread-safe.
class Columns {
 public:
  /// Those of a built-in kind as kube-apiserver 1.37 has them; of a kind that it has none for, the
  /// name and the time of creation.
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
