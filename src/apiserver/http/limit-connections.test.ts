import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { createSilentLogger } from '../../base/logger.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { limitConnections } from './limit-connections.ts'
import type { ConnectionUse } from './limit-connections.ts'
import { DEFAULT_CONNECTION_LIMITS } from './limits.ts'
import type { ConnectionLimits } from './limits.ts'

type Opened = { readonly socket: Socket; readonly use: ConnectionUse }

async function openServer(t: TestContext, limits: Partial<ConnectionLimits>) {
  const logged: string[] = []
  const clock = createSimulatedClock()
  const connections = limitConnections(
    { ...DEFAULT_CONNECTION_LIMITS, ...limits },
    { clock, log: { ...createSilentLogger(), error: (message) => void logged.push(message) } },
  )
  const server = createServer()
  server.on('connection', connections.accept)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const clients: Socket[] = []
  t.after(() => {
    for (const client of clients) client.destroy()
    server.close()
    connections.stop()
    assert.equal(clock.pendingTimers(), 0)
  })
  /** The server's side of a connection. */
  const open = async (localAddress = '127.0.0.2'): Promise<Opened> => {
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const { port } = server.address() as AddressInfo
    clients.push(connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {}))
    const [socket] = await accepted
    return { socket, use: connections.useOf(socket) }
  }
  const openBusy = async (localAddress?: string): Promise<Opened> => {
    const opened = await open(localAddress)
    opened.use.begin()
    return opened
  }
  const openIdle = async ({ isAuthenticated }: { isAuthenticated: boolean }): Promise<Opened> => {
    const opened = await openBusy()
    if (isAuthenticated) opened.use.authenticated()
    opened.use.end()
    return opened
  }
  return { open, openBusy, openIdle, logged, clock }
}

const isOpen = ({ socket }: Opened): boolean => !socket.destroyed

test('refuses what is too much from one address when all others are in use, and takes more once one has gone', async (t) => {
  const { openBusy, open, logged } = await openServer(t, { perAddress: 2 })
  const first = await openBusy()
  await openBusy()
  for (let more = 0; more < 3; more++) assert.equal(isOpen(await open()), false)
  assert.deepEqual(logged, ['too many connections'], 'told once')
  assert.ok(isOpen(await open('127.0.0.3')), 'others are not concerned')
  first.socket.destroy()
  await once(first.socket, 'close')
  assert.ok(isOpen(await openBusy()))
  assert.equal(isOpen(await open()), false)
  assert.equal(logged.length, 2)
})

test('refuses what is too much from all together when all others are in use', async (t) => {
  const { openBusy, open } = await openServer(t, { overall: 2 })
  await openBusy('127.0.0.2')
  const second = await openBusy('127.0.0.3')
  assert.equal(isOpen(await open('127.0.0.4')), false)
  second.use.end()
  assert.ok(isOpen(await open('127.0.0.4')))
  assert.equal(isOpen(second), false)
})

test('closes the stranger that is idle for longest, and only then who has been authenticated', async (t) => {
  const { open, openBusy, openIdle } = await openServer(t, { perAddress: 5 })
  const known = await openIdle({ isAuthenticated: true })
  const watch = await openBusy()
  const asked = await openIdle({ isAuthenticated: false })
  const silent = await open()
  const last = await openIdle({ isAuthenticated: true })
  const all = [known, watch, asked, silent, last]
  const stateAfter = async (): Promise<boolean[]> => {
    // Its request is running from the start, so that it is not the next to be closed.
    assert.ok(isOpen(await openBusy()))
    return all.map(isOpen)
  }
  assert.deepEqual(await stateAfter(), [true, true, false, true, true])
  assert.deepEqual(await stateAfter(), [true, true, false, false, true])
  assert.deepEqual(await stateAfter(), [false, true, false, false, true])
  assert.deepEqual(await stateAfter(), [false, true, false, false, false])
  assert.equal(isOpen(await open()), false, 'nobody who is being answered is closed')
})

test('closes who never asks for anything', async (t) => {
  const { open, openBusy, openIdle, clock } = await openServer(t, { firstRequestMs: 10_000 })
  const [silent, busy, idle] = [await open(), await openBusy(), await openIdle({ isAuthenticated: false })]
  await clock.advance(9999)
  assert.ok(isOpen(silent))
  await clock.advance(1)
  assert.deepEqual([silent, busy, idle].map(isOpen), [false, true, true])
})

test('closes strangers that have nothing more to ask, and nobody else', async (t) => {
  const { openBusy, openIdle, clock } = await openServer(t, { idleStrangerMs: 120_000 })
  const [stranger, again] = [await openIdle({ isAuthenticated: false }), await openIdle({ isAuthenticated: false })]
  const others = [await openBusy(), await openIdle({ isAuthenticated: true })]
  await clock.advance(119_000)
  again.use.begin()
  again.use.end()
  await clock.advance(1000)
  assert.deepEqual([stranger, again, ...others].map(isOpen), [false, true, true, true])
})

test('a connection with several requests is in use until the last one has ended', async (t) => {
  const { openBusy, open } = await openServer(t, { perAddress: 1 })
  const { socket, use } = await openBusy()
  use.begin()
  use.end()
  assert.equal(isOpen(await open()), false)
  use.end()
  assert.ok(isOpen(await open()))
  assert.ok(socket.destroyed)
})
