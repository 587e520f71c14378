#include "fake_custom_objects.h"

#include <algorithm>
#include <deque>

#include "fmt/format.h"

namespace outrigger::testing {
namespace {

using Json = nlohmann::json;

std::string KeyOf(const CustomKind& kind) {
  return fmt::format("{}.{}", kind.plural, kind.group);
}

std::string TextOf(const Json& object, const char* field) {
  const auto metadata = object.find("metadata");
  return metadata == object.end() ? "" : metadata->value(field, "");
}

// What the API server sets by itself.
constexpr const char* kOwnFields[] = {
    "uid",           "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp",
    "managedFields", "selfLink"};

Json WithoutStatus(Json object) {
  object.erase("metadata");
  object.erase("status");
  return object;
}

absl::Status NotServed(const CustomKind& kind) {
  return absl::NotFoundError(
      fmt::format("{} of {}/{} is not served by the API server: apply its CustomResourceDefinition",
                  kind.kind, kind.group, kind.version));
}

// Of a POST, in the order in which the API server looks.
absl::Status CheckNew(const CustomKind& kind, std::string_view namespace_, const Json& object) {
  if (!object.is_object()) return absl::InvalidArgumentError("the body is no object");
  if (object.value("kind", "") != kind.kind ||
      object.value("apiVersion", "") != fmt::format("{}/{}", kind.group, kind.version)) {
    return absl::InvalidArgumentError("the body is of another kind");
  }
  const std::string stated = TextOf(object, "namespace");
  if (!stated.empty() && stated != namespace_) {
    return absl::InvalidArgumentError(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  if (!TextOf(object, "name").empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("metadata.name: Required value: name is required");
}

}  // namespace

/// What one follower has not seen yet, and who is to see it.
class FakeCustomObjects::Follower {
 public:
  using Change = std::function<void(CustomObjectSink* sink)>;

  Follower(const CustomKind& kind, CustomObjectSink* sink) : kind_(kind), sink_(sink) {}
  const CustomKind& kind() const { return kind_; }

  void Add(Change change) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(std::move(change));
  }
  void AddUpsert(const Json& object) {
    Add([this, object](CustomObjectSink* sink) { Upsert(object, sink); });
  }
  void AddRemoval(const Name& name) {
    Add([name](CustomObjectSink* sink) {
      sink->Remove({.namespace_ = name.first, .name = name.second});
    });
  }
  void AddList(std::vector<Json> objects) {
    Add([this, objects = std::move(objects)](CustomObjectSink* sink) {
      sink->BeginReplace();
      for (const Json& object : objects) Upsert(object, sink);
      sink->EndReplace();
      See(absl::OkStatus());
    });
  }
  void AddEnd(std::vector<Name> names) {
    Add([this, names = std::move(names)](CustomObjectSink* sink) {
      sink->BeginReplace();
      for (const Name& name : names) sink->Remove({.namespace_ = name.first, .name = name.second});
      sink->EndReplace();
      See(NotServed(kind_));
    });
  }

  void Deliver() {
    const std::lock_guard<std::mutex> one_at_a_time(delivery_);
    while (sink_ != nullptr) {
      Change change;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (waiting_.empty()) return;
        change = std::move(waiting_.front());
        waiting_.pop_front();
      }
      change(sink_);
    }
  }
  /// The sink is not called any more when this returns.
  void End() {
    const std::lock_guard<std::mutex> one_at_a_time(delivery_);
    sink_ = nullptr;
  }
  absl::Status usable() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return usable_;
  }

 private:
  static void Upsert(const Json& object, CustomObjectSink* sink) {
    const std::string namespace_ = TextOf(object, "namespace");
    const std::string name = TextOf(object, "name");
    const std::string version = TextOf(object, "resourceVersion");
    const CustomObjectName of{
        .namespace_ = namespace_, .name = name, .uid = {}, .resource_version = version};
    sink->Upsert(of, object.dump()).IgnoreError();
  }
  void See(absl::Status usable) {
    const std::lock_guard<std::mutex> lock(mutex_);
    usable_ = std::move(usable);
  }

  const CustomKind kind_;
  std::mutex delivery_;
  CustomObjectSink* sink_;  // with delivery_; null: it has ended
  mutable std::mutex mutex_;
  std::deque<Change> waiting_;
  absl::Status usable_ =
      absl::UnavailableError(fmt::format("the {} of the cluster are not known yet", KeyOf(kind_)));
};

class FakeCustomObjects::Followed final : public FollowedKind {
 public:
  Followed(FakeCustomObjects* server, std::shared_ptr<Follower> follower)
      : server_(server), follower_(std::move(follower)) {}
  ~Followed() override {
    {
      const std::lock_guard<std::mutex> lock(server_->mutex_);
      std::erase(server_->followers_, follower_);
    }
    follower_->End();
  }
  absl::Status Usable() const override {
    {
      const std::lock_guard<std::mutex> lock(server_->mutex_);
      if (!server_->usable_.ok()) return server_->usable_;
    }
    return follower_->usable();
  }

 private:
  FakeCustomObjects* const server_;
  const std::shared_ptr<Follower> follower_;
};

FakeCustomObjects::FakeCustomObjects() = default;
FakeCustomObjects::~FakeCustomObjects() = default;

// --- what is stored

FakeCustomObjects::Kind& FakeCustomObjects::KindOf(const CustomKind& kind) {
  return kinds_[KeyOf(kind)];
}

std::vector<std::shared_ptr<FakeCustomObjects::Follower>> FakeCustomObjects::FollowersOf(
    const CustomKind& kind) const {
  std::vector<std::shared_ptr<Follower>> found;
  for (const auto& follower : followers_) {
    if (KeyOf(follower->kind()) == KeyOf(kind)) found.push_back(follower);
  }
  return found;
}

const FakeCustomObjects::Json& FakeCustomObjects::Store(const CustomKind& kind, Json object) {
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  const Name name{TextOf(object, "namespace"), TextOf(object, "name")};
  Json& stored = KindOf(kind).objects[name];
  stored = std::move(object);
  for (const auto& follower : FollowersOf(kind)) follower->AddUpsert(stored);
  return stored;
}

bool FakeCustomObjects::Erase(const CustomKind& kind, const Name& name) {
  if (KindOf(kind).objects.erase(name) == 0) return false;
  ++version_;
  for (const auto& follower : FollowersOf(kind)) follower->AddRemoval(name);
  return true;
}

absl::StatusOr<FakeCustomObjects::Json*> FakeCustomObjects::Find(const CustomKind& kind,
                                                                 const CustomObjectName& object) {
  Kind& of = KindOf(kind);
  if (!of.served) return NotServed(kind);
  const auto found = of.objects.find({std::string(object.namespace_), std::string(object.name)});
  if (found != of.objects.end()) return &found->second;
  return absl::NotFoundError(fmt::format("{} \"{}\" not found", KeyOf(kind), object.name));
}

absl::StatusOr<FakeCustomObjects::Json> FakeCustomObjects::Create(const CustomKind& kind,
                                                                  std::string_view namespace_,
                                                                  std::string_view json) {
  if (!KindOf(kind).served) return NotServed(kind);
  Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (absl::Status wrong = CheckNew(kind, namespace_, object); !wrong.ok()) return wrong;
  const std::string name = TextOf(object, "name");
  if (Find(kind, {.namespace_ = namespace_, .name = name}).ok()) {
    return absl::AlreadyExistsError(fmt::format("{} \"{}\" already exists", KeyOf(kind), name));
  }
  object.erase("status");
  Json& metadata = object["metadata"];
  for (const char* field : kOwnFields) metadata.erase(field);
  if (kind.namespaced) metadata["namespace"] = namespace_;
  metadata["uid"] = fmt::format("uid-{}", ++last_uid_);
  metadata["generation"] = 1;
  metadata["creationTimestamp"] = "2026-01-01T00:00:00Z";
  return Store(kind, std::move(object));
}

absl::StatusOr<FakeCustomObjects::Json> FakeCustomObjects::PatchStatus(
    const CustomKind& kind, const CustomObjectName& object, std::string_view status_patch) {
  const Json patch = Json::parse(status_patch, nullptr, /*allow_exceptions=*/false);
  if (!patch.is_object()) return absl::InvalidArgumentError("the patch is no object");
  const auto found = Find(kind, object);
  if (!found.ok()) return found.status();
  const Json& there = **found;
  if (!object.uid.empty() && object.uid != TextOf(there, "uid")) {
    return absl::AbortedError(
        fmt::format("{} \"{}\" is another one now", KeyOf(kind), object.name));
  }
  if (!object.resource_version.empty() &&
      object.resource_version != TextOf(there, "resourceVersion")) {
    return absl::AbortedError(
        "the object has been modified; please apply your changes to the latest version");
  }
  Json patched = there;
  patched.merge_patch({{"status", patch}});
  return patched == there ? there : Store(kind, std::move(patched));
}

// --- what a person does

FakeCustomObjects::Json FakeCustomObjects::Put(const CustomKind& kind, Json object) {
  Json stored;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Json& metadata = object["metadata"];
    const Name name{metadata.value("namespace", ""), metadata.value("name", "")};
    if (!object.contains("kind")) object["kind"] = kind.kind;
    if (!object.contains("apiVersion")) {
      object["apiVersion"] = fmt::format("{}/{}", kind.group, kind.version);
    }
    const auto found = KindOf(kind).objects.find(name);
    Json before = found == KindOf(kind).objects.end() ? Json() : found->second;
    if (metadata.contains("uid") && !before.is_null() && metadata["uid"] != TextOf(before, "uid")) {
      Erase(kind, name);
      before = Json();
    }
    if (!metadata.contains("uid")) {
      metadata["uid"] =
          before.is_null() ? fmt::format("uid-{}", ++last_uid_) : TextOf(before, "uid");
    }
    if (!metadata.contains("creationTimestamp")) {
      metadata["creationTimestamp"] = "2026-01-01T00:00:00Z";
    }
    const int64_t generation = before.is_null() ? 0 : before["metadata"].value("generation", 0);
    const bool differs = WithoutStatus(before) != WithoutStatus(object);
    metadata["generation"] = differs ? generation + 1 : generation;
    metadata["resourceVersion"] = TextOf(before, "resourceVersion");
    stored = object == before ? before : Store(kind, std::move(object));
  }
  Deliver();
  return stored;
}

bool FakeCustomObjects::Delete(const CustomKind& kind, std::string_view namespace_,
                               std::string_view name) {
  bool was_there = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    was_there = Erase(kind, {std::string(namespace_), std::string(name)});
  }
  Deliver();
  return was_there;
}

std::optional<FakeCustomObjects::Json> FakeCustomObjects::Get(const CustomKind& kind,
                                                              std::string_view namespace_,
                                                              std::string_view name) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto of = kinds_.find(KeyOf(kind));
  if (of == kinds_.end()) return std::nullopt;
  const auto found = of->second.objects.find({std::string(namespace_), std::string(name)});
  if (found == of->second.objects.end()) return std::nullopt;
  return found->second;
}

std::vector<FakeCustomObjects::Json> FakeCustomObjects::All(const CustomKind& kind) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Json> all;
  const auto of = kinds_.find(KeyOf(kind));
  if (of == kinds_.end()) return all;
  for (const auto& [name, object] : of->second.objects) all.push_back(object);
  return all;
}

void FakeCustomObjects::SetServed(const CustomKind& kind, bool served) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Kind& of = KindOf(kind);
    if (of.served == served) return;
    of.served = served;
    std::vector<Name> names;
    for (const auto& [name, object] : of.objects) names.push_back(name);
    of.objects.clear();
    for (const auto& follower : FollowersOf(kind)) {
      served ? follower->AddList({}) : follower->AddEnd(names);
    }
  }
  Deliver();
}

// --- what happens to those who call

void FakeCustomObjects::Before(Hook hook) {
  const std::lock_guard<std::mutex> lock(mutex_);
  before_ = std::move(hook);
}

void FakeCustomObjects::After(Hook hook) {
  const std::lock_guard<std::mutex> lock(mutex_);
  after_ = std::move(hook);
}

std::vector<CustomWrite> FakeCustomObjects::Writes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return writes_;
}

void FakeCustomObjects::Pause() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_paused_ = true;
}

void FakeCustomObjects::Resume() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_paused_ = false;
  }
  Deliver();
}

void FakeCustomObjects::SetUsable(absl::Status usable) {
  const std::lock_guard<std::mutex> lock(mutex_);
  usable_ = std::move(usable);
}

void FakeCustomObjects::Deliver() {
  std::vector<std::shared_ptr<Follower>> followers;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_paused_) return;
    followers = followers_;
  }
  for (const auto& follower : followers) follower->Deliver();
}

// --- the calls

std::unique_ptr<FollowedKind> FakeCustomObjects::Follow(const CustomKind& kind,
                                                        CustomObjectSink* sink) {
  auto follower = std::make_shared<Follower>(kind, sink);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Kind& of = KindOf(kind);
    std::vector<Json> objects;
    for (const auto& [name, object] : of.objects) objects.push_back(object);
    of.served ? follower->AddList(std::move(objects)) : follower->AddEnd({});
    followers_.push_back(follower);
  }
  auto followed = std::make_unique<Followed>(this, std::move(follower));
  Deliver();
  return followed;
}

absl::StatusOr<std::string> FakeCustomObjects::ReadCustomObject(const CustomKind& kind,
                                                                const CustomObjectName& object,
                                                                const CallLimits& limits) {
  if (limits.stop.stop_requested()) return absl::CancelledError("stopped");
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = Find(kind, object);
  if (!found.ok()) return found.status();
  return (*found)->dump();
}

absl::StatusOr<std::string> FakeCustomObjects::Send(
    CustomWrite write, const CallLimits& limits,
    const std::function<absl::StatusOr<Json>()>& perform) {
  if (limits.stop.stop_requested()) return absl::CancelledError("stopped");
  Hook before;
  Hook after;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    before = before_;
    after = after_;
  }
  if (before) {
    if (absl::Status refused = before(write); !refused.ok()) return refused;
  }
  absl::StatusOr<Json> answer;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    answer = perform();
    write.answer = answer.status();
    writes_.push_back(write);
  }
  Deliver();
  if (!answer.ok()) return answer.status();
  if (after) {
    if (absl::Status lost = after(write); !lost.ok()) return lost;
  }
  return answer->dump();
}

absl::StatusOr<std::string> FakeCustomObjects::CreateCustomObject(const CustomKind& kind,
                                                                  std::string_view namespace_,
                                                                  std::string_view json,
                                                                  const CallLimits& limits) {
  const Json object = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  CustomWrite write{.verb = CustomWrite::Verb::kCreate,
                    .kind = std::string(kind.kind),
                    .namespace_ = std::string(namespace_),
                    .name = object.is_object() ? TextOf(object, "name") : "",
                    .body = std::string(json)};
  return Send(std::move(write), limits, [&] { return Create(kind, namespace_, json); });
}

absl::StatusOr<std::string> FakeCustomObjects::PatchCustomStatus(const CustomKind& kind,
                                                                 const CustomObjectName& object,
                                                                 std::string_view status_patch,
                                                                 const CallLimits& limits) {
  CustomWrite write{.verb = CustomWrite::Verb::kPatchStatus,
                    .kind = std::string(kind.kind),
                    .namespace_ = std::string(object.namespace_),
                    .name = std::string(object.name),
                    .body = std::string(status_patch)};
  return Send(std::move(write), limits, [&] { return PatchStatus(kind, object, status_patch); });
}

}  // namespace outrigger::testing
