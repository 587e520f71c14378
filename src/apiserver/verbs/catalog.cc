#include "apiserver/verbs/catalog.h"

#include <algorithm>
#include <utility>

#include "apiserver/select/selector.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

std::string CollectionName(const std::string& group, const std::string& plural) {
  // Events have two faces, and are kept once.
  if (plural == "events") return plural;
  return group.empty() ? plural : fmt::format("{}.{}", plural, group);
}

ServedPtr BuiltIn(const Resource& resource, Store* store) {
  auto served = std::make_shared<Served>();
  served->group = resource.group;
  served->version = resource.version;
  served->kind = resource.kind;
  served->plural = resource.plural;
  served->singular = resource.singular;
  served->short_names = resource.short_names;
  served->categories = resource.categories;
  served->namespaced = resource.namespaced;
  served->verbs = resource.verbs;
  served->subresources = resource.subresources;
  served->type = resource.type;
  const bool is_kept =
      std::find(resource.verbs.begin(), resource.verbs.end(), "get") != resource.verbs.end();
  if (is_kept) {
    served->collection = store->Open(
        CollectionName(resource.group, resource.plural),
        [group = resource.plural == "events" ? "" : resource.group, kind = resource.kind](
            const Json& object) { return SelectableFields(group, kind, nullptr, object); });
  }
  return served;
}

ServedPtr Custom(const CustomDefinition& definition, const CustomVersion& version, Store* store) {
  auto served = std::make_shared<Served>();
  served->group = definition.group;
  served->version = version.name;
  served->kind = definition.kind;
  served->plural = definition.plural;
  served->singular = definition.singular;
  served->short_names = definition.short_names;
  served->categories = definition.categories;
  served->namespaced = definition.namespaced;
  served->verbs = {"delete", "deletecollection", "get",    "list",
                   "patch",  "create",           "update", "watch"};
  const std::vector<std::string> verbs = {"get", "patch", "update"};
  if (version.has_status) {
    served->subresources.push_back({"status", served->group, served->version, served->kind, verbs});
  }
  if (version.has_scale) {
    served->subresources.push_back({"scale", "autoscaling", "v1", "Scale", verbs});
  }
  served->custom = std::make_shared<const CustomVersion>(version);
  served->collection = store->Open(
      CollectionName(served->group, served->plural),
      [group = served->group, kind = served->kind, custom = served->custom](const Json& object) {
        return SelectableFields(group, kind, &custom->selectable_fields, object);
      });
  return served;
}

}  // namespace

bool Served::HasSubresource(std::string_view name) const {
  return std::any_of(subresources.begin(), subresources.end(),
                     [&](const Subresource& one) { return one.name == name; });
}

bool Served::HasVerb(std::string_view name) const {
  return std::find(verbs.begin(), verbs.end(), name) != verbs.end();
}

std::string Served::Head() const {
  return fmt::format("{{\"apiVersion\":\"{}\",\"kind\":\"{}\",", GroupVersion(), kind);
}

Catalog::Catalog(Store* store) : store_(store) {
  for (const Resource& resource : TypeTable::Get().resources()) {
    built_in_.push_back(BuiltIn(resource, store));
  }
}

ServedPtr Catalog::FindIf(const std::function<bool(const Served&)>& is_it) const {
  const MutexLock lock(mutex_);
  for (const ServedPtr& served : built_in_) {
    if (is_it(*served)) return served;
  }
  for (const auto& [definition, versions] : custom_) {
    for (const ServedPtr& served : versions) {
      if (is_it(*served)) return served;
    }
  }
  return nullptr;
}

ServedPtr Catalog::Find(std::string_view group, std::string_view version,
                        std::string_view plural) const {
  return FindIf([&](const Served& served) {
    return served.plural == plural && served.group == group && served.version == version;
  });
}

ServedPtr Catalog::FindKind(std::string_view group, std::string_view version,
                            std::string_view kind) const {
  return FindIf([&](const Served& served) {
    return served.kind == kind && served.group == group && served.version == version;
  });
}

std::vector<ServedPtr> Catalog::All() const {
  const MutexLock lock(mutex_);
  std::vector<ServedPtr> all = built_in_;
  for (const auto& [definition, versions] : custom_) {
    all.insert(all.end(), versions.begin(), versions.end());
  }
  return all;
}

uint64_t Catalog::generation() const {
  const MutexLock lock(mutex_);
  return generation_;
}

void Catalog::SetCustom(const std::string& name, const CustomDefinition* definition) {
  const MutexLock lock(mutex_);
  ++generation_;
  custom_.erase(name);
  if (definition == nullptr) return;
  std::vector<ServedPtr>& served = custom_[name];
  for (const CustomVersion& version : definition->versions) {
    if (version.served) served.push_back(Custom(*definition, version, store_));
  }
}

std::vector<ServedPtr> Catalog::CustomOf(const std::string& name) const {
  const MutexLock lock(mutex_);
  const auto found = custom_.find(name);
  return found == custom_.end() ? std::vector<ServedPtr>() : found->second;
}

}  // namespace outrigger::apiserver
