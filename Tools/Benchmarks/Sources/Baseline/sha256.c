#include "sha256.h"

#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t word, int by) { return word >> by | word << (32 - by); }

static void blocks_portable(uint32_t state[8], const uint8_t *bytes, size_t blocks) {
  for (; blocks > 0; blocks--, bytes += 64) {
    uint32_t w[64];
    for (int i = 0; i < 16; i++) {
      w[i] = (uint32_t)bytes[4 * i] << 24 | (uint32_t)bytes[4 * i + 1] << 16
             | (uint32_t)bytes[4 * i + 2] << 8 | bytes[4 * i + 3];
    }
    for (int i = 16; i < 64; i++) {
      uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
      uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t v[8];
    memcpy(v, state, sizeof v);
    for (int i = 0; i < 64; i++) {
      uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
      uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
      uint32_t t1 = v[7] + s1 + choice + constants[i] + w[i];
      uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
      uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
      memmove(v + 1, v, 7 * sizeof v[0]);
      v[4] += t1;
      v[0] = t1 + s0 + majority;
    }
    for (int i = 0; i < 8; i++) state[i] += v[i];
  }
}

#if defined(__x86_64__)
#include <immintrin.h>

// Four rounds an `sha256rnds2` pair; the message schedule runs over a ring of four vectors.
__attribute__((target("sha,sse4.1,ssse3"))) static void blocks_sha(
    uint32_t state[8], const uint8_t *bytes, size_t blocks) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  __m128i abcd = _mm_loadu_si128((const __m128i *)state);
  __m128i efgh = _mm_loadu_si128((const __m128i *)(state + 4));
  abcd = _mm_shuffle_epi32(abcd, 0xB1);
  efgh = _mm_shuffle_epi32(efgh, 0x1B);
  __m128i abef = _mm_alignr_epi8(abcd, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, abcd, 0xF0);

  for (; blocks > 0; blocks--, bytes += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i m[4];
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
      __m128i words;
      if (i < 4) {
        words = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * i)), swap);
      } else {
        __m128i sum = _mm_sha256msg1_epu32(m[i & 3], m[(i + 1) & 3]);
        sum = _mm_add_epi32(sum, _mm_alignr_epi8(m[(i + 3) & 3], m[(i + 2) & 3], 4));
        words = _mm_sha256msg2_epu32(sum, m[(i + 3) & 3]);
      }
      m[i & 3] = words;
      words = _mm_add_epi32(words, _mm_loadu_si128((const __m128i *)(constants + 4 * i)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, words);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(words, 0x0E));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }

  __m128i feba = _mm_shuffle_epi32(abef, 0x1B);
  __m128i dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#include <cpuid.h>

static int has_sha(void) {
  static int known = -1;
  if (known < 0) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    known = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1);
  }
  return known;
}

static void hash_blocks(uint32_t state[8], const uint8_t *bytes, size_t blocks) {
  if (has_sha()) {
    blocks_sha(state, bytes, blocks);
  } else {
    blocks_portable(state, bytes, blocks);
  }
}
#else
static void hash_blocks(uint32_t state[8], const uint8_t *bytes, size_t blocks) {
  blocks_portable(state, bytes, blocks);
}
#endif

typedef struct {
  uint32_t state[8];
  uint8_t rest[64];
  size_t rest_bytes;
  uint64_t bytes;
} Hasher;

static void add(Hasher *hasher, const uint8_t *bytes, size_t count) {
  hasher->bytes += count;
  if (hasher->rest_bytes > 0) {
    size_t room = 64 - hasher->rest_bytes, part = count < room ? count : room;
    memcpy(hasher->rest + hasher->rest_bytes, bytes, part);
    hasher->rest_bytes += part;
    bytes += part;
    count -= part;
    if (hasher->rest_bytes < 64) return;
    hash_blocks(hasher->state, hasher->rest, 1);
    hasher->rest_bytes = 0;
  }
  if (count >= 64) {
    hash_blocks(hasher->state, bytes, count / 64);
    bytes += count / 64 * 64;
    count %= 64;
  }
  if (count > 0) memcpy(hasher->rest, bytes, count);
  hasher->rest_bytes = count;
}

void sha256_prefixed(
    uint8_t prefix, const uint8_t *first, size_t first_bytes, const uint8_t *second,
    size_t second_bytes, uint8_t hash[hash_bytes]) {
  Hasher hasher = {
      .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
                0x5be0cd19},
  };
  add(&hasher, &prefix, 1);
  add(&hasher, first, first_bytes);
  add(&hasher, second, second_bytes);

  uint64_t bits = hasher.bytes * 8;
  uint8_t padding[72] = {0x80};
  size_t zeros = (hasher.rest_bytes < 56 ? 56 : 120) - hasher.rest_bytes;
  for (int i = 0; i < 8; i++) padding[zeros + (size_t)i] = (uint8_t)(bits >> (56 - 8 * i));
  add(&hasher, padding, zeros + 8);
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < 4; j++) hash[4 * i + j] = (uint8_t)(hasher.state[i] >> (24 - 8 * j));
  }
}
