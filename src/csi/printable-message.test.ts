import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { REDACTED } from '../base/logger.ts'
import {
  CreateVolumeRequest,
  GetCapacityResponse,
  ListSnapshotsResponse,
  ListVolumesResponse,
  NodeGetVolumeStatsResponse,
  NodePublishVolumeRequest,
  ProbeResponse,
} from './generated/csi/v1/csi.ts'
import { ENUMS, MESSAGES } from './generated/message-table.ts'
import type { MessageField } from './generated/message-table.ts'
import { hideSecrets, printableMessage } from './printable-message.ts'
import { CSI_RPCS } from './rpc.ts'
import { MOUNT } from './testing/valid-calls.ts'

const TOKENS = 'csi.storage.k8s.io/serviceAccount.tokens'

describe('printableMessage', () => {
  it('has names as in the protocol, enums by name, big numbers as text, and nothing that is empty', () => {
    const request = CreateVolumeRequest.fromPartial({
      name: 'n',
      capacityRange: { requiredBytes: 2n ** 60n },
      volumeCapabilities: [MOUNT, { accessType: { $case: 'block', value: {} }, accessMode: { mode: 5 } }],
      parameters: { type: 'fast' },
      secrets: { password: 'hunter2', empty: '' },
      volumeContentSource: { type: { $case: 'snapshot', value: { snapshotId: 's' } } },
    })
    assert.deepEqual(printableMessage('csi.v1.CreateVolumeRequest', request), {
      name: 'n',
      capacity_range: { required_bytes: '1152921504606846976' },
      volume_capabilities: [
        { mount: { fs_type: 'ext4', mount_flags: ['noatime'] }, access_mode: { mode: 'SINGLE_NODE_WRITER' } },
        { block: {}, access_mode: { mode: 'MULTI_NODE_MULTI_WRITER' } },
      ],
      parameters: { type: 'fast' },
      secrets: { password: REDACTED, empty: REDACTED },
      volume_content_source: { snapshot: { snapshot_id: 's' } },
    })
  })

  it('is empty for a message that says nothing', () => {
    assert.deepEqual(printableMessage('csi.v1.CreateVolumeRequest', CreateVolumeRequest.fromPartial({})), {})
    assert.deepEqual(printableMessage('csi.v1.CreateVolumeRequest', undefined), {})
  })

  it('shows a wrapped value that is there, be it zero or false', () => {
    assert.deepEqual(printableMessage('csi.v1.ProbeResponse', ProbeResponse.fromPartial({ ready: false })), {
      ready: false,
    })
    assert.deepEqual(printableMessage('csi.v1.ProbeResponse', ProbeResponse.fromPartial({})), {})
    const capacity = GetCapacityResponse.fromPartial({ availableCapacity: 0n, maximumVolumeSize: 0n })
    assert.deepEqual(printableMessage('csi.v1.GetCapacityResponse', capacity), { maximum_volume_size: '0' })
  })

  it('shows times as dates, and what no calendar has as seconds', () => {
    const entries = [
      { seconds: 1_700_000_000n, nanos: 5e8 },
      { seconds: 2n ** 60n, nanos: 0 },
    ].map((creationTime) => ({ snapshot: { creationTime } }))
    assert.deepEqual(printableMessage('csi.v1.ListSnapshotsResponse', ListSnapshotsResponse.fromPartial({ entries })), {
      entries: [
        { snapshot: { creation_time: '2023-11-14T22:13:20.500Z' } },
        { snapshot: { creation_time: '1152921504606846976s' } },
      ],
    })
  })

  it('shows an enum value of a later version by its number', () => {
    const stats = NodeGetVolumeStatsResponse.fromPartial({ usage: [{ unit: 1 }, { unit: 77 as 1 }] })
    assert.deepEqual(printableMessage('csi.v1.NodeGetVolumeStatsResponse', stats), {
      usage: [{ unit: 'BYTES' }, { unit: 77 }],
    })
  })

  it('strips the tokens that Kubernetes puts into an ordinary map, at any depth', () => {
    const volumeContext = { [TOKENS]: '{"":{"token":"hunter2"}}', plain: 'shown' }
    const stripped = { volume_context: { [TOKENS]: REDACTED, plain: 'shown' } }
    assert.deepEqual(
      printableMessage('csi.v1.NodePublishVolumeRequest', NodePublishVolumeRequest.fromPartial({ volumeContext })),
      stripped,
    )
    const list = ListVolumesResponse.fromPartial({ entries: [{ volume: { volumeContext } }] })
    assert.deepEqual(printableMessage('csi.v1.ListVolumesResponse', list), { entries: [{ volume: stripped }] })
  })

  it('never shows a secret, in no message of CSI', () => {
    for (const { requestName, responseName } of CSI_RPCS.values()) {
      for (const messageName of [requestName, responseName]) {
        fc.assert(
          fc.property(arbitraryMessage(messageName), (message) => {
            assert.doesNotMatch(JSON.stringify(printableMessage(messageName, message)), /S3CR3T/)
          }),
          { numRuns: 10 },
        )
      }
    }
  })
})

describe('hideSecrets', () => {
  const hide = (secrets: Record<string, string>, text: string, volumeContext: Record<string, string> = {}): string =>
    hideSecrets(
      'csi.v1.NodePublishVolumeRequest',
      NodePublishVolumeRequest.fromPartial({ secrets, volumeContext }),
      text,
    )

  const cases: [behaviour: string, secrets: Record<string, string>, text: string, hidden: string][] = [
    ['hides every occurrence', { a: 'hunter2' }, 'hunter2 is not hunter2', `${REDACTED} is not ${REDACTED}`],
    ['leaves other text alone', { a: 'hunter2' }, 'login failed', 'login failed'],
    ['leaves the names of secrets alone', { password: 'hunter2' }, 'password is wrong', 'password is wrong'],
    [
      'hides a secret that begins with another one',
      { a: 'hunter2', b: 'hunter2-more' },
      'got hunter2-more',
      `got ${REDACTED}`,
    ],
    ['hides secrets that overlap', { a: 'abcdef', b: 'defghi' }, 'got abcdefghi.', `got ${REDACTED}.`],
    [
      'hides a secret that stands in what hides it',
      { a: 'stripped', b: 'hunter2' },
      'hunter2, stripped',
      `${REDACTED}, ${REDACTED}`,
    ],
    ['takes no secret for a pattern', { a: '.*a+$&' }, 'got .*a+$& and aaaa', `got ${REDACTED} and aaaa`],
    [
      'hides a secret without the line end that its file has',
      { a: 'hunter2\n' },
      'login with hunter2 failed',
      `login with ${REDACTED} failed`,
    ],
    [
      'hides a quoted secret',
      { a: 'line "one"\nline two' },
      'request {"a":"line \\"one\\"\\nline two"}',
      `request {"a":"${REDACTED}"}`,
    ],
    [
      'hides the strings in a secret that is JSON',
      { a: '{"key":["hunter2"]}' },
      'login with hunter2',
      `login with ${REDACTED}`,
    ],
    ['takes no secret for JSON that is none', { a: '{hunter2' }, 'login with {hunter2', `login with ${REDACTED}`],
    [
      'leaves words alone that are too short to be a secret',
      { a: 'on', b: '', c: '   ' },
      'based on    it',
      'based on    it',
    ],
  ]
  for (const [behaviour, secrets, text, hidden] of cases) it(behaviour, () => assert.equal(hide(secrets, text), hidden))

  it('hides the tokens of Kubernetes, each by itself', () => {
    const tokens = JSON.stringify({ vault: { token: 'eyJhbGciOi', expirationTimestamp: '2030-01-01T00:00:00Z' } })
    assert.equal(
      hide({}, 'vault refused eyJhbGciOi', { [TOKENS]: tokens, other: 'vault' }),
      `vault refused ${REDACTED}`,
    )
  })

  it('can hide a secret of megabytes', () => {
    const secret = 'x'.repeat(5_000_000)
    assert.equal(hide({ a: secret }, `<${secret}>`), `<${REDACTED}>`)
    assert.equal(hide({ a: secret }, 'short'), 'short')
  })

  it('leaves no secret in any text, raw or quoted', () => {
    const secret = fc.string({ unit: 'grapheme' }).map((rest) => `S3CR3T${rest}`)
    const piece = fc.oneof(fc.record({ plain: fc.string() }), fc.record({ pick: fc.nat(), quoted: fc.boolean() }))
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 4 }), fc.array(piece), (secrets, pieces) => {
        const textOf = (each: (typeof pieces)[number]): string => {
          if ('plain' in each) return each.plain.replaceAll(/S3CR3T/g, '')
          const value = secrets[each.pick % secrets.length] ?? ''
          return each.quoted ? JSON.stringify(value) : value
        }
        const hidden = hide(
          Object.fromEntries(secrets.entries().map(([index, value]) => [`k${index}`, value])),
          pieces.map(textOf).join(' '),
        )
        assert.doesNotMatch(hidden, /S3CR3T/)
      }),
    )
  })
})

/** An arbitrary message of this type; all secrets in it contain S3CR3T, and nothing else does. */
function arbitraryMessage(messageName: string): fc.Arbitrary<Record<string, unknown>> {
  const fields = (MESSAGES[messageName] ?? []).map((field) =>
    arbitraryField(field).map((value) => [field, value] as const),
  )
  return fc.tuple(...fields).map((entries) => {
    const message: Record<string, unknown> = {}
    for (const [field, value] of entries) {
      if (field.oneof === undefined) message[field.jsonName] = value
      else message[field.oneof] = { $case: field.jsonName, value }
    }
    return message
  })
}

function arbitraryField(field: MessageField): fc.Arbitrary<unknown> {
  const secret = fc.string().map((rest) => `S3CR3T${rest}`)
  if (field.type === 'map') {
    const keys = fc.string()
    const plain = fc.dictionary(keys, field.secret ? secret : fc.string())
    const tokens = fc.dictionary(fc.constant(TOKENS), secret)
    return fc.tuple(plain, tokens).map(([some, more]) => ({ ...some, ...more }))
  }
  const one = field.secret ? secret : arbitraryValue(field)
  return field.repeated ? fc.array(one, { maxLength: 3 }) : one
}

function arbitraryValue({ type, typeName = '' }: MessageField): fc.Arbitrary<unknown> {
  if (type === 'enum') return fc.integer({ min: 0, max: Object.keys(ENUMS[typeName] ?? {}).length + 1 })
  if (type === 'bool' || typeName === 'google.protobuf.BoolValue') return fc.boolean()
  if (type === 'int64' || typeName === 'google.protobuf.Int64Value')
    return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  if (type === 'int32') return fc.integer()
  if (typeName === 'google.protobuf.Timestamp')
    return fc.record({ seconds: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), nanos: fc.nat(999_999_999) })
  if (type === 'message') return fc.option(arbitraryMessage(typeName), { nil: undefined })
  return fc.string()
}
