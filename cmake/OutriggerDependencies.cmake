# Everything comes from the distribution; nothing is downloaded at configure time.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(absl REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(simdjson REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(prometheus-cpp REQUIRED)
find_package(Boost CONFIG REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(CURL REQUIRED)

# protozero is headers alone and brings no package file.
find_path(PROTOZERO_INCLUDE_DIR protozero/varint.hpp)
mark_as_advanced(PROTOZERO_INCLUDE_DIR)
if(NOT PROTOZERO_INCLUDE_DIR)
  message(FATAL_ERROR "protozero/varint.hpp was not found: install libprotozero-dev")
endif()
if(NOT TARGET protozero::protozero)
  add_library(protozero::protozero INTERFACE IMPORTED)
  target_include_directories(protozero::protozero INTERFACE "${PROTOZERO_INCLUDE_DIR}")
endif()

# cpp-httplib of Debian 12 is a split build whose macros for OpenSSL, zlib and brotli change the
# layout of its classes: its pkg-config Cflags, and nothing else, are right.
find_package(PkgConfig REQUIRED)
pkg_check_modules(cpp-httplib REQUIRED IMPORTED_TARGET cpp-httplib)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)
