import { randomBytes, randomFillSync, randomInt } from 'node:crypto'

/** The only source of randomness. */
export interface Random {
  /** At least 0, below 1. */
  fraction(): number
  /** A whole number, at least 0, below the bound. */
  below(bound: number): number
  bytes(count: number): Uint8Array
}

// The size of an identifier. Longer values may be keys, and must not stay in a buffer before they are used.
const MOST_POOLED = 16
const POOL_BYTES = 256 * MOST_POOLED

/** Unpredictable: for a real process. */
export function createSystemRandom(): Random {
  const pool = new Uint8Array(POOL_BYTES)
  let used = POOL_BYTES
  // One system call per identifier takes six times as long.
  const fromPool = (count: number): Uint8Array => {
    if (used + count > POOL_BYTES) {
      randomFillSync(pool)
      used = 0
    }
    const bytes = pool.slice(used, used + count)
    used += count
    return bytes
  }
  return {
    fraction: () => randomInt(2 ** 32) / 2 ** 32,
    below: (bound) => randomInt(bound),
    bytes: (count) => (count <= MOST_POOLED ? fromPool(count) : new Uint8Array(randomBytes(count))),
  }
}

/** The same sequence for the same seed (xoshiro128**, seeded with splitmix32): for simulations. */
export function createSeededRandom(seed: number): Random {
  let mix = seed >>> 0
  const splitmix = (): number => {
    mix = (mix + 0x9e3779b9) >>> 0
    let z = mix
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad)
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
    return (z ^ (z >>> 15)) >>> 0
  }
  let [a, b, c, d] = [splitmix(), splitmix(), splitmix(), splitmix()]
  const word = (): number => {
    const scaled = Math.imul(b, 5)
    const result = Math.imul((scaled << 7) | (scaled >>> 25), 9) >>> 0
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = (d << 11) | (d >>> 21)
    return result
  }
  const fraction = (): number => word() / 2 ** 32
  return {
    fraction,
    below: (bound) => Math.floor(fraction() * bound),
    bytes: (count) => Uint8Array.from({ length: count }, () => word() & 0xff),
  }
}

/** A version 4 UUID. */
export function createUuid(random: Random): string {
  const bytes = random.bytes(16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Buffer.from(bytes).toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
