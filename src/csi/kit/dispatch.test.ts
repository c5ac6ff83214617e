import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLogger } from '../../base/logger.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { CsiError } from '../csi-error.ts'
import { DeleteVolumeRequest } from '../generated/csi/v1/csi.ts'
import { PluginInfo } from '../generated/pluginregistration/api.ts'
import { CSI_SERVICES, REGISTRATION_SERVICE } from '../rpc.ts'
import type { CsiMethods, RegistrationMethods } from '../rpc.ts'
import { createDispatcher } from './dispatch.ts'
import type { Dispatcher } from './dispatch.ts'

const DELETE = '/csi.v1.Controller/DeleteVolume'
const call = { signal: new AbortController().signal }

function open(deleteVolume: () => Promise<object>): { server: Dispatcher; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = []
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>)
  const log = createLogger({ clock: createSimulatedClock(), level: 'debug', format: 'json', write })
  return { server: createDispatcher<CsiMethods>({ services: CSI_SERVICES, handlers: { deleteVolume }, log }), lines }
}

const request = DeleteVolumeRequest.encode({ volumeId: 'v', secrets: { password: 'hunter2' } }).finish()
const failWith = async (reason: unknown): Promise<{ error: CsiError; lines: Record<string, unknown>[] }> => {
  const { server, lines } = open(() => Promise.reject(reason))
  const error: unknown = await server.unary(DELETE, request, call).catch((thrown: unknown) => thrown)
  assert.ok(error instanceof CsiError, String(error))
  return { error, lines }
}

describe('a dispatcher', () => {
  it('needs no guard and serves any service', async () => {
    const log = createLogger({ clock: createSimulatedClock(), format: 'json', write: (line) => assert.fail(line) })
    const server = createDispatcher<RegistrationMethods>({
      services: [REGISTRATION_SERVICE],
      handlers: { getInfo: () => Promise.resolve({ name: 'n' }) },
      log,
    })
    const answer = await server.unary('/pluginregistration.Registration/GetInfo', new Uint8Array(), call)
    assert.equal(PluginInfo.decode(answer).name, 'n')
  })

  it('answers UNIMPLEMENTED with the name of the call, known or not', async () => {
    const { server } = open(() => Promise.resolve({}))
    const message = (path: string): Promise<unknown> =>
      server.unary(path, new Uint8Array(), call).catch((error: Error) => error.message)
    assert.equal(
      await message('/csi.v1.Controller/CreateVolume'),
      'Unimplemented: CreateVolume is not implemented by this driver',
    )
    assert.equal(await message('/other/Call'), 'Unimplemented: /other/Call is not implemented by this driver')
  })

  it('lets a stream end early', async () => {
    let ended = false
    const getMetadataAllocated = async function* () {
      try {
        for (;;) yield await Promise.resolve({ volumeCapacityBytes: 1n })
      } finally {
        ended = true
      }
    }
    const log = createLogger({ clock: createSimulatedClock(), format: 'json', write: (line) => assert.fail(line) })
    const server = createDispatcher<CsiMethods>({ services: CSI_SERVICES, handlers: { getMetadataAllocated }, log })
    for await (const _ of server.serverStream('/csi.v1.SnapshotMetadata/GetMetadataAllocated', new Uint8Array(), call))
      break
    assert.equal(ended, true)
  })
})

describe('what a dispatcher logs', () => {
  it('is a refusal at debug level, with its code', async () => {
    const { lines } = await failWith(new CsiError('NOT_FOUND', 'no such volume'))
    assert.deepEqual(
      lines.map(({ time: _time, ...rest }) => rest),
      [{ level: 'debug', message: 'call refused', rpc: 'DeleteVolume', code: 'NOT_FOUND', detail: 'no such volume' }],
    )
  })

  it('is an INTERNAL that the author meant at debug level too', async () => {
    const { lines } = await failWith(new CsiError('INTERNAL', 'the array is on fire'))
    assert.deepEqual(
      lines.map(({ level }) => level),
      ['debug'],
    )
  })

  it('is a mistake at error level, with its place and its causes', async () => {
    const { lines } = await failWith(new TypeError('odd', { cause: new Error('odder', { cause: 'oddest' }) }))
    const [line = assert.fail()] = lines
    assert.deepEqual(
      [line['level'], line['message'], line['rpc'], line['causes']],
      ['error', 'call failed unexpectedly', 'DeleteVolume', ['odder', 'oddest']],
    )
    assert.match(String(line['at']), /^at .*dispatch\.test\.ts:\d+:\d+/)
    assert.deepEqual(line['error'], { message: 'Internal: odd', code: 'INTERNAL' })
  })

  it('never holds a secret of the request, nor does what it answers', async () => {
    const causes = (): Error =>
      new Error('exit 32\nat hunter2', { cause: new Error('mount -o password=hunter2', { cause: 'hunter2' }) })
    for (const reason of [
      causes(),
      new CsiError('INTERNAL', 'hunter2', { cause: causes() }),
      new CsiError('ABORTED', 'no', { cause: causes() }),
    ]) {
      const { error, lines } = await failWith(reason)
      assert.equal(lines.length, 1)
      assert.doesNotMatch(JSON.stringify(lines), /hunter2/)
      assert.equal(error.cause, undefined)
      assert.doesNotMatch(`${error.message} ${error.stack}`, /hunter2/)
    }
  })

  it('is nothing when all is well', async () => {
    const { server, lines } = open(() => Promise.resolve({}))
    await server.unary(DELETE, request, call)
    assert.deepEqual(lines, [])
  })
})
