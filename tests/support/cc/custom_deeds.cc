#include "custom_deeds.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fmt/format.h"

namespace outrigger::testing {
namespace {

using nlohmann::json;

constexpr CustomKind Kind(std::string_view plural, std::string_view kind, bool namespaced) {
  return {.group = "devmgmtproto.k8s.io",
          .version = "v1alpha1",
          .plural = plural,
          .kind = kind,
          .namespaced = namespaced};
}

constexpr CustomKind kKinds[] = {
    Kind("devicepools", "DevicePool", false), Kind("deviceclaims", "DeviceClaim", true),
    Kind("devicedrivers", "DeviceDriver", false), Kind("devicesetclaims", "DeviceSetClaim", true)};

json StatusAnswer(const absl::Status& status, json value = nullptr) {
  return {{"code", absl::StatusCodeToString(status.code())},
          {"text", std::string(status.message())},
          {"value", std::move(value)}};
}

json ObjectAnswer(const absl::StatusOr<std::string>& object) {
  if (!object.ok()) return StatusAnswer(object.status());
  return StatusAnswer(absl::OkStatus(), SummaryOf(json::parse(*object, nullptr, false)));
}

}  // namespace

const CustomKind* CustomKindOf(std::string_view kind) {
  const auto* const found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                         [&](const CustomKind& of) { return of.kind == kind; });
  return found == std::end(kKinds) ? nullptr : found;
}

json SummaryOf(const json& object) {
  const json metadata = object.value("metadata", json::object());
  json summary = {{"kind", object.value("kind", "")},
                  {"apiVersion", object.value("apiVersion", "")},
                  {"namespace", metadata.value("namespace", "")},
                  {"name", metadata.value("name", "")},
                  {"uid", metadata.value("uid", "")},
                  {"version", metadata.value("resourceVersion", "")},
                  {"generation", metadata.value("generation", json())},
                  {"labels", metadata.value("labels", json())}};
  // Those of DeviceDrivers are at the top.
  for (const char* field : {"spec", "status", "deviceTypes"}) {
    summary[field] = object.value(field, json());
  }
  return summary;
}

/// What is seen of a kind that is followed.
class CustomDeeds::View final : public CustomObjectSink {
 public:
  View(CustomObjectAccess* objects, const CustomKind& kind)
      : followed_(objects->Follow(kind, this)) {}
  ~View() override { followed_.reset(); }

  absl::Status Upsert(const CustomObjectName& object, std::string_view text) override {
    const json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!parsed.is_object()) return absl::InvalidArgumentError("no JSON object");
    json summary = SummaryOf(parsed);
    if (summary["namespace"] != object.namespace_ || summary["name"] != object.name ||
        summary["version"] != object.resource_version) {
      return absl::InvalidArgumentError("another object");
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    seen_[NameOf(object)] = std::move(summary);
    return absl::OkStatus();
  }
  void Remove(const CustomObjectName& object) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    seen_.erase(NameOf(object));
  }

  json Seen(const std::string& prefix) const {
    const absl::Status usable = followed_->Usable();
    const std::lock_guard<std::mutex> lock(mutex_);
    json seen = json::object();
    for (const auto& [name, summary] : seen_) {
      if (summary["name"].get<std::string>().starts_with(prefix)) seen[name] = summary;
    }
    return StatusAnswer(usable, std::move(seen));
  }

 private:
  static std::string NameOf(const CustomObjectName& object) {
    return fmt::format("{}/{}", object.namespace_, object.name);
  }

  mutable std::mutex mutex_;
  std::map<std::string, json> seen_;
  std::unique_ptr<FollowedKind> followed_;  // last: it calls this
};

CustomDeeds::CustomDeeds(CustomObjectAccess* objects) : objects_(*objects) {}
CustomDeeds::~CustomDeeds() = default;

std::optional<json> CustomDeeds::Do(const json& command) {
  const std::string verb = command.value("verb", "");
  const CustomKind* const kind = CustomKindOf(command.value("kind", ""));
  if (!verb.starts_with("custom-") || kind == nullptr) return std::nullopt;
  const std::string namespace_ = command.value("namespace", "");
  const std::string name = command.value("name", "");
  const std::string uid = command.value("uid", "");
  const std::string version = command.value("version", "");
  const CustomObjectName object{
      .namespace_ = namespace_, .name = name, .uid = uid, .resource_version = version};
  if (verb == "custom-read") return ObjectAnswer(objects_.ReadCustomObject(*kind, object, {}));
  if (verb == "custom-create") {
    const std::string text = command.value("object", json()).dump();
    return ObjectAnswer(objects_.CreateCustomObject(*kind, namespace_, text, {}));
  }
  if (verb == "custom-patch") {
    const std::string text = command.value("patch", json()).dump();
    return ObjectAnswer(objects_.PatchCustomStatus(*kind, object, text, {}));
  }
  std::unique_ptr<View>& view = views_[std::string(kind->kind)];
  if (verb == "custom-follow") view = std::make_unique<View>(&objects_, *kind);
  if (verb == "custom-end") view = nullptr;
  if (verb != "custom-seen") return StatusAnswer(absl::OkStatus());
  if (view == nullptr) return StatusAnswer(absl::FailedPreconditionError("not followed"));
  return view->Seen(command.value("prefix", ""));
}

}  // namespace outrigger::testing
