import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bytes, fails, type HostUnderTest } from './host-under-test.ts'

export function describeHostWatch(under: HostUnderTest): void {
  const { at } = under

  /** Resolves with the next hint. */
  const openWatch = async (path: string) => {
    let next = Promise.withResolvers<void>()
    const watch = await under.host.files.watch(path, () => next.resolve())
    const hint = async (): Promise<void> => {
      await next.promise
      next = Promise.withResolvers<void>()
    }
    return { watch, hint }
  }

  describe('watching a directory', () => {
    const changes: [name: string, act: () => Promise<void>][] = [
      ['a new file', () => under.host.files.writeFile(at('new'), bytes(''))],
      ['a new directory', () => under.host.files.makeDirectory(at('d'))],
      ['a file that goes', () => under.host.files.removeFile(at('old'))],
      ['a file that gets another name', () => under.host.files.rename(at('old'), at('renamed'))],
    ]
    for (const [name, act] of changes) {
      it(`tells of ${name}`, async () => {
        await under.host.files.writeFile(at('old'), bytes(''))
        const { watch, hint } = await openWatch(at())
        await act()
        await hint()
        assert.equal(watch.isOpen(), true)
        watch.close()
        assert.equal(watch.isOpen(), false)
      })
    }

    it('tells when the directory itself goes', async () => {
      await under.host.files.makeDirectory(at('d'))
      const { watch, hint } = await openWatch(at('d'))
      await under.host.files.removeDirectory(at('d'))
      await hint()
      watch.close()
    })

    it('is refused for what is no directory', async () => {
      await under.host.files.writeFile(at('a'), bytes(''))
      await fails(
        under.host.files.watch(at('a'), () => {}),
        'ENOTDIR',
      )
      await fails(
        under.host.files.watch(at('none'), () => {}),
        'ENOENT',
      )
    })
  })
}
