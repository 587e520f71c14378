#include "http/tls/files.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "fmt/format.h"
#include "http/fd.h"

namespace outrigger::http {
namespace {

using Context = std::shared_ptr<SSL_CTX>;

constexpr std::string_view kCertificate = "not a PEM certificate";
constexpr std::string_view kKey = "not a PEM private key";

/// A flag and the file that it names.
struct Named {
  std::string_view flag;
  const std::string& file;
};

absl::Status Refuse(const Named& named, std::string_view why) {
  return absl::InvalidArgumentError(fmt::format("{} {}: {}", named.flag, named.file, why));
}

/// Why a file cannot be read, in the system's words: OpenSSL's say where in OpenSSL it was noticed.
absl::Status CheckReadable(const Named& named) {
  const Fd file(::open(named.file.c_str(), O_RDONLY | O_CLOEXEC));
  char first = 0;
  const ssize_t got = file.valid() ? ::read(file.get(), &first, 1) : -1;
  if (got > 0) return absl::OkStatus();
  if (got == 0) return Refuse(named, "is empty");
  return absl::UnavailableError(
      fmt::format("{} {}: {}", named.flag, named.file, std::generic_category().message(errno)));
}

/// What OpenSSL has against a file that could be read: usually that it is not `expected`.
absl::Status Unusable(const Named& named, std::string_view expected) {
  const unsigned long error = ERR_peek_last_error();
  ERR_clear_error();
  const int reason = ERR_GET_REASON(error);
  const bool too_weak = ERR_GET_LIB(error) == ERR_LIB_SSL &&
                        (reason == SSL_R_EE_KEY_TOO_SMALL || reason == SSL_R_CA_KEY_TOO_SMALL ||
                         reason == SSL_R_CA_MD_TOO_WEAK);
  if (!too_weak) return Refuse(named, expected);
  return Refuse(named, fmt::format("is too weak: {}", ERR_reason_error_string(error)));
}

/// Without this OpenSSL would ask for the passphrase on the terminal, and wait.
int NoPassphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

absl::Status UseCertificate(const Named& cert, SSL_CTX* context) {
  absl::Status status = CheckReadable(cert);
  if (!status.ok()) return status;
  if (SSL_CTX_use_certificate_chain_file(context, cert.file.c_str()) == 1) return status;
  return Unusable(cert, kCertificate);
}

/// Returns what is wrong with a key that is not that of the first certificate: the order of the
/// certificates, if the key is that of a later one.
std::string Mismatch(const Named& key, const Named& cert) {
  const std::unique_ptr<BIO, int (*)(BIO*)> keys(BIO_new_file(key.file.c_str(), "r"), &BIO_free);
  const std::unique_ptr<BIO, int (*)(BIO*)> certs(BIO_new_file(cert.file.c_str(), "r"), &BIO_free);
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> own(
      PEM_read_bio_PrivateKey(keys.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  bool is_authority = false;
  for (int place = 1; own != nullptr; ++place) {
    const std::unique_ptr<X509, void (*)(X509*)> one(
        PEM_read_bio_X509(certs.get(), nullptr, nullptr, nullptr), &X509_free);
    if (one == nullptr) break;
    if (place == 1) is_authority = X509_check_ca(one.get()) > 0;
    if (X509_check_private_key(one.get(), own.get()) != 1) continue;
    return fmt::format(
        "is the key of certificate {} in {} {}: the server's certificate must be the first one{}",
        place, cert.flag, cert.file, is_authority ? ", but the file begins with a CA's" : "");
  }
  return fmt::format("is not the key of {} {}{}", cert.flag, cert.file,
                     is_authority ? ", which begins with the certificate of a CA: the server's "
                                    "certificate must be the first one"
                                  : "");
}

absl::Status UseKey(const Named& key, const Named& cert, SSL_CTX* context) {
  absl::Status status = CheckReadable(key);
  if (!status.ok()) return status;
  bool asked = false;
  SSL_CTX_set_default_passwd_cb(context, NoPassphrase);
  SSL_CTX_set_default_passwd_cb_userdata(context, &asked);
  const bool used = SSL_CTX_use_PrivateKey_file(context, key.file.c_str(), SSL_FILETYPE_PEM) == 1;
  SSL_CTX_set_default_passwd_cb_userdata(context, nullptr);
  SSL_CTX_set_default_passwd_cb(context, nullptr);
  if (asked) return Refuse(key, "is encrypted; a key without a passphrase is accepted");
  // A key of another certificate is refused at once, or by the check, depending on its type.
  const unsigned long error = ERR_peek_last_error();
  const bool mismatch =
      ERR_GET_LIB(error) == ERR_LIB_X509 && (ERR_GET_REASON(error) == X509_R_KEY_VALUES_MISMATCH ||
                                             ERR_GET_REASON(error) == X509_R_KEY_TYPE_MISMATCH);
  if (mismatch || (used && SSL_CTX_check_private_key(context) != 1)) {
    const std::string why = Mismatch(key, cert);
    ERR_clear_error();
    return Refuse(key, why);
  }
  return used ? absl::OkStatus() : Unusable(key, kKey);
}

absl::Status RequireClients(const Named& ca, SSL_CTX* context) {
  absl::Status status = CheckReadable(ca);
  if (!status.ok()) return status;
  if (SSL_CTX_load_verify_locations(context, ca.file.c_str(), nullptr) != 1) {
    return Unusable(ca, kCertificate);
  }
  // Names the authorities to the client, so that it can choose among its certificates.
  SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(ca.file.c_str()));
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return absl::OkStatus();
}

void Restrict(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  // Resumed sessions would keep a client in whose certificate is not trusted any more.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
}

}  // namespace

absl::StatusOr<Context> ReadTlsFiles(const TlsOptions& options) {
  ERR_clear_error();
  const Context context(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
  if (context == nullptr) return absl::ResourceExhaustedError("no memory for TLS");
  Restrict(context.get());
  const Named cert{"--tls-cert", options.cert_file};
  absl::Status status = UseCertificate(cert, context.get());
  if (status.ok()) status = UseKey({"--tls-key", options.key_file}, cert, context.get());
  if (status.ok() && !options.client_ca_file.empty()) {
    status = RequireClients({"--client-ca", options.client_ca_file}, context.get());
  }
  if (!status.ok()) return status;
  return context;
}

}  // namespace outrigger::http
