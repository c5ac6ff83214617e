import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bytes, fails, text, type HostUnderTest } from './host-under-test.ts'

export function describeHostNames(under: HostUnderTest): void {
  const { at } = under

  describe('directories', () => {
    it('lists names in order, with their kinds', async () => {
      const { files } = under.host
      await files.makeDirectory(at('b'))
      await files.writeFile(at('a'), bytes(''))
      await files.makeSymlink('b', at('C'))
      assert.deepEqual(await files.list(at()), [
        { name: 'C', kind: 'symlink' },
        { name: 'a', kind: 'file' },
        { name: 'b', kind: 'directory' },
      ])
      assert.deepEqual(await files.list(at('C')), [])
      await fails(files.list(at('a')), 'ENOTDIR')
      await fails(files.list(at('none')), 'ENOENT')
    })

    it('reads names a few at a time, and can stop in between', async () => {
      const { files } = under.host
      const names = Array.from({ length: 600 }, (_, index) => `n${index}`)
      for (const name of names) await files.writeFile(at(name), bytes(''))
      await using directory = await files.openDirectory(at())
      const found: string[] = []
      for (let some = await directory.read(); some.length > 0; some = await directory.read()) {
        assert.ok(some.length < names.length)
        found.push(...some)
      }
      assert.deepEqual(found.sort(), names.sort())
      assert.deepEqual(await directory.read(), [])
      const stopped = await files.openDirectory(at())
      assert.ok((await stopped.read()).length > 0)
      await stopped[Symbol.asyncDispose]()
      await fails(files.openDirectory(at('n0')), 'ENOTDIR')
      await fails(files.openDirectory(at('none')), 'ENOENT')
    })

    it('makes a directory with exactly its mode', async () => {
      const { files } = under.host
      await files.makeDirectory(at('default'))
      await files.makeDirectory(at('open'), 0o777)
      assert.equal((await files.findStat(at('default')))?.mode, 0o750)
      assert.equal((await files.findStat(at('open')))?.mode, 0o777)
    })

    it('refuses to make what is there, or below what is not', async () => {
      const { files } = under.host
      await files.writeFile(at('a'), bytes(''))
      await files.makeSymlink('nothing', at('link'))
      await fails(files.makeDirectory(at('a')), 'EEXIST')
      await fails(files.makeDirectory(at('link')), 'EEXIST')
      await fails(files.makeDirectory('/'), 'EEXIST')
      await fails(files.makeDirectory(at('none', 'd')), 'ENOENT')
      await fails(files.makeDirectory(at('a', 'd')), 'ENOTDIR')
    })

    it('removes only empty directories, and files only as files', async () => {
      const { files } = under.host
      await files.makeDirectory(at('d'))
      await files.writeFile(at('d', 'a'), bytes(''))
      await fails(files.removeDirectory(at('d')), 'ENOTEMPTY')
      await fails(files.removeFile(at('d')), 'EISDIR')
      await fails(files.removeDirectory(at('d', 'a')), 'ENOTDIR')
      await fails(files.removeFile(at('d', 'none')), 'ENOENT')
      await fails(files.removeDirectory(at('none')), 'ENOENT')
      await files.removeFile(at('d', 'a'))
      await files.removeDirectory(at('d'))
      assert.deepEqual(await files.list(at()), [])
    })

    it('takes a slash at the end for a directory', async () => {
      const { files } = under.host
      await files.makeDirectory(`${at('d')}/`)
      await files.writeFile(at('a'), bytes(''))
      await files.makeSymlink('d', at('link'))
      assert.equal((await files.findStat(`${at('link')}/`))?.kind, 'directory')
      await fails(files.readFile(`${at('a')}/`), 'ENOTDIR')
      await fails(files.removeFile(`${at('a')}/`), 'ENOTDIR')
    })
  })

  describe('rename', () => {
    it('moves a file between directories and replaces the one there', async () => {
      const { files } = under.host
      await files.makeDirectory(at('d'))
      await files.writeFile(at('a'), bytes('new'))
      await files.writeFile(at('d', 'b'), bytes('old'))
      await files.rename(at('a'), at('d', 'b'))
      assert.equal(text(await files.readFile(at('d', 'b'))), 'new')
      assert.equal(await files.findStat(at('a')), undefined)
    })

    it('moves a directory with all below, also over an empty one', async () => {
      const { files } = under.host
      await files.makeDirectory(at('d'))
      await files.writeFile(at('d', 'a'), bytes('x'))
      await files.makeDirectory(at('e'))
      await files.rename(at('d'), at('e'))
      assert.equal(text(await files.readFile(at('e', 'a'))), 'x')
      assert.deepEqual(await files.list(at()), [{ name: 'e', kind: 'directory' }])
    })

    it('does nothing onto itself', async () => {
      const { files } = under.host
      await files.writeFile(at('a'), bytes('x'))
      await files.rename(at('a'), at('a'))
      assert.equal(text(await files.readFile(at('a'))), 'x')
    })

    it('moves a link itself', async () => {
      const { files } = under.host
      await files.makeSymlink('nothing', at('link'))
      await files.rename(at('link'), at('moved'))
      assert.equal(await files.readSymlink(at('moved')), 'nothing')
    })

    it('refuses what would mix kinds, lose content or make a circle', async () => {
      const { files } = under.host
      await files.makeDirectory(at('d'))
      await files.makeDirectory(at('d', 'e'))
      await files.writeFile(at('a'), bytes(''))
      await fails(files.rename(at('a'), at('d')), 'EISDIR')
      await fails(files.rename(at('d'), at('a')), 'ENOTDIR')
      await fails(files.rename(at('d'), at('d', 'e', 'f')), 'EINVAL')
      await fails(files.rename(at('d', 'e'), at('d')), 'ENOTEMPTY')
      await files.makeDirectory(at('full'))
      await files.writeFile(at('full', 'x'), bytes(''))
      await fails(files.rename(at('d'), at('full')), 'ENOTEMPTY')
      await fails(files.rename(at('none'), at('b')), 'ENOENT')
      await fails(files.rename(at('a'), at('none', 'b')), 'ENOENT')
      await fails(files.rename(at('a'), at('a', 'b')), 'ENOTDIR')
    })
  })

  describe('symlinks', () => {
    it('follows them in the middle of a path, relative and absolute', async () => {
      const { files } = under.host
      await files.makeDirectory(at('d'))
      await files.makeDirectory(at('d', 'e'))
      await files.writeFile(at('d', 'e', 'a'), bytes('x'))
      await files.makeSymlink('d/e', at('relative'))
      await files.makeSymlink(at('d'), at('absolute'))
      assert.equal(text(await files.readFile(at('relative', 'a'))), 'x')
      assert.equal(text(await files.readFile(at('absolute', 'e', 'a'))), 'x')
      assert.equal(await files.resolve(at('absolute', 'e', 'a')), at('d', 'e', 'a'))
      assert.equal(await files.resolve(at('relative', '..', 'e')), at('d', 'e'))
    })

    it('shows them as they are', async () => {
      const { files } = under.host
      await files.makeSymlink('some/where', at('link'))
      const stat = await files.findStat(at('link'))
      assert.equal(stat?.kind, 'symlink')
      assert.equal(stat.sizeBytes, 10n)
      assert.equal(await files.readSymlink(at('link')), 'some/where')
      await files.writeFile(at('a'), bytes(''))
      await fails(files.readSymlink(at('a')), 'EINVAL')
      await fails(files.makeSymlink('x', at('a')), 'EEXIST')
      await fails(files.makeSymlink('', at('b')), 'ENOENT')
    })

    it('removes the link, not what it points to', async () => {
      const { files } = under.host
      await files.makeDirectory(at('d'))
      await files.makeSymlink('d', at('link'))
      await fails(files.removeDirectory(at('link')), 'ENOTDIR')
      await files.removeFile(at('link'))
      assert.equal((await files.findStat(at('d')))?.kind, 'directory')
    })

    it('writes through a link, making its missing target', async () => {
      const { files } = under.host
      await files.makeSymlink('a', at('link'))
      await fails(files.readFile(at('link')), 'ENOENT')
      await fails(files.resolve(at('link')), 'ENOENT')
      await files.writeFile(at('link'), bytes('x'))
      assert.equal(text(await files.readFile(at('a'))), 'x')
      assert.equal((await files.findStat(at('link')))?.kind, 'symlink')
    })

    it('gives up on links in a circle', async () => {
      const { files } = under.host
      await files.makeSymlink('b', at('a'))
      await files.makeSymlink('a', at('b'))
      await fails(files.readFile(at('a')), 'ELOOP')
      await fails(files.list(at('a', 'below')), 'ELOOP')
      await fails(files.writeFile(at('a'), bytes('')), 'ELOOP')
    })
  })
}
