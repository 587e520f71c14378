#include "load/usage/batches.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "load/usage/queries.h"

namespace outrigger::usage {

std::vector<Batch> BatchesOf(std::span<const NodeMatch> matches, std::span<const double> weights,
                             double most, size_t most_nodes) {
  struct Open {
    Batch batch;
    double weight = 0;
  };
  std::vector<Batch> batches;
  std::map<std::string_view, Open> open;
  for (size_t i = 0; i < matches.size(); ++i) {
    if (!matches[i].selector) continue;
    Open& now = open[matches[i].selector->label];
    const bool is_full = !now.batch.nodes.empty() &&
                         (now.weight + weights[i] > most || now.batch.nodes.size() >= most_nodes);
    if (is_full) batches.push_back(std::exchange(now, {}).batch);
    now.batch.label = matches[i].selector->label;
    now.batch.nodes.push_back(i);
    now.weight += weights[i];
  }
  for (auto& [label, last] : open) batches.push_back(std::move(last.batch));
  return batches;
}

Batch HalfOf(const Batch& batch, bool first) {
  const auto middle = batch.nodes.begin() + static_cast<std::ptrdiff_t>(batch.nodes.size() / 2);
  return {.label = batch.label,
          .nodes = first ? std::vector<size_t>(batch.nodes.begin(), middle)
                         : std::vector<size_t>(middle, batch.nodes.end())};
}

std::string NodesOf(const Batch& batch, std::span<const NodeMatch> matches) {
  std::string nodes;
  for (const size_t node : batch.nodes) {
    if (!nodes.empty()) nodes += '|';
    nodes += Quoted(matches[node].selector->value);
  }
  return nodes;
}

BatchPlaces::BatchPlaces(const Batch& batch, std::span<const NodeMatch> matches,
                         const NodeIndex& index)
    : batch_(batch), index_(index) {
  for (size_t place = 0; place < batch.nodes.size(); ++place) {
    by_value_.emplace(matches[batch.nodes[place]].selector->value, place);
  }
}

size_t BatchPlaces::Of(const Labels& labels) const {
  const auto place = by_value_.find(LabelOf(labels, batch_.label));
  if (place != by_value_.end()) return place->second;
  const std::vector<NodeIndex::Hit> hits = index_.HitsOf(labels);
  if (hits.empty()) return kNoNode;
  const std::vector<size_t>& nodes = batch_.nodes;
  if (nodes.empty()) return hits.front().node;
  const auto found = std::lower_bound(nodes.begin(), nodes.end(), hits.front().node);
  const bool is_there = found != nodes.end() && *found == hits.front().node;
  return is_there ? static_cast<size_t>(found - nodes.begin()) : kNoNode;
}

}  // namespace outrigger::usage
