// Namespaces: a new one gets its ServiceAccount, one that ends is emptied first.

#include <string>

#include "apiserver/controllers/desk.h"

namespace outrigger::apiserver {
namespace {

class Namespaces : public Reconciler {
 public:
  using Reconciler::Reconciler;

  // What is new or gone in one that ends, or its account, counts.
  void See(const Change& change) override {
    const ObjectName& name = change.now->name;
    if (change.collection == kind_.collection) {
      Look(kind_.collection, name);
    } else if (change.kind != Change::Kind::kModified && !name.namespace_.empty()) {
      Look(kind_.collection, {"", name.namespace_});
    }
  }

  void Sync(const Collection& /*collection*/, const StoredPtr& object) override {
    const std::string& name = object->name.name;
    if (!object->deleting) return AddAccount(name);
    Empty(name);
    if (!desk_.store->CollectionsWith(name).empty()) return;
    const auto finish = [](Json* edited) { (*edited)["spec"].erase("finalizers"); };
    if (desk_.Edit(kind_, *object, Part::kMain, finish)) desk_.Erase(kind_, *object);
  }

 private:
  void AddAccount(const std::string& name) {
    const Served& accounts = desk_.KindOf("", "serviceaccounts");
    if (desk_.store->Get(*accounts.collection, {name, "default"}) != nullptr) return;
    desk_.Add(accounts, {{"metadata", {{"namespace", name}, {"name", "default"}}}});
  }

  void Empty(const std::string& name) {
    for (const ServedPtr& served : desk_.catalog->All()) {
      if (!served->namespaced || served->collection == nullptr) continue;
      for (const StoredPtr& one : desk_.store->List(*served->collection, name).objects) {
        if (!one->deleting) desk_.Erase(*served, *one);
      }
    }
  }

  const Served& kind_ = desk_.KindOf("", "namespaces");
};

}  // namespace

ReconcilerPtr MakeNamespaces(Desk* desk) {
  return std::make_unique<Namespaces>(desk);
}

}  // namespace outrigger::apiserver
