#pragma once

#include <cstdint>
#include <optional>

#include "apiserver/failure.h"
#include "apiserver/verbs/target.h"

// Validation of the parameters that a query has, as upstream does it (apimachinery's
// meta/internalversion and meta/v1 validation).

namespace outrigger::apiserver {

/// Of a list or a watch.
std::optional<Failure> CheckListOptions(const Query& query);
/// Of a write; `kind` is that of its options: "CreateOptions".
std::optional<Failure> CheckWriteOptions(const Query& query, const char* kind);
/// Parameters that are numbers, of any request.
std::optional<Failure> CheckNumbers(const Query& query);
/// 0: none is given.
std::optional<Failure> ReadVersion(const Query& query, uint64_t* version);

}  // namespace outrigger::apiserver
