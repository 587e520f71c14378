#pragma once

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "http/server.h"
#include "serve/engine/engine.h"

namespace outrigger::server {

/// What the scheduler's listener answers: POST on the engine's paths, and GET /version (older
/// programs had it there). The content type of a call is not looked at: the path says what it is.
/// Thread-safe.
class ExtenderRoutes {
 public:
  /// `engine` outlives this.
  explicit ExtenderRoutes(const engine::Engine& engine);

  void Handle(const http::Request& request, http::Response* response) const;

  /// True for a bind call: it may wait for minutes, and must not hold up others.
  bool MayBlock(std::string_view method, std::string_view path) const;

 private:
  void Call(size_t endpoint, const http::Request& request, http::Response* response) const;

  const engine::Engine& engine_;
  absl::flat_hash_map<std::string, size_t> endpoints_;  // by path
  std::string served_;                                  // the paths, for people
};

}  // namespace outrigger::server
