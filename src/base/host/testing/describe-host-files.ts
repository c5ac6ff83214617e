import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeHostNames } from './describe-host-names.ts'
import { bytes, fails, text, type HostUnderTest } from './host-under-test.ts'
import { isHostError } from '../host.ts'

const MIB = 1024n * 1024n

export function describeHostFiles(under: HostUnderTest): void {
  const { at } = under

  describe('files', () => {
    describe('content', () => {
      it('reads back what was written, and replaces it', async () => {
        const { files } = under.host
        await files.writeFile(at('a'), bytes('a longer text'))
        await files.writeFile(at('a'), bytes('short'))
        assert.equal(text(await files.readFile(at('a'))), 'short')
        assert.equal((await files.findStat(at('a')))?.sizeBytes, 5n)
        await files.writeFile(at('empty'), bytes(''))
        assert.equal((await files.readFile(at('empty'))).length, 0)
      })

      it('keeps large content whole', async () => {
        const { files } = under.host
        const data = Uint8Array.from({ length: 3 * 4096 + 17 }, (_, index) => index % 251)
        await files.writeFile(at('a'), data)
        assert.deepEqual(await files.readFile(at('a')), data)
        assert.deepEqual(await files.readRange(at('a'), 4000n, 5000), data.subarray(4000, 9000))
      })

      it('does not keep a reference to the data it was given', async () => {
        const { files } = under.host
        const data = bytes('before')
        await files.writeFile(at('a'), data)
        data.fill(0)
        assert.equal(text(await files.readFile(at('a'))), 'before')
      })

      it('refuses an exclusive write to a name that is taken, also by a link to nothing', async () => {
        const { files } = under.host
        await files.writeFile(at('a'), bytes('1'), { exclusive: true })
        await fails(files.writeFile(at('a'), bytes('2'), { exclusive: true }), 'EEXIST')
        assert.equal(text(await files.readFile(at('a'))), '1')
        await files.makeSymlink('nothing', at('link'))
        await fails(files.writeFile(at('link'), bytes('2'), { exclusive: true }), 'EEXIST')
      })

      it('gives a new file exactly its mode and leaves an old one its own', async () => {
        const { files } = under.host
        await files.writeFile(at('default'), bytes(''))
        await files.writeFile(at('open'), bytes(''), { mode: 0o666 })
        await files.writeFile(at('open'), bytes('again'), { mode: 0o600 })
        assert.equal((await files.findStat(at('default')))?.mode, 0o600)
        assert.equal((await files.findStat(at('open')))?.mode, 0o666)
      })

      it('reads a range, and less at the end', async () => {
        const { files } = under.host
        await files.writeFile(at('a'), bytes('0123456789'))
        assert.equal(text(await files.readRange(at('a'), 3n, 4)), '3456')
        assert.equal(text(await files.readRange(at('a'), 8n, 100)), '89')
        assert.equal(text(await files.readRange(at('a'), 10n, 1)), '')
        assert.equal(text(await files.readRange(at('a'), 1000n, 1)), '')
      })

      it('says EISDIR for a directory and ENOENT for nothing', async () => {
        const { files } = under.host
        await files.makeDirectory(at('d'))
        await fails(files.readFile(at('d')), 'EISDIR')
        await fails(files.readRange(at('d'), 0n, 1), 'EISDIR')
        await fails(files.writeFile(at('d'), bytes('')), 'EISDIR')
        await fails(files.truncate(at('d'), 0n), 'EISDIR')
        await fails(files.readFile(at('none')), 'ENOENT')
        await fails(files.writeFile(at('none', 'a'), bytes('')), 'ENOENT')
      })
    })

    describe('truncate', () => {
      it('creates a file that is one hole', async () => {
        const { files } = under.host
        await files.truncate(at('a'), 1024n * 1024n * MIB)
        const stat = await files.findStat(at('a'))
        assert.equal(stat?.sizeBytes, 1024n * 1024n * MIB)
        assert.ok(stat.allocatedBytes < MIB)
        assert.equal(stat.mode, 0o600)
        assert.deepEqual(await files.readRange(at('a'), 1024n * 512n * MIB, 3), new Uint8Array(3))
      })

      it('shrinks and grows again with zeros, not with what was there', async () => {
        const { files } = under.host
        await files.writeFile(at('a'), bytes('0123456789'))
        await files.truncate(at('a'), 4n)
        await files.truncate(at('a'), 6n)
        assert.equal(text(await files.readFile(at('a'))), '0123\0\0')
      })
    })

    describe('copyFile', () => {
      it('copies content, mode and owner, and the copy stands alone', async () => {
        const { files } = under.host
        await files.writeFile(at('a'), bytes('data'), { mode: 0o640 })
        await files.copyFile(at('a'), at('b'))
        await files.writeFile(at('a'), bytes('other'))
        const [from, to] = [await files.findStat(at('a')), await files.findStat(at('b'))]
        assert.equal(text(await files.readFile(at('b'))), 'data')
        assert.equal(to?.mode, 0o640)
        assert.deepEqual([to.uid, to.gid], [from?.uid, from?.gid])
      })

      it('keeps holes and the size', async () => {
        const { files } = under.host
        await files.writeFile(at('a'), bytes('head'))
        await files.truncate(at('a'), 40n * MIB + 3n)
        await files.copyFile(at('a'), at('b'))
        const stat = await files.findStat(at('b'))
        assert.equal(stat?.sizeBytes, 40n * MIB + 3n)
        assert.ok(stat.allocatedBytes <= 2n * MIB, `${stat.allocatedBytes} bytes are allocated`)
        assert.equal(text(await files.readRange(at('b'), 0n, 6)), 'head\0\0')
      })

      it('follows a link to the source, but never replaces or leaves anything at the target', async () => {
        const { files } = under.host
        await files.writeFile(at('a'), bytes('data'))
        await files.makeSymlink('a', at('link'))
        await files.copyFile(at('link'), at('b'))
        assert.equal((await files.findStat(at('b')))?.kind, 'file')
        await fails(files.copyFile(at('a'), at('b')), 'EEXIST')
        await files.makeSymlink('nothing', at('dangling'))
        await fails(files.copyFile(at('a'), at('dangling')), 'EEXIST')
        await fails(files.copyFile(at('none'), at('c')), 'ENOENT')
        await files.makeDirectory(at('d'))
        await fails(files.copyFile(at('d'), at('c')), 'EISDIR')
        assert.equal(await files.findStat(at('c')), undefined)
      })
    })

    describe('attributes', () => {
      it('changes the mode through a link', async () => {
        const { files } = under.host
        await files.writeFile(at('a'), bytes(''))
        await files.makeSymlink('a', at('link'))
        await files.setMode(at('link'), 0o755)
        assert.equal((await files.findStat(at('a')))?.mode, 0o755)
      })

      it('changes the owner of the name itself', async (context) => {
        const { files } = under.host
        await files.writeFile(at('a'), bytes(''))
        await files.makeSymlink('a', at('link'))
        const before = await files.findStat(at('a'))
        try {
          await files.setOwner(at('link'), 1234, 5678)
        } catch (error) {
          if (isHostError(error, 'EPERM')) return context.skip('only root may give files away')
          throw error
        }
        const after = await files.findStat(at('link'))
        assert.deepEqual([after?.uid, after?.gid], [1234, 5678])
        assert.equal((await files.findStat(at('a')))?.uid, before?.uid)
      })

      it('finds nothing where there is nothing, also below a file', async () => {
        const { files } = under.host
        await files.writeFile(at('a'), bytes(''))
        assert.equal(await files.findStat(at('none')), undefined)
        assert.equal(await files.findStat(at('none', 'below')), undefined)
        assert.equal(await files.findStat(at('a', 'below')), undefined)
      })

      it('tells names of one file from another by the inode', async () => {
        const { files } = under.host
        await files.writeFile(at('a'), bytes(''))
        await files.writeFile(at('b'), bytes(''))
        const before = await files.findStat(at('a'))
        assert.notEqual(before?.inode, (await files.findStat(at('b')))?.inode)
        await files.rename(at('a'), at('c'))
        assert.equal((await files.findStat(at('c')))?.inode, before?.inode)
      })
    })

    it('syncs files and directories', async () => {
      const { files } = under.host
      await files.writeFile(at('a'), bytes(''))
      await files.sync(at('a'))
      await files.sync(at())
      await fails(files.sync(at('none')), 'ENOENT')
    })

    it('tells how full the file system is', async () => {
      const { totalBytes, usedBytes, availableBytes, totalInodes, freeInodes } = await under.host.files.usage(at())
      assert.ok(totalBytes > 0n && usedBytes >= 0n && usedBytes <= totalBytes)
      assert.ok(availableBytes >= 0n && availableBytes <= totalBytes - usedBytes)
      assert.ok(freeInodes >= 0n && freeInodes <= totalInodes)
      await fails(under.host.files.usage(at('none')), 'ENOENT')
    })

    it('refuses paths that are not absolute, too long or have a zero byte', async () => {
      const { files } = under.host
      await fails(files.readFile('a'), 'EINVAL')
      await fails(files.rename('a', at('b')), 'EINVAL')
      await fails(files.readFile(at('a\0b')), 'EINVAL')
      await fails(files.writeFile(at('x'.repeat(256)), bytes('')), 'ENAMETOOLONG')
      await files.writeFile(at('x'.repeat(255)), bytes(''))
    })

    it('says in the error what was tried on which path', async () => {
      await assert.rejects(under.host.files.rename(at('old'), at('new')), {
        name: 'HostError',
        code: 'ENOENT',
        operation: 'rename',
        path: at('new'),
        message: `rename ${at('new')}: ENOENT: no such file or directory (from ${at('old')})`,
      })
    })

    describeHostNames(under)
  })
}
