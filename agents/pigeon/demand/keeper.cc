#include "demand/keeper.h"

#include <utility>

#include "demand/pigeon_metrics.h"
#include "demand/text.h"
#include "fmt/format.h"

namespace outrigger::pigeon {
namespace {

constexpr const char* kKey = "demand";
constexpr int kMostTries = 3;  // against others that store at the same time

}  // namespace

DemandKeeper::DemandKeeper(std::unique_ptr<StateStore> store, DemandBook* book,
                           const Resources* resources, const AgentDeps& deps)
    : store_(std::move(store)), book_(*book), resources_(*resources), deps_(deps) {}

void DemandKeeper::Run(std::chrono::milliseconds interval, const std::stop_token& stop) {
  do {
    Round({.stop = stop});
  } while (deps_.clock.sleep(interval, stop));
}

void DemandKeeper::Round(const CallLimits& limits) {
  for (int i = 0; i < kMostTries; ++i) {
    if (phase_ == Phase::kUnread) Read(limits);
    if (phase_ == Phase::kUnread || !book_.HasNews()) return;
    const Saved saved = Save(limits);
    if (saved != Saved::kOverwritten) return;
  }
}

void DemandKeeper::Read(const CallLimits& limits) {
  const absl::StatusOr<StoredState> stored = store_->Load(limits);
  if (stored.ok()) {
    Take(*stored);
  } else if (absl::IsDataLoss(stored.status())) {
    version_.clear();
    StartFromNothing(std::string(stored.status().message()));
  } else if (!absl::IsCancelled(stored.status())) {
    Warn(fmt::format("the statistics of demand cannot be read, so they are not stored: {}",
                     std::string(stored.status().message())));
    return;
  } else {
    return;
  }
  phase_ = Phase::kRead;
}

void DemandKeeper::Take(const StoredState& stored) {
  version_ = stored.version;
  if (stored.version.empty() && stored.data.empty()) return;
  const auto text = stored.data.find(kKey);
  if (text == stored.data.end()) {
    StartFromNothing(fmt::format("{}: there is no key \"{}\"", store_->Place(), kKey));
    return;
  }
  const absl::StatusOr<DemandState> state = ParseDemand(text->second, resources_);
  if (!state.ok()) {
    StartFromNothing(
        fmt::format("{}: {}: {}", store_->Place(), kKey, std::string(state.status().message())));
    return;
  }
  book_.Adopt(*state);
}

void DemandKeeper::StartFromNothing(std::string_view why) {
  Warn(fmt::format("the statistics of demand start empty and will replace the stored ones: {}",
                   why));
}

DemandKeeper::Saved DemandKeeper::Save(const CallLimits& limits) {
  const StoredState state{.data = {{kKey, PrintDemand(book_.Take(), resources_)}},
                          .version = version_};
  const absl::StatusOr<std::string> version = store_->Save(state, limits);
  if (version.ok()) {
    version_ = *version;
    last_warning_.clear();
    deps_.metrics->Add(metric::kSaves, "stored", 1);
    return Saved::kYes;
  }
  // Whether it was stored after all is seen by what is read next.
  book_.PutBack();
  phase_ = Phase::kUnread;
  if (absl::IsAborted(version.status())) {
    deps_.metrics->Add(metric::kSaves, "overwritten", 1);
    return Saved::kOverwritten;
  }
  deps_.metrics->Add(metric::kSaves, "failed", 1);
  if (!absl::IsCancelled(version.status())) {
    Warn(fmt::format("the statistics of demand cannot be stored: {}",
                     std::string(version.status().message())));
  }
  return Saved::kNo;
}

void DemandKeeper::Warn(std::string text) {
  if (text == last_warning_) return;
  deps_.warn(text);
  last_warning_ = std::move(text);
}

}  // namespace outrigger::pigeon
