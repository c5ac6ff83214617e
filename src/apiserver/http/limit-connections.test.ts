import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { createSilentLogger } from '../../base/logger.ts'
import { limitConnections } from './limit-connections.ts'
import type { ConnectionLimits } from './limit-connections.ts'

async function openServer(t: TestContext, limits: ConnectionLimits) {
  const logged: string[] = []
  const server = createServer()
  limitConnections(server, limits, { ...createSilentLogger(), error: (message) => void logged.push(message) })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const clients: Socket[] = []
  t.after(() => {
    for (const client of clients) client.destroy()
    server.close()
  })
  /** The server's side of a connection; undefined when it was refused. */
  const open = async (localAddress: string): Promise<Socket | undefined> => {
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const dropped = once(server, 'drop').then(() => undefined)
    const { port } = server.address() as AddressInfo
    clients.push(connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {}))
    const socket = (await Promise.race([accepted, dropped]))?.[0]
    return socket?.destroyed ? undefined : socket
  }
  return { open, logged }
}

test('refuses what is too much from one address, and takes more once something has gone', async (t) => {
  const { open, logged } = await openServer(t, { perAddress: 2, overall: 10 })
  const first = await open('127.0.0.2')
  assert.ok(first && (await open('127.0.0.2')))
  for (let more = 0; more < 3; more++) assert.equal(await open('127.0.0.2'), undefined)
  assert.equal(logged.length, 1, 'told once')
  assert.ok(await open('127.0.0.3'), 'others are not concerned')
  first.destroy()
  await once(first, 'close')
  assert.ok(await open('127.0.0.2'))
  assert.equal(await open('127.0.0.2'), undefined)
  assert.equal(logged.length, 2)
})

test('refuses what is too much from all together', async (t) => {
  const { open } = await openServer(t, { perAddress: 2, overall: 2 })
  assert.ok((await open('127.0.0.2')) && (await open('127.0.0.3')))
  assert.equal(await open('127.0.0.4'), undefined)
})
