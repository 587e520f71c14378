#include "store/contents.h"

#include <utility>

#include "fmt/format.h"

namespace outrigger::devices::agent {
namespace {

std::string KeyOf(std::string_view namespace_, std::string_view name) {
  return fmt::format("{}/{}", namespace_, name);
}

}  // namespace

Contents::Without::Without(Contents* contents, std::vector<std::string> claims)
    : contents_(*contents), claims_(std::move(claims)) {
  for (const std::string& name : claims_) contents_.inventory_.SetHolding(name, {});
}

Contents::Without::~Without() {
  for (const std::string& name : claims_) {
    contents_.inventory_.SetHolding(name, contents_.HeldBy(name));
  }
}

void Contents::CountPools(const std::string& driver, int more) {
  int& count = pools_of_[driver];
  const bool were_none = count == 0;
  count += more;
  if (were_none != (count == 0)) ++class_epoch_;
  if (count == 0) pools_of_.erase(driver);
}

void Contents::Touch(const Pool& pool) {
  if (pool.node.empty()) {
    touched_.everywhere = true;
  } else {
    touched_.nodes.insert(pool.node);
  }
}

void Contents::Touch(const ClaimObject& claim) {
  for (const Allocation& one : claim.claim.allocations) {
    const Pool* pool = inventory_.FindPool(one.pool);
    if (pool != nullptr) Touch(*pool);
  }
}

bool Contents::Put(PoolObject pool, Source from) {
  const auto object = std::make_shared<const PoolObject>(std::move(pool));
  const std::string& name = object->pool.name;
  const auto change = pools_.Put(name, object, from);
  if (!change.is_taken) return false;
  Touch(object->pool);
  CountPools(object->pool.driver, 1);
  if (change.before != nullptr) {
    Touch(change.before->pool);
    CountPools(change.before->pool.driver, -1);
  }
  if (change.before != nullptr && change.before->pool == object->pool) {
    ledger_.SetEntries(name, object->entries);
    return *change.before != *object;
  }
  inventory_.RemovePool(name);
  ledger_.SetEntries(name, object->entries);  // before the pool, which then counts them once
  inventory_.SetPool(object->pool);
  return true;
}

void Contents::Forget(const PoolObject& pool) {
  Touch(pool.pool);
  CountPools(pool.pool.driver, -1);
  inventory_.RemovePool(pool.pool.name);
  ledger_.SetEntries(pool.pool.name, {});
}

bool Contents::RemovePool(std::string_view name, const Gone& gone) {
  const auto pool = pools_.Remove(name, gone);
  if (pool != nullptr) Forget(*pool);
  return pool != nullptr;
}

bool Contents::EndPools(std::string_view version) {
  const auto gone = pools_.EndList(version);
  for (const auto& [name, pool] : gone) Forget(*pool);
  return !gone.empty();
}

// A claim is owned by the pod that it was embedded in.
std::string Contents::AdminAccessFault(const ClaimObject& claim) const {
  if (!HasAdminAccess(claim, inventory_)) return {};
  return devices::AdminAccessFault(
      claim, {.is_embedded = !claim.owner_pod_uid.empty(),
              .in_admin_namespace = admin_namespaces_.contains(claim.claim.namespace_)});
}

bool Contents::Put(ClaimObject claim, Source from) {
  const auto object = std::make_shared<const ClaimObject>(std::move(claim));
  const std::string name = NameOf(object->claim);
  const auto change = claims_[object->privileged ? 1 : 0].Put(name, object, from);
  if (!change.is_taken) return false;
  if (change.before != nullptr) Touch(*change.before);
  Touch(*object);
  if (change.before == nullptr || change.before->version.generation != object->version.generation) {
    touched_.claims.insert(name);
  }
  if (!object->privileged) ledger_.SetClaim(name, object->version.uid, HoldingOf(*object));
  return change.before == nullptr || *change.before != *object;
}

void Contents::Forget(const ClaimObject& claim) {
  Touch(claim);
  touched_.claims.insert(NameOf(claim.claim));
  if (!claim.privileged) ledger_.RemoveClaim(NameOf(claim.claim));
}

bool Contents::RemoveClaim(std::string_view namespace_, std::string_view name, bool privileged,
                           const Gone& gone) {
  const auto claim = claims_[privileged ? 1 : 0].Remove(KeyOf(namespace_, name), gone);
  if (claim != nullptr) Forget(*claim);
  return claim != nullptr;
}

bool Contents::EndClaims(bool privileged, std::string_view version) {
  const auto gone = claims_[privileged ? 1 : 0].EndList(version);
  for (const auto& [name, claim] : gone) Forget(*claim);
  return !gone.empty();
}

bool Contents::Assume(const Claim& claim, std::vector<Allocation> holding) {
  const std::string name = NameOf(claim);
  const std::vector<Allocation> before = ledger_.HeldBy(name, claim.uid);
  ledger_.Assume(name, claim.uid, std::move(holding));
  if (ledger_.HeldBy(name, claim.uid) == before) return false;
  for (const Allocation& one : before) {
    if (const Pool* pool = inventory_.FindPool(one.pool); pool != nullptr) Touch(*pool);
  }
  return true;
}

std::shared_ptr<const ClaimObject> Contents::FindClaim(std::string_view namespace_,
                                                       std::string_view name,
                                                       bool privileged) const {
  return claims_[privileged ? 1 : 0].Find(KeyOf(namespace_, name));
}

bool Contents::Put(ClassObject of, Source from) {
  const auto object = std::make_shared<const ClassObject>(std::move(of));
  const std::string& name = object->of.name;
  const auto change = classes_.Put(name, object, from);
  if (!change.is_taken) return false;
  if (change.before == nullptr || change.before->of != object->of) inventory_.SetClass(object->of);
  OnTerms();
  return change.before == nullptr || *change.before != *object;
}

void Contents::Forget(const ClassObject& of) {
  OnTerms();
  inventory_.RemoveClass(of.of.name);
}

bool Contents::RemoveClass(std::string_view name, const Gone& gone) {
  const auto of = classes_.Remove(name, gone);
  if (of != nullptr) Forget(*of);
  return of != nullptr;
}

bool Contents::EndClasses(std::string_view version) {
  const auto gone = classes_.EndList(version);
  for (const auto& [name, of] : gone) Forget(*of);
  return !gone.empty();
}

bool Contents::Put(Driver driver, Source /*from*/) {
  Driver& known = drivers_[driver.name];
  if (known == driver) return false;
  known = driver;
  OnTerms();
  inventory_.SetDriver(std::move(driver));
  return true;
}

bool Contents::RemoveDriver(std::string_view name) {
  const auto at = drivers_.find(name);
  if (at == drivers_.end()) return false;
  OnTerms();
  drivers_.erase(at);
  inventory_.RemoveDriver(name);
  return true;
}

bool Contents::Put(NamespaceObject name_space, Source /*from*/) {
  if (!name_space.admin_access) return RemoveNamespace(name_space.name);
  if (!admin_namespaces_.insert(std::move(name_space.name)).second) return false;
  OnTerms();
  return true;
}

bool Contents::RemoveNamespace(std::string_view name) {
  const auto at = admin_namespaces_.find(name);
  if (at == admin_namespaces_.end()) return false;
  admin_namespaces_.erase(at);
  OnTerms();
  return true;
}

}  // namespace outrigger::devices::agent
