#include "apiserver/store/store.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "absl/strings/numbers.h"
#include "apiserver/select/field_path.h"

namespace outrigger::apiserver {
namespace {

void SetVersion(uint64_t version, Json* object) {
  object->erase("apiVersion");
  object->erase("kind");
  (*object)["metadata"]["resourceVersion"] = std::to_string(version);
}

// Without apiVersion and kind; what is no UTF-8 in it is replaced.
std::string StoredTextOf(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace).substr(1);
}

}  // namespace

ObjectName NameOfObject(const Json& object) {
  return {TextAt(object, "metadata.namespace"), TextAt(object, "metadata.name")};
}

Json Stored::Parse() const {
  return Json::parse("{" + text);
}

Collection* Store::Open(std::string_view name, const FieldsOf& fields_of) {
  const MutexLock lock(mutex_);
  std::unique_ptr<Collection>& collection = collections_[std::string(name)];
  if (collection == nullptr) {
    collection = std::make_unique<Collection>(Collection{std::string(name), fields_of, {}});
  }
  return collection.get();
}

StoredPtr Store::Draft(const Collection& collection, Json object) {
  auto stored = std::make_shared<Stored>();
  object.erase("apiVersion");
  object.erase("kind");
  const Json& metadata = object["metadata"];
  stored->name = NameOfObject(object);
  stored->uid = TextAt(metadata, "uid");
  stored->deleting = metadata.contains("deletionTimestamp");
  (void)absl::SimpleAtoi(TextAt(metadata, "resourceVersion"), &stored->version);
  if (const Json* const labels = ValueAt(metadata, "labels")) {
    for (const auto& [key, value] : labels->items()) {
      if (value.is_string()) stored->labels.Append(key, value.get_ref<const std::string&>());
    }
    stored->labels.Normalize();
  }
  for (const Json& owner : apiserver::ListAt(metadata, "ownerReferences")) {
    stored->owners.push_back(TextAt(owner, "uid"));
  }
  if (collection.fields_of) stored->fields = collection.fields_of(object);
  stored->text = StoredTextOf(object);
  return stored;
}

Written Store::Create(Collection* collection, Json object, StoredPtr* stored) {
  const MutexLock lock(mutex_);
  if (collection->objects.contains(NameOfObject(object))) return Written::kExists;
  SetVersion(version_ + 1, &object);
  *stored = Draft(*collection, std::move(object));
  collection->objects.emplace((*stored)->name, *stored);
  Index(collection, **stored, /*add=*/true);
  Append({Change::Kind::kAdded, collection, *stored, nullptr});
  return Written::kDone;
}

// Whether a write that was based on `base` may be.
Written Store::Check(const Collection& collection, const Stored& base) const {
  const auto at = collection.objects.find(base.name);
  if (at == collection.objects.end() || at->second->uid != base.uid) return Written::kMissing;
  return at->second->version == base.version ? Written::kDone : Written::kConflict;
}

Written Store::Replace(Collection* collection, const StoredPtr& base, Json object,
                       StoredPtr* stored) {
  // The same text is no change.
  SetVersion(base->version, &object);
  const bool is_same = StoredTextOf(object) == base->text;
  const MutexLock lock(mutex_);
  if (const Written may = Check(*collection, *base); may != Written::kDone) return may;
  *stored = base;
  if (is_same) return Written::kNothing;
  SetVersion(version_ + 1, &object);
  *stored = Draft(*collection, std::move(object));
  Index(collection, *base, /*add=*/false);
  Index(collection, **stored, /*add=*/true);
  collection->objects[base->name] = *stored;
  Append({Change::Kind::kModified, collection, *stored, base});
  return Written::kDone;
}

Written Store::Remove(Collection* collection, const StoredPtr& base, Json state, StoredPtr* last) {
  const MutexLock lock(mutex_);
  if (const Written may = Check(*collection, *base); may != Written::kDone) return may;
  SetVersion(version_ + 1, &state);
  *last = Draft(*collection, std::move(state));
  Index(collection, *base, /*add=*/false);
  collection->objects.erase(base->name);
  Append({Change::Kind::kDeleted, collection, *last, base});
  return Written::kDone;
}

void Store::Index(Collection* collection, const Stored& object, bool add) {
  for (const std::string& owner : object.owners) {
    if (add) {
      owned_[owner].emplace(collection, object.name);
    } else if (owned_[owner].erase({collection, object.name}); owned_[owner].empty()) {
      owned_.erase(owner);
    }
  }
  add ? (void)uids_.insert(object.uid) : (void)uids_.erase(object.uid);
}

void Store::Append(Change change) {
  ++version_;
  if (change.before != nullptr) past_bytes_ += change.before->text.size();
  changes_.push_back(std::move(change));
  while (changes_.size() > limits_.changes ||
         (past_bytes_ > limits_.bytes && changes_.size() > 1)) {
    if (changes_.front().before != nullptr) past_bytes_ -= changes_.front().before->text.size();
    changes_.pop_front();
    ++first_;
  }
  changed_.notify_all();
}

StoredPtr Store::Get(const Collection& collection, const ObjectName& name) const {
  const MutexLock lock(mutex_);
  const auto at = collection.objects.find(name);
  return at == collection.objects.end() ? nullptr : at->second;
}

Listing Store::ListLocked(const Collection& collection, std::string_view namespace_) const {
  Listing listing;
  listing.version = version_;
  auto at = collection.objects.lower_bound({std::string(namespace_), ""});
  for (; at != collection.objects.end(); ++at) {
    if (!namespace_.empty() && at->first.namespace_ != namespace_) break;
    listing.objects.push_back(at->second);
  }
  return listing;
}

Listing Store::List(const Collection& collection, std::string_view namespace_) const {
  const MutexLock lock(mutex_);
  return ListLocked(collection, namespace_);
}

// What was changed since is taken back, the last change first.
std::optional<Listing> Store::ListAt(const Collection& collection, std::string_view namespace_,
                                     uint64_t version) const {
  const MutexLock lock(mutex_);
  if (version + 1 < first_ || version > version_) return std::nullopt;
  Listing listing = ListLocked(collection, namespace_);
  listing.version = version;
  if (version == version_) return listing;
  std::map<ObjectName, StoredPtr> at;
  for (const StoredPtr& object : listing.objects) at[object->name] = object;
  for (size_t i = changes_.size(); i > 0 && first_ + i - 1 > version; --i) {
    const Change& change = changes_[i - 1];
    const ObjectName& name = change.now->name;
    if (change.collection != &collection) continue;
    if (!namespace_.empty() && name.namespace_ != namespace_) continue;
    if (change.before == nullptr) {
      at.erase(name);
    } else {
      at[name] = change.before;
    }
  }
  listing.objects.clear();
  for (auto& [name, object] : at) listing.objects.push_back(std::move(object));
  return listing;
}

std::vector<std::pair<Collection*, ObjectName>> Store::OwnedBy(const std::string& uid) const {
  const MutexLock lock(mutex_);
  const auto at = owned_.find(uid);
  if (at == owned_.end()) return {};
  return {at->second.begin(), at->second.end()};
}

std::vector<StoredPtr> Store::OwnedIn(const Collection* collection, const std::string& uid) const {
  std::vector<StoredPtr> owned;
  const MutexLock lock(mutex_);
  const auto at = owned_.find(uid);
  if (at == owned_.end()) return owned;
  for (const auto& [of, name] : at->second) {
    if (of == collection) owned.push_back(collection->objects.at(name));
  }
  return owned;
}

std::vector<Collection*> Store::CollectionsWith(const std::string& namespace_) const {
  std::vector<Collection*> with;
  const MutexLock lock(mutex_);
  for (const auto& [name, collection] : collections_) {
    const auto at = collection->objects.lower_bound({namespace_, ""});
    if (at != collection->objects.end() && at->first.namespace_ == namespace_) {
      with.push_back(collection.get());
    }
  }
  return with;
}

bool Store::HasUid(const std::string& uid) const {
  const MutexLock lock(mutex_);
  return uids_.contains(uid);
}

uint64_t Store::version() const {
  const MutexLock lock(mutex_);
  return version_;
}

bool Store::ChangesAfter(uint64_t version, size_t most, std::vector<Change>* changes) const {
  const MutexLock lock(mutex_);
  if (version + 1 < first_) return false;
  for (uint64_t at = version + 1 - first_; at < changes_.size() && most > 0; ++at, --most) {
    changes->push_back(changes_[at]);
  }
  return true;
}

void Store::WaitForChange(uint64_t version, std::chrono::milliseconds time,
                          const std::stop_token& stop) const {
  MutexLock lock(mutex_);
  changed_.wait_for(lock, stop, time,
                    [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return version_ > version; });
}

}  // namespace outrigger::apiserver
