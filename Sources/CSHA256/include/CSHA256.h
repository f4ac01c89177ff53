// SHA-256 (FIPS 180-4) of bytes that lie in one piece, without allocations.
#ifndef CSHA256_H
#define CSHA256_H

#include <stddef.h>
#include <stdint.h>

// The 32 bytes of a hash as four words, the first byte highest in the first word.
typedef struct {
  uint64_t word0, word1, word2, word3;
} csha256_hash;

// By the processor's instructions for SHA-256 if it has them, else by portable code.
csha256_hash csha256(const uint8_t *bytes, size_t count);

// The same by portable code, whatever the processor has.
csha256_hash csha256_portable(const uint8_t *bytes, size_t count);

// Whether `csha256` uses the processor's instructions.
int csha256_uses_instructions(void);

#endif
