#include "serve/server/page_answer.h"

#include <string>
#include <utility>

#include "codec/page/page.h"
#include "serve/server/answers.h"

namespace outrigger::server {

void AnswerPage(const engine::Engine& engine, size_t page, http::Response* response) {
  absl::StatusOr<PageTable> table = engine.ReadPage(page, page::kMaxRows);
  if (!table.ok()) {
    return AnswerError(absl::IsUnavailable(table.status()) ? 503 : 500,
                       std::string(table.status().message()), response);
  }
  const engine::OfferedPage& offered = engine.pages()[page];
  page::Encode({.agent = offered.agent, .name = offered.spec.name, .table = *std::move(table)},
               page::kMaxBytes, &response->body);
}

}  // namespace outrigger::server
