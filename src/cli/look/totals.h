#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "outrigger/agent/page.h"

// The page `nodes` summed up, and the words of its amounts.

namespace outrigger::cli::look {

/// Reads the rows of a page by the names of their columns. What a page does not have, or has in
/// another type, is absent. `page` outlives it.
class PageRows {
 public:
  explicit PageRows(const PageTable& page) : page_(page) {}
  size_t size() const { return page_.rows().size(); }
  /// Empty if it is absent.
  std::string Text(size_t row, std::string_view column) const;
  std::optional<int64_t> Integer(size_t row, std::string_view column) const;
  /// `fallback` if it is absent.
  bool Truth(size_t row, std::string_view column, bool fallback) const;

 private:
  const PageCell* Find(size_t row, std::string_view column) const;
  const PageTable& page_;
};

/// An amount of a resource, in its own unit. In floating point: sums of what a page says have no
/// bound.
struct Amount {
  double total = 0;
  double used = 0;
  double reserved = 0;
  double out = 0;  ///< neither used nor reserved, on nodes that take no pods

  double Free() const;
  void Add(const Amount& other);
};

/// Some nodes together.
struct NodeTotals {
  size_t nodes = 0;
  size_t reserved = 0;  ///< nodes with a reservation
  size_t out = 0;       ///< nodes that take no pods
  Amount cpu;           ///< millicores
  Amount memory;        ///< bytes
  Amount devices;

  void Add(const NodeTotals& other);
};

/// Those of the node in a row of the page `nodes`.
NodeTotals TotalsOfNode(const PageRows& rows, size_t row);

struct ClusterTotals {
  NodeTotals all;
  std::map<std::string, NodeTotals> zones;  ///< "" for nodes without a zone
  std::string device;                       ///< that is counted, that of the first node with one
};

ClusterTotals TotalsOf(const PageRows& nodes);

/// "12", "1.5": cores of millicores.
std::string CoresText(double millicores);
/// "512Mi", "1.5Ti".
std::string BytesText(double bytes);
std::string CountText(double count);

}  // namespace outrigger::cli::look
