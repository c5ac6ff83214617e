import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { validateCsiDriverName } from './csi-driver-name.ts'

describe('the name of a driver', () => {
  for (const name of ['hostpath.csi.k8s.io', 'a', 'Disk.CSI.example-1.com', 'x'.repeat(63)]) {
    test(`H29: is taken as it is: ${name}`, () => deepEqual(validateCsiDriverName(name), []))
  }
  for (const name of [
    '',
    '..',
    '.',
    '../etc',
    'a/b',
    'a\\b',
    'a b',
    'a\0b',
    'a..b',
    '-a',
    'a-',
    '.a',
    'ä.example',
    '\u212Adisk',
    'a_b',
    'a\n',
    'x'.repeat(64),
  ]) {
    test(`S3-11, S3-12, H29: is refused: ${JSON.stringify(name)}`, () =>
      equal(validateCsiDriverName(name).length > 0, true))
  }
})
