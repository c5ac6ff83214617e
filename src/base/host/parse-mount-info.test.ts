import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseMountInfo } from './parse-mount-info.ts'

const parseOne = (line: string) => parseMountInfo(`${line}\n`)[0]

describe('parseMountInfo', () => {
  it('reads root, target, type and source', () => {
    assert.deepEqual(parseOne('36 35 98:0 /volumes/a /mnt/b rw,noatime - ext4 /dev/sda1 rw,errors=continue'), {
      target: '/mnt/b',
      root: '/volumes/a',
      fsType: 'ext4',
      source: '/dev/sda1',
      readOnly: false,
    })
  })

  it('skips any number of optional fields', () => {
    for (const optional of ['', 'shared:1 ', 'shared:1 master:2 propagate_from:3 unbindable ']) {
      const entry = parseOne(`36 35 98:0 / /mnt rw ${optional}- tmpfs memory rw`)
      assert.deepEqual([entry?.fsType, entry?.source], ['tmpfs', 'memory'])
    }
  })

  it('takes read-only from the mount or from its file system', () => {
    assert.equal(parseOne('1 0 0:1 / /a ro,nosuid - ext4 /dev/x rw')?.readOnly, true)
    assert.equal(parseOne('1 0 0:1 / /a rw - iso9660 /dev/x ro,relatime')?.readOnly, true)
    assert.equal(parseOne('1 0 0:1 / /a rw,rootcontext=ro - ext4 /dev/x rw,errors=remount-ro')?.readOnly, false)
  })

  it('undoes the octal escapes of space, tab, line end and backslash', () => {
    const entry = parseOne(String.raw`1 0 0:1 /a\134040b /x\040y\011z\012w rw - fuse.ntfs my\040disk rw`)
    assert.equal(entry?.root, String.raw`/a\040b`)
    assert.equal(entry?.target, '/x y\tz\nw')
    assert.equal(entry?.source, 'my disk')
  })

  it('accepts an empty source', () => {
    assert.deepEqual(parseOne('1 0 0:1 / /a rw - tmpfs  rw')?.source, '')
  })

  it('keeps names outside ASCII and a directory called -', () => {
    assert.equal(parseOne('1 0 0:1 / /größe/- rw - tmpfs none rw')?.target, '/größe/-')
    assert.equal(parseOne('1 0 0:1 - /a rw - tmpfs none rw')?.fsType, 'tmpfs')
  })

  it('keeps the order of mounting', () => {
    const text = '1 0 0:1 / / rw - ext4 a rw\n2 1 0:1 /x /t rw - ext4 a rw\n3 2 0:1 /y /t rw - ext4 a rw\n'
    assert.deepEqual(
      parseMountInfo(text).map((entry) => entry.root),
      ['/', '/x', '/y'],
    )
  })

  it('refuses a line it cannot read', () => {
    assert.throws(() => parseMountInfo('1 0 0:1 / /a rw tmpfs none rw\n'), /invalid line in mountinfo/)
  })
})
