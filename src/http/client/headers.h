#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "http/client/client.h"

namespace outrigger::http_client {

/// The headers of the files of a token and of headers; an empty path: none. `in_clear`: none may
/// hold a secret. FailedPrecondition names the file and the line, never the text.
absl::StatusOr<Headers> ReadHeaders(const std::string& token_file, const std::string& header_file,
                                    bool in_clear);

/// Puts "***" in place of each secret of `headers` in `text`: a server may quote what it refuses.
void HideSecrets(const Headers& headers, std::string* text);

}  // namespace outrigger::http_client
