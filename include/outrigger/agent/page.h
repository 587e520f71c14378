#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"

// Agents may offer pages on the admin port. A page is one table, built on request. An agent fills
// plain rows; the program converts them to JSON (docs/pages.md).

namespace outrigger {

/// A column of a page. A plain value.
struct PageColumn {
  enum class Type : uint8_t {
    kText,     // UTF-8; other bytes are shown as U+FFFD
    kInteger,  // 64 bits, signed
    kNumber,   // not finite: shown as absent
    kBoolean,
  };
  std::string name;  // "waitingSeconds", with the unit: ASCII letters, digits, '_'; first a-z
  Type type = Type::kText;
  std::string help = {};  // what the value is, a line: "bytes that its members ask for"; or nothing
  friend bool operator==(const PageColumn&, const PageColumn&) = default;
};

/// A page that an agent offers. A plain value. The program does not start if a page of a served
/// agent breaks a rule in these comments, or if two served agents offer pages of the same name.
struct PageSpec {
  std::string name;  // "queue", shown by GET /queue: kebab-case; not a path that the
                     // admin port has itself: livez, readyz, healthz, metrics, version,
                     // pages, history
  std::string help;  // one line: "pods that wait, in the order of the queue"
  std::vector<PageColumn> columns;  // at least one; no name twice
  friend bool operator==(const PageSpec&, const PageSpec&) = default;
};

/// Returns what is wrong with `spec` by the comments above; empty: nothing.
std::string FaultOf(const PageSpec& spec);

/// One value of a row, of the type of its column; std::monostate: absent.
using PageCell = std::variant<std::monostate, std::string, int64_t, double, bool>;

/// Returns a cell with `text`; absent where that is empty.
PageCell TextOrAbsent(std::string_view text);

/// The rows of a page, up to a bound. Not thread-safe.
///
///     for (const WaitingPod& pod : waiting) table->Add({pod.name, pod.seconds});
class PageTable {
 public:
  /// Keeps `max_rows` rows at most.
  PageTable(std::vector<PageColumn> columns, size_t max_rows)
      : columns_(std::move(columns)), max_rows_(max_rows) {}

  /// Counts a row, and keeps it unless the table is full. It has a cell for each column, in their
  /// order. Any other row is a fault of the agent: the page is then answered with an error.
  void Add(std::vector<PageCell> row);
  /// True once further rows are only counted: then call Count() instead of building them.
  bool full() const { return rows_.size() >= max_rows_; }
  /// Counts `rows` further rows that are not kept.
  void Count(uint64_t rows) { total_ += rows; }

  const std::vector<PageColumn>& columns() const { return columns_; }
  const std::vector<std::vector<PageCell>>& rows() const { return rows_; }
  /// Returns the number of rows, including those not kept.
  uint64_t total() const { return total_; }
  bool truncated() const { return total_ > rows_.size(); }
  /// Returns what is wrong with the first wrong row; empty: all rows match the columns.
  const std::string& fault() const { return fault_; }

 private:
  std::vector<PageColumn> columns_;
  size_t max_rows_;
  std::vector<std::vector<PageCell>> rows_;
  uint64_t total_ = 0;
  std::string fault_;
};

/// Offers pages: an agent inherits from it in addition to its stages.
///
/// Only peers on loopback can read pages, so a page may name pods and nodes. Never put secrets on
/// one.
class PageSource {
 public:
  virtual ~PageSource() = default;

  /// Returns the pages that are offered; called once, after construction.
  virtual std::vector<PageSpec> Pages() const = 0;

  /// Fills `table`, which has the columns of that page and no rows, with the current state. `page`
  /// is one of the names that Pages() returned. Called from several threads at once, also before
  /// Controller::Start() and after Stop(). It makes no network call, and takes no lock for long: a
  /// call of the scheduler may wait for the same lock. Unavailable, with what is missing: the page
  /// is not ready; it is answered 503. Any other error is answered 500.
  virtual absl::Status FillPage(std::string_view page, PageTable* table) const = 0;
};

}  // namespace outrigger
