#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/failure.h"
#include "apiserver/store/store.h"
#include "outrigger/base/clock.h"

// What is done to an object before it is written, beside its schema's types and constant defaults:
// what kube-apiserver's strategies, defaulting functions and admission plugins do, as far as a
// scheduler and its users feel it.

namespace outrigger::apiserver {

/// A built-in or custom kind, and what is done with its objects.
struct KindName {
  std::string group;
  std::string kind;
  friend bool operator==(const KindName&, const KindName&) = default;
};

/// Which part of an object a write is about.
enum class Part : uint8_t { kMain, kStatus, kBinding };

struct AdmissionOptions {
  /// Does to members of gangs what deploy/guard-policy.yaml and member-policy.yaml do.
  bool gangs = false;
};

/// Thread-safe.
class Admission {
 public:
  /// `store` lives longer.
  Admission(Store* store, AdmissionOptions options);

  /// A new object: its metadata is there, and its schema's defaults. Appends to `warnings` what the
  /// answer's headers say.
  std::optional<Failure> OnCreate(const KindName& kind, Json* object,
                                  std::vector<std::string>* warnings) const;
  /// `object` is to replace `old`.
  std::optional<Failure> OnUpdate(const KindName& kind, Part part, const Json& old,
                                  Json* object) const;
  /// What must stay.
  std::optional<Failure> OnDelete(const KindName& kind, const std::string& name) const;

 private:
  Json DefaultClass() const;
  std::optional<Failure> CheckDefaultClass(const Json& priority_class) const;
  std::optional<Failure> SetPriority(Json* pod) const;

  const AdmissionOptions options_;
  Store* const store_;
  Collection* const priority_classes_;
};

/// True for kinds whose status is written by its own subresource alone, but when they are made.
bool KeepsStatusOfCreate(const KindName& kind);
/// True for kinds whose metadata.generation counts changes of their spec.
bool HasGeneration(const KindName& kind);

/// What the names of a kind are made of: causes if `object`'s is none, or its namespace, labels,
/// annotations or owners are not what metadata may have.
std::vector<Cause> CheckMetadata(const KindName& kind, bool namespaced, const Json& object);

/// "2026-01-02T03:04:05Z"
std::string TimeText(std::chrono::system_clock::time_point time);

}  // namespace outrigger::apiserver
