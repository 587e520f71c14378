#include "scene.h"

#include <utility>

namespace outrigger::pigeon {

Scene::Scene(const Request& request, const Resources& resources, size_t prime, SharedModel* model,
             std::shared_ptr<const ClusterSnapshot> snapshot)
    : request_(request), resources_(resources) {
  if (model != nullptr && snapshot->NodeCount() > 0) {
    lock_ = std::unique_lock(model->mutex);
    model->model.Follow(std::move(snapshot), request);
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
