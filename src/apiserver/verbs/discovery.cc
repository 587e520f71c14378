#include "apiserver/verbs/discovery.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "apiserver/types/openapi.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

Json PreferredFirst(const std::vector<std::string>& versions, std::string_view group) {
  Json list = Json::array();
  for (const std::string& version : versions) {
    list.push_back({{"groupVersion", fmt::format("{}/{}", group, version)}, {"version", version}});
  }
  return list;
}

// Groups and their versions, in the catalog's order.
std::vector<std::pair<std::string, std::vector<std::string>>> GroupsIn(const Catalog& catalog) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const ServedPtr& served : catalog.All()) {
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& one) { return one.first == served->group; });
    if (group == groups.end()) group = groups.insert(groups.end(), {served->group, {}});
    auto& versions = group->second;
    if (std::find(versions.begin(), versions.end(), served->version) == versions.end()) {
      versions.push_back(served->version);
    }
  }
  return groups;
}

Json GroupJson(const std::string& group, const std::vector<std::string>& versions) {
  Json list = PreferredFirst(versions, group);
  return {{"name", group}, {"versions", list}, {"preferredVersion", list[0]}};
}

Json KindJson(const std::string& group, const std::string& version, const std::string& kind) {
  return {{"group", group}, {"version", version}, {"kind", kind}};
}

Json DiscoveredResource(const Served& served) {
  Json resource = {{"resource", served.plural},
                   {"responseKind", served.custom == nullptr
                                        ? KindJson("", "", served.kind)
                                        : KindJson(served.group, served.version, served.kind)},
                   {"scope", served.namespaced ? "Namespaced" : "Cluster"},
                   {"singularResource", served.singular},
                   {"verbs", served.verbs}};
  if (!served.short_names.empty()) resource["shortNames"] = served.short_names;
  if (!served.categories.empty()) resource["categories"] = served.categories;
  for (const Subresource& one : served.subresources) {
    resource["subresources"].push_back(
        {{"subresource", one.name},
         {"responseKind", one.group == served.group && served.custom == nullptr
                              ? KindJson("", "", one.kind)
                              : KindJson(one.group, one.version, one.kind)},
         {"verbs", one.verbs}});
  }
  return resource;
}

Json ResourceJson(const Served& served) {
  Json resource = {{"name", served.plural},
                   {"singularName", served.singular},
                   {"namespaced", served.namespaced},
                   {"kind", served.kind},
                   {"verbs", served.verbs}};
  if (!served.short_names.empty()) resource["shortNames"] = served.short_names;
  if (!served.categories.empty()) resource["categories"] = served.categories;
  return resource;
}

Json SubresourceJson(const Served& served, const Subresource& one) {
  Json resource = {{"name", served.plural + "/" + one.name},
                   {"singularName", ""},
                   {"namespaced", served.namespaced},
                   {"kind", one.kind},
                   {"verbs", one.verbs}};
  if (one.group != served.group) {
    resource["group"] = one.group;
    resource["version"] = one.version;
  }
  return resource;
}

std::string DocumentPath(const std::string& group, const std::string& version) {
  return group.empty() ? "api/" + version : fmt::format("apis/{}/{}", group, version);
}

}  // namespace

Json CoreVersions() {
  return {
      {"kind", "APIVersions"}, {"versions", {"v1"}}, {"serverAddressByClientCIDRs", Json::array()}};
}

Json GroupList(const Catalog& catalog) {
  Json list = {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", Json::array()}};
  for (const auto& [group, versions] : GroupsIn(catalog)) {
    if (!group.empty()) list["groups"].push_back(GroupJson(group, versions));
  }
  return list;
}

Json GroupDiscovery(const Catalog& catalog, bool core) {
  Json list = {{"kind", "APIGroupDiscoveryList"},
               {"apiVersion", "apidiscovery.k8s.io/v2"},
               {"metadata", Json::object()},
               {"items", Json::array()}};
  const std::vector<ServedPtr> all = catalog.All();
  for (const auto& [group, versions] : GroupsIn(catalog)) {
    if (group.empty() != core) continue;
    Json item = {{"metadata", Json::object()}, {"versions", Json::array()}};
    if (!core) item["metadata"]["name"] = group;
    for (const std::string& version : versions) {
      Json resources = Json::array();
      for (const ServedPtr& served : all) {
        if (served->group == group && served->version == version) {
          resources.push_back(DiscoveredResource(*served));
        }
      }
      item["versions"].push_back(
          {{"version", version}, {"freshness", "Current"}, {"resources", std::move(resources)}});
    }
    list["items"].push_back(std::move(item));
  }
  return list;
}

std::optional<Json> GroupOf(const Catalog& catalog, std::string_view group) {
  for (const auto& [name, versions] : GroupsIn(catalog)) {
    if (name != group || name.empty()) continue;
    Json json = GroupJson(name, versions);
    json["kind"] = "APIGroup";
    json["apiVersion"] = "v1";
    return json;
  }
  return std::nullopt;
}

std::optional<Json> ResourceList(const Catalog& catalog, std::string_view group,
                                 std::string_view version) {
  Json resources = Json::array();
  std::string group_version;
  for (const ServedPtr& served : catalog.All()) {
    if (served->group != group || served->version != version) continue;
    group_version = served->GroupVersion();
    resources.push_back(ResourceJson(*served));
    for (const Subresource& one : served->subresources) {
      resources.push_back(SubresourceJson(*served, one));
    }
  }
  if (group_version.empty()) return std::nullopt;
  Json list = {{"kind", "APIResourceList"},
               {"groupVersion", group_version},
               {"resources", std::move(resources)}};
  if (!group.empty()) list["apiVersion"] = "v1";
  return list;
}

Json OpenApiIndex(const Catalog& catalog) {
  Json index = {{"paths", Json::object()}};
  for (const auto& [group, versions] : GroupsIn(catalog)) {
    for (const std::string& version : versions) {
      const std::string path = DocumentPath(group, version);
      index["paths"][path] = {
          {"serverRelativeURL", fmt::format("/openapi/v3/{}?hash={}", path, catalog.generation())}};
    }
  }
  return index;
}

std::optional<Json> OpenApiOf(const Catalog& catalog, std::string_view path) {
  for (const auto& [group, versions] : GroupsIn(catalog)) {
    for (const std::string& version : versions) {
      if (path != DocumentPath(group, version)) continue;
      Json document = OpenApiDocument(group, version);
      for (const ServedPtr& served : catalog.All()) {
        if (served->custom == nullptr || served->group != group || served->version != version) {
          continue;
        }
        Resource resource;
        resource.group = group;
        resource.version = version;
        resource.kind = served->kind;
        resource.plural = served->plural;
        resource.namespaced = served->namespaced;
        AddCustomKind(resource, served->custom->schema->json(), &document);
      }
      return document;
    }
  }
  return std::nullopt;
}

}  // namespace outrigger::apiserver
