#include "store/device_store.h"

#include "absl/status/statusor.h"

namespace outrigger::devices::agent {

class DeviceStore::Sink : public CustomObjectSink {
 public:
  Sink(DeviceStore* store, const CustomKind& kind) : store_(*store), kind_(kind) {}
  const CustomKind& kind() const { return kind_; }

 protected:
  // What could be parsed goes into the store.
  template <typename T, typename Put>
  absl::Status Take(absl::StatusOr<T> object, Put put) {
    if (!object.ok()) return object.status();
    store_.Change([&](Contents* contents) { return put(contents, *std::move(object)); });
    return absl::OkStatus();
  }
  DeviceStore& store_;

 private:
  const CustomKind& kind_;
};

class DeviceStore::PoolSink final : public Sink {
 public:
  explicit PoolSink(DeviceStore* store) : Sink(store, kPoolKind) {}
  absl::Status Upsert(const CustomObjectName& /*object*/, std::string_view json) override {
    return Take(ParsePool(json), [](Contents* contents, PoolObject pool) {
      return contents->Put(std::move(pool), Source::kWatch);
    });
  }
  void Remove(const CustomObjectName& object) override {
    store_.Change(
        [&](Contents* contents) { return contents->RemovePool(object.name, object.uid); });
  }
  void BeginReplace() override {
    store_.Change([](Contents* contents) {
      contents->OnPoolList();
      return false;
    });
  }
};

class DeviceStore::ClaimSink final : public Sink {
 public:
  ClaimSink(DeviceStore* store, bool privileged)
      : Sink(store, privileged ? kPrivilegedClaimKind : kClaimKind), privileged_(privileged) {}
  absl::Status Upsert(const CustomObjectName& /*object*/, std::string_view json) override {
    return Take(ParseClaim(json), [](Contents* contents, ClaimObject claim) {
      return contents->Put(std::move(claim), Source::kWatch);
    });
  }
  void Remove(const CustomObjectName& object) override {
    store_.Change([&](Contents* contents) {
      return contents->RemoveClaim(object.namespace_, object.name, privileged_, object.uid);
    });
  }
  void BeginReplace() override {
    store_.Change([this](Contents* contents) {
      contents->OnClaimList(privileged_);
      return false;
    });
  }

 private:
  const bool privileged_;
};

class DeviceStore::ClassSink final : public Sink {
 public:
  explicit ClassSink(DeviceStore* store) : Sink(store, kClassKind) {}
  absl::Status Upsert(const CustomObjectName& /*object*/, std::string_view json) override {
    return Take(ParseClass(json), [](Contents* contents, ClassObject of) {
      return contents->Put(std::move(of), Source::kWatch);
    });
  }
  void Remove(const CustomObjectName& object) override {
    store_.Change(
        [&](Contents* contents) { return contents->RemoveClass(object.name, object.uid); });
  }
  void BeginReplace() override {
    store_.Change([](Contents* contents) {
      contents->OnClassList();
      return false;
    });
  }
};

class DeviceStore::DriverSink final : public Sink {
 public:
  explicit DriverSink(DeviceStore* store) : Sink(store, kDriverKind) {}
  absl::Status Upsert(const CustomObjectName& /*object*/, std::string_view json) override {
    return Take(ParseDriver(json),
                [](Contents* contents, Driver driver) { return contents->Put(std::move(driver)); });
  }
  void Remove(const CustomObjectName& object) override {
    store_.Change([&](Contents* contents) { return contents->RemoveDriver(object.name); });
  }
};

DeviceStore::DeviceStore() {
  sinks_.push_back(std::make_unique<PoolSink>(this));
  sinks_.push_back(std::make_unique<ClaimSink>(this, false));
  sinks_.push_back(std::make_unique<ClassSink>(this));
  sinks_.push_back(std::make_unique<DriverSink>(this));
  sinks_.push_back(std::make_unique<ClaimSink>(this, true));
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
  if (followed_.empty()) return absl::UnavailableError("devices are not followed yet");
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
  auto pool = ParsePool(json);
  if (!pool.ok()) return pool.status();
  Change([&](Contents* contents) { return contents->Put(*std::move(pool), Source::kWrite); });
  return absl::OkStatus();
}

absl::Status DeviceStore::LearnClaim(std::string_view json) {
  auto claim = ParseClaim(json);
  if (!claim.ok()) return claim.status();
  Change([&](Contents* contents) { return contents->Put(*std::move(claim), Source::kWrite); });
  return absl::OkStatus();
}

absl::Status DeviceStore::LearnClass(std::string_view json) {
  auto of = ParseClass(json);
  if (!of.ok()) return of.status();
  Change([&](Contents* contents) { return contents->Put(*std::move(of), Source::kWrite); });
  return absl::OkStatus();
}

}  // namespace outrigger::devices::agent
