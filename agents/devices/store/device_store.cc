#include "store/device_store.h"

#include "absl/status/statusor.h"

namespace outrigger::devices::agent {
namespace {

Gone GoneOf(const CustomObjectName& object) {
  return {.from = Source::kWatch, .uid = {}, .version = object.resource_version};
}

}  // namespace

/// One kind.
class DeviceStore::Sink final : public CustomObjectSink {
 public:
  struct Deeds {
    std::function<absl::Status(std::string_view json)> upsert;
    std::function<bool(Contents*, const CustomObjectName& object)> remove;
    std::function<void(Contents*)> begin_list;
    std::function<bool(Contents*, std::string_view version)> end_list;
  };
  Sink(DeviceStore* store, const CustomKind& kind, Deeds deeds)
      : store_(*store), kind_(kind), deeds_(std::move(deeds)) {}

  const CustomKind& kind() const { return kind_; }
  absl::Status Upsert(const CustomObjectName& /*object*/, std::string_view json) override {
    return deeds_.upsert(json);
  }
  void Remove(const CustomObjectName& object) override {
    store_.Change([&](Contents* contents) { return deeds_.remove(contents, object); });
  }
  void BeginReplace() override {
    store_.Change([&](Contents* contents) {
      deeds_.begin_list(contents);
      return false;
    });
  }
  void EndReplace(std::string_view version) override {
    store_.Change([&](Contents* contents) { return deeds_.end_list(contents, version); });
  }

 private:
  DeviceStore& store_;
  const CustomKind& kind_;
  const Deeds deeds_;
};

template <typename T>
absl::Status DeviceStore::Take(absl::StatusOr<T> object, Source from) {
  if (!object.ok()) return object.status();
  Change([&](Contents* contents) { return contents->Put(*std::move(object), from); });
  return absl::OkStatus();
}

DeviceStore::DeviceStore() {
  const auto add = [this](const CustomKind& kind, Sink::Deeds deeds) {
    sinks_.push_back(std::make_unique<Sink>(this, kind, std::move(deeds)));
  };
  add(kPoolKind, {[this](auto json) { return Take(ParsePool(json), Source::kWatch); },
                  [](auto* contents, const auto& object) {
                    return contents->RemovePool(object.name, GoneOf(object));
                  },
                  [](auto* contents) { contents->BeginPools(); },
                  [](auto* contents, auto version) { return contents->EndPools(version); }});
  add(kClassKind, {[this](auto json) { return Take(ParseClass(json), Source::kWatch); },
                   [](auto* contents, const auto& object) {
                     return contents->RemoveClass(object.name, GoneOf(object));
                   },
                   [](auto* contents) { contents->BeginClasses(); },
                   [](auto* contents, auto version) { return contents->EndClasses(version); }});
  add(kDriverKind,
      {[this](auto json) { return Take(ParseDriver(json), Source::kWatch); },
       [](auto* contents, const auto& object) { return contents->RemoveDriver(object.name); },
       [](auto*) {}, [](auto*, auto) { return false; }});
  add(kNamespaceKind,
      {[this](auto json) { return Take(ParseNamespace(json), Source::kWatch); },
       [](auto* contents, const auto& object) { return contents->RemoveNamespace(object.name); },
       [](auto*) {}, [](auto*, auto) { return false; }});
  for (const bool privileged : {false, true}) {
    add(privileged ? kPrivilegedClaimKind : kClaimKind,
        {[this](auto json) { return Take(ParseClaim(json), Source::kWatch); },
         [privileged](auto* contents, const auto& object) {
           return contents->RemoveClaim(object.namespace_, object.name, privileged, GoneOf(object));
         },
         [privileged](auto* contents) { contents->BeginClaims(privileged); },
         [privileged](auto* contents, auto version) {
           return contents->EndClaims(privileged, version);
         }});
  }
}

DeviceStore::~DeviceStore() {
  Stop();
}

void DeviceStore::Follow(CustomObjectAccess* api) {
  const WriterLock lock(follow_mutex_);
  for (const auto& sink : sinks_) followed_.push_back(api->Follow(sink->kind(), sink.get()));
}

void DeviceStore::Stop() {
  std::vector<std::unique_ptr<FollowedKind>> ended;  // without a lock
  const WriterLock lock(follow_mutex_);
  ended.swap(followed_);
}

absl::Status DeviceStore::Usable() const {
  const ReaderLock lock(follow_mutex_);
  if (followed_.empty()) return absl::UnavailableError("devices are not listed yet");
  for (const auto& kind : followed_) {
    absl::Status usable = kind->Usable();
    if (!usable.ok()) return usable;
  }
  return absl::OkStatus();
}

void DeviceStore::Look(absl::FunctionRef<void(const Contents&)> look) const {
  const ReaderLock lock(mutex_);
  look(contents_);
}

void DeviceStore::LookAlone(absl::FunctionRef<void(Contents*)> look) const {
  const WriterLock lock(mutex_);
  look(&contents_);
}

void DeviceStore::Change(absl::FunctionRef<bool(Contents*)> change) {
  bool has_changed = false;
  {
    const WriterLock lock(mutex_);
    has_changed = change(&contents_);
  }
  if (has_changed && changed_ != nullptr) changed_();
}

absl::Status DeviceStore::LearnPool(std::string_view json) {
  return Take(ParsePool(json), Source::kWrite);
}

absl::Status DeviceStore::LearnClaim(std::string_view json) {
  return Take(ParseClaim(json), Source::kWrite);
}

absl::Status DeviceStore::LearnClass(std::string_view json) {
  return Take(ParseClass(json), Source::kWrite);
}

}  // namespace outrigger::devices::agent
