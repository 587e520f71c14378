#include "console/format/yaml_documents.h"

#include <sstream>

#include "yaml-cpp/eventhandler.h"

namespace outrigger::cli {
namespace {

class DocumentEvents final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override { starts_.Check(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {}
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {}
  void OnMapEnd() override {}

 private:
  DocumentStarts starts_;
};

}  // namespace

void DocumentStarts::Check(const YAML::Mark& mark) {
  if (any_ && mark.pos == last_) throw YAML::ParserException(mark, "no value begins like this");
  any_ = true;
  last_ = mark.pos;
}

std::vector<YAML::Node> LoadDocuments(const std::string& text) {
  std::istringstream input(text);
  YAML::Parser parser(input);
  DocumentEvents progress;
  while (parser.HandleNextDocument(progress)) {
  }
  return YAML::LoadAll(text);
}

}  // namespace outrigger::cli
