import fc from 'fast-check'

/** Steps from the root of a value to one of its parts. */
export type Path = readonly (string | number)[]

/** All paths in a value, at every level. */
export function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [
    path,
    ...Object.entries(value).flatMap(([key, member]) =>
      pathsOf(member, [...path, Array.isArray(value) ? Number(key) : key]),
    ),
  ]
}

/** A path as a JSON pointer. */
export const pointerOf = (path: Path): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Keys with a meaning in JavaScript, each an attempt to change what every object inherits. */
export const INHERITED = JSON.parse(
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1,"hasOwnProperty":2,"valueOf":null,"then":3}',
) as object

// The same as a map of strings, which is the type of many fields.
const INHERITED_TEXTS = JSON.parse('{"__proto__":"1","constructor":"1","toString":"1","hasOwnProperty":"1"}') as object

/** Values of which any field accepts few. */
export const WRONG_TYPES: readonly unknown[] = [
  null,
  true,
  1.5,
  'text',
  ['text'],
  [null],
  { text: {} },
  INHERITED,
  INHERITED_TEXTS,
]

/** Anything that somebody may put into a field. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...WRONG_TYPES, 7, [], {}, [[]], { text: 'text' }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      undefined,
      '',
      ' ',
      '\u0000',
      '\ud800',
      'é😀',
      '__proto__',
      'constructor',
      '..',
      'A',
      'x'.repeat(300),
      'x'.repeat(70_000),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '1Gi',
      '-1',
      '1e30',
      '0.5',
      '1e-12',
      '-9223372036854775809',
      '9'.repeat(40),
      '2030-01-01T00:00:00Z',
      '9999-99-99T00:00:00Z',
      'dg==',
      '%%%',
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom(0, -1, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324, -0) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom('ReadWriteOnce', 'a', '', 'Persistent'), { maxLength: 3 }) },
)
