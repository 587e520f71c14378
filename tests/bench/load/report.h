#pragma once

#include <string>
#include <vector>

#include "goals.h"
#include "series.h"

namespace outrigger::load_bench {

/// The table in Markdown. `what` says which seeds it is of, and how large.
std::string TableOf(const std::vector<FamilyRows>& families, const std::string& what);
/// The same and more figures in JSON.
std::string JsonOf(const std::vector<FamilyRows>& families, const std::string& what,
                   const std::vector<std::string>& missed, const std::vector<LoadPoint>& series);
/// What is not finite, a line each.
std::vector<std::string> NotFinite(const std::vector<FamilyRows>& families);

}  // namespace outrigger::load_bench
