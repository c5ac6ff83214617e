import assert from 'node:assert/strict'
import { it } from 'node:test'
import { programError, saysBusy } from './program-error.ts'

it('reads busy out of the message, not out of the path', () => {
  assert.equal(saysBusy('umount: /mnt/a: target is busy.', '/mnt/a'), true)
  assert.equal(saysBusy("umount: can't unmount /mnt/a: Device or resource busy", '/mnt/a'), true)
  assert.equal(saysBusy('umount: /mnt/busy: not mounted.', '/mnt/busy'), false)
})

it('says what the program said, or at least how it ended', () => {
  const messageFor = (stderr: string): string =>
    programError('EIO', 'unmount', '/a', { exitCode: 32, stdout: '', stderr }).message
  assert.equal(messageFor('in use\n'), 'unmount /a: EIO: in use')
  assert.equal(messageFor(''), 'unmount /a: EIO: exit code 32')
})
