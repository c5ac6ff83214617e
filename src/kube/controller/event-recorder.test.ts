import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { EVENTS } from '../../api/kinds/event.ts'
import type { Event } from '../../api/kinds/event.ts'
import type { KubeObject } from '../../api/object.ts'
import { createLogger } from '../../base/logger.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { createEventRecorder } from './event-recorder.ts'
import { createScriptedApi } from '../testing/scripted-api.ts'

const claim: KubeObject = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'apps', name: 'data', uid: 'u-1', resourceVersion: '7' },
}
const volume: KubeObject = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'pv-1', uid: 'u-2' } }

function open(parts: { api?: (api: Api) => Api; host?: string } = {}) {
  const clock = createSimulatedClock()
  const server = createScriptedApi(clock)
  const lines: string[] = []
  const log = createLogger({ clock, format: 'text', write: (line) => void lines.push(line) })
  const api = parts.api ? parts.api(server.api) : server.api
  const recorder = createEventRecorder({
    api,
    clock,
    log,
    component: 'external-provisioner',
    ...(parts.host ? { host: parts.host } : {}),
  })
  const events = (): Event[] => server.objects(EVENTS) as Event[]
  return { clock, server, recorder, events, lines }
}

describe('the event recorder', () => {
  it('writes who says what about which object', async () => {
    const { recorder, events } = open({ host: 'node-1' })
    recorder.record(claim, 'Normal', 'Provisioning', 'asking the driver')
    await recorder.flush()
    const { metadata, ...event } = events()[0] as Event
    assert.equal(metadata.namespace, 'apps')
    assert.match(metadata.name ?? '', /^data\.[0-9a-f]{16}$/)
    assert.deepEqual(event, {
      apiVersion: 'v1',
      kind: 'Event',
      involvedObject: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        name: 'data',
        namespace: 'apps',
        uid: 'u-1',
        resourceVersion: '7',
      },
      type: 'Normal',
      reason: 'Provisioning',
      message: 'asking the driver',
      source: { component: 'external-provisioner', host: 'node-1' },
      firstTimestamp: '2030-01-01T00:00:00Z',
      lastTimestamp: '2030-01-01T00:00:00Z',
      count: 1,
      reportingComponent: 'external-provisioner',
      reportingInstance: 'node-1',
    })
  })

  it('writes about what has no namespace in the default one, under names that differ', async () => {
    const { recorder, events } = open()
    recorder.record(volume, 'Normal', 'A', 'a')
    recorder.record(volume, 'Normal', 'B', 'b')
    await recorder.flush()
    assert.deepEqual(
      events().map(({ metadata }) => metadata.namespace),
      ['default', 'default'],
    )
    assert.equal(new Set(events().map(({ metadata }) => metadata.name)).size, 2)
  })

  it('keeps what two parts say of one object in the same millisecond apart', async () => {
    const { clock, server, recorder, events } = open()
    const other = createEventRecorder({
      api: server.api,
      clock,
      log: createLogger({ clock, format: 'text', write: () => {} }),
      component: 'attach-detach',
    })
    recorder.record(claim, 'Normal', 'A', 'a')
    other.record(claim, 'Normal', 'A', 'a')
    await Promise.all([recorder.flush(), other.flush()])
    assert.equal(events().length, 2)
  })

  it('counts an event that is said again, in order', async () => {
    const { clock, recorder, events } = open()
    recorder.record(claim, 'Warning', 'ProvisioningFailed', 'no room')
    recorder.record(claim, 'Warning', 'ProvisioningFailed', 'no room')
    await recorder.flush()
    await clock.advance(60_000)
    recorder.record(claim, 'Warning', 'ProvisioningFailed', 'no room')
    await recorder.flush()
    assert.deepEqual(
      events().map(({ count, firstTimestamp, lastTimestamp }) => [count, firstTimestamp, lastTimestamp]),
      [[3, '2030-01-01T00:00:00Z', '2030-01-01T00:01:00Z']],
    )
  })

  it('combines many that are alike into one that says so', async () => {
    const { recorder, events } = open()
    for (let index = 0; index < 15; index++) recorder.record(claim, 'Warning', 'ProvisioningFailed', `try ${index}`)
    await recorder.flush()
    assert.equal(events().length, 10)
    assert.deepEqual([events()[9]?.message, events()[9]?.count], ['(combined from similar events): try 14', 6])
  })

  it('begins a new event when the old one has expired, and keeps the count', async () => {
    const { clock, server, recorder, events } = open()
    recorder.record(claim, 'Warning', 'ProvisioningFailed', 'no room')
    await recorder.flush()
    await clock.advance(3_600_000)
    server.remove(EVENTS, { namespace: 'apps', name: events()[0]?.metadata.name ?? '' })
    for (let index = 0; index < 2; index++) recorder.record(claim, 'Warning', 'ProvisioningFailed', 'no room')
    await recorder.flush()
    assert.deepEqual(
      events().map(({ count, firstTimestamp, lastTimestamp }) => [count, firstTimestamp, lastTimestamp]),
      [[3, '2030-01-01T00:00:00Z', '2030-01-01T01:00:00Z']],
    )
  })

  it('cuts a message after 1024 bytes, between two characters', async () => {
    const lengths = [0, 1, 2, 3].map((shift) => 'x'.repeat(shift) + '😀'.repeat(300))
    for (const text of [...lengths, 'x'.repeat(1025), 'é'.repeat(600)]) {
      const { recorder, events } = open()
      recorder.record(claim, 'Warning', 'Failed', text)
      await recorder.flush()
      const message = events()[0]?.message ?? ''
      assert.ok(
        Buffer.byteLength(message) <= 1024 && Buffer.byteLength(message) > 1016,
        `${Buffer.byteLength(message)} bytes`,
      )
      assert.ok(message.endsWith('…') && text.startsWith(message.slice(0, -1)), message.slice(-5))
    }
  })

  it('leaves a message of 1024 bytes as it is, but not once it is combined', async () => {
    const { recorder, events } = open()
    const text = (index: number): string => `${index}`.padEnd(1024, 'x')
    for (let index = 0; index < 10; index++) recorder.record(claim, 'Warning', 'Failed', text(index))
    await recorder.flush()
    assert.equal(events()[0]?.message, text(0))
    assert.equal(Buffer.byteLength(events()[9]?.message ?? ''), 1024)
  })

  it('makes a valid name for an event about an object with a very long one', async () => {
    const { recorder, events } = open()
    recorder.record({ ...volume, metadata: { name: `${'a'.repeat(235)}.${'b'.repeat(10)}` } }, 'Normal', 'A', 'a')
    await recorder.flush()
    const name = events()[0]?.metadata.name ?? ''
    assert.ok(name.length <= 253 && /^a+\.[0-9a-f]{16}$/.test(name), name)
  })

  it('logs what could not be written, and goes on', async () => {
    const { server, recorder, events, lines } = open()
    let refused = 0
    server.before = () => {
      if (refused++ === 0) throw new ApiError('Forbidden', 'namespace apps is being terminated')
    }
    recorder.record(claim, 'Normal', 'First', 'a')
    recorder.record(claim, 'Normal', 'Second', 'b')
    await recorder.flush()
    assert.deepEqual(
      events().map(({ reason }) => reason),
      ['Second'],
    )
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /an event was not written.*being terminated.*PersistentVolumeClaim\/apps\/data.*First/)
  })

  it('gives up a write that hangs, whatever the API does with the signal, and goes on', async () => {
    let hangs = true
    const { clock, recorder, events, lines } = open({
      api: (api) => ({
        ...api,
        create: (type, object, options) => (hangs ? new Promise(() => {}) : api.create(type, object, options)),
      }),
    })
    recorder.record(claim, 'Normal', 'First', 'a')
    recorder.record(claim, 'Normal', 'Second', 'b')
    await clock.advance(0)
    hangs = false
    await clock.advance(30_000)
    await recorder.flush()
    assert.deepEqual(
      events().map(({ reason }) => reason),
      ['Second'],
    )
    assert.match(lines.join(''), /no answer within 30 s/)
    assert.equal(clock.pendingTimers(), 0)
  })

  it('drops events rather than memory when the server does not keep up', async () => {
    const { clock, server, recorder, events } = open()
    const gate = Promise.withResolvers<void>()
    server.before = () => gate.promise
    for (let index = 0; index < 1500; index++)
      recorder.record({ ...volume, metadata: { name: `pv-${index}` } }, 'Normal', 'A', 'a')
    gate.resolve()
    await clock.advance(0)
    await recorder.flush()
    assert.equal(events().length, 1000)
  })

  it('lets a caller give up waiting', async () => {
    const { server, recorder } = open()
    server.before = () => new Promise(() => {})
    recorder.record(claim, 'Normal', 'A', 'a')
    await assert.rejects(recorder.flush(AbortSignal.abort(new Error('no patience'))), /no patience/)
  })
})
