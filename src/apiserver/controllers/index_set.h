#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace outrigger::apiserver {

/// The completed indexes of a Job, as its status writes them: "0,2-5". What is no number is left
/// out. Pure.
std::set<int64_t> ReadIndexes(std::string_view text);
std::string IndexText(const std::set<int64_t>& indexes);

}  // namespace outrigger::apiserver
