import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { checkFolderTable, checkReadmes } from './check-readmes.ts'

test('the page check names each folder with code and no README.md', () => {
  const paths = [
    'src/base/a.ts',
    'src/csi/a.ts',
    'src/csi/README.md',
    'src/drivers/x/a.ts',
    'src/drivers/y/a.ts',
    'src/drivers/y/README.md',
  ]
  deepEqual(checkReadmes(paths), ['src/base: no README.md', 'src/drivers/x: no README.md'])
})

test('inner folders of a part and groups without code of their own need no page', () => {
  const paths = [
    'src/base/README.md',
    'src/base/host/a.ts',
    'src/csi/generated/csi/v1/csi.ts',
    'src/drivers/y/README.md',
    'src/drivers/y/a.ts',
  ]
  deepEqual(checkReadmes([...paths, 'scripts/a.ts']), [])
})

test('the table of folders in CONTRIBUTING.md lists each folder of src/, and no other', () => {
  const page = '| Folder | Holds |\n|---|---|\n| `src/base` | clock |\n| `src/gone` | nothing |\n'
  const paths = ['src/index.ts', 'src/base/clock.ts', 'src/csi/kit/serve.ts', 'scripts/a.ts']
  deepEqual(checkFolderTable(page, paths), [
    'CONTRIBUTING.md does not list src/csi',
    'CONTRIBUTING.md lists src/gone, which does not exist',
  ])
})
