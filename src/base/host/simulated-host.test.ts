import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSeededRandom } from '../random.ts'
import { bytes, fails, text } from './testing/host-under-test.ts'
import { createSimulatedHost, type SimulatedHost, type SimulatedHostOptions } from './simulated-host.ts'

const open = (options: Partial<SimulatedHostOptions> = {}): SimulatedHost =>
  createSimulatedHost({ random: createSeededRandom(1), ...options })
const KIB4 = 4096n

describe('a full disk', () => {
  it('refuses what does not fit, and keeps what did', async () => {
    const { files } = open({ capacityBytes: 2n * KIB4 })
    await fails(files.writeFile('/a', new Uint8Array(3 * 4096).fill(1)), 'ENOSPC')
    assert.equal((await files.findStat('/a'))?.sizeBytes, 2n * KIB4)
    await fails(files.writeFile('/b', bytes('x')), 'ENOSPC')
    assert.equal((await files.findStat('/b'))?.sizeBytes, 0n)
    await fails(files.makeDirectory('/d'), 'ENOSPC')
  })

  it('has room again once something is removed, replaced, cut or moved over', async () => {
    const { files } = open({ capacityBytes: 2n * KIB4 })
    const write = (path: string, blocks: number) => files.writeFile(path, new Uint8Array(blocks * 4096).fill(1))
    await write('/a', 2)
    await write('/a', 1)
    await write('/b', 1)
    await files.rename('/b', '/a')
    await write('/b', 1)
    await files.truncate('/b', 0n)
    await write('/c', 1)
    await files.removeFile('/a')
    await write('/d', 1)
    await fails(write('/e', 1), 'ENOSPC')
  })

  it('leaves nothing of a copy that does not fit', async () => {
    const { files } = open({ capacityBytes: 3n * KIB4 })
    await files.writeFile('/a', new Uint8Array(2 * 4096).fill(1))
    await fails(files.copyFile('/a', '/b'), 'ENOSPC')
    assert.equal(await files.findStat('/b'), undefined)
    assert.equal((await files.usage('/')).availableBytes, KIB4)
  })

  it('counts what is written, not holes', async () => {
    const { files } = open({ capacityBytes: 2n * KIB4 })
    await files.truncate('/a', 1n << 50n)
    await files.writeFile('/b', bytes('x'))
    assert.equal((await files.findStat('/b'))?.allocatedBytes, KIB4)
    const { totalBytes, usedBytes, availableBytes } = await files.usage('/')
    assert.deepEqual([totalBytes, usedBytes, availableBytes], [2n * KIB4, KIB4, KIB4])
  })

  it('can shrink below what is used, and grow', async () => {
    const host = open()
    await host.files.writeFile('/a', new Uint8Array(3 * 4096))
    host.setCapacity(KIB4)
    assert.equal((await host.files.usage('/')).availableBytes, 0n)
    await fails(host.files.writeFile('/b', bytes('x')), 'ENOSPC')
    assert.equal((await host.files.readFile('/a')).length, 3 * 4096)
    host.setCapacity(4n * KIB4)
    await host.files.writeFile('/b', bytes('x'))
  })
})

describe('hooks', () => {
  it('stop an operation before its effect', async () => {
    const host = open()
    const reason = new Error('crashed')
    host.beforeStep = () => {
      throw reason
    }
    await assert.rejects(host.files.writeFile('/a', bytes('')), (error) => error === reason)
    host.beforeStep = undefined
    assert.equal(await host.files.findStat('/a'), undefined)
  })

  it('stop the caller after the effect', async () => {
    const host = open()
    const reason = new Error('crashed')
    host.afterStep = async () => {
      throw reason
    }
    await assert.rejects(host.files.writeFile('/a', bytes('x')), (error) => error === reason)
    host.afterStep = undefined
    assert.equal(text(await host.files.readFile('/a')), 'x')
  })

  it('see every operation on files, mounts and loop devices, with the path it is about', async () => {
    const host = open()
    const seen: string[] = []
    host.beforeStep = (operation, path) => void seen.push(`${operation} ${path}`)
    host.afterStep = (operation) => void seen.push(`done ${operation}`)
    const { files, mounts, loops } = host
    await files.makeDirectory('/d')
    await files.makeDirectory('/t')
    await files.truncate('/a', 1n)
    await files.rename('/a', '/b')
    await mounts.bind('/d', '/t', { readOnly: true })
    await mounts.unmount('/t')
    await loops.detach(await loops.attach('/b', { readOnly: true }))
    await fails(files.readFile('/none'), 'ENOENT')
    assert.deepEqual(
      seen.filter((line) => !line.startsWith('done')),
      [
        'makeDirectory /d',
        'makeDirectory /t',
        'truncate /a',
        'rename /b',
        'bind /t',
        'unmount /t',
        'attachLoop /b',
        'detachLoop /dev/loop0',
        'readFile /none',
      ],
    )
    assert.equal(seen.filter((line) => line.startsWith('done')).length, 8)
    assert.equal(seen.at(-1), 'readFile /none')
  })
})

describe('the simulated machine', () => {
  it('lists itself for comparison: the disk below the mounts, the mounts, the loop devices', async () => {
    const host = open()
    const { files, mounts, loops } = host
    const empty = host.snapshotTree()
    await files.makeDirectory('/d', 0o711)
    await files.writeFile('/d/a', bytes('x'))
    await files.makeSymlink('d', '/link')
    await files.makeDirectory('/t')
    await mounts.bind('/d', '/t', { readOnly: true })
    await loops.attach('/d/a', { readOnly: false })
    const lines = host.snapshotTree().map(({ path, kind, mode, sizeBytes, detail }) => {
      return `${path} ${kind} ${mode.toString(8)} ${sizeBytes} ${kind === 'file' ? '#' : detail}`
    })
    assert.deepEqual(lines, [
      '/d directory 711 0 ',
      '/d/a file 600 1 #',
      '/dev directory 755 0 ',
      '/dev/loop0 loop-device 0 0 /d/a rw',
      '/link symlink 777 0 d',
      '/t directory 750 0 ',
      '/t mount 0 0 /d ro',
    ])
    await loops.detach('/dev/loop0')
    await mounts.unmount('/t')
    for (const path of ['/d/a', '/link']) await files.removeFile(path)
    for (const path of ['/d', '/t']) await files.removeDirectory(path)
    assert.deepEqual(host.snapshotTree(), empty)
  })

  it('hashes content alike whether zeros were written or left out, and otherwise differently', async () => {
    const host = open()
    await host.files.writeFile('/written', new Uint8Array(10_000))
    await host.files.truncate('/hole', 10_000n)
    await host.files.truncate('/longer', 10_001n)
    await host.files.writeFile(
      '/other',
      Uint8Array.from({ length: 10_000 }, (_, index) => (index === 5000 ? 1 : 0)),
    )
    const hashes = Object.fromEntries(host.snapshotTree().map(({ path, detail }) => [path, detail]))
    assert.equal(hashes['/written'], hashes['/hole'])
    assert.equal(new Set([hashes['/hole'], hashes['/longer'], hashes['/other']]).size, 3)
  })

  it('takes the time of files from its clock', async () => {
    let nowMs = 1000
    const { files } = open({ nowMs: () => nowMs })
    await files.writeFile('/a', bytes(''))
    nowMs = 2000
    await files.setMode('/a', 0o640)
    assert.equal((await files.findStat('/a'))?.modifiedMs, 1000)
    await files.writeFile('/a', bytes('x'))
    assert.equal((await files.findStat('/a'))?.modifiedMs, 2000)
    assert.equal((await files.findStat('/'))?.modifiedMs, 1000)
  })

  it('refuses mounts and loop devices where they are not available', async () => {
    const { files, mounts, loops } = open({ mountsAvailable: false, loopsAvailable: false })
    await files.truncate('/a', 0n)
    assert.deepEqual([await mounts.available(), await loops.available()], [false, false])
    await fails(mounts.bind('/a', '/a', { readOnly: false }), 'EPERM')
    await fails(mounts.unmount('/a'), 'EPERM')
    await fails(loops.attach('/a', { readOnly: false }), 'EPERM')
  })

  it('shows a loop device the size of its file when asked to look again', async () => {
    const host = open()
    await host.files.truncate('/a', 10n)
    const device = await host.loops.attach('/a', { readOnly: false })
    await host.files.truncate('/a', 20n)
    assert.equal(host.findLoopSizeBytes(device), 10n)
    await host.loops.refreshSize(device)
    assert.equal(host.findLoopSizeBytes(device), 20n)
    await host.loops.detach(device)
    assert.equal(host.findLoopSizeBytes(device), undefined)
  })

  it('keeps a mount busy while a loop device has a file on it', async () => {
    const { files, mounts, loops } = open()
    for (const path of ['/s', '/t']) await files.makeDirectory(path)
    await files.truncate('/s/a', 1n)
    await mounts.bind('/s', '/t', { readOnly: false })
    const device = await loops.attach('/t/a', { readOnly: false })
    await fails(mounts.unmount('/t'), 'EBUSY')
    await loops.detach(device)
    await mounts.unmount('/t')
  })

  it('finds no program, unless given some', async () => {
    await fails(open().processes.run('mkfs', []), 'ENOENT')
    const host = open({
      run: async (command, args) => ({ exitCode: 0, stdout: [command, ...args].join(' '), stderr: '' }),
    })
    assert.equal((await host.processes.run('mkfs', ['/a'])).stdout, 'mkfs /a')
  })
})
