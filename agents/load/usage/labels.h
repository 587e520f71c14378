#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace outrigger::usage {

/// Labels of a series, as its source names them.
using Labels = std::vector<std::pair<std::string, std::string>>;

/// The value of label `name`; empty where there is none, as in PromQL.
std::string_view LabelOf(const Labels& labels, std::string_view name);

/// How these series differ, for people: "job=a, job=b". At most four series are listed.
std::string DifferencesOf(const std::vector<const Labels*>& series);

}  // namespace outrigger::usage
