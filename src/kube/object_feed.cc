#include "kube/object_feed.h"

#include <string>

#include "fmt/format.h"

namespace outrigger::kube {
namespace {

std::string_view View(absl::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

absl::Status ObjectFeed::Upsert(const ObjectHead& head, json::Object object,
                                std::string_view document) {
  malformed_.clear();
  const json::Path kind(resource_.kind, &malformed_);
  const absl::Status status = sink_->Upsert(head, object, kind.AsObject());
  if (!status.ok() && !IsJson(document)) {
    return absl::InvalidArgumentError(fmt::format("{} \"{}\": broken JSON: {}", resource_.kind,
                                                  json::Cut(head.name), View(status.message())));
  }
  keys_.See(head.namespace_, head.name, status.ok());
  if (!report_) return absl::OkStatus();
  ObjectProblem problem;
  problem.resource = resource_.plural;
  problem.namespace_ = head.namespace_;
  problem.name = head.name;
  for (const json::MalformedValue& value : malformed_) {
    problem.value = &value;
    report_(problem);
  }
  if (status.ok()) return status;
  problem.value = nullptr;
  problem.error = View(status.message());
  report_(problem);
  return absl::OkStatus();
}

void ObjectFeed::Remove(const ObjectHead& head) {
  keys_.Forget(head.namespace_, head.name);
  sink_->Remove(head.namespace_, head.name);
}

void ObjectFeed::BeginReplace() {
  keys_.BeginReplace();
  sink_->BeginReplace();
}

void ObjectFeed::EndReplace() {
  keys_.EndReplace([this](std::string_view namespace_, std::string_view name) {
    sink_->Remove(namespace_, name);
  });
  sink_->EndReplace();
}

}  // namespace outrigger::kube
