import { deepEqual, equal, throws } from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readImageOptions } from './read-options.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-image-options-'))
after(() => rmSync(folder, { recursive: true }))
const within = (name: string): string => join(folder, name)

for (const [args, message] of [
  [['--arch', 'mips'], '--arch: "mips" is not one of x64, arm64'],
  [['--arch', 'x64,'], '--arch: "" is not one of x64, arm64'],
  [['--registry', 'Example.com'], '--registry: "Example.com" cannot begin the name of an image'],
  [['--out', ''], '--out: a directory is required'],
  [['--output=x'], "Unknown option '--output'"],
] as const) {
  test(`${args.join(' ')} is refused`, () => {
    throws(() => readImageOptions(args), { message })
  })
}

test('a directory with other files is not replaced', () => {
  mkdirSync(within('home'))
  writeFileSync(within('home/letter'), '')
  throws(() => readImageOptions(['--out', within('home')]), /contains other files\. Choose a new or empty directory/)
  throws(() => readImageOptions(['--out', within('home/letter')]), /letter is not a directory/)
  deepEqual(readdirSync(within('home')), ['letter'])
})

test('a new directory, an empty one, and one of an earlier or interrupted build are taken', () => {
  mkdirSync(within('empty'))
  mkdirSync(within('earlier/blobs/sha256'), { recursive: true })
  writeFileSync(within('earlier/holdfast.amd64.spdx.json'), '')
  for (const name of ['new', 'empty', 'earlier']) equal(readImageOptions(['--out', within(name)])?.out, within(name))
})

test('an architecture that is named twice is built once', () => {
  deepEqual(readImageOptions(['--out', within('new'), '--arch=arm64,arm64'])?.architectures, ['arm64'])
})

test('--help asks for no build', () => {
  equal(readImageOptions(['--help']), undefined)
})
