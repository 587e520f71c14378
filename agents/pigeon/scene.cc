#include "scene.h"

#include <utility>

namespace outrigger::pigeon {

ClusterModel::ClusterModel(const Resources* resources, size_t prime)
    : resources_(*resources),
      fleet_(resources->Weights(), prime),
      memo_(std::make_unique<NodeMemo<int64_t>>()) {}

void ClusterModel::Follow(std::shared_ptr<const ClusterSnapshot> snapshot) {
  if (snapshot_ != nullptr && snapshot_->Generation() == snapshot->Generation()) return;
  if (snapshot_ == nullptr || !Refresh(*snapshot)) Rebuild(*snapshot);
  snapshot_ = std::move(snapshot);
}

int64_t ClusterModel::Find(const std::string& name) const {
  const auto at = rows_.find(name);
  return at == rows_.end() ? -1 : at->second;
}

// Takes over the nodes that changed. False: the nodes are others, or in another order.
bool ClusterModel::Refresh(const ClusterSnapshot& snapshot) {
  if (snapshot.NodeCount() != fleet_.size()) return false;
  size_t row = 0;
  bool same = true;
  snapshot.ForEachNode([&](const NodeView& view) {
    const Source source = SourceOf(view);
    if (!same || source == sources_[row]) {
      ++row;
      return;
    }
    if (view.Name() != names_[row]) {
      same = false;
      return;
    }
    fleet_.Set(row, resources_.Of(view.node().allocatable), resources_.Of(view.Requested()),
               !view.node().unschedulable);
    sources_[row++] = source;
  });
  return same;
}

void ClusterModel::Rebuild(const ClusterSnapshot& snapshot) {
  fleet_.Clear();
  sources_.clear();
  names_.clear();
  rows_.clear();
  memo_ = std::make_unique<NodeMemo<int64_t>>();
  snapshot.ForEachNode([&](const NodeView& view) {
    rows_.emplace(view.Name(), static_cast<int64_t>(fleet_.size()));
    names_.push_back(view.Name());
    sources_.push_back(SourceOf(view));
    fleet_.Add(resources_.Of(view.node().allocatable), resources_.Of(view.Requested()),
               !view.node().unschedulable);
  });
}

Scene::Scene(const Request& request, const Resources& resources, size_t prime, SharedModel* model,
             std::shared_ptr<const ClusterSnapshot> snapshot)
    : request_(request), resources_(resources) {
  if (model != nullptr && snapshot->NodeCount() > 0) {
    lock_ = std::unique_lock(model->mutex);
    model->model.Follow(std::move(snapshot));
    model_ = &model->model;
    rows_.emplace(model_, request.nodes);
    return;
  }
  own_.emplace(resources.Weights(), prime);
  TakeNodesOfCall();
}

void Scene::TakeNodesOfCall() {
  for (const Node& node : request_.nodes) {
    own_rows_.push_back(node.known ? std::optional(own_->size()) : std::nullopt);
    if (!node.known) continue;
    own_->Add(resources_.Of(node.allocatable), resources_.Annotated(request_, node),
              !node.unschedulable);
  }
}

Candidate Scene::OfRow(size_t row) const {
  return {.known = true, .row = row, .capacity = fleet().capacity(row), .used = fleet().used(row)};
}

Candidate Scene::At(size_t i) {
  const std::optional<size_t> row = model_ != nullptr ? rows_->At(i) : own_rows_[i];
  if (row) return OfRow(*row);
  const Node& node = request_.nodes[i];
  if (!node.known) return {};
  capacity_ = resources_.Of(node.allocatable);
  used_ = resources_.Annotated(request_, node);
  return {.known = true, .row = std::nullopt, .capacity = capacity_, .used = used_};
}

}  // namespace outrigger::pigeon
