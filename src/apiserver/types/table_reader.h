#pragma once

#include <string_view>
#include <vector>

#include "apiserver/types/type_table.h"

namespace outrigger::apiserver {

/// Reads the text of kubernetes.types, which says itself what it has; it is written by a program,
/// so nothing of it is checked. What is read has views into `text` and pointers into `types`, whose
/// fields are not flattened yet. `bodies` have a kind and a type alone.
void ReadTypeTable(std::string_view text, std::vector<Type>* types,
                   std::vector<Resource>* resources, std::vector<Resource>* bodies);

}  // namespace outrigger::apiserver
