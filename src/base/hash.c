/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

uint64_t hash_byte(uint64_t hash, char byte)
{
    return (hash ^ (unsigned char)byte) * UINT64_C(0x100000001b3);
}

uint64_t hash_text(uint64_t hash, struct str text)
{
    for (size_t i = 0; i < text.size; i++) hash = hash_byte(hash, text.data[i]);
    return hash;
}
