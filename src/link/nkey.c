/* SPDX-License-Identifier: Apache-2.0
 *
 * nkey.c - keys of users, by libcrypto.
 *
 *     seed    base32( S and U in two bytes | 32 bytes of the private key | CRC-16 )   SU...
 *     name    base32( U in one byte        | 32 bytes of the public key  | CRC-16 )   U...
 *
 * 1. What was secret is wiped from memory before the function returns. */
#include "link/nkey.h"

#include "base/str.h"
#include "io/file/file.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

enum {
    PREFIX_SEED = 18 << 3, PREFIX_USER = 20 << 3, KEY_BYTES = 32,
    SEED_BYTES = KEY_BYTES + 4, NAME_BYTES = KEY_BYTES + 3, FILE_BYTES_MAX = 4096,
};

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

static void put_sum(unsigned char *bytes, size_t count)
{
    unsigned sum = 0;

    for (size_t i = 0; i < count; i++) {
        sum ^= (unsigned)bytes[i] << 8;
        for (int bit = 0; bit < 8; bit++) {
            sum = ((sum & 0x8000) ? sum << 1 ^ 0x1021 : sum << 1) & 0xffff;
        }
    }
    bytes[count] = (unsigned char)(sum & 255);
    bytes[count + 1] = (unsigned char)(sum >> 8);
}

static void write_base32(const unsigned char *bytes, size_t count, char *out)
{
    unsigned value = 0, bits = 0;

    for (size_t i = 0; i < count; i++) {
        value = (value << 8 | bytes[i]) & 0xffff;
        for (bits += 8; bits >= 5; bits -= 5) *out++ = letters[value >> (bits - 5) & 31];
    }
    if (bits > 0) *out++ = letters[value << (5 - bits) & 31];
    *out = '\0';
}

static bool read_base32(struct str text, unsigned char *out, size_t bytes)
{
    unsigned value = 0, bits = 0;
    size_t count = 0;

    for (size_t i = 0; i < text.size; i++) {
        const char *letter = text.data[i] ? strchr(letters, text.data[i]) : NULL;

        if (!letter) return false;
        value = (value << 5 | (unsigned)(letter - letters)) & 0xffff;
        bits += 5;
        if (bits < 8) continue;
        bits -= 8;
        if (count == bytes) return false;
        out[count++] = (unsigned char)(value >> bits & 255);
    }
    return count == bytes;
}

static int name_of(EVP_PKEY *key, char name[NKEY_TEXT_BYTES], struct err *err)
{
    unsigned char bytes[NAME_BYTES] = { PREFIX_USER };
    size_t size = KEY_BYTES;

    if (!key || EVP_PKEY_get_raw_public_key(key, bytes + 1, &size) != 1 || size != KEY_BYTES) {
        return err_set(err, ERR_FAILED, "libcrypto makes no Ed25519 key");
    }
    put_sum(bytes, KEY_BYTES + 1);
    write_base32(bytes, sizeof bytes, name);
    return 0;
}

int nkey_new(char seed[NKEY_TEXT_BYTES], char name[NKEY_TEXT_BYTES], struct err *err)
{
    unsigned char bytes[SEED_BYTES] = { PREFIX_SEED | PREFIX_USER >> 5, (PREFIX_USER & 31) << 3 };
    EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    size_t size = KEY_BYTES;
    int rc = name_of(key, name, err);

    if (rc == 0 && EVP_PKEY_get_raw_private_key(key, bytes + 2, &size) != 1) {
        rc = err_set(err, ERR_FAILED, "libcrypto tells no private key");
    }
    if (rc == 0) {
        put_sum(bytes, KEY_BYTES + 2);
        write_base32(bytes, sizeof bytes, seed);
    }
    OPENSSL_cleanse(bytes, sizeof bytes);
    EVP_PKEY_free(key);
    return rc;
}

int nkey_of_seed(const char *path, char name[NKEY_TEXT_BYTES], struct err *err)
{
    unsigned char bytes[SEED_BYTES] = { 0 }, sum[SEED_BYTES];
    EVP_PKEY *key = NULL;
    struct buf text;
    int rc;

    buf_init(&text, FILE_BYTES_MAX);
    rc = file_read(path, &text, err);
    if (rc == 0) {
        bool read = read_base32(str_trim(buf_str(&text)), bytes, sizeof bytes);

        memcpy(sum, bytes, sizeof sum);
        put_sum(sum, KEY_BYTES + 2);
        if (!read || memcmp(sum, bytes, sizeof sum) != 0 ||
            bytes[0] != (PREFIX_SEED | PREFIX_USER >> 5)) {
            rc = err_set(err, ERR_FORMAT, "%s: not the seed of a user's key (SU...)", path);
        }
    }
    if (rc == 0) {
        key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, bytes + 2, KEY_BYTES);
        rc = name_of(key, name, err);
    }
    EVP_PKEY_free(key);
    OPENSSL_cleanse(bytes, sizeof bytes);
    OPENSSL_cleanse(sum, sizeof sum);
    if (text.data) OPENSSL_cleanse(text.data, text.size);
    buf_release(&text);
    return rc;
}
