import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createSeededRandom, createSystemRandom, createUuid } from './random.ts'
import type { Random } from './random.ts'

const draws = (random: Random): unknown[] => [
  ...Array.from({ length: 20 }, () => random.fraction()),
  ...Array.from({ length: 20 }, () => random.below(1000)),
  ...random.bytes(20),
]

for (const [name, create] of [
  ['the system random source', () => createSystemRandom()],
  ['the seeded random source', () => createSeededRandom(1)],
] as const) {
  describe(name, () => {
    it('draws fractions of at least 0 and below 1', () => {
      const random = create()
      for (let draw = 0; draw < 1000; draw++) {
        const fraction = random.fraction()
        assert.ok(fraction >= 0 && fraction < 1, String(fraction))
      }
    })

    it('reaches every whole number below the bound and no other', () => {
      const random = create()
      const seen = new Set(Array.from({ length: 2000 }, () => random.below(7)))
      assert.deepEqual(seen, new Set([0, 1, 2, 3, 4, 5, 6]))
    })

    it('knows only 0 below 1', () => assert.equal(create().below(1), 0))

    it("gives small numbers of bytes that are nobody else's, however many times", () => {
      const random = create()
      const drawn = Array.from({ length: 5000 }, (_, index) => random.bytes(9 + (index % 8)))
      const before = drawn.map((bytes) => Buffer.from(bytes).toString('hex'))
      assert.equal(new Set(before).size, drawn.length)
      drawn[0]?.fill(0)
      assert.deepEqual(
        drawn.slice(1).map((bytes) => Buffer.from(bytes).toString('hex')),
        before.slice(1),
      )
    })

    it('gives as many bytes as asked for, of every kind', () => {
      const random = create()
      assert.equal(random.bytes(0).length, 0)
      assert.equal(new Set(random.bytes(10_000)).size, 256)
    })
  })
}

describe('a seed of the random source', () => {
  it('repeats its sequence for the same seed', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) =>
        assert.deepEqual(draws(createSeededRandom(seed)), draws(createSeededRandom(seed))),
      ),
    )
  })

  it('keeps its sequence from version to version, so that a failing seed can be told to others', () => {
    const random = createSeededRandom(42)
    assert.deepEqual(
      Array.from({ length: 5 }, () => random.below(1000)),
      [153, 850, 18, 211, 534],
    )
  })

  it('differs between neighbouring seeds', () => {
    assert.notDeepEqual(draws(createSeededRandom(1)), draws(createSeededRandom(2)))
  })

  it('spreads evenly', () => {
    const random = createSeededRandom(7)
    const counts = Array.from({ length: 10 }, () => 0)
    for (let draw = 0; draw < 10_000; draw++) {
      const drawn = random.below(10)
      counts[drawn] = (counts[drawn] ?? 0) + 1
    }
    for (const count of counts) assert.ok(count > 800 && count < 1200, counts.join(' '))
  })
})

describe('createUuid', () => {
  it('makes a version 4 UUID of any bytes', () => {
    const uuids = fc.uint8Array({ minLength: 16, maxLength: 16 })
    fc.assert(
      fc.property(uuids, (bytes) => {
        const random: Random = { fraction: () => 0, below: () => 0, bytes: () => Uint8Array.from(bytes) }
        assert.match(createUuid(random), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      }),
    )
  })

  it('makes another one each time', () => {
    const random = createSystemRandom()
    assert.notEqual(createUuid(random), createUuid(random))
  })
})
