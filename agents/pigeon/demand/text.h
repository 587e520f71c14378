#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "demand/book.h"
#include "demand/resources.h"

// The text in which demand is stored: lines, the first of which names the form and its version.
//
//     outrigger-pigeon-demand 1
//     resources cpu memory
//     pods 100
//     mean 512.5 1073741824
//     squares 300000 5.5e11 1.2e18
//     counted 00e1f2a3b4c5d6e7 0123456789abcdef
//
// Numbers are those of Resource: millicores, bytes, pieces. "squares" has the lower triangle of the
// mean products, row by row; "counted" has numbers of pods (DemandBook::IdOf()).

namespace outrigger::pigeon {

/// No text that is stored is longer.
inline constexpr size_t kMostStateText = size_t{256} * 1024;

std::string PrintDemand(const DemandState& state, const Resources& resources);

/// Reads what PrintDemand() wrote. InvalidArgument says which line is wrong, or that the text is of
/// another version. FailedPrecondition: it is of other resources; one that has all of `resources`
/// and more is taken without the others.
absl::StatusOr<DemandState> ParseDemand(std::string_view text, const Resources& resources);

}  // namespace outrigger::pigeon
