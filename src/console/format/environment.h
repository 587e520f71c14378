#pragma once

#include <string>

#include "sdk/base/environment.h"

namespace outrigger::cli {

/// The variables of a null-terminated "NAME=value" array, as `environ` is one. Read once at the
/// start and passed on, so that nothing below main.cc calls getenv and tests own their environment.
Environment ReadEnvironment(const char* const* variables);

/// The value of `name`, or nullptr.
const std::string* Find(const Environment& environment, const std::string& name);

/// True for the variables that Kubernetes gives every container for each Service of its namespace
/// (SAFE_PORT=tcp://10.0.0.1:80, SAFE_SERVICE_HOST, SAFE_PORT_80_TCP_ADDR): a Service named
/// "outrigger" makes names that look like ours and mean something else.
bool IsServiceLink(const std::string& name, const std::string& value);

}  // namespace outrigger::cli
