// Namespaces: a new one gets its ServiceAccount, one that ends is emptied first.

#include <set>
#include <string>

#include "apiserver/controllers/reconcilers.h"

namespace outrigger::apiserver {
namespace {

class Namespaces : public Reconciler {
 public:
  Namespaces(Desk* desk, WorkQueue* queue)
      : Reconciler(desk, queue),
        kind_(desk->KindOf("", "namespaces")),
        accounts_(desk->KindOf("", "serviceaccounts")) {}

  std::vector<const Collection*> Watched() const override { return {}; }
  void See(const Change& change) override;
  Result Sync(const Collection& collection, const ObjectName& name) override;

 private:
  Result Empty(const std::string& name);

  const Served& kind_;
  const Served& accounts_;
  std::set<std::string> ending_;
};

void Namespaces::See(const Change& change) {
  const ObjectName& name = change.now->name;
  const bool is_gone = change.kind == Change::Kind::kDeleted;
  if (change.collection == kind_.collection) {
    ending_.erase(name.name);
    if (!is_gone && change.now->deleting) ending_.insert(name.name);
    return Look(kind_.collection, name);
  }
  // What was made while it ended, and what it waits for.
  const bool is_awaited = !ending_.empty() && change.kind != Change::Kind::kModified &&
                          ending_.contains(name.namespace_);
  const bool is_account = is_gone && change.collection == accounts_.collection;
  if (is_awaited || is_account) Look(kind_.collection, {"", name.namespace_});
}

Result Namespaces::Sync(const Collection& collection, const ObjectName& name) {
  const StoredPtr found = desk_.store->Get(collection, name);
  if (found == nullptr) return std::nullopt;
  if (!found->deleting) {
    const ObjectName account{name.name, "default"};
    if (desk_.store->Get(*accounts_.collection, account) != nullptr) return std::nullopt;
    auto failure =
        desk_.Add(accounts_, {{"metadata", {{"namespace", name.name}, {"name", "default"}}}});
    return failure && failure->reason == "AlreadyExists" ? std::nullopt : failure;
  }
  if (auto failure = Empty(name.name)) return failure;
  if (!desk_.store->CollectionsWith(name.name).empty()) return std::nullopt;
  const auto finish = [](Json* object) { (*object)["spec"].erase("finalizers"); };
  if (auto failure = desk_.Edit(kind_, *found, Part::kMain, finish)) return failure;
  return desk_.Erase(kind_, *found);
}

Result Namespaces::Empty(const std::string& name) {
  std::set<const Collection*> emptied;
  for (const ServedPtr& served : desk_.catalog->All()) {
    const Collection* const collection = served->collection;
    if (!served->namespaced || collection == nullptr) continue;
    if (!emptied.insert(collection).second) continue;
    for (const StoredPtr& object : desk_.store->List(*collection, name).objects) {
      if (object->deleting) continue;
      if (auto failure = desk_.Erase(*served, *object)) return failure;
    }
  }
  return std::nullopt;
}

}  // namespace

ReconcilerPtr MakeNamespaces(Desk* desk, WorkQueue* queue) {
  return std::make_unique<Namespaces>(desk, queue);
}

}  // namespace outrigger::apiserver
