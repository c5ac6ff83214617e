import { deepEqual, equal, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSimulatedHost } from '../base/host/index.ts'
import { createSilentLogger } from '../base/logger.ts'
import { createSeededRandom } from '../base/random.ts'
import { createSimulatedClock } from '../base/simulated-clock.ts'
import { createSimulatedSockets } from './simulated-sockets.ts'
import { defineDriver } from './kit/index.ts'
import type { CsiHandlers, Dispatcher } from './kit/index.ts'

const PATH = '/csi.sock'
const handlers: CsiHandlers = {
  nodeGetInfo: () => Promise.resolve({ nodeId: 'n1' }),
  nodePublishVolume: () => Promise.resolve({}),
  nodeUnpublishVolume: () => Promise.resolve({}),
}
const driverOf = (more: CsiHandlers = {}): Dispatcher =>
  defineDriver(
    { name: 'd.example.com', version: '1' },
    { handlers: { ...handlers, ...more }, log: createSilentLogger() },
  )

function openMachine() {
  const machine = createSimulatedHost({ random: createSeededRandom(1) })
  const of = createSimulatedSockets(machine)
  const user = { clock: createSimulatedClock() }
  return { machine, of, sockets: of(user), user }
}

describe('sockets of a simulated machine', () => {
  test('a call reaches whoever serves, also when that begins later', async () => {
    const { sockets, machine } = openMachine()
    const { driver, connection } = sockets.connectDriver(`unix://${PATH}`)
    await rejects(driver.nodeGetInfo({}), /ECONNREFUSED/)
    equal(connection.state().kind, 'connecting')
    const ready = connection.ready()
    await sockets.serve(PATH, driverOf())
    await ready
    equal((await driver.nodeGetInfo({})).nodeId, 'n1')
    equal((await machine.files.findStat(PATH))?.kind, 'socket')
  })
  test('a server that stops is lost, its name goes, and the next one is ready a second time', async () => {
    const { sockets, machine } = openMachine()
    const { driver, connection } = sockets.connectDriver(PATH)
    const states: string[] = []
    connection.watch((state) => void states.push('times' in state ? `${state.kind} ${state.times}` : state.kind))
    const first = await sockets.serve(PATH, driverOf())
    await first.stop()
    equal(await machine.files.findStat(PATH), undefined)
    await rejects(driver.nodeGetInfo({}), /ECONNREFUSED/)
    await sockets.serve(PATH, driverOf())
    // Replaces a server that is still running.
    await sockets.serve(PATH, driverOf())
    connection.close()
    deepEqual(states, ['ready 1', 'lost 1', 'ready 2', 'lost 2', 'ready 3', 'closed'])
    await rejects(driver.nodeGetInfo({}), /closed/)
  })
  test('when a process ends, its callers lose their answers and its socket stays as a dead name', async () => {
    const { sockets, of, machine, user } = openMachine()
    let end = (): void => {}
    const asked = Promise.withResolvers<void>()
    const hanging = driverOf({
      nodeGetInfo: () => {
        asked.resolve()
        return new Promise(() => {})
      },
    })
    await of({ ...user, onEnd: (callback) => void (end = callback) }).serve(PATH, hanging)
    const { driver, connection } = sockets.connectDriver(PATH)
    const answer = driver.nodeGetInfo({})
    await asked.promise
    end()
    await rejects(answer, /lost before the response/)
    equal(connection.state().kind, 'lost')
    equal((await machine.files.findStat(PATH))?.kind, 'socket')
  })
  test('waiting for a server ends with its signal, or with the connection', async () => {
    const { sockets } = openMachine()
    const { connection } = sockets.connectDriver(PATH)
    await rejects(connection.ready(AbortSignal.abort(new Error('enough'))), /enough/)
    const waiting = connection.ready()
    connection.close()
    await rejects(waiting, /closed/)
  })
})
