#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <thread>
#include <vector>

#include "console/format/world.h"
#include "load/annotate/annotator.h"
#include "load/annotate/counters.h"
#include "load/annotate/node_values.h"
#include "serve/server/metrics.h"

namespace outrigger::cli {

/// How many of the source's calls of a pass have been answered. Thread-safe.
class AnsweredCalls {
 public:
  /// usage::Progress.
  void Set(size_t done, size_t total) {
    total_ = total;
    done_ = done;
  }
  /// "12 of 60 queries answered"; empty: none is under way.
  std::string Text() const;

 private:
  std::atomic<size_t> done_ = 0;
  std::atomic<size_t> total_ = 0;
};

/// Shows on a terminal, in a line that is written again and again, how far a long pass over nodes
/// is. Writes nothing while few nodes are pending and no call is under way.
class Progress {
 public:
  /// Fewer pending nodes than that are no long pass.
  static constexpr size_t kLong = 100;

  Progress(double qps, std::ostream* terminal) : qps_(qps), terminal_(*terminal) {}

  /// Shows that so many nodes wait for their patch, and the text of the calls.
  void Show(size_t pending, const std::string& calls = {});

  /// "1200 of 5000 nodes written, about 76 s left"; empty: there is nothing to show.
  std::string Text(size_t pending);

 private:
  const double qps_;
  std::ostream& terminal_;
  size_t most_ = 0;  // of the pass
  bool is_shown_ = false;
};

/// The metrics of `outrigger annotate`; docs/annotators.md lists them.
std::vector<server::ShownFamily> FamiliesOf(const annotate::Figures& figures);

/// A node with what it shows, what it should show, and what a patch would change.
struct PreviewRow {
  annotate::NodeValues wanted;
  annotate::Annotations shown;
  annotate::NodeChange change;
};

/// A table of nodes: the series that the source has of each, a column for each annotation of
/// `keys`, how many annotations would be written, and what is missing and why.
std::string PreviewTable(std::vector<PreviewRow> rows, const std::vector<std::string>& keys,
                         const Terminal& terminal);

}  // namespace outrigger::cli
