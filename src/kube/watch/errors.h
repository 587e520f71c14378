#pragma once

#include <cstdint>

#include "absl/status/status.h"

namespace outrigger::kube {

/// What an error of a list or watch asks for.
enum class Failure : uint8_t {
  kConnection,   // no connection, it was lost, or nothing came in time
  kExpired,      // the resource version is too old: 410
  kTooLarge,     // ... or one that the server has not reached
  kMissing,      // there is no such kind: 404
  kTooMany,      // 429
  kUnsupported,  // the request is not understood: 400, 405, 422
  kNotAllowed,   // 401, 403, no credentials
  kDamaged,      // what came could not be read
  kServer,       // everything else that a server answers
};

/// `status` is an error of Api or of a decoder of this folder.
Failure FailureOf(const absl::Status& status);

}  // namespace outrigger::kube
