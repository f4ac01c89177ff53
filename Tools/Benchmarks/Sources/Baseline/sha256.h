// SHA-256 (FIPS 180-4), with the processor's own instructions where x86 has them.
#ifndef BASELINE_SHA256_H
#define BASELINE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { hash_bytes = 32 };

// The hash of `prefix` followed by two parts; the tree's leaves and nodes are made of these.
void sha256_prefixed(
    uint8_t prefix, const uint8_t *first, size_t first_bytes, const uint8_t *second,
    size_t second_bytes, uint8_t hash[hash_bytes]);

#endif
