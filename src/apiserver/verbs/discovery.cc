#include "apiserver/verbs/verbs.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "apiserver/types/openapi.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

// A version of a group, with its resources; in the catalog's order, in which those of a group
// follow each other.
struct GroupVersion {
  std::string group;
  std::string version;
  std::vector<ServedPtr> resources;

  std::string Path() const { return group.empty() ? "api/" + version : "apis/" + Name(); }
  std::string Name() const { return resources[0]->GroupVersion(); }
};

std::vector<GroupVersion> GroupVersionsIn(const Catalog& catalog) {
  std::vector<GroupVersion> all;
  for (const ServedPtr& served : catalog.All()) {
    auto at = std::find_if(all.begin(), all.end(),
                           [&](const auto& one) { return one.group == served->group; });
    while (at != all.end() && at->group == served->group && at->version != served->version) ++at;
    if (at == all.end() || at->group != served->group) {
      at = all.insert(at, {served->group, served->version, {}});
    }
    at->resources.push_back(served);
  }
  return all;
}

Json ResponseKind(const std::string& group, const std::string& version, const std::string& kind) {
  return {{"group", group}, {"version", version}, {"kind", kind}};
}

void AddNames(const Served& served, Json* resource) {
  (*resource)["verbs"] = served.verbs;
  if (!served.short_names.empty()) (*resource)["shortNames"] = served.short_names;
  if (!served.categories.empty()) (*resource)["categories"] = served.categories;
}

Json AggregatedResource(const Served& served) {
  Json resource = {{"resource", served.plural},
                   {"responseKind", ResponseKind(served.group, served.version, served.kind)},
                   {"scope", served.namespaced ? "Namespaced" : "Cluster"},
                   {"singularResource", served.singular}};
  AddNames(served, &resource);
  for (const Subresource& one : served.subresources) {
    resource["subresources"].push_back(
        {{"subresource", one.name},
         {"responseKind", ResponseKind(one.group, one.version, one.kind)},
         {"verbs", one.verbs}});
  }
  return resource;
}

Json AggregatedListOf(const std::vector<GroupVersion>& all, bool core) {
  Json items = Json::array();
  for (const GroupVersion& one : all) {
    if (one.group.empty() != core) continue;
    if (items.empty() || items.back()["metadata"].value("name", "") != one.group) {
      items.push_back({{"metadata", Json::object()}, {"versions", Json::array()}});
      if (!core) items.back()["metadata"]["name"] = one.group;
    }
    Json resources = Json::array();
    for (const ServedPtr& served : one.resources) resources.push_back(AggregatedResource(*served));
    items.back()["versions"].push_back(
        {{"version", one.version}, {"freshness", "Current"}, {"resources", std::move(resources)}});
  }
  return {{"kind", "APIGroupDiscoveryList"},
          {"apiVersion", "apidiscovery.k8s.io/v2"},
          {"metadata", Json::object()},
          {"items", std::move(items)}};
}

Json GroupListOf(const std::vector<GroupVersion>& all) {
  Json groups = Json::array();
  for (const GroupVersion& one : all) {
    if (one.group.empty()) continue;
    const Json version = {{"groupVersion", one.Name()}, {"version", one.version}};
    if (groups.empty() || groups.back()["name"] != one.group) {
      groups.push_back({{"name", one.group}, {"preferredVersion", version}});
    }
    groups.back()["versions"].push_back(version);
  }
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

Json ResourceListOf(const GroupVersion& group_version) {
  Json resources = Json::array();
  for (const ServedPtr& served : group_version.resources) {
    resources.push_back({{"name", served->plural},
                         {"singularName", served->singular},
                         {"namespaced", served->namespaced},
                         {"kind", served->kind}});
    AddNames(*served, &resources.back());
    for (const Subresource& one : served->subresources) {
      resources.push_back({{"name", served->plural + "/" + one.name},
                           {"singularName", ""},
                           {"namespaced", served->namespaced},
                           {"kind", one.kind},
                           {"verbs", one.verbs}});
      if (one.group == served->group) continue;
      resources.back()["group"] = one.group;
      resources.back()["version"] = one.version;
    }
  }
  Json list = {{"kind", "APIResourceList"},
               {"groupVersion", group_version.Name()},
               {"resources", std::move(resources)}};
  if (!group_version.group.empty()) list["apiVersion"] = "v1";
  return list;
}

Json OpenApiOf(const GroupVersion& group_version) {
  Json document = OpenApiDocument(group_version.group, group_version.version);
  for (const ServedPtr& served : group_version.resources) {
    if (served->custom == nullptr) continue;
    AddCustomKind(*served, served->custom->schema->json(), &document);
  }
  return document;
}

Json OpenApiIndex(const std::vector<GroupVersion>& all, uint64_t generation) {
  Json paths = Json::object();
  for (const GroupVersion& one : all) {
    const std::string path = one.Path();
    paths[path]["serverRelativeURL"] = fmt::format("/openapi/v3/{}?hash={}", path, generation);
  }
  return {{"paths", std::move(paths)}};
}

}  // namespace

std::optional<Json> DiscoveryAt(const Catalog& catalog, std::string_view path, bool aggregated) {
  std::string_view rest = path.substr(std::min(path.find_first_not_of('/'), path.size()));
  while (rest.ends_with('/')) rest.remove_suffix(1);
  const bool is_open_api = rest.starts_with("openapi/v3");
  const auto depth = std::count(rest.begin(), rest.end(), '/');
  if (!is_open_api && depth > (rest.starts_with("api/") ? 1 : 2)) return std::nullopt;
  const std::vector<GroupVersion> all = GroupVersionsIn(catalog);
  if (rest == "openapi/v3") return OpenApiIndex(all, catalog.generation());
  if ((rest == "api" || rest == "apis") && aggregated) return AggregatedListOf(all, rest == "api");
  if (rest == "apis") return GroupListOf(all);
  if (rest == "api") {
    return Json{{"kind", "APIVersions"},
                {"versions", {"v1"}},
                {"serverAddressByClientCIDRs", Json::array()}};
  }
  for (const GroupVersion& one : all) {
    if (rest == one.Path()) return ResourceListOf(one);
    if (is_open_api && rest.substr(rest.find('/', 8) + 1) == one.Path()) return OpenApiOf(one);
  }
  Json list = GroupListOf(all);
  for (Json& group : list["groups"]) {
    if (rest != "apis/" + group["name"].get<std::string>()) continue;
    group["kind"] = "APIGroup";
    group["apiVersion"] = "v1";
    return group;
  }
  return std::nullopt;
}

}  // namespace outrigger::apiserver
