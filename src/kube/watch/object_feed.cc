#include "kube/watch/object_feed.h"

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
  ReportMalformed(head, status);
  return absl::OkStatus();
}

absl::Status ObjectFeed::UpsertProtobuf(const ObjectHead& head, std::string_view object) {
  malformed_.clear();
  const json::Path kind(resource_.kind, &malformed_);
  absl::Status status = sink_->UpsertProtobuf(head, object, kind.AsObject());
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("{} \"{}\": {}", resource_.kind, json::Cut(head.name), View(status.message())));
  }
  keys_.See(head.namespace_, head.name, /*readable=*/true);
  ReportMalformed(head, status);
  return status;
}

void ObjectFeed::ReportMalformed(const ObjectHead& head, const absl::Status& status) const {
  if (!report_) return;
  ObjectProblem problem;
  problem.resource = name_;
  problem.namespace_ = head.namespace_;
  problem.name = head.name;
  for (const json::MalformedValue& value : malformed_) {
    problem.value = &value;
    report_(problem);
  }
  if (status.ok()) return;
  problem.value = nullptr;
  problem.error = View(status.message());
  report_(problem);
}

void ObjectFeed::Remove(const ObjectHead& head) {
  keys_.Forget(head.namespace_, head.name);
  sink_->Remove(head);
}

void ObjectFeed::BeginReplace() {
  keys_.BeginReplace();
  sink_->BeginReplace();
}

void ObjectFeed::EndReplace(std::string_view version) {
  ObjectHead gone;
  gone.resource_version = version;
  keys_.EndReplace([&](std::string_view namespace_, std::string_view name) {
    gone.namespace_ = namespace_;
    gone.name = name;
    sink_->Remove(gone);
  });
  sink_->EndReplace(version);
}

}  // namespace outrigger::kube
