#include "apiserver/verbs/definitions.h"

#include "apiserver/admission/admission.h"
#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

constexpr std::string_view kGroup = "apiextensions.k8s.io";

bool IsDefinition(const Served& served) {
  return served.kind == "CustomResourceDefinition" && served.group == kGroup;
}

}  // namespace

Definitions::Definitions(Store* store, Catalog* catalog, const Writes* writes, Watches* watches,
                         Clock clock)
    : store_(store),
      catalog_(catalog),
      writes_(writes),
      watches_(watches),
      clock_(std::move(clock)),
      served_(catalog->Find(kGroup, "v1", "customresourcedefinitions")) {}

void Definitions::AfterWrite(const Served& served, const std::string& name) const {
  if (IsDefinition(served)) return Sync(name);
  if (served.custom == nullptr) return;
  const std::string definition = fmt::format("{}.{}", served.plural, served.group);
  const StoredPtr stored = store_->Get(*served_->collection, {"", definition});
  if (stored != nullptr && stored->deleting) Sync(definition);
}

// Of two requests at once the later one sees what the earlier one wrote.
void Definitions::Sync(const std::string& name) const {
  const MutexLock lock(mutex_);
  const StoredPtr stored = store_->Get(*served_->collection, {"", name});
  if (stored == nullptr) return Unserve(name);
  if (stored->deleting) return SyncTerminating(name);
  CustomDefinition definition;
  if (CustomDefinition::Read(stored->Parse(), &definition)) return;  // admission let none through
  bool accepted = false;
  const auto accept = [&](const Json&, Json* object) -> std::optional<Failure> {
    accepted = AcceptNames(TakenBeside(name, definition.group), TimeText(clock_.wall()), object);
    return std::nullopt;
  };
  StoredPtr written;
  std::vector<std::string> warnings;
  if (writes_->Change(*served_, {"", name}, Part::kStatus, /*dry_run=*/false, accept, &warnings,
                      &written)) {
    return;
  }
  if (accepted) catalog_->SetCustom(name, &definition);
}

void Definitions::Unserve(const std::string& name) const {
  const std::vector<ServedPtr> before = catalog_->CustomOf(name);
  catalog_->SetCustom(name, nullptr);
  for (const ServedPtr& served : before) watches_->EndAllOf(served->collection);
}

// Its objects go first; those with finalizers hold it.
void Definitions::SyncTerminating(const std::string& name) const {
  const std::vector<ServedPtr> served = catalog_->CustomOf(name);
  if (!served.empty()) {
    for (const StoredPtr& object : store_->List(*served[0]->collection, "").objects) {
      StoredPtr last;
      bool gone = false;
      (void)writes_->Erase(*served[0], object->name, {}, &last, &gone);
    }
    if (!store_->List(*served[0]->collection, "").objects.empty()) return;
  }
  const auto release = [](const Json&, Json* object) -> std::optional<Failure> {
    (*object)["metadata"].erase("finalizers");
    return std::nullopt;
  };
  StoredPtr written;
  std::vector<std::string> warnings;
  (void)writes_->Change(*served_, {"", name}, Part::kMain, /*dry_run=*/false, release, &warnings,
                        &written);
  Unserve(name);
}

NamesTaken Definitions::TakenBeside(const std::string& name, const std::string& group) const {
  NamesTaken taken;
  const std::vector<ServedPtr> own = catalog_->CustomOf(name);
  for (const ServedPtr& served : catalog_->All()) {
    if (served->group != group) continue;
    if (!own.empty() && own[0]->collection == served->collection) continue;
    taken.resources.push_back(served->plural);
    taken.resources.push_back(served->singular);
    for (const std::string& one : served->short_names) taken.resources.push_back(one);
    taken.kinds.push_back(served->kind);
    taken.kinds.push_back(served->kind + "List");
  }
  return taken;
}

}  // namespace outrigger::apiserver
