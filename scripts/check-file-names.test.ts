import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { checkFileNames } from './check-file-names.ts'

const PATHS = [
  'README.md',
  'scripts/check.ts',
  'src/kube/cache/informer.ts',
  'src/kube/controller/run-passes.ts',
  'src/kube/index.ts',
  'src/api/index.ts',
  'src/controllers/binder/next-claim-step.ts',
]
const check = (path: string, text: string): string[] => checkFileNames([{ path, text }], PATHS)

test('a page may name files of its folder, below it, from the root, and one that is elsewhere under a name of its own', () => {
  const text =
    '`informer.ts`, `controller/run-passes.ts`, `run-passes.ts`, `src/kube/cache/informer.ts`, `src/api`, `src/api/`, `check.ts`'
  deepEqual(check('src/kube/README.md', text), [])
})

test('the check reports a file or folder that no longer exists, with its line', () => {
  deepEqual(check('src/kube/README.md', 'First.\nThen `queue.ts`, `src/kube/queue`, `src/kube/queue.ts`.'), [
    'src/kube/README.md:2: `queue.ts` does not exist',
    'src/kube/README.md:2: `src/kube/queue` does not exist',
    'src/kube/README.md:2: `src/kube/queue.ts` does not exist',
  ])
})

test('the check reports a name that several files have', () => {
  deepEqual(check('CONTRIBUTING.md', 'See `index.ts`.'), [
    'CONTRIBUTING.md:1: `index.ts` could be any of src/api/index.ts, src/kube/index.ts',
  ])
  deepEqual(check('src/kube/README.md', 'See `index.ts`.'), [])
})

test('patterns and words in capitals have to match a file', () => {
  deepEqual(check('CONTRIBUTING.md', '`next-*-step.ts`, `next-X-step.ts`, `src/*`'), [])
  deepEqual(check('CONTRIBUTING.md', '`last-*-step.ts`'), ['CONTRIBUTING.md:1: `last-*-step.ts` does not exist'])
})

test('blocks of code and words without backticks are not looked at', () => {
  deepEqual(check('README.md', '```sh\nnode `gone.ts`\n```\nnot gone.ts'), [])
})
