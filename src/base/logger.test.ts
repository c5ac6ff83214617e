import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createLogger, createSilentLogger, REDACTED } from './logger.ts'
import type { Logger, LoggerOptions } from './logger.ts'
import { createSimulatedClock } from './simulated-clock.ts'

function open(options: Partial<LoggerOptions> = {}): { log: Logger; lines: string[] } {
  const lines: string[] = []
  const clock = createSimulatedClock(Date.UTC(2030, 0, 1, 12, 30, 15, 250))
  return { log: createLogger({ clock, write: (line) => lines.push(line), format: 'json', ...options }), lines }
}

/** The fields as a JSON line has them. */
function written(fields: Record<string, unknown>): Record<string, unknown> {
  const { log, lines } = open()
  log.info('said', fields)
  const {
    time: _time,
    level: _level,
    message: _message,
    ...rest
  } = JSON.parse(lines[0] ?? '') as Record<string, unknown>
  return rest
}

describe('the logger', () => {
  it('writes one JSON object a line', () => {
    const { log, lines } = open()
    log.warn('volume attached', { node: 'n1', tookMs: 12 })
    assert.deepEqual(lines, [
      '{"time":"2030-01-01T12:30:15.250Z","level":"warn","message":"volume attached","node":"n1","tookMs":12}\n',
    ])
  })

  it('writes text for a person, with quotes only where they are needed', () => {
    const { log, lines } = open({ format: 'text' })
    log.info('volume attached', {
      node: 'n1',
      note: 'two words',
      empty: '',
      count: 3,
      at: { zone: 'a' },
      absent: undefined,
    })
    assert.deepEqual(lines, [
      '12:30:15.250 info  volume attached  node=n1  note="two words"  empty=""  count=3  at={"zone":"a"}\n',
    ])
  })

  it('keeps a text line one line, whatever a field holds', () => {
    const { log, lines } = open({ format: 'text' })
    log.error('failed', { error: new Error('first\nsecond'), output: 'a\nb\u001b[31m' })
    assert.equal(lines[0], '12:30:15.250 error failed  error={"message":"first\\nsecond"}  output="a\\nb\\u001b[31m"\n')
  })

  it('leaves out what is below its level, info unless told otherwise', () => {
    const levels = ['debug', 'info', 'warn', 'error'] as const
    const count = (options: Partial<LoggerOptions>): number => {
      const { log, lines } = open(options)
      for (const level of levels) log[level]('said')
      return lines.length
    }
    assert.equal(count({}), 3)
    assert.deepEqual(
      levels.map((level) => count({ level })),
      [4, 3, 2, 1],
    )
  })

  it('adds bound fields to each line; the nearest one wins', () => {
    const { log, lines } = open()
    const bound = log.with({ driver: 'd', key: 'a' }).with({ key: 'b' })
    bound.info('said')
    bound.info('said', { key: 'c' })
    log.info('said')
    assert.deepEqual(
      lines.map((line) => {
        const { driver, key } = JSON.parse(line) as Record<string, unknown>
        return [driver, key]
      }),
      [
        ['d', 'b'],
        ['d', 'c'],
        [undefined, undefined],
      ],
    )
  })

  it('does not let a field take the place of time, level or message', () => {
    const { log, lines } = open()
    log.info('said', { time: 't', level: 'l', message: 'm' })
    assert.deepEqual(JSON.parse(lines[0] ?? ''), {
      time: '2030-01-01T12:30:15.250Z',
      level: 'info',
      message: 'said',
      'fields.time': 't',
      'fields.level': 'l',
      'fields.message': 'm',
    })
  })

  it('writes nothing when it is silent', () => {
    const log = createSilentLogger()
    log.error('said', {
      get trap() {
        return assert.fail('must not be read')
      },
    })
    log.with({ key: 'a' }).info('said')
  })
})

describe('secrets in log fields', () => {
  const secret = [
    'secret',
    'secrets',
    'token',
    'password',
    'Passwd',
    'passphrase',
    'access_token',
    'id_token',
    'accessToken',
    'bearerTokens',
  ]
  secret.push(
    'clientSecret',
    'credentials',
    'privateKey',
    'private_key',
    'client-key-data',
    'apiKey',
    'Authorization',
    'set-cookie',
  )
  for (const key of secret) {
    it(`are not written under ${key}, at any depth`, () => {
      assert.deepEqual(written({ [key]: 'hunter2' }), { [key]: REDACTED })
      assert.deepEqual(written({ a: [{ b: { [key]: { inner: 'hunter2' } } }] }), { a: [{ b: { [key]: REDACTED } }] })
      assert.deepEqual(written({ map: new Map([[key, 'hunter2']]) }), { map: { [key]: REDACTED } })
    })
  }

  const harmless = [
    'secretRef',
    'secretName',
    'secretNamespace',
    'tokenCount',
    'tokenExpiry',
    'tokenAudiences',
    'starting_token',
    'nextToken',
    'key',
    'path',
  ]
  for (const key of harmless) {
    it(`are not suspected under ${key}`, () => assert.deepEqual(written({ [key]: 'plain' }), { [key]: 'plain' }))
  }

  it('are looked for inside a reference too', () => {
    assert.deepEqual(written({ secretRef: { name: 'n', password: 'hunter2' } }), {
      secretRef: { name: 'n', password: REDACTED },
    })
  })

  it('do not get out as properties of an error or of its causes', () => {
    const inner = Object.assign(new Error('refused'), { request: { headers: 'Bearer hunter2' }, code: 'EPERM' })
    const error = Object.assign(new Error('call failed', { cause: inner }), { body: 'hunter2', code: 7n })
    assert.deepEqual(written({ error }), {
      error: { message: 'call failed', code: '7', cause: { message: 'refused', code: 'EPERM' } },
    })
  })

  it('never appear in either format, wherever the secret key stands', () => {
    const { objects } = fc.letrec<{ objects: unknown; values: unknown }>((tie) => ({
      values: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.bigInt(),
        fc.boolean(),
        fc.array(tie('objects'), { maxLength: 3 }),
        tie('objects'),
      ),
      objects: fc.dictionary(fc.constantFrom('a', 'b', 'password', 'sessionToken', 'secret'), tie('values'), {
        maxKeys: 4,
      }),
    }))
    const plant = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(plant)
      if (typeof value !== 'object' || value === null) return value
      const isSecret = (key: string): boolean => ['password', 'sessionToken', 'secret'].includes(key)
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, isSecret(key) ? { deep: 'HUNTER-2' } : plant(item)]),
      )
    }
    fc.assert(
      fc.property(objects, fc.constantFrom<'json' | 'text'>('json', 'text'), (fields, format) => {
        const { log, lines } = open({ format })
        log.info('said', plant(fields) as Record<string, unknown>)
        assert.doesNotMatch(lines.join(''), /HUNTER-2/)
      }),
    )
  })
})

describe('odd values in log fields', () => {
  const cases: [what: string, value: unknown, as: unknown][] = [
    ['bigints', 2n ** 64n, '18446744073709551616'],
    ['bytes', new Uint8Array(300), '<300 bytes>'],
    ['functions', () => 1, '<function>'],
    ['symbols', Symbol('s'), 'Symbol(s)'],
    ['dates', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['invalid dates', new Date(Number.NaN), '<invalid date>'],
    ['maps', new Map([[1, 2n]]), { 1: '2' }],
    ['sets', new Set(['a', 1n]), ['a', '1']],
    ['null', null, null],
    [
      'several errors in one',
      new AggregateError([new Error('a')], 'all failed'),
      { message: 'all failed', errors: [{ message: 'a' }] },
    ],
  ]
  for (const [what, value, as] of cases) {
    it(`can be ${what}`, () =>
      assert.deepEqual(written({ value, inner: { value } }), { value: as, inner: { value: as } }))
  }

  it('are cut where text is long, also that of errors', () => {
    const long = 'é'.repeat(10_000)
    const { value, error } = written({ value: [long], error: new Error(long) }) as {
      value: string[]
      error: { message: string }
    }
    assert.equal(value[0], `${'é'.repeat(8192)}… (1808 more)`)
    assert.equal(error.message, value[0])
  })

  it('are cut where they go deep, and where they go in circles', () => {
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    const error = new Error('a')
    error.cause = error
    const { log, lines } = open()
    log.info('said', { circle, error })
    assert.equal(JSON.stringify(JSON.parse(lines[0] ?? '').circle), '{"self":'.repeat(8) + '"…"' + '}'.repeat(8))
    assert.equal(lines[0]?.match(/"cause"/g)?.length, 8)
  })
})
