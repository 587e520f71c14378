#include "apiserver/files/loader.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "apiserver/select/field_path.h"
#include "fmt/format.h"

namespace outrigger::apiserver {
namespace {

// Kinds that others need, first; all others come behind, and pods at last.
constexpr std::string_view kFirst[] = {"CustomResourceDefinition",
                                       "Namespace",
                                       "PriorityClass",
                                       "StorageClass",
                                       "DeviceClass",
                                       "ServiceAccount",
                                       "Node",
                                       "PersistentVolume",
                                       "PersistentVolumeClaim"};
// What the server, or a controller of it, makes by itself.
constexpr std::string_view kLeftOut[] = {"Event",         "Lease",      "Endpoints",
                                         "EndpointSlice", "APIService", "Binding"};
constexpr const char* kKeysOfServer[] = {
    "uid",        "resourceVersion", "creationTimestamp", "managedFields",
    "generation", "selfLink",        "deletionTimestamp", "deletionGracePeriodSeconds"};
constexpr const char* kMergePatchType = "application/merge-patch+json";

size_t RankOf(const Json& object) {
  const std::string kind = TextAt(object, "kind");
  const auto* const found = std::find(std::begin(kFirst), std::end(kFirst), kind);
  if (found != std::end(kFirst)) return static_cast<size_t>(found - kFirst);
  return std::size(kFirst) + (kind == "Pod" ? 2 : kind == "ReplicaSet" ? 1 : 0);
}

void SortByRank(std::vector<Json>* objects) {
  std::stable_sort(objects->begin(), objects->end(),
                   [](const Json& a, const Json& b) { return RankOf(a) < RankOf(b); });
}

std::string NameOf(const Json& object) {
  const std::string namespace_ = TextAt(object, "metadata.namespace");
  return fmt::format("{} {}{}{}", TextAt(object, "kind"), namespace_, namespace_.empty() ? "" : "/",
                     TextAt(object, "metadata.name"));
}

bool IsServers(const Json& object) {
  const std::string kind = TextAt(object, "kind");
  const std::string name = TextAt(object, "metadata.name");
  if (std::count(std::begin(kLeftOut), std::end(kLeftOut), kind) > 0) return true;
  return (kind == "Service" && name == "kubernetes") ||
         (kind == "ServiceAccount" && name == "default") ||
         (kind == "ConfigMap" && name == "kube-root-ca.crt");
}

absl::Status CheckSent(const absl::StatusOr<Sent>& sent, const std::string& what) {
  if (!sent.ok() || sent->code < 300) return sent.status();
  const std::string& said = TextAt(sent->body, "message");
  return absl::FailedPreconditionError(
      fmt::format("{}: {}", what, said.empty() ? fmt::format("code {}", sent->code) : said));
}

// What a group version has of objects to be saved.
absl::Status SaveVersion(const Sender& send, const std::string& path, Saved* saved) {
  const auto list = send("GET", path, "", "");
  if (!list.ok()) return list.status();
  if (absl::Status status = CheckSent(list, path); !status.ok()) saved->LeaveOut(status);
  for (const Json& resource : ListAt(list->body, "resources")) {
    const std::string& name = TextAt(resource, "name");
    const Json& verbs = ListAt(resource, "verbs");
    const bool is_listed = std::count(verbs.begin(), verbs.end(), "list") > 0;
    if (!is_listed || name.find('/') != name.npos) continue;
    const auto all = send("GET", fmt::format("{}/{}", path, name), "", "");
    if (absl::Status status = CheckSent(all, name); !status.ok()) {
      if (!all.ok()) return status;
      saved->LeaveOut(status);
    }
    for (Json object : ListAt(all->body, "items")) {
      object["kind"] = TextAt(resource, "kind");
      object["apiVersion"] = path.substr(path.find('/', 1) + 1);
      object["metadata"].erase("managedFields");
      object["metadata"].erase("resourceVersion");
      if (!IsServers(object)) saved->objects.push_back(std::move(object));
    }
  }
  return absl::OkStatus();
}

}  // namespace

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
  if (kind.empty() || TextAt(object, "apiVersion").empty() ||
      !object.value("metadata", Json()).is_object()) {
    return absl::InvalidArgumentError("an object needs apiVersion, kind and metadata");
  }
  objects_.push_back(object);
  return absl::OkStatus();
}

absl::StatusOr<Loader::Kind> Loader::Find(const Json& object) {
  const std::pair wanted(TextAt(object, "apiVersion"), TextAt(object, "kind"));
  if (const auto known = kinds_.find(wanted); known != kinds_.end()) return known->second;
  const bool is_core = wanted.first.find('/') == std::string::npos;
  const std::string path = (is_core ? "/api/" : "/apis/") + wanted.first;
  const auto list = send_("GET", path, "", "");
  if (!list.ok()) return list.status();
  for (const Json& resource : ListAt(list->body, "resources")) {
    const std::string& name = TextAt(resource, "name");
    if (name.find('/') != name.npos) continue;
    kinds_[{wanted.first, TextAt(resource, "kind")}] = {path, name,
                                                        IsTrueAt(resource, "namespaced")};
  }
  if (const auto known = kinds_.find(wanted); known != kinds_.end()) return known->second;
  return absl::NotFoundError(
      fmt::format("the server has no kind {} of {}", wanted.second, wanted.first));
}

// Owners that were not loaded would have garbage collection take the object away.
void Loader::FollowOwners(Json* metadata, Loaded* loaded) const {
  Json owners = metadata->value("ownerReferences", Json::array());
  metadata->erase("ownerReferences");
  for (Json& owner : owners) {
    if (const auto found = uids_.find(TextAt(owner, "uid")); found != uids_.end()) {
      owner["uid"] = found->second;
      (*metadata)["ownerReferences"].push_back(std::move(owner));
    } else {
      loaded->notes.push_back(
          fmt::format("{}: its owner {} {} is not in the files: it has none now",
                      TextAt(*metadata, "name"), TextAt(owner, "kind"), TextAt(owner, "name")));
    }
  }
}

absl::Status Loader::SendOne(Json object, Loaded* loaded) {
  const auto kind = Find(object);
  if (absl::IsNotFound(kind.status())) {
    loaded->notes.push_back(
        fmt::format("{} left out: {}", NameOf(object), std::string(kind.status().message())));
    return absl::OkStatus();
  }
  if (!kind.ok()) return kind.status();
  Json& metadata = object["metadata"];
  const std::string uid = TextAt(metadata, "uid");
  for (const char* key : kKeysOfServer) metadata.erase(key);
  FollowOwners(&metadata, loaded);
  std::string path = kind->path;
  if (kind->namespaced) {
    if (TextAt(metadata, "namespace").empty()) metadata["namespace"] = "default";
    path += "/namespaces/" + TextAt(metadata, "namespace");
  }
  path += "/" + kind->plural;
  const std::string own = path + "/" + TextAt(metadata, "name");
  auto sent = send_("POST", path, "application/json", object.dump());
  const bool is_there = sent.ok() && sent->code == 409;
  if (is_there) sent = send_("PATCH", own, kMergePatchType, object.dump());
  if (absl::Status status = CheckSent(sent, NameOf(object)); !status.ok()) return status;
  // What a server has from its start is no news.
  const bool is_news = kind->plural != "namespaces" && kind->plural != "priorityclasses";
  if (!is_there) ++loaded->created;
  if (is_there && is_news) ++loaded->changed;
  if (!uid.empty()) uids_[uid] = TextAt(sent->body, "metadata.uid");
  const Json status = object.value("status", Json::object());
  if (status.empty()) return absl::OkStatus();
  sent = send_("PATCH", own + "/status", kMergePatchType, Json{{"status", status}}.dump());
  if (sent.ok() && sent->code == 404) return absl::OkStatus();  // of the kind it is no own part
  return CheckSent(sent, "status of " + NameOf(object));
}

absl::StatusOr<Loaded> Loader::Send() {
  Loaded loaded;
  SortByRank(&objects_);
  for (Json& object : std::exchange(objects_, {})) {
    if (IsServers(object)) continue;
    if (absl::Status status = SendOne(std::move(object), &loaded); !status.ok()) return status;
  }
  return loaded;
}

absl::StatusOr<Saved> SaveObjects(const Sender& send) {
  const auto groups = send("GET", "/apis", "", "");
  if (absl::Status status = CheckSent(groups, "/apis"); !status.ok()) return status;
  std::vector<std::string> paths = {"/api/v1"};
  for (const Json& group : ListAt(groups->body, "groups")) {
    paths.push_back("/apis/" + TextAt(group, "preferredVersion.groupVersion"));
  }
  Saved saved;
  for (const std::string& path : paths) {
    if (absl::Status status = SaveVersion(send, path, &saved); !status.ok()) return status;
  }
  SortByRank(&saved.objects);
  return saved;
}

}  // namespace outrigger::apiserver
