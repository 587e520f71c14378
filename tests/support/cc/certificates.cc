#include "certificates.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>

namespace outrigger::testing {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&::EVP_PKEY_free)>;
using Cert = std::unique_ptr<X509, decltype(&::X509_free)>;
using Memory = std::unique_ptr<BIO, decltype(&::BIO_free)>;

void Must(bool done, const char* what) {
  if (!done) throw std::runtime_error(what);
}

Key NewKey() {
  Key key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  Must(key != nullptr, "EVP_EC_gen");
  return key;
}

template <typename Write>
std::string Pem(Write write) {
  const Memory memory(BIO_new(BIO_s_mem()), &BIO_free);
  Must(write(memory.get()) == 1, "PEM_write");
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &data);
  return {data, static_cast<size_t>(size)};
}

Certificate ToPem(X509* cert, EVP_PKEY* key) {
  return {Pem([&](BIO* out) { return PEM_write_bio_X509(out, cert); }), Pem([&](BIO* out) {
            return PEM_write_bio_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

void Extend(X509* cert, X509* issuer, int what, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, what, value);
  Must(extension != nullptr && X509_add_ext(cert, extension, -1) == 1, value);
  X509_EXTENSION_free(extension);
}

/// Unsigned, valid from two hours ago.
Cert NewCertificate(const std::string& name, EVP_PKEY* key, long valid_for_seconds = 86'400) {
  static std::atomic<long> serial{1};
  Cert cert(X509_new(), &X509_free);
  X509_set_version(cert.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(cert.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(cert.get()), -7200);
  X509_gmtime_adj(X509_getm_notAfter(cert.get()), valid_for_seconds);
  X509_set_pubkey(cert.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(cert.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return cert;
}

}  // namespace

TestAuthority::TestAuthority(const std::string& name) {
  const Key key = NewKey();
  const Cert cert = NewCertificate(name, key.get());
  X509_set_issuer_name(cert.get(), X509_get_subject_name(cert.get()));
  Extend(cert.get(), cert.get(), NID_basic_constraints, "critical,CA:TRUE");
  Must(X509_sign(cert.get(), key.get(), EVP_sha256()) > 0, "X509_sign");
  self_ = ToPem(cert.get(), key.get());
}

Certificate TestAuthority::Issue(const std::string& name, const CertificateTerms& terms) const {
  const Memory cert_pem(BIO_new_mem_buf(self_.certificate.data(), -1), &BIO_free);
  const Memory key_pem(BIO_new_mem_buf(self_.key.data(), -1), &BIO_free);
  const Cert issuer(PEM_read_bio_X509(cert_pem.get(), nullptr, nullptr, nullptr), &X509_free);
  const Key issuer_key(PEM_read_bio_PrivateKey(key_pem.get(), nullptr, nullptr, nullptr),
                       &EVP_PKEY_free);
  const Key key = NewKey();
  const Cert cert = NewCertificate(name, key.get(), terms.valid_for_seconds);
  X509_set_issuer_name(cert.get(), X509_get_subject_name(issuer.get()));
  Extend(cert.get(), issuer.get(), NID_subject_alt_name, terms.hosts.c_str());
  Extend(cert.get(), issuer.get(), NID_ext_key_usage, "serverAuth,clientAuth");
  Must(X509_sign(cert.get(), issuer_key.get(), EVP_sha256()) > 0, "X509_sign");
  return ToPem(cert.get(), key.get());
}

TestFolder::TestFolder() {
  std::string name = std::filesystem::temp_directory_path() / "outrigger-test-XXXXXX";
  Must(::mkdtemp(name.data()) != nullptr, "mkdtemp");
  path_ = name;
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TestFolder::Write(const std::string& name, const std::string& text) const {
  const std::string path = path_ + "/" + name;
  {
    std::ofstream file(path + ".new");
    file << text;
    Must(file.good(), "write");
  }
  std::filesystem::rename(path + ".new", path);
  return path;
}

}  // namespace outrigger::testing
