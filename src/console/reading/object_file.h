#pragma once

#include <string>

#include "absl/status/status.h"
#include "codec/json/object_list.h"

namespace outrigger::cli {

/// Calls `on_object` for each object of `text`: JSON if it begins with a bracket, else YAML of any
/// number of documents, each an object or a list as kubectl prints it.
///
/// Errors begin with `name`; for what is neither JSON nor YAML they name line and column, for
/// values of a wrong type the place in the object. The first error of `on_object` ends it.
absl::Status ForEachObjectInFile(const std::string& name, std::string text,
                                 json::OnObject on_object);

}  // namespace outrigger::cli
