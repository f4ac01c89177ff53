// XXH64 with seed 0 (https://github.com/Cyan4973/xxHash), the checksum of records.
#ifndef BASELINE_XXH64_H
#define BASELINE_XXH64_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const uint64_t xxh_prime1 = 0x9E3779B185EBCA87u, xxh_prime2 = 0xC2B2AE3D27D4EB4Fu,
                      xxh_prime3 = 0x165667B19E3779F9u, xxh_prime4 = 0x85EBCA77C2B2AE63u,
                      xxh_prime5 = 0x27D4EB2F165667C5u;

static inline uint64_t xxh_rotate(uint64_t word, int by) { return word << by | word >> (64 - by); }

static inline uint64_t xxh_load64(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

static inline uint64_t xxh_round(uint64_t lane, uint64_t word) {
  return xxh_rotate(lane + word * xxh_prime2, 31) * xxh_prime1;
}

static inline uint64_t xxh64(const uint8_t *bytes, size_t count) {
  const uint8_t *end = bytes + count;
  uint64_t hash = xxh_prime5;
  if (count >= 32) {
    uint64_t lanes[4] = {xxh_prime1 + xxh_prime2, xxh_prime2, 0, 0 - xxh_prime1};
    for (; end - bytes >= 32; bytes += 32) {
      for (int i = 0; i < 4; i++) lanes[i] = xxh_round(lanes[i], xxh_load64(bytes + 8 * i));
    }
    hash = xxh_rotate(lanes[0], 1) + xxh_rotate(lanes[1], 7) + xxh_rotate(lanes[2], 12)
           + xxh_rotate(lanes[3], 18);
    for (int i = 0; i < 4; i++) hash = (hash ^ xxh_round(0, lanes[i])) * xxh_prime1 + xxh_prime4;
  }
  hash += count;
  for (; end - bytes >= 8; bytes += 8) {
    hash = xxh_rotate(hash ^ xxh_round(0, xxh_load64(bytes)), 27) * xxh_prime1 + xxh_prime4;
  }
  if (end - bytes >= 4) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    hash = xxh_rotate(hash ^ word * xxh_prime1, 23) * xxh_prime2 + xxh_prime3;
    bytes += 4;
  }
  for (; bytes < end; bytes++) hash = xxh_rotate(hash ^ *bytes * xxh_prime5, 11) * xxh_prime1;
  hash = (hash ^ hash >> 33) * xxh_prime2;
  hash = (hash ^ hash >> 29) * xxh_prime3;
  return hash ^ hash >> 32;
}

#endif
