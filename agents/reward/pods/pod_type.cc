#include "pods/pod_type.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "fmt/format.h"

namespace outrigger::reward {
namespace {

constexpr std::array<std::string_view, 4> kLabels = {"podtype", "app.kubernetes.io/name", "app",
                                                     "name"};
constexpr std::array<std::string_view, 3> kOriginalLabels = {"podtype", "app", "name"};
constexpr size_t kLongestName = 253;
constexpr size_t kLongestImages = 128;
constexpr size_t kCutImages = kLongestImages - 17;  // '~' and the hash
constexpr size_t kLeastOfATime = 8;                 // digits of the minutes since 1970, or seconds

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '-' || c == '_' ||
         c == '.';
}

bool IsImageCharacter(char c) {
  return c > ' ' && c <= '~';
}

// "backup" of "backup-29112480", the Job of a CronJob.
std::string_view WithoutTime(std::string_view name) {
  const size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return name;
  const std::string_view end = name.substr(dash + 1);
  const bool is_time = end.size() >= kLeastOfATime && std::ranges::all_of(end, IsDigit);
  return is_time ? name.substr(0, dash) : name;
}

// "web" of "web-6d4cf56db6", the ReplicaSet of a Deployment.
std::string_view WithoutHash(std::string_view name, const Pod& pod) {
  const auto* const hash = pod.labels.Find("pod-template-hash");
  if (hash == nullptr || hash->empty() || !name.ends_with(*hash)) return name;
  const std::string_view rest = name.substr(0, name.size() - hash->size());
  return rest.size() > 1 && rest.ends_with('-') ? rest.substr(0, rest.size() - 1) : name;
}

std::string_view NameOf(const Pod& pod, std::string_view label) {
  const auto* const own = label.empty() ? nullptr : pod.labels.Find(label);
  if (own != nullptr && !own->empty()) return *own;
  for (const std::string_view key : kLabels) {
    const auto* const value = pod.labels.Find(key);
    if (value != nullptr && !value->empty()) return *value;
  }
  // Of a pod from a file of its node the controller is the node.
  if (!pod.controller || pod.controller->name.empty() || pod.controller->kind == "Node") {
    return pod.name;
  }
  const OwnerReference& owner = *pod.controller;
  if (owner.kind == "Job") return WithoutTime(owner.name);
  return owner.kind == "ReplicaSet" ? WithoutHash(owner.name, pod) : owner.name;
}

// FNV-1a: the same in every process.
uint64_t HashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string ImagesOf(const Pod& pod) {
  std::string images = fmt::format("{}", fmt::join(pod.images, ","));
  if (images.empty()) return "-";
  const bool is_plain = std::ranges::all_of(images, IsImageCharacter);
  if (is_plain && images.size() <= kLongestImages) return images;
  const uint64_t hash = HashOf(images);
  images.resize(std::min(images.size(), kCutImages));
  std::ranges::replace_if(
      images, [](char c) { return !IsImageCharacter(c); }, '?');
  return fmt::format("{}~{:016x}", images, hash);
}

}  // namespace

std::string TypeOf(const Pod& pod, std::string_view label) {
  const std::string_view name = NameOf(pod, label);
  if (!IsName(name) || !IsName(pod.namespace_)) return "";
  return fmt::format("{}/{} {}", pod.namespace_, name, ImagesOf(pod));
}

bool IsNamesake(const PodView& pod, const TypeParts& type, std::string_view label) {
  if (pod.Namespace() != type.namespace_) return false;
  if (!label.empty() && !pod.Label(label).empty()) return pod.Label(label) == type.name;
  for (const std::string_view key : kLabels) {
    if (const std::string_view value = pod.Label(key); !value.empty()) return value == type.name;
  }
  return NameOf(pod.Unpack(), label) == type.name;
}

TypeParts PartsOf(std::string_view type) {
  const size_t slash = std::min(type.find('/'), type.size());
  const size_t blank = std::min(type.find(' ', slash), type.size());
  TypeParts parts;
  parts.namespace_ = type.substr(0, slash);
  if (slash < blank) parts.name = type.substr(slash + 1, blank - slash - 1);
  if (blank < type.size()) parts.images = type.substr(blank + 1);
  return parts;
}

bool IsType(std::string_view text) {
  const auto [namespace_, name, images] = PartsOf(text);
  return IsName(namespace_) && IsName(name) && !images.empty() && images.size() <= kLongestImages &&
         std::ranges::all_of(images, IsImageCharacter);
}

std::string_view OriginalTypeOf(const Pod& pod) {
  for (const std::string_view label : kOriginalLabels) {
    if (const auto* const value = pod.labels.Find(label)) return *value;
  }
  return pod.name;
}

std::string_view OriginalTypeOf(const PodView& pod) {
  for (const std::string_view label : kOriginalLabels) {
    const std::string_view value = pod.Label(label);
    if (value.data() != nullptr) return value;
  }
  return pod.Name();
}

bool IsName(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && std::ranges::all_of(text, IsNameCharacter);
}

}  // namespace outrigger::reward
