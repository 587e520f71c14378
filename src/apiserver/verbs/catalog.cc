#include "apiserver/verbs/catalog.h"

#include <algorithm>
#include <utility>

#include "apiserver/select/selector.h"
#include "apiserver/types/conform.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

ServedPtr MakeServed(Resource resource, std::shared_ptr<const CustomVersion> custom, Store* store) {
  auto served = std::make_shared<Served>();
  static_cast<Resource&>(*served) = std::move(resource);
  served->custom = std::move(custom);
  if (served->type != nullptr) {
    Json empty = Json::object();
    std::vector<std::string> unknown;
    (void)Conform(*served->type, &empty, &unknown);
    served->empty_status = empty.value("status", Json());
  }
  if (!served->HasVerb("get")) return served;
  // Events have two faces, and are kept once, as core/v1 has them.
  const bool is_event = served->custom == nullptr && served->plural == "events";
  const std::string group = is_event ? "" : served->group;
  served->collection = store->Open(
      group.empty() ? served->plural : fmt::format("{}.{}", served->plural, group),
      [group, kind = served->kind, custom = served->custom](const Json& object) {
        return SelectableFields(group, kind, custom ? &custom->selectable_fields : nullptr, object);
      });
  return served;
}

ServedPtr MakeCustomServed(const CustomDefinition& definition, const CustomVersion& version,
                           Store* store) {
  Resource resource = {
      .group = definition.group,
      .version = version.name,
      .kind = definition.kind,
      .plural = definition.plural,
      .singular = definition.singular,
      .short_names = definition.short_names,
      .categories = definition.categories,
      .namespaced = definition.namespaced,
      .verbs = {"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}};
  if (version.has_status) {
    resource.subresources.push_back(
        {"status", definition.group, version.name, definition.kind, {"get", "patch", "update"}});
  }
  return MakeServed(std::move(resource), std::make_shared<const CustomVersion>(version), store);
}

}  // namespace

bool Served::HasVerb(std::string_view name) const {
  return std::find(verbs.begin(), verbs.end(), name) != verbs.end();
}

std::string Served::Head() const {
  return fmt::format("{{\"apiVersion\":\"{}\",\"kind\":\"{}\",", GroupVersion(), kind);
}

Catalog::Catalog(Store* store) : store_(store) {
  for (const Resource& resource : TypeTable::Get().resources()) {
    all_.push_back(MakeServed(resource, nullptr, store));
  }
}

ServedPtr Catalog::Find(std::string_view group, std::string_view version,
                        std::string_view plural) const {
  const MutexLock lock(mutex_);
  for (const ServedPtr& one : all_) {
    if (one->plural == plural && one->group == group && one->version == version) return one;
  }
  return nullptr;
}

std::vector<ServedPtr> Catalog::All() const {
  const MutexLock lock(mutex_);
  return all_;
}

uint64_t Catalog::generation() const {
  const MutexLock lock(mutex_);
  return generation_;
}

std::vector<ServedPtr> Catalog::SetCustom(const std::string& name,
                                          const CustomDefinition* definition) {
  const MutexLock lock(mutex_);
  ++generation_;
  const auto first = std::stable_partition(all_.begin(), all_.end(), [&](const ServedPtr& one) {
    return one->custom == nullptr || one->plural + "." + one->group != name;
  });
  std::vector<ServedPtr> before(first, all_.end());
  all_.erase(first, all_.end());
  if (definition == nullptr) return before;
  for (const CustomVersion& version : definition->versions) {
    if (version.served) all_.push_back(MakeCustomServed(*definition, version, store_));
  }
  return before;
}

}  // namespace outrigger::apiserver
