import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { TestContext } from 'node:test'
import { createSystemHost, HostError } from '../../base/host/index.ts'
import type { HostFiles } from '../../base/host/index.ts'
import { createSystemRandom } from '../../base/random.ts'
import { openTestDirectory } from '../testing/open-test-directory.ts'
import { listenOnSocket } from './listen-on-socket.ts'
import type { SocketListener, SocketOptions } from './listen-on-socket.ts'

const { files } = createSystemHost()

// A client that only checks whether a socket is served hangs up without reading this.
const say = (text: string) => (socket: Socket) => void socket.on('error', () => {}).end(text)

async function listen(test: TestContext, path: string, options: Partial<SocketOptions> = {}): Promise<SocketListener> {
  const random = createSystemRandom()
  const onError = (error: Error): never => assert.fail(error)
  const listener = await listenOnSocket({ path, files, random, onConnection: say('hello'), onError, ...options })
  test.after(() => listener.close().catch(() => {}))
  return listener
}

/** What the server on a socket says to a new connection. */
async function ask(path: string): Promise<string> {
  let text = ''
  for await (const chunk of connect(path).setEncoding('utf8')) text += String(chunk)
  return text
}

const namesIn = async (directory: string): Promise<string[]> => (await files.list(directory)).map(({ name }) => name)

/** A socket whose process has died: the name remains, but nothing is listening. */
async function leaveStaleSocket(path: string): Promise<void> {
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  await once(spawn(process.execPath, ['-e', script]), 'exit')
  assert.equal((await files.findStat(path))?.kind, 'socket')
}

describe('listenOnSocket', () => {
  it('takes connections under its name and leaves nothing else in the directory', async (test) => {
    const directory = await openTestDirectory(test)
    await listen(test, join(directory, 'csi.sock'))
    assert.equal(await ask(join(directory, 'csi.sock')), 'hello')
    assert.deepEqual(await namesIn(directory), ['csi.sock'])
  })

  it('lets only its owner connect unless told otherwise', async (test) => {
    const directory = await openTestDirectory(test)
    await listen(test, join(directory, 'a.sock'))
    await listen(test, join(directory, 'b.sock'), { mode: 0o660 })
    assert.equal((await files.findStat(join(directory, 'a.sock')))?.mode, 0o600)
    assert.equal((await files.findStat(join(directory, 'b.sock')))?.mode, 0o660)
  })

  it('has its permissions before anybody can see its name', async (test) => {
    const path = join(await openTestDirectory(test), 'csi.sock')
    const modes: (number | undefined)[] = []
    const rename: HostFiles['rename'] = async (from, to) => {
      modes.push((await files.findStat(from))?.mode)
      await files.rename(from, to)
    }
    await listen(test, path, { files: { ...files, rename } })
    assert.deepEqual(modes, [0o600])
  })

  it('replaces the socket of a process that died', async (test) => {
    const path = join(await openTestDirectory(test), 'csi.sock')
    await leaveStaleSocket(path)
    await listen(test, path)
    assert.equal(await ask(path), 'hello')
  })

  it('refuses a socket that somebody serves, and does not disturb it', async (test) => {
    const path = join(await openTestDirectory(test), 'csi.sock')
    await listen(test, path)
    await assert.rejects(listen(test, path), {
      message: `${path} is in use by another process: stop it or choose another endpoint`,
    })
    assert.equal(await ask(path), 'hello')
  })

  it('refuses a socket whose server is too busy to take one more connection', async (test) => {
    const path = join(await openTestDirectory(test), 'csi.sock')
    // Listens, then blocks its event loop forever; a backlog of 0 has room for one connection.
    const script = `require('node:net').createServer().listen({ path: ${JSON.stringify(path)}, backlog: 0 }, () => {
      require('node:fs').writeSync(1, 'listening')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    })`
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    test.after(() => child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    const queued: Socket[] = []
    test.after(() => queued.forEach((socket) => socket.destroy()))
    for (let full = false; !full;) {
      const socket = connect(path)
      queued.push(socket)
      full = await new Promise((resolve) =>
        socket.once('connect', () => resolve(false)).once('error', () => resolve(true)),
      )
    }
    await assert.rejects(listen(test, path), /is in use by another process/)
  })

  it('refuses what is not a socket and leaves it alone', async (test) => {
    const directory = await openTestDirectory(test)
    const path = join(directory, 'csi.sock')
    const message = `${path} exists and is not a socket: remove it or choose another endpoint`
    await files.writeFile(path, new TextEncoder().encode('precious'))
    await assert.rejects(listen(test, path), { message })
    assert.equal(new TextDecoder().decode(await files.readFile(path)), 'precious')
    await files.removeFile(path)
    await files.makeDirectory(path)
    await assert.rejects(listen(test, path), { message })
    await files.removeDirectory(path)
    await files.makeSymlink(join(directory, 'elsewhere'), path)
    await assert.rejects(listen(test, path), { message })
  })

  it('names the socket when it can not listen there', async (test) => {
    const path = join(await openTestDirectory(test), 'missing', 'csi.sock')
    await assert.rejects(listen(test, path), (error: Error) => error.message.startsWith(`can't listen on ${path}: `))
  })

  it('leaves nothing behind when it fails half-way', async (test) => {
    const directory = await openTestDirectory(test)
    const rename = (): Promise<never> => Promise.reject(new HostError('EACCES', 'rename', directory))
    await assert.rejects(listen(test, join(directory, 'csi.sock'), { files: { ...files, rename } }), { code: 'EACCES' })
    const isEmpty = async (): Promise<boolean> => (await namesIn(directory)).length === 0
    while (!(await isEmpty()));
  })
})

describe('closing a listener', () => {
  it('removes the socket and keeps open connections', async (test) => {
    const path = join(await openTestDirectory(test), 'csi.sock')
    const accepted = Promise.withResolvers<Socket>()
    const listener = await listen(test, path, { onConnection: accepted.resolve })
    const client = connect(path)
    const socket = await accepted.promise
    await listener.close()
    assert.equal(await files.findStat(path), undefined)
    await assert.rejects(ask(path), { code: 'ENOENT' })
    socket.end('still here')
    const [data] = (await once(client, 'data')) as [Buffer]
    assert.equal(data.toString(), 'still here')
  })

  it('does not remove the socket of a successor, however often it is closed', async (test) => {
    const path = join(await openTestDirectory(test), 'csi.sock')
    const first = await listen(test, path)
    // As a server would that does not check first.
    await files.removeFile(path)
    await listen(test, path, { onConnection: say('successor') })
    await first.close()
    assert.equal(await ask(path), 'successor')
    await first.close()
    assert.equal(await ask(path), 'successor')
  })

  it('does not remove the next server on its name when it is closed again', async (test) => {
    const path = join(await openTestDirectory(test), 'csi.sock')
    const first = await listen(test, path)
    await first.close()
    // A socket with the same name, and perhaps even the same inode number, as the first.
    await listen(test, path, { onConnection: say('next') })
    await first.close()
    assert.equal(await ask(path), 'next')
  })

  it('does not mind a socket that is gone already', async (test) => {
    const path = join(await openTestDirectory(test), 'csi.sock')
    const listener = await listen(test, path)
    await files.removeFile(path)
    await listener.close()
  })

  it('takes no connection any more even when the socket can not be removed', async (test) => {
    const path = join(await openTestDirectory(test), 'csi.sock')
    const removeFile = (): Promise<never> => Promise.reject(new HostError('EPERM', 'removeFile', path))
    const listener = await listen(test, path, { files: { ...files, removeFile } })
    await assert.rejects(listener.close(), { code: 'EPERM' })
    await assert.rejects(ask(path), { code: 'ECONNREFUSED' })
  })
})
