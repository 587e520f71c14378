#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "annotate/annotator.h"
#include "annotate/node_values.h"
#include "cli/format/world.h"

namespace outrigger::cli {

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
