#include "CSHA256.h"

#include <string.h>

enum { block_bytes = 64, length_bytes = 8 };

// FIPS 180-4, 4.2.2.
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

typedef void (*compress)(uint32_t state[8], const uint8_t *bytes, size_t blocks);

static uint32_t rotate(uint32_t word, int by) { return word >> by | word << (32 - by); }

static uint32_t big_endian(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// FIPS 180-4, 6.2.2.
static void compress_portable(uint32_t state[8], const uint8_t *bytes, size_t blocks) {
  for (; blocks > 0; blocks--, bytes += block_bytes) {
    uint32_t w[64];
    for (int i = 0; i < 16; i++) w[i] = big_endian(bytes + 4 * i);
    for (int i = 16; i < 64; i++) {
      uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
      uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; i++) {
      uint32_t s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + constants[i] + w[i];
      uint32_t s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1;
      d = c, c = b, b = a, a = t1 + t2;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
  }
}

static csha256_hash hash(const uint8_t *bytes, size_t count, compress compress) {
  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  size_t blocks = count / block_bytes, rest = count % block_bytes;
  if (blocks > 0) compress(state, bytes, blocks);

  // The rest, a one, zeros and the number of bits fill one block or two (FIPS 180-4, 5.1.1).
  uint8_t last[2 * block_bytes] = {0};
  size_t last_blocks = rest + 1 + length_bytes <= block_bytes ? 1 : 2;
  if (rest > 0) memcpy(last, bytes + count - rest, rest);
  last[rest] = 0x80;
  for (int i = 0; i < length_bytes; i++) {
    last[last_blocks * block_bytes - 1 - (size_t)i] = (uint8_t)((uint64_t)count * 8 >> (8 * i));
  }
  compress(state, last, last_blocks);

  return (csha256_hash){(uint64_t)state[0] << 32 | state[1], (uint64_t)state[2] << 32 | state[3],
                        (uint64_t)state[4] << 32 | state[5], (uint64_t)state[6] << 32 | state[7]};
}

csha256_hash csha256_portable(const uint8_t *bytes, size_t count) {
  return hash(bytes, count, compress_portable);
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>

// Four rounds a pair of `sha256rnds2`. The message schedule runs over a ring of four vectors.
// See Gulley et al., "Intel SHA Extensions", 2013.
__attribute__((target("sha,sse4.1,ssse3"))) static void compress_instructions(
    uint32_t state[8], const uint8_t *bytes, size_t blocks) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xB1);
  __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1B);
  __m128i abef = _mm_alignr_epi8(abcd, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, abcd, 0xF0);

  for (; blocks > 0; blocks--, bytes += block_bytes) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i m[4];
#pragma clang loop unroll(full)
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

// The processor is asked once: under a hypervisor the question takes microseconds.
int csha256_uses_instructions(void) {
  static _Atomic int known = -1;
  int answer = atomic_load_explicit(&known, memory_order_relaxed);
  if (answer < 0) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    int has_sse = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSSE3) && (c & bit_SSE4_1);
    answer = has_sse && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
    atomic_store_explicit(&known, answer, memory_order_relaxed);
  }
  return answer;
}

csha256_hash csha256(const uint8_t *bytes, size_t count) {
  return hash(bytes, count, csha256_uses_instructions() ? compress_instructions : compress_portable);
}
#else
int csha256_uses_instructions(void) { return 0; }

csha256_hash csha256(const uint8_t *bytes, size_t count) { return csha256_portable(bytes, count); }
#endif
