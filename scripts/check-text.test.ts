import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { checkLockFile, checkText } from './check-text.ts'

const countOf = (text: string): number => checkText([{ path: 'docs/a.md', text }]).length
// Put together here, since this file is checked too.
const path = (...parts: string[]): string => ['', ...parts].join('/')
const host = (...parts: string[]): string => parts.join('.')

test('the text check refuses package registries and their mirrors', () => {
  const hosts = [
    host('registry', 'npmjs', 'org'),
    host('proxy', 'golang', 'org'),
    host('sum', 'golang', 'org'),
    host('acme', 'jfrog', 'io'),
  ]
  for (const name of hosts) deepEqual([name, countOf(`see https://${name}/x`)], [name, 1])
})

test('the text check refuses folders of one machine', () => {
  for (const folder of [path('work', 'main'), path('home', 'ann', 'x'), path('Users', 'ann', 'x'), path('root', 'x')]) {
    deepEqual([folder, countOf(`cd ${folder}`)], [folder, 1])
    deepEqual([folder, countOf(`"${folder}"`)], [folder, 1])
  }
})

test('the text check tells the line', () => {
  deepEqual(checkText([{ path: 'a.md', text: `one\ncd ${path('work', 'main')}` }])[0]?.startsWith('a.md:2:'), true)
})

test('the text check accepts paths that every machine has, and parts of longer paths', () => {
  deepEqual(countOf('/var/lib/kubelet/plugins /tmp/x src/work/main ./root/x https://example.com/home/ann/x'), 0)
})

test('the lock file check refuses a resolved address and accepts a local link', () => {
  const lock = {
    packages: {
      '': {},
      'node_modules/a': { resolved: 'https://example.com/a.tgz' },
      'node_modules/b': { resolved: '../b' },
      'node_modules/c': {},
    },
  }
  deepEqual(checkLockFile(JSON.stringify(lock)), ['package-lock.json: node_modules/a has a resolved address'])
})
