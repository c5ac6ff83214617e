import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseLosetupList } from './parse-losetup-list.ts'

describe('parseLosetupList', () => {
  it('reads devices, with the flag in any of its spellings', () => {
    for (const [ro, readOnly] of [
      ['true', true],
      ['"1"', true],
      ['1', true],
      ['false', false],
      ['"0"', false],
      ['0', false],
    ] as const) {
      const text = `{"loopdevices": [{"name": "/dev/loop3", "back-file": "/a b", "ro": ${ro}}]}`
      assert.deepEqual(parseLosetupList(text), [{ device: '/dev/loop3', backingFile: '/a b', readOnly }])
    }
  })

  it('reads no devices, said in either way', () => {
    assert.deepEqual(parseLosetupList(''), [])
    assert.deepEqual(parseLosetupList('{"loopdevices": [\n]}'), [])
  })

  it('leaves out a device that has just lost its file', () => {
    assert.deepEqual(parseLosetupList('{"loopdevices": [{"name": "/dev/loop3", "back-file": null, "ro": false}]}'), [])
  })

  it('refuses anything else', () => {
    assert.throws(() => parseLosetupList('{}'), /no list/)
    assert.throws(() => parseLosetupList('{"loopdevices": [{}]}'), /without a name/)
  })
})
