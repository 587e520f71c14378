#include "apiserver/files/loader.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

// Kinds that others need, first; all others come behind, and pods at last.
constexpr std::array<std::string_view, 9> kFirst = {"CustomResourceDefinition",
                                                    "Namespace",
                                                    "PriorityClass",
                                                    "StorageClass",
                                                    "DeviceClass",
                                                    "ServiceAccount",
                                                    "Node",
                                                    "PersistentVolume",
                                                    "PersistentVolumeClaim"};
// What the server, or a controller of it, makes by itself.
constexpr std::array<std::string_view, 6> kLeftOut = {"Event",         "Lease",      "Endpoints",
                                                      "EndpointSlice", "APIService", "Binding"};

size_t RankOf(const Json& object) {
  const std::string kind = TextAt(object, "kind");
  const auto* const found = std::find(kFirst.begin(), kFirst.end(), kind);
  if (found != kFirst.end()) return static_cast<size_t>(found - kFirst.begin());
  return kFirst.size() + (kind == "Pod" ? 2 : kind == "ReplicaSet" ? 1 : 0);
}

std::string NameOf(const Json& object) {
  const std::string namespace_ = TextAt(object, "metadata.namespace");
  return fmt::format("{} {}{}{}", TextAt(object, "kind"), namespace_, namespace_.empty() ? "" : "/",
                     TextAt(object, "metadata.name"));
}

bool IsServers(const Json& object) {
  const std::string kind = TextAt(object, "kind");
  const std::string name = TextAt(object, "metadata.name");
  if (std::find(kLeftOut.begin(), kLeftOut.end(), kind) != kLeftOut.end()) return true;
  return (kind == "Service" && name == "kubernetes") ||
         (kind == "ServiceAccount" && name == "default") ||
         (kind == "ConfigMap" && name == "kube-root-ca.crt");
}

// True for what a server has from its start: made again it is no news.
bool IsThere(const Json& object) {
  const std::string kind = TextAt(object, "kind");
  return kind == "Namespace" || kind == "PriorityClass";
}

}  // namespace

std::string Sent::Message() const {
  const std::string message = TextAt(body, "message");
  return message.empty() ? fmt::format("code {}", code) : message;
}

absl::Status Loader::Add(const Json& object) {
  const std::string kind = TextAt(object, "kind");
  if (kind.ends_with("List") && object.contains("items") && object["items"].is_array()) {
    for (Json item : object["items"]) {
      // Items of a typed list have no kind of their own.
      if (TextAt(item, "kind").empty()) {
        item["kind"] = kind.substr(0, kind.size() - 4);
        item["apiVersion"] = TextAt(object, "apiVersion");
      }
      if (absl::Status status = Add(item); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  if (kind.empty() || TextAt(object, "apiVersion").empty()) {
    return absl::InvalidArgumentError("an object needs apiVersion and kind");
  }
  objects_.push_back(object);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<Loader::Kind>> Loader::Find(const std::string& group_version,
                                                         const std::string& kind) {
  const auto [known, is_new] = kinds_.try_emplace({group_version, kind});
  if (!is_new) return known->second;
  const std::string path =
      (group_version.find('/') == std::string::npos ? "/api/" : "/apis/") + group_version;
  const auto list = send_("GET", path, "", "");
  if (!list.ok()) return list.status();
  if (list->code != 200) {
    kinds_.erase(known);  // a definition may come
    return std::optional<Kind>();
  }
  for (const Json& resource : list->body.value("resources", Json::array())) {
    const std::string name = TextAt(resource, "name");
    if (TextAt(resource, "kind") != kind) continue;
    if (name.find('/') == name.npos) {
      known->second = Kind{path, name, resource.value("namespaced", false), false};
    } else if (known->second && name == known->second->plural + "/status") {
      known->second->has_status = true;
    }
  }
  return known->second;
}

// Owners that were not loaded would have garbage collection take the object away.
void Loader::FollowOwners(Json* metadata, Loaded* loaded) const {
  const auto owners = metadata->find("ownerReferences");
  if (owners == metadata->end()) return;
  Json followed = Json::array();
  for (Json owner : *owners) {
    const auto found = uids_.find(TextAt(owner, "uid"));
    if (found == uids_.end()) {
      loaded->notes.push_back(
          fmt::format("{}: its owner {} {} is not in the files: it has none now",
                      TextAt(*metadata, "name"), TextAt(owner, "kind"), TextAt(owner, "name")));
      continue;
    }
    owner["uid"] = found->second;
    followed.push_back(std::move(owner));
  }
  metadata->erase("ownerReferences");
  if (!followed.empty()) (*metadata)["ownerReferences"] = std::move(followed);
}

absl::Status Loader::SendOne(Json object, Loaded* loaded) {
  const auto kind = Find(TextAt(object, "apiVersion"), TextAt(object, "kind"));
  if (!kind.ok()) return kind.status();
  if (!*kind) {
    loaded->notes.push_back(fmt::format("{} left out: the server has no kind {} of {}",
                                        NameOf(object), TextAt(object, "kind"),
                                        TextAt(object, "apiVersion")));
    return absl::OkStatus();
  }
  Json& metadata = object["metadata"];
  const std::string uid = TextAt(metadata, "uid");
  for (const char* key :
       {"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation", "selfLink",
        "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    metadata.erase(key);
  }
  FollowOwners(&metadata, loaded);
  std::string path = (*kind)->path;
  if ((*kind)->namespaced) {
    if (TextAt(metadata, "namespace").empty()) metadata["namespace"] = "default";
    path += "/namespaces/" + TextAt(metadata, "namespace");
  }
  path += "/" + (*kind)->plural;
  auto sent = send_("POST", path, "application/json", object.dump());
  if (!sent.ok()) return sent.status();
  const std::string own = path + "/" + TextAt(metadata, "name");
  if (sent->code == 409) {
    sent = send_("PATCH", own, "application/merge-patch+json", object.dump());
    if (!sent.ok()) return sent.status();
    loaded->changed += IsThere(object) ? 0 : 1;
  } else {
    ++loaded->created;
  }
  if (sent->code >= 300) {
    return absl::FailedPreconditionError(fmt::format("{}: {}", NameOf(object), sent->Message()));
  }
  if (!uid.empty()) uids_[uid] = TextAt(sent->body, "metadata.uid");
  return SendStatus(**kind, own, object);
}

absl::Status Loader::SendStatus(const Kind& kind, const std::string& path, const Json& object) {
  const Json status = object.value("status", Json::object());
  if (!kind.has_status || status.empty()) return absl::OkStatus();
  const auto sent = send_("PATCH", path + "/status", "application/merge-patch+json",
                          Json{{"status", status}}.dump());
  if (!sent.ok()) return sent.status();
  if (sent->code < 300) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("status of {}: {}", NameOf(object), sent->Message()));
}

absl::StatusOr<Loaded> Loader::Send() {
  Loaded loaded;
  std::stable_sort(objects_.begin(), objects_.end(),
                   [](const Json& a, const Json& b) { return RankOf(a) < RankOf(b); });
  for (Json& object : objects_) {
    if (IsServers(object)) continue;
    if (absl::Status status = SendOne(std::move(object), &loaded); !status.ok()) return status;
  }
  objects_.clear();
  return loaded;
}

absl::StatusOr<std::vector<Json>> SaveObjects(const Sender& send) {
  std::vector<std::string> paths = {"/api/v1"};
  const auto groups = send("GET", "/apis", "", "");
  if (!groups.ok()) return groups.status();
  for (const Json& group : groups->body.value("groups", Json::array())) {
    paths.push_back("/apis/" + TextAt(group, "preferredVersion.groupVersion"));
  }
  std::vector<Json> objects;
  for (const std::string& path : paths) {
    const auto list = send("GET", path, "", "");
    if (!list.ok()) return list.status();
    for (const Json& resource : list->body.value("resources", Json::array())) {
      const std::string name = TextAt(resource, "name");
      const Json verbs = resource.value("verbs", Json::array());
      const bool is_listed = std::find(verbs.begin(), verbs.end(), "list") != verbs.end();
      if (!is_listed || name.find('/') != name.npos) continue;
      const auto all = send("GET", fmt::format("{}/{}", path, name), "", "");
      if (!all.ok()) return all.status();
      for (Json object : all->body.value("items", Json::array())) {
        object["kind"] = TextAt(resource, "kind");
        object["apiVersion"] = path.substr(path.find('/', 1) + 1);
        object["metadata"].erase("managedFields");
        object["metadata"].erase("resourceVersion");
        if (!IsServers(object)) objects.push_back(std::move(object));
      }
    }
  }
  std::stable_sort(objects.begin(), objects.end(),
                   [](const Json& a, const Json& b) { return RankOf(a) < RankOf(b); });
  return objects;
}

}  // namespace outrigger::apiserver
