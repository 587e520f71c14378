#include <algorithm>
#include <chrono>
#include <utility>

#include "devices/writer/custodian.h"
#include "devices/writer/custody/batch.h"
#include "devices/writer/custody/live_view.h"
#include "devices/writer/object_calls.h"

namespace outrigger::devices {
namespace {

// After these times no further claim is read or written: what was read grows old.
constexpr std::chrono::milliseconds kReading{600};  // that is, read for the first time of two
constexpr std::chrono::milliseconds kWriting{1'000};

bool IsOfHost(const Action& action) {
  return action.kind == ActionKind::kServeBoundPod || action.kind == ActionKind::kReportConflict;
}

}  // namespace

Carrier::Carrier(CustomObjectAccess* api, CustodyHost* host, Chooser* chooser,
                 const IntentWatch* intents, WriterOptions options)
    : api_(*api),
      host_(*host),
      chooser_(*chooser),
      intents_(*intents),
      options_(std::move(options)) {}

Carried Carrier::Carry(std::span<const Action> actions, const CallLimits& limits) {
  if (actions.empty()) return {};
  if (actions[0].kind == ActionKind::kServeBoundPod) {
    return {.statuses = {host_.Serve(actions[0], limits)}, .with_fewer = {}};
  }
  if (actions[0].kind == ActionKind::kReportConflict) {
    host_.Report(actions[0]);
    return {.statuses = {absl::OkStatus()}, .with_fewer = {}};
  }
  const auto end = std::find_if(actions.begin(), actions.end(), IsOfHost);
  actions = actions.first(static_cast<size_t>(end - actions.begin()));
  const device_writer::ObjectCalls calls(&api_, limits, options_.now);
  device_writer::LiveView view(&calls, &host_, &chooser_);
  const auto within = [this](std::chrono::milliseconds time) {
    return [this, late = options_.now() + time] { return options_.now() >= late; };
  };
  const size_t count = view.Read(actions, within(kReading));
  return device_writer::Batch(actions.first(count), view, calls, options_, &host_, &chooser_)
      .Do(intents_, within(kWriting));
}

}  // namespace outrigger::devices
