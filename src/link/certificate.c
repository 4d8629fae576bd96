/* SPDX-License-Identifier: Apache-2.0
 *
 * certificate.c - X.509 by libcrypto: P-256, SHA-256, ten years.
 *
 * 1. The authority signs servers and nothing else; its key is needed only when a server's
 *    certificate is made.
 * 2. A server's certificate names its host as clients name it, and this machine. */
#include "link/certificate.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>

enum { YEARS = 10, DAY_S = 24 * 3600, SERIAL_BYTES = 16, NAMES_BYTES = 512 };

static int failed(struct err *err)
{
    return err_set(err, ERR_FAILED, "libcrypto makes no certificate");
}

static bool add_extension(X509 *certificate, X509 *by, int kind, const char *value)
{
    X509V3_CTX context;
    X509_EXTENSION *extension;
    bool added;

    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, by, certificate, NULL, NULL, 0);
    extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
    added = extension && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return added;
}

static bool set_serial(X509 *certificate)
{
    unsigned char bytes[SERIAL_BYTES];
    BIGNUM *number = NULL;
    bool set;

    if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
    bytes[0] &= 0x7f;
    number = BN_bin2bn(bytes, sizeof bytes, NULL);
    set = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
    BN_free(number);
    return set;
}

/* All but extensions and signature. */
static X509 *certificate_new(EVP_PKEY *key, const char *name, X509 *by)
{
    X509 *certificate = X509_new();
    X509_NAME *subject = certificate ? X509_get_subject_name(certificate) : NULL;

    if (subject && X509_set_version(certificate, 2) == 1 && set_serial(certificate) &&
        X509_gmtime_adj(X509_getm_notBefore(certificate), -DAY_S) &&
        X509_time_adj_ex(X509_getm_notAfter(certificate), YEARS * 365, 0, NULL) &&
        X509_set_pubkey(certificate, key) == 1 &&
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, (const unsigned char *)name, -1,
                                   -1, 0) == 1 &&
        X509_set_issuer_name(certificate, by ? X509_get_subject_name(by) : subject) == 1) {
        return certificate;
    }
    X509_free(certificate);
    return NULL;
}

static int write_pem(EVP_PKEY *key, X509 *certificate, struct buf *key_out, struct buf *out,
                     struct err *err)
{
    BIO *one = BIO_new(BIO_s_mem()), *two = BIO_new(BIO_s_mem());
    char *text;
    int rc = 0;

    if (!one || !two || PEM_write_bio_PrivateKey(one, key, NULL, NULL, 0, NULL, NULL) != 1 ||
        PEM_write_bio_X509(two, certificate) != 1) rc = failed(err);
    if (rc == 0) {
        long size = BIO_get_mem_data(one, &text);

        rc = buf_add(key_out, (struct str){ text, (size_t)size });
        size = BIO_get_mem_data(two, &text);
        if (rc == 0) rc = buf_add(out, (struct str){ text, (size_t)size });
        if (rc != 0) rc = failed(err);
    }
    BIO_free(one);
    BIO_free(two);
    return rc;
}

int authority_make(struct buf *key_out, struct buf *out, struct err *err)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    X509 *certificate = key ? certificate_new(key, "hone fleet", NULL) : NULL;
    int rc;

    if (certificate &&
        add_extension(certificate, certificate, NID_basic_constraints,
                      "critical,CA:TRUE,pathlen:0") &&
        add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign") &&
        add_extension(certificate, certificate, NID_subject_key_identifier, "hash") &&
        X509_sign(certificate, key, EVP_sha256()) > 0) {
        rc = write_pem(key, certificate, key_out, out, err);
    } else {
        rc = failed(err);
    }
    X509_free(certificate);
    EVP_PKEY_free(key);
    return rc;
}

static bool is_address(const char *host)
{
    return strchr(host, ':') || host[strspn(host, "0123456789.")] == '\0';
}

int certificate_make(struct str authority_key, struct str authority, const char *host,
                     struct buf *key_out, struct buf *out, struct err *err)
{
    BIO *key_in = BIO_new_mem_buf(authority_key.data, (int)authority_key.size);
    BIO *in = BIO_new_mem_buf(authority.data, (int)authority.size);
    EVP_PKEY *by_key = key_in ? PEM_read_bio_PrivateKey(key_in, NULL, NULL, NULL) : NULL;
    X509 *by = in ? PEM_read_bio_X509(in, NULL, NULL, NULL) : NULL;
    EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    X509 *certificate = by && by_key && key ? certificate_new(key, host, by) : NULL;
    char names[NAMES_BYTES];
    int rc;

    snprintf(names, sizeof names, "%s:%s,DNS:localhost,IP:127.0.0.1,IP:::1",
             is_address(host) ? "IP" : "DNS", host);
    if (certificate && add_extension(certificate, by, NID_basic_constraints, "critical,CA:FALSE") &&
        add_extension(certificate, by, NID_ext_key_usage, "serverAuth") &&
        add_extension(certificate, by, NID_authority_key_identifier, "keyid") &&
        add_extension(certificate, by, NID_subject_alt_name, names) &&
        X509_sign(certificate, by_key, EVP_sha256()) > 0) {
        rc = write_pem(key, certificate, key_out, out, err);
    } else {
        rc = failed(err);
    }
    X509_free(certificate);
    X509_free(by);
    EVP_PKEY_free(key);
    EVP_PKEY_free(by_key);
    BIO_free(in);
    BIO_free(key_in);
    return rc;
}
