#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/verbs/catalog.h"

// What says which resources are served: /api, /apis, their group versions, OpenAPI v3.

namespace outrigger::apiserver {

/// APIVersions and APIGroupList, or, aggregated, an APIGroupDiscoveryList v2 of one of both.
Json CoreVersions();
Json GroupList(const Catalog& catalog);
Json GroupDiscovery(const Catalog& catalog, bool core);
/// One group; nothing: it is not served.
std::optional<Json> GroupOf(const Catalog& catalog, std::string_view group);
/// The resources of a group version; nothing: none is served.
std::optional<Json> ResourceList(const Catalog& catalog, std::string_view group,
                                 std::string_view version);
/// The list of documents, and one of them: "api/v1", "apis/apps/v1".
Json OpenApiIndex(const Catalog& catalog);
std::optional<Json> OpenApiOf(const Catalog& catalog, std::string_view path);

}  // namespace outrigger::apiserver
