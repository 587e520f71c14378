#pragma once

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "kube/fake_objects_testing.h"
#include "kube/kube_testing.h"
#include "kube/write/event_recorder.h"

namespace outrigger::kube {

inline Event Waiting(const std::string& pod = "web-1") {
  return {.regarding = {.kind = "Pod", .namespace_ = "shop", .name = pod, .uid = "u-" + pod},
          .warning = true,
          .reason = "GangWaiting",
          .action = "Scheduling",
          .note = "2 of 3 members are there"};
}

class EventRecorderTest : public ::testing::Test {
 protected:
  std::unique_ptr<EventRecorder> Recorder(EventOptions options = {}) {
    options.controller = "outrigger.dev/gang";
    options.instance = "gang-0";
    return EventRecorder::Create(&server_, options, time_.clock());
  }

  FakeObjects server_;
  FakeTime time_;
};

}  // namespace outrigger::kube
