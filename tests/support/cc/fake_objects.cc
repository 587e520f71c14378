#include "fake_objects.h"

#include <utility>

#include "fmt/format.h"

namespace outrigger::testing {
namespace {

using Verb = ObjectCall::Verb;

constexpr const char* kClass = "PriorityClass";
constexpr const char* kMap = "ConfigMap";
constexpr const char* kVerbs[] = {"get", "create", "try", "update", "delete"};

absl::Status StatusOf(const absl::Status& answer) {
  return answer;
}

template <typename T>
absl::Status StatusOf(const absl::StatusOr<T>& answer) {
  return answer.status();
}

// The client does not send it.
absl::Status NoPreconditions() {
  return absl::InvalidArgumentError("a UID and a version are missing");
}

}  // namespace

std::string ObjectCall::Text() const {
  return fmt::format("{} {} {}", kVerbs[static_cast<size_t>(verb)], kind, name);
}

CallFate CallFate::Late(std::function<bool(const ObjectCall& call)> arrives_after) {
  return {Kind::kLate, absl::DeadlineExceededError("no answer in time"), std::move(arrives_after)};
}

// --- the server

template <typename Act>
auto FakeObjects::Locked(const Act& act) {
  std::unique_lock<std::mutex> lock(mutex_);
  const int64_t before = Version();
  auto answer = act();
  const bool changed = Version() != before;
  lock.unlock();
  if (changed) changes_.Notify();
  return answer;
}

std::unique_ptr<FakeObjects::Client> FakeObjects::Process(std::string name) {
  return std::make_unique<Client>(this, std::move(name));
}

void FakeObjects::OnCall(OnCallFn on_call) {
  const std::lock_guard<std::mutex> lock(mutex_);
  on_call_ = std::move(on_call);
}

int FakeObjects::DeliverLate() {
  return Locked([this] {
    int delivered = 0;
    for (; !late_.empty(); ++delivered) {
      late_.front().perform();
      late_.pop_front();
    }
    return delivered;
  });
}

size_t FakeObjects::late_calls() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return late_.size();
}

void FakeObjects::DeliverAfter(const ObjectCall& call) {
  for (auto late = late_.begin(); late != late_.end();) {
    if (late->arrives_after && late->arrives_after(call)) {
      late->perform();
      late = late_.erase(late);
    } else {
      ++late;
    }
  }
}

PriorityClass FakeObjects::Put(PriorityClass made) {
  return Locked([&] { return classes_.Put(std::move(made)); });
}

absl::Status FakeObjects::Edit(std::string_view name,
                               const std::function<void(PriorityClass*)>& edit) {
  return Locked([&] { return classes_.Edit(name, edit); });
}

absl::Status FakeObjects::Remove(std::string_view name) {
  return Locked([&] { return classes_.Delete(name, "", ""); });
}

std::optional<PriorityClass> FakeObjects::Find(std::string_view name) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto found = classes_.Read(name);
  if (!found.ok()) return std::nullopt;
  return *std::move(found);
}

std::optional<ConfigMap> FakeObjects::FindMap(std::string_view namespace_,
                                              std::string_view name) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto found = maps_.Read(namespace_, name);
  if (!found.ok()) return std::nullopt;
  return *std::move(found);
}

std::vector<ConfigMap> FakeObjects::Maps() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return maps_.All();
}

ConfigMap FakeObjects::PutMap(ConfigMap map) {
  return Locked([&] {
    const auto there = maps_.Read(map.namespace_, map.name);
    map.uid = there.ok() ? there->uid : "";
    map.resource_version = there.ok() ? there->resource_version : "";
    return maps_.Write(map).value();
  });
}

void FakeObjects::RemoveMap(std::string_view namespace_, std::string_view name) {
  ConfigMap map;
  map.namespace_ = namespace_;
  map.name = name;
  Locked([&] { return maps_.Delete(map); }).IgnoreError();
}

void FakeObjects::SetAdmission(FakeClassStore::Admission admission) {
  const std::lock_guard<std::mutex> lock(mutex_);
  classes_.SetAdmission(std::move(admission));
}

void FakeObjects::SetPolicy(std::string namespace_, std::string map) {
  const std::lock_guard<std::mutex> lock(mutex_);
  policy_ = {std::move(namespace_), std::move(map)};
}

absl::StatusOr<AdmittedPod> FakeObjects::Admit(std::string_view class_name) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return Admitted(std::string(class_name));
}

// The Priority plugin, the policy, and the plugin again.
absl::StatusOr<AdmittedPod> FakeObjects::Admitted(const std::string& class_name) const {
  auto there = classes_.Read(class_name);
  std::string name = class_name;
  const auto map = maps_.Read(policy_.first, policy_.second);
  if (there.ok() && map.ok() && map->data.contains(name)) {
    name = map->data.find(name)->second;
    there = classes_.Read(name);
  }
  if (there.ok()) return AdmittedPod{name, there->value};
  return absl::NotFoundError(fmt::format("no PriorityClass with name {} was found", name));
}

void FakeObjects::StripAnnotation(std::string key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  classes_.StripAnnotation(std::move(key));
}

void FakeObjects::SetOwner(const std::string& uid, bool exists) {
  const std::lock_guard<std::mutex> lock(mutex_);
  classes_.SetOwner(uid, exists);
}

void FakeObjects::CollectGarbage() {
  Locked([this] {
    classes_.CollectGarbage();
    return 0;
  });
}

std::vector<PriorityClass> FakeObjects::Classes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return classes_.All();
}

Subscription FakeObjects::OnChange(std::function<void()> changed) {
  return changes_.Add(std::move(changed));
}

// --- a process

bool FakeObjects::Client::is_dead() const {
  const std::lock_guard<std::mutex> lock(server_->mutex_);
  return is_dead_;
}

int FakeObjects::Client::calls() const {
  const std::lock_guard<std::mutex> lock(server_->mutex_);
  return calls_;
}

template <typename Answer>
Answer FakeObjects::Client::Send(ObjectCall call, const CallLimits& limits,
                                 std::function<Answer()> perform) {
  if (limits.stop.stop_requested()) return absl::CancelledError("stop was requested");
  call.client = name_;
  OnCallFn on_call;
  {
    const std::lock_guard<std::mutex> lock(server_->mutex_);
    if (is_dead_) return absl::CancelledError("the process is dead");
    call.number = ++calls_;
    on_call = server_->on_call_;
  }
  using Kind = CallFate::Kind;
  CallFate fate = on_call ? on_call(call) : CallFate::Done();
  return server_->Locked([&]() -> Answer {
    if (is_dead_ || fate.kind == Kind::kDieBefore) {
      is_dead_ = true;
      return absl::CancelledError("the process is dead");
    }
    if (fate.kind == Kind::kFailBefore) return fate.error;
    if (fate.kind == Kind::kLate) {
      server_->late_.push_back(
          {[perform] { StatusOf(perform()).IgnoreError(); }, std::move(fate.arrives_after)});
      return fate.error;
    }
    Answer answer = perform();
    server_->DeliverAfter(call);
    if (fate.kind == Kind::kFailAfter) return fate.error;
    if (fate.kind != Kind::kDieAfter) return answer;
    is_dead_ = true;
    return absl::CancelledError("the process is dead");
  });
}

// What is performed may come late: it owns all that it needs.

absl::StatusOr<PriorityClass> FakeObjects::Client::ReadPriorityClass(std::string_view name,
                                                                     const CallLimits& limits) {
  const std::string n(name);
  return Send<absl::StatusOr<PriorityClass>>({Verb::kGet, kClass, n}, limits,
                                             [s = server_, n] { return s->classes_.Read(n); });
}

absl::StatusOr<PriorityClass> FakeObjects::Client::ParsePriorityClass(
    std::string_view manifest) const {
  const std::lock_guard<std::mutex> lock(server_->mutex_);
  return server_->classes_.Parse(manifest);
}

absl::StatusOr<PriorityClass> FakeObjects::Client::CreatePriorityClass(const NewPriorityClass& made,
                                                                       const CallLimits& limits) {
  const auto parsed = ParsePriorityClass(made.manifest);
  if (!parsed.ok()) return parsed.status();
  FakeClassStore::Made owned{std::string(made.manifest), made.value, made.annotations, "outrigger"};
  return Send<absl::StatusOr<PriorityClass>>(
      {Verb::kCreate, kClass, parsed->name}, limits,
      [s = server_, owned] { return s->classes_.Create(owned, false); });
}

absl::Status FakeObjects::Client::TryCreatePriorityClass(const NewPriorityClass& made,
                                                         const CallLimits& limits) {
  const auto parsed = ParsePriorityClass(made.manifest);
  if (!parsed.ok()) return parsed.status();
  FakeClassStore::Made owned{std::string(made.manifest), made.value, made.annotations, "outrigger"};
  absl::Status answer =
      Send<absl::Status>({Verb::kTry, kClass, parsed->name}, limits,
                         [s = server_, owned] { return s->classes_.Create(owned, true).status(); });
  return absl::IsAlreadyExists(answer) ? absl::OkStatus() : answer;
}

absl::Status FakeObjects::Client::DeletePriorityClass(std::string_view name, std::string_view uid,
                                                      std::string_view resource_version,
                                                      const CallLimits& limits) {
  if (uid.empty() || resource_version.empty()) return NoPreconditions();
  const std::string n(name), u(uid), v(resource_version);
  return Send<absl::Status>({Verb::kDelete, kClass, n}, limits,
                            [s = server_, n, u, v] { return s->classes_.Delete(n, u, v); });
}

absl::StatusOr<AdmittedPod> FakeObjects::Client::TryPod(std::string_view /*namespace_*/,
                                                        std::string_view class_name,
                                                        const CallLimits& limits) {
  const std::string n(class_name);
  return Send<absl::StatusOr<AdmittedPod>>({Verb::kTry, "Pod", n}, limits,
                                           [s = server_, n] { return s->Admitted(n); });
}

absl::StatusOr<bool> FakeObjects::Client::OwnerExists(const OwnerReference& owner,
                                                      const CallLimits& limits) {
  return Send<absl::StatusOr<bool>>(
      {Verb::kGet, owner.kind, owner.name}, limits,
      [s = server_, uid = owner.uid] { return s->classes_.HasOwner(uid); });
}

absl::StatusOr<ConfigMap> FakeObjects::Client::ReadConfigMap(std::string_view namespace_,
                                                             std::string_view name,
                                                             const CallLimits& limits) {
  const std::string ns(namespace_), n(name);
  return Send<absl::StatusOr<ConfigMap>>({Verb::kGet, kMap, n}, limits,
                                         [s = server_, ns, n] { return s->maps_.Read(ns, n); });
}

absl::StatusOr<ConfigMap> FakeObjects::Client::WriteConfigMap(const ConfigMap& map,
                                                              const CallLimits& limits) {
  const Verb verb = map.resource_version.empty() ? Verb::kCreate : Verb::kUpdate;
  return Send<absl::StatusOr<ConfigMap>>({verb, kMap, map.name}, limits,
                                         [s = server_, map] { return s->maps_.Write(map); });
}

absl::Status FakeObjects::Client::DeleteConfigMap(const ConfigMap& map, const CallLimits& limits) {
  if (map.uid.empty() || map.resource_version.empty()) return NoPreconditions();
  return Send<absl::Status>({Verb::kDelete, kMap, map.name}, limits,
                            [s = server_, map] { return s->maps_.Delete(map); });
}

// --- the server's own

absl::StatusOr<PriorityClass> FakeObjects::ReadPriorityClass(std::string_view name,
                                                             const CallLimits& limits) {
  return self_.ReadPriorityClass(name, limits);
}

absl::StatusOr<PriorityClass> FakeObjects::ParsePriorityClass(std::string_view manifest) const {
  return self_.ParsePriorityClass(manifest);
}

absl::StatusOr<PriorityClass> FakeObjects::CreatePriorityClass(const NewPriorityClass& made,
                                                               const CallLimits& limits) {
  return self_.CreatePriorityClass(made, limits);
}

absl::Status FakeObjects::TryCreatePriorityClass(const NewPriorityClass& made,
                                                 const CallLimits& limits) {
  return self_.TryCreatePriorityClass(made, limits);
}

absl::Status FakeObjects::DeletePriorityClass(std::string_view name, std::string_view uid,
                                              std::string_view resource_version,
                                              const CallLimits& limits) {
  return self_.DeletePriorityClass(name, uid, resource_version, limits);
}

absl::StatusOr<AdmittedPod> FakeObjects::TryPod(std::string_view namespace_,
                                                std::string_view class_name,
                                                const CallLimits& limits) {
  return self_.TryPod(namespace_, class_name, limits);
}

absl::StatusOr<bool> FakeObjects::OwnerExists(const OwnerReference& owner,
                                              const CallLimits& limits) {
  return self_.OwnerExists(owner, limits);
}

absl::StatusOr<ConfigMap> FakeObjects::ReadConfigMap(std::string_view namespace_,
                                                     std::string_view name,
                                                     const CallLimits& limits) {
  return self_.ReadConfigMap(namespace_, name, limits);
}

absl::StatusOr<ConfigMap> FakeObjects::WriteConfigMap(const ConfigMap& map,
                                                      const CallLimits& limits) {
  return self_.WriteConfigMap(map, limits);
}

absl::Status FakeObjects::DeleteConfigMap(const ConfigMap& map, const CallLimits& limits) {
  return self_.DeleteConfigMap(map, limits);
}

}  // namespace outrigger::testing
