#pragma once

#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace outrigger::cli {

/// Calls `on_document` with the JSON of each document of the YAML `text`; empty ones are left out.
/// It may change what it gets.
///
/// Typed as kubectl reads YAML 1.1: what is quoted is text, plain scalars are numbers (also 0x1f,
/// 017, 1_000), truth values (also yes, no, on, off) and null. No tree is built: the text is
/// written as it is read. InvalidArgument with "<name>:<line>:<column>: " for what is not YAML,
/// merge keys (<<), keys that are no scalars, infinities, and aliases that make more than 16 MiB or
/// are part of what they name. The first error of `on_document` ends it.
absl::Status ForEachYamlDocument(std::string_view name, const std::string& text,
                                 absl::FunctionRef<absl::Status(std::string* json)> on_document);

}  // namespace outrigger::cli
