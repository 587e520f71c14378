#include "fake_custom_objects.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "fmt/format.h"

namespace outrigger::testing {

/// What one follower has not seen yet, and its sink.
class FakeCustomObjects::Follower {
 public:
  using Name = FakeCustomStore::Name;
  using Change = std::function<void(CustomObjectSink* sink)>;

  Follower(const CustomKind& kind, CustomObjectSink* sink) : kind_(kind), sink_(sink) {}
  const CustomKind& kind() const { return kind_; }

  void Add(Change change) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back(std::move(change));
  }
  void AddUpsert(const Json& object) {
    Add([object](CustomObjectSink* sink) { Upsert(object, sink); });
  }
  void AddRemoval(const Name& name, const std::string& version) {
    Add([name, version](CustomObjectSink* sink) { Remove(name, version, sink); });
  }
  void AddList(std::vector<Json> objects, const std::string& version) {
    Add([this, objects = std::move(objects), version](CustomObjectSink* sink) {
      sink->BeginReplace();
      for (const Json& object : objects) Upsert(object, sink);
      sink->EndReplace(version);
      See(absl::OkStatus());
    });
  }
  void AddEnd(std::vector<Name> names) {
    Add([this, names = std::move(names)](CustomObjectSink* sink) {
      sink->BeginReplace();
      for (const Name& name : names) Remove(name, {}, sink);
      sink->EndReplace({});
      See(CustomNotServed(kind_));
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
    const std::string namespace_ = MetadataOf(object, "namespace");
    const std::string name = MetadataOf(object, "name");
    const std::string version = MetadataOf(object, "resourceVersion");
    const CustomObjectName of{
        .namespace_ = namespace_, .name = name, .uid = {}, .resource_version = version};
    sink->Upsert(of, object.dump()).IgnoreError();
  }
  static void Remove(const Name& name, const std::string& version, CustomObjectSink* sink) {
    sink->Remove(
        {.namespace_ = name.first, .name = name.second, .uid = {}, .resource_version = version});
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
  absl::Status usable_ = absl::UnavailableError(
      fmt::format("the {} of the cluster are not known yet", CustomNameOf(kind_)));
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

FakeCustomStore::Listener FakeCustomObjects::ToFollowers() {
  return {.put =
              [this](const CustomKind& kind, const Json& object) {
                ForFollowersOf(kind, [&](Follower* follower) { follower->AddUpsert(object); });
              },
          .removed =
              [this](const CustomKind& kind, const FakeCustomStore::Name& name,
                     const std::string& version) {
                ForFollowersOf(kind,
                               [&](Follower* follower) { follower->AddRemoval(name, version); });
              },
          .not_served =
              [this](const CustomKind& kind, const std::vector<FakeCustomStore::Name>& removed) {
                ForFollowersOf(kind, [&](Follower* follower) { follower->AddEnd(removed); });
              },
          .served =
              [this](const CustomKind& kind) {
                ForFollowersOf(
                    kind, [this](Follower* follower) { follower->AddList({}, store_.Version()); });
              }};
}

void FakeCustomObjects::ForFollowersOf(const CustomKind& kind,
                                       const std::function<void(Follower*)>& act) const {
  for (const auto& follower : followers_) {
    if (CustomNameOf(follower->kind()) == CustomNameOf(kind)) act(follower.get());
  }
}

// --- what a person does

FakeCustomObjects::Json FakeCustomObjects::Put(const CustomKind& kind, Json object) {
  Json stored;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stored = store_.Put(kind, std::move(object));
  }
  Deliver();
  return stored;
}

bool FakeCustomObjects::Delete(const CustomKind& kind, std::string_view namespace_,
                               std::string_view name) {
  bool was_there = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    was_there = store_.Delete(kind, {std::string(namespace_), std::string(name)});
  }
  Deliver();
  return was_there;
}

std::optional<FakeCustomObjects::Json> FakeCustomObjects::Get(const CustomKind& kind,
                                                              std::string_view namespace_,
                                                              std::string_view name) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto found = store_.Read(kind, {.namespace_ = namespace_, .name = name});
  if (!found.ok()) return std::nullopt;
  return *std::move(found);
}

std::vector<FakeCustomObjects::Json> FakeCustomObjects::All(const CustomKind& kind) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return store_.All(kind);
}

void FakeCustomObjects::SetServed(const CustomKind& kind, bool served) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    store_.SetServed(kind, served);
  }
  Deliver();
}

// --- what happens to calls

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
    store_.IsServed(kind) ? follower->AddList(store_.All(kind), store_.Version())
                          : follower->AddEnd({});
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
  const auto found = store_.Read(kind, object);
  if (!found.ok()) return found.status();
  return found->dump();
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
                    .name = object.is_object() ? MetadataOf(object, "name") : "",
                    .body = std::string(json)};
  return Send(std::move(write), limits, [&] { return store_.Create(kind, namespace_, json); });
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
  return Send(std::move(write), limits,
              [&] { return store_.PatchStatus(kind, object, status_patch); });
}

}  // namespace outrigger::testing
