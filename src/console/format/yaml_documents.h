#pragma once

#include <string>
#include <vector>

#include "yaml-cpp/yaml.h"

namespace outrigger::cli {

/// For event handlers: sees to it that each document begins behind the one before. yaml-cpp 0.7
/// takes a text such as ", a" for empty documents without end, since its parser is then at a token
/// that it neither takes nor refuses.
class DocumentStarts {
 public:
  /// To be called in OnDocumentStart(). Throws YAML::ParserException.
  void Check(const YAML::Mark& mark);

 private:
  bool any_ = false;
  int last_ = 0;
};

/// The documents of `text`. Throws YAML::Exception, as yaml-cpp does, for what is not YAML.
///
/// For YAML::LoadAll(), which fills the memory with documents where DocumentStarts throws.
std::vector<YAML::Node> LoadDocuments(const std::string& text);

}  // namespace outrigger::cli
