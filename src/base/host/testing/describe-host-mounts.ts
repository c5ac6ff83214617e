import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { removeTree } from '../durable-files.ts'
import { bytes, fails, skipUnless, text, type HostUnderTest } from './host-under-test.ts'
import { isHostError } from '../host.ts'

export function describeHostMounts(under: HostUnderTest): void {
  const { at } = under
  const test = (name: string, body: () => Promise<void>): void => {
    it(name, async (context: TestContext) => {
      if (await skipUnless(under.host.mounts, 'mounts', context)) return
      const { files } = under.host
      await files.makeDirectory(at('source'))
      await files.writeFile(at('source', 'a'), bytes('from source'))
      await files.makeDirectory(at('target'))
      await files.writeFile(at('target', 'hidden'), bytes('below'))
      await body()
    })
  }
  const findMounts = async (path: string) => (await under.host.mounts.list()).filter((mount) => mount.target === path)

  describe('mounts', () => {
    it('lists the root file system', async () => {
      assert.ok((await findMounts('/')).length > 0)
    })

    test('shows the source at the target, and what was there after unmounting', async () => {
      const { files, mounts } = under.host
      await mounts.bind(at('source'), at('target'), { readOnly: false })
      assert.equal(text(await files.readFile(at('target', 'a'))), 'from source')
      await files.writeFile(at('target', 'b'), bytes('through the mount'))
      assert.equal(text(await files.readFile(at('source', 'b'))), 'through the mount')
      assert.equal(await files.resolve(at('target', 'a')), at('target', 'a'))
      await mounts.unmount(at('target'))
      assert.deepEqual(await files.list(at('target')), [{ name: 'hidden', kind: 'file' }])
    })

    test('lists a bind with its target, root and whether it is read-only', async () => {
      const { mounts } = under.host
      await mounts.bind(at('source'), at('target'), { readOnly: true })
      const [mount] = await findMounts(at('target'))
      assert.ok(mount?.root.endsWith('/source'), mount?.root)
      assert.equal(mount?.readOnly, true)
      await mounts.unmount(at('target'))
      await mounts.bind(at('source'), at('target'), { readOnly: false })
      assert.equal((await findMounts(at('target')))[0]?.readOnly, false)
    })

    test('refuses each kind of write through a read-only bind, and only through it', async () => {
      const { files, mounts } = under.host
      await mounts.bind(at('source'), at('target'), { readOnly: true })
      assert.equal(text(await files.readFile(at('target', 'a'))), 'from source')
      await fails(files.writeFile(at('target', 'a'), bytes('')), 'EROFS')
      await fails(files.writeFile(at('target', 'new'), bytes('')), 'EROFS')
      await fails(files.truncate(at('target', 'a'), 0n), 'EROFS')
      await fails(files.copyFile(at('target', 'a'), at('target', 'copy')), 'EROFS')
      await fails(files.rename(at('target', 'a'), at('target', 'b')), 'EROFS')
      await fails(files.makeDirectory(at('target', 'd')), 'EROFS')
      await fails(files.removeFile(at('target', 'a')), 'EROFS')
      await fails(files.makeSymlink('a', at('target', 'link')), 'EROFS')
      await fails(files.setMode(at('target', 'a'), 0o777), 'EROFS')
      await files.writeFile(at('source', 'a'), bytes('changed'))
      assert.equal(text(await files.readFile(at('target', 'a'))), 'changed')
    })

    test('binds the bind of a read-only bind read-only', async () => {
      const { files, mounts } = under.host
      await files.makeDirectory(at('second'))
      await mounts.bind(at('source'), at('target'), { readOnly: true })
      await mounts.bind(at('target'), at('second'), { readOnly: false })
      assert.equal((await findMounts(at('second')))[0]?.readOnly, true)
      await fails(files.writeFile(at('second', 'a'), bytes('')), 'EROFS')
    })

    test('mounts a file on a file', async () => {
      const { files, mounts } = under.host
      await mounts.bind(at('source', 'a'), at('target', 'hidden'), { readOnly: false })
      assert.equal(text(await files.readFile(at('target', 'hidden'))), 'from source')
      await fails(files.removeFile(at('target', 'hidden')), 'EBUSY')
      await mounts.unmount(at('target', 'hidden'))
      assert.equal(text(await files.readFile(at('target', 'hidden'))), 'below')
    })

    test('stacks mounts on one target and takes the topmost off first', async () => {
      const { files, mounts } = under.host
      await files.makeDirectory(at('other'))
      await mounts.bind(at('source'), at('target'), { readOnly: false })
      await mounts.bind(at('other'), at('target'), { readOnly: false })
      assert.deepEqual(
        (await findMounts(at('target'))).map(({ root }) => root.split('/').at(-1)),
        ['source', 'other'],
      )
      assert.deepEqual(await files.list(at('target')), [])
      await mounts.unmount(at('target'))
      assert.equal(text(await files.readFile(at('target', 'a'))), 'from source')
      await mounts.unmount(at('target'))
      assert.deepEqual(await findMounts(at('target')), [])
    })

    test('follows links to the source and to the target', async () => {
      const { mounts, files } = under.host
      await files.makeSymlink('source', at('to-source'))
      await files.makeSymlink('target', at('to-target'))
      await mounts.bind(at('to-source'), at('to-target'), { readOnly: false })
      assert.equal((await findMounts(at('target'))).length, 1)
      await mounts.unmount(at('to-target'))
      assert.equal((await findMounts(at('target'))).length, 0)
    })

    test('lists the mounts of one target, or of one root, and no others', async () => {
      const { files, mounts } = under.host
      const odd = at('a b\\c')
      for (const path of [at('target-2'), odd]) await files.makeDirectory(path)
      for (const target of [at('target'), at('target'), at('target-2'), odd])
        await mounts.bind(at('source'), target, { readOnly: target === odd })
      for (const target of [at('target'), at('target-2'), odd, at('source')])
        assert.deepEqual(await mounts.list({ target }), await findMounts(target), target)
      const [first, second] = await mounts.list({ target: at('target') })
      assert.ok(first && second)
      assert.deepEqual(
        (await mounts.list({ root: first.root }))
          .map(({ target }) => target)
          .filter((target) => target.startsWith(at('target')) || target === odd),
        [at('target'), at('target'), at('target-2'), odd],
      )
      assert.deepEqual(await mounts.list({ root: at('nowhere') }), [])
    })

    test('refuses to bind what is not there, or a file on a directory', async () => {
      const { mounts } = under.host
      await fails(mounts.bind(at('none'), at('target'), { readOnly: false }), 'ENOENT')
      await fails(mounts.bind(at('source'), at('none'), { readOnly: true }), 'ENOENT')
      await fails(mounts.bind(at('source', 'a'), at('target'), { readOnly: false }), 'ENOTDIR')
      await fails(mounts.bind(at('source'), at('source', 'a'), { readOnly: false }), 'ENOTDIR')
      assert.deepEqual(await findMounts(at('target')), [])
    })

    test('refuses to unmount what is not mounted, or not there', async () => {
      const { mounts } = under.host
      await fails(mounts.unmount(at('target')), 'EINVAL')
      await fails(mounts.unmount(at('none')), 'ENOENT')
      await mounts.bind(at('source'), at('target'), { readOnly: false })
      await fails(mounts.unmount(at('target', 'a')), 'EINVAL')
    })

    test('refuses to unmount what has another mount inside', async () => {
      const { files, mounts } = under.host
      await files.makeDirectory(at('source', 'inner'))
      await files.makeDirectory(at('other'))
      await mounts.bind(at('source'), at('target'), { readOnly: false })
      await mounts.bind(at('other'), at('target', 'inner'), { readOnly: false })
      await fails(mounts.unmount(at('target')), 'EBUSY')
      await mounts.unmount(at('target', 'inner'))
      await mounts.unmount(at('target'))
    })

    test('keeps a mount point from being removed or renamed, but not its source', async () => {
      const { files, mounts } = under.host
      await files.makeDirectory(at('empty'))
      await files.makeDirectory(at('point'))
      await mounts.bind(at('empty'), at('point'), { readOnly: false })
      await fails(files.removeDirectory(at('point')), 'EBUSY')
      await fails(files.rename(at('point'), at('moved')), 'EBUSY')
      await fails(files.rename(at('source'), at('point')), 'EBUSY')
      await files.removeDirectory(at('empty'))
      assert.deepEqual(await files.list(at('point')), [])
      await fails(files.writeFile(at('point', 'a'), bytes('')), 'ENOENT')
      const [mount] = await findMounts(at('point'))
      assert.ok(mount?.root.endsWith('//deleted'), mount?.root)
      await mounts.unmount(at('point'))
      await files.removeDirectory(at('point'))
    })

    test('renames nothing from one mount to another', async () => {
      const { files, mounts } = under.host
      await mounts.bind(at('source'), at('target'), { readOnly: false })
      await fails(files.rename(at('target', 'a'), at('b')), 'EXDEV')
      await fails(files.rename(at('target', 'a'), at('source', 'b')), 'EXDEV')
    })

    test('keeps the target of a mount right when a directory above it is renamed', async () => {
      const { files, mounts } = under.host
      await files.makeDirectory(at('target', 'point'))
      await mounts.bind(at('source'), at('target', 'point'), { readOnly: false })
      await files.rename(at('target'), at('moved'))
      assert.equal((await findMounts(at('moved', 'point'))).length, 1)
      assert.equal(text(await files.readFile(at('moved', 'point', 'a'))), 'from source')
    })

    test('takes names with spaces, backslashes and a leading dash', async () => {
      const { files, mounts } = under.host
      const odd = at('-o a\tb\\040\nü')
      await files.makeDirectory(odd)
      await mounts.bind(at('source'), odd, { readOnly: true })
      assert.equal((await findMounts(odd))[0]?.readOnly, true)
      await mounts.unmount(odd)
      assert.deepEqual(await findMounts(odd), [])
    })

    test('makes removeTree refuse before it removes anything', async () => {
      const { files, mounts } = under.host
      await files.makeDirectory(at('target', 'point'))
      await mounts.bind(at('source'), at('target', 'point'), { readOnly: false })
      await assert.rejects(removeTree(under.host, at('target')), (error: unknown) => {
        return isHostError(error, 'EBUSY') && error.message.includes(at('target', 'point'))
      })
      assert.equal(text(await files.readFile(at('target', 'hidden'))), 'below')
      assert.equal(text(await files.readFile(at('source', 'a'))), 'from source')
      await fails(removeTree(under.host, at('target', 'point')), 'EBUSY')
      await mounts.unmount(at('target', 'point'))
      await removeTree(under.host, at('target'))
      assert.equal(await files.findStat(at('target')), undefined)
      assert.equal(text(await files.readFile(at('source', 'a'))), 'from source')
    })
  })
}
