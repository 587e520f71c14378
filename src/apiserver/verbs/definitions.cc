#include "apiserver/admission/admission.h"
#include "apiserver/verbs/verbs.h"

namespace outrigger::apiserver {
namespace {

NamesTaken TakenBeside(const Catalog& catalog, const CustomDefinition& definition) {
  NamesTaken taken;
  for (const ServedPtr& served : catalog.All()) {
    if (served->group != definition.group) continue;
    if (served->custom != nullptr && served->plural == definition.plural) continue;
    taken.resources.insert(taken.resources.end(), {served->plural, served->singular});
    taken.resources.insert(taken.resources.end(), served->short_names.begin(),
                           served->short_names.end());
    taken.kinds.insert(taken.kinds.end(), {served->kind, served->kind + "List"});
  }
  return taken;
}

void ServeDefinition(const Api& api, const Served& served, const Stored& stored) {
  CustomDefinition definition;
  if (CustomDefinition::Read(stored.Parse(), &definition)) return;  // admission let none through
  bool accepted = false;
  const auto accept = [&](const Json&, Json* object) -> std::optional<Failure> {
    accepted =
        AcceptNames(TakenBeside(*api.catalog, definition), TimeText(api.clock.wall()), object);
    return std::nullopt;
  };
  StoredPtr written;
  const auto failure =
      api.writes->Change(served, stored.name, Part::kStatus, /*dry_run=*/false, accept, &written);
  if (!failure && accepted) api.catalog->SetCustom(stored.name.name, &definition);
}

void UnserveDefinition(const Api& api, const std::string& name) {
  for (const ServedPtr& served : api.catalog->SetCustom(name, nullptr)) {
    for (const StoredPtr& object : api.store->List(*served->collection, "").objects) {
      StoredPtr last;
      (void)api.store->Remove(served->collection, object, &last);
    }
    api.watches->EndAllOf(served->collection);
  }
}

}  // namespace

// Of two requests at once the later one sees what the earlier one wrote.
void FollowDefinitions(const Api& api, const Served& served, const std::string& name) {
  if (served.kind != "CustomResourceDefinition" || served.custom != nullptr) return;
  const MutexLock lock(api.definitions);
  const StoredPtr stored = api.store->Get(*served.collection, {"", name});
  if (stored != nullptr) return ServeDefinition(api, served, *stored);
  for (const ServedPtr& one : api.catalog->All()) {
    const std::string definition = one->plural + "." + one->group;
    if (one->custom == nullptr || api.store->Get(*served.collection, {"", definition})) continue;
    UnserveDefinition(api, definition);
  }
}

}  // namespace outrigger::apiserver
