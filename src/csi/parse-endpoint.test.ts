import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseEndpoint } from './parse-endpoint.ts'

describe('parseEndpoint', () => {
  const good: [endpoint: string, path: string][] = [
    ['/run/csi/socket', '/run/csi/socket'],
    ['unix:///run/csi/socket', '/run/csi/socket'],
    ['unix:/run/csi/socket', '/run/csi/socket'],
    ['unix:////run//csi/./a/../socket', '/run/csi/socket'],
    ['/run/with space/ümlaut', '/run/with space/ümlaut'],
    ['/run/unix:/x', '/run/unix:/x'],
  ]
  for (const [endpoint, path] of good) it(`takes ${endpoint}`, () => assert.equal(parseEndpoint(endpoint), path))

  const relative = ['', 'csi.sock', './csi.sock', 'unix://', 'unix://csi.sock', 'unix:csi.sock']
  for (const endpoint of [...relative, 'tcp://0.0.0.0:80', 'dns:///x', 'UNIX:///x', '/', '/run/csi/', '/a\0b']) {
    it(`refuses ${JSON.stringify(endpoint)} with what to write instead`, () => {
      assert.throws(() => parseEndpoint(endpoint), {
        message: `endpoint ${JSON.stringify(endpoint)} is not a unix socket: write an absolute path or unix:///path/to/csi.sock`,
      })
    })
  }

  it('takes 107 bytes and no more, which is what the kernel has room for', () => {
    assert.equal(parseEndpoint(`/${'x'.repeat(106)}`).length, 107)
    assert.throws(() => parseEndpoint(`/${'x'.repeat(107)}`), /socket path of 108 bytes is too long \(at most 107\)/)
    assert.throws(() => parseEndpoint(`/${'ü'.repeat(54)}`), /109 bytes/)
    assert.equal(parseEndpoint(`/${'./'.repeat(100)}x`), '/x')
  })
})
