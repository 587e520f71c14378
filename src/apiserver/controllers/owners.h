#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "apiserver/controllers/desk.h"

namespace outrigger::apiserver {

/// Of owners that keep children: ReplicaSets and Jobs their pods, Deployments their ReplicaSets. An
/// owner is looked at when it or one of its children changes.
class Owners : public Reconciler {
 public:
  Owners(Desk* desk, const Served& owners, const Served& children)
      : Reconciler(desk), owners_(owners), children_(children) {}

  void See(const Change& change) override;

 protected:
  /// A child of a template, which has its metadata and spec; its name begins with its owner's.
  Json ChildOf(const Stored& owner, const Json& template_) const;
  /// Makes or deletes pods, so that `wanted` are active. Of many some: the changes bring the next
  /// look. Those that are not placed, or not ready, and the newest are deleted first.
  using Making = std::function<Json()>;
  void KeepPods(int64_t wanted, const Making& make, std::vector<Pod>* active);
  /// Says why children were not made.
  void SetFailure(Json* owner) const;

  const Served& owners_;
  const Served& children_;

 private:
  std::unordered_map<std::string, ObjectName> names_;  // by UID
};

}  // namespace outrigger::apiserver
