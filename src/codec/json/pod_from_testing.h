#pragma once

#include <string_view>
#include <vector>

#include "codec/json/object_readers.h"
#include "json_testing.h"

namespace outrigger::json {

/// The pod that `json` says, which must be readable.
inline Pod PodFrom(std::string_view json, const Needs& needs,
                   std::vector<MalformedValue>* malformed) {
  simdjson::ondemand::parser parser;
  const simdjson::padded_string padded{json};
  simdjson::ondemand::document document;
  EXPECT_EQ(parser.iterate(padded).get(document), simdjson::SUCCESS);
  Value value;
  EXPECT_EQ(document.get_value().get(value), simdjson::SUCCESS);
  Pod pod;
  EXPECT_THAT(ReadPod(value, Path("Pod", malformed), needs, &pod), IsOk());
  return pod;
}

}  // namespace outrigger::json
