#include "kube/watch/reflector.h"

#include <utility>

#include "kube/watch/reflector_loop.h"

namespace outrigger::kube {

Reflector::Reflector(Api* api, const Resource& resource, ObjectSink* sink, ReflectorOptions options)
    : board_(NameOf(resource), options.turned),
      now_(options.timing.now),
      loop_(std::make_unique<ReflectorLoop>(api, resource, sink, std::move(options), &board_)) {}

Reflector::~Reflector() {
  Stop();
}

void Reflector::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { loop_->Run(stop); });
}

void Reflector::Stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

ReflectorState Reflector::State() const {
  return board_.Get();
}

std::string Reflector::Describe() const {
  return kube::Describe(State(), now_());
}

}  // namespace outrigger::kube
