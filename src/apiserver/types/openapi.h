#pragma once

#include <string_view>

#include "apiserver/json.h"
#include "apiserver/types/type_table.h"

namespace outrigger::apiserver {

/// The OpenAPI v3 document of a group's version: the schemas of its kinds and of what these refer
/// to, without descriptions, and of its paths the PATCH operations, by which kubectl finds out what
/// the server can do. It takes milliseconds to make. null for a version without built-in resources.
Json OpenApiDocument(std::string_view group, std::string_view version);

/// Adds a kind of a CustomResourceDefinition to the document of its version (null: begins one);
/// `schema` is what the definition has. Of `resource` names and `namespaced` are used.
void AddCustomKind(const Resource& resource, Json schema, Json* document);

}  // namespace outrigger::apiserver
