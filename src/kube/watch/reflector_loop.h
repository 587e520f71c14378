#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/api.h"
#include "kube/backoff.h"
#include "kube/watch/object_feed.h"
#include "kube/watch/paged_list.h"
#include "kube/watch/reflector.h"
#include "kube/watch/reflector_state.h"
#include "kube/watch/session.h"

namespace outrigger::kube {

/// What the thread of a reflector does. For that thread alone.
class ReflectorLoop {
 public:
  ReflectorLoop(Api* api, const Resource& resource, ObjectSink* sink, ReflectorOptions options,
                ReflectorStatus* board);

  /// Until stop is requested. To be called once.
  void Run(const std::stop_token& stop);

 private:
  void Fill();
  void FillByList();
  absl::StatusOr<ListResult> List(const std::string& resource_version);
  void Follow();
  bool IsTrusted();
  absl::StatusOr<bool> Discover(const absl::Status& contradiction, std::string* unknown);
  bool LooksForNewer();
  void ReadVersion(std::string_view version);
  WatchEnd Watch(bool initial_events, std::chrono::milliseconds silence);
  void DoubtEncoding(const absl::Status& status);
  bool AsksProtobuf() const;
  void AfterWatch(const WatchEnd& end);
  void AfterWatchError(const WatchEnd& end);
  void Relist(bool latest);
  void Fail(const absl::Status& status);
  void Missing(const absl::Status& status);
  void Wait(std::chrono::milliseconds time) { options_.timing.sleep(time, stop_); }
  ListRequest MakeListRequest() const;

  const ReflectorOptions options_;
  Resource resource_;  // in the version that is read
  std::string path_;
  std::chrono::steady_clock::time_point discovered_;
  Api* const api_;
  ReflectorStatus* const board_;
  const bool reads_protobuf_;
  std::chrono::milliseconds doubt_{0};             // how long protobuf was shunned last
  std::chrono::steady_clock::time_point doubted_;  // since then
  ObjectFeed feed_;
  Backoff backoff_;
  std::stop_token stop_;

  bool is_complete_ = false;      // the sink holds all as of version_; else a full list is due
  std::string version_;           // last seen; empty: none
  bool version_is_lost_ = false;  // the server does not have it: list the latest
  bool is_paginated_ = false;     // the server gave pages where a cache would not
  bool is_doubtful_ = false;      // it is to be checked that the server is still the same
  bool listed_at_once_ = false;   // behind an expiry, and no event has come since
  int fruitless_ = 0;
};

}  // namespace outrigger::kube
