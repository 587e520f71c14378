#include "kube/watch/object_feed.h"

#include <string>

#include "fmt/format.h"

namespace outrigger::kube {

const std::string& KeyTable::Key(std::string_view namespace_, std::string_view name) {
  key_.assign(namespace_);
  key_ += '/';
  key_ += name;
  return key_;
}

void KeyTable::See(std::string_view namespace_, std::string_view name, bool readable) {
  Entry& entry = keys_[Key(namespace_, name)];
  entry.round = round_;
  if (entry.readable != readable) unreadable_ += readable ? size_t{0} - 1 : size_t{1};
  entry.readable = readable;
}

bool KeyTable::Forget(std::string_view namespace_, std::string_view name) {
  const auto found = keys_.find(Key(namespace_, name));
  if (found == keys_.end()) return false;
  if (!found->second.readable) --unreadable_;
  keys_.erase(found);
  return true;
}

void KeyTable::EndReplace(OnGone on_gone) {
  for (auto entry = keys_.begin(); entry != keys_.end();) {
    const auto at = entry++;
    if (at->second.round == round_) continue;
    const std::string_view key = at->first;
    const size_t slash = key.find('/');
    on_gone(key.substr(0, slash), key.substr(slash + 1));
    if (!at->second.readable) --unreadable_;
    keys_.erase(at);
  }
  if (keys_.capacity() > 4 * keys_.size()) keys_.rehash(0);
}

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
