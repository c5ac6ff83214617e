import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { fails, skipUnless, type HostUnderTest } from './host-under-test.ts'

const MIB = 1024n * 1024n

export function describeHostLoops(under: HostUnderTest): void {
  const { at } = under
  const test = (name: string, body: (context: TestContext) => Promise<void>): void => {
    it(name, async (context) => {
      if (await skipUnless(under.host.loops, 'loop devices', context)) return
      await under.host.files.truncate(at('image'), MIB)
      await body(context)
    })
  }
  const findLoops = async (backingFile: string) =>
    (await under.host.loops.list()).filter((loop) => loop.backingFile === backingFile)

  describe('loop devices', () => {
    test('makes a block device of a file, and lists it until it is detached', async () => {
      const { files, loops } = under.host
      const device = await loops.attach(at('image'), { readOnly: false })
      assert.deepEqual(await findLoops(at('image')), [{ device, backingFile: at('image'), readOnly: false }])
      assert.equal((await files.findStat(device))?.kind, 'block-device')
      await loops.detach(device)
      assert.deepEqual(await findLoops(at('image')), [])
    })

    test('gives each attachment a device of its own', async () => {
      const { loops } = under.host
      const first = await loops.attach(at('image'), { readOnly: false })
      const second = await loops.attach(at('image'), { readOnly: true })
      assert.notEqual(first, second)
      const attached = await findLoops(at('image'))
      assert.deepEqual(
        attached
          .map(({ device, readOnly }) => [device, readOnly])
          .sort(([a], [b]) => (a === first ? -1 : b === first ? 1 : 0)),
        [
          [first, false],
          [second, true],
        ],
      )
    })

    test('attaches many at once', async () => {
      const devices = await Promise.all(
        Array.from({ length: 4 }, () => under.host.loops.attach(at('image'), { readOnly: true })),
      )
      assert.equal(new Set(devices).size, 4)
    })

    test('takes a new size', async () => {
      const { files, loops } = under.host
      const device = await loops.attach(at('image'), { readOnly: false })
      await files.truncate(at('image'), 2n * MIB)
      await loops.refreshSize(device)
    })

    test('keeps the device when its file is removed', async () => {
      const { files, loops } = under.host
      const device = await loops.attach(at('image'), { readOnly: false })
      await files.removeFile(at('image'))
      assert.equal((await findLoops(`${at('image')} (deleted)`))[0]?.device, device)
      await loops.detach(device)
    })

    test('refuses what is not there and what is no file', async () => {
      const { loops } = under.host
      await fails(loops.attach(at('none'), { readOnly: false }), 'ENOENT')
      await fails(loops.attach(at(), { readOnly: false }), 'EINVAL')
      const device = await loops.attach(at('image'), { readOnly: false })
      await loops.detach(device)
      await fails(loops.detach(device), 'ENXIO')
      await fails(loops.refreshSize(device), 'ENXIO')
      await fails(loops.detach('/dev/loop-none'), 'ENOENT')
    })

    test('can be bound onto a file', async (context) => {
      const { files, loops, mounts } = under.host
      if (await skipUnless(mounts, 'mounts', context)) return
      const device = await loops.attach(at('image'), { readOnly: false })
      await files.truncate(at('target'), 0n)
      await mounts.bind(device, at('target'), { readOnly: false })
      assert.equal((await files.findStat(at('target')))?.kind, 'block-device')
      await mounts.unmount(at('target'))
      assert.equal((await files.findStat(at('target')))?.kind, 'file')
    })
  })
}
