import { deepEqual, match } from 'node:assert/strict'
import { test } from 'node:test'
import { checkImports, findImports } from './check-imports.ts'
import { tokenize } from './tokenize.ts'

const problemsOf = (files: Record<string, string>): string[] =>
  checkImports(Object.entries(files).map(([path, text]) => ({ path, text })))

const refused: [behaviour: string, path: string, text: string, problem: RegExp][] = [
  [
    'base importing anything of ours',
    'src/base/a.ts',
    `import { b } from '../api/b.ts'`,
    /base\/ must not import api\//,
  ],
  [
    'an import that points down the list',
    'src/kube/a.ts',
    `import type { B } from '../apiserver/b.ts'`,
    /a\.ts:1: kube\/ must not import apiserver\//,
  ],
  [
    'a driver that knows Kubernetes',
    'src/drivers/x/a.ts',
    `import { b } from '../../kube/b.ts'`,
    /drivers\/ must not import kube\//,
  ],
  [
    'a re-export against the direction',
    'src/csi/a.ts',
    `\nexport { b } from '../kube/b.ts'`,
    /a\.ts:2: csi\/ must not import kube\//,
  ],
  ['import() against the direction', 'src/csi/a.ts', `await import('../kube/b.ts')`, /csi\/ must not import kube\//],
  [
    'two controllers that meet in code',
    'src/controllers/x/a.ts',
    `import { b } from '../y/b.ts'`,
    /controllers\/x imports its sibling controllers\/y/,
  ],
  ['two drivers that meet in code', 'src/drivers/x/a.ts', `import { b } from '../y/b.ts'`, /sibling drivers\/y/],
  ['anything that imports cli/', 'src/cluster/a.ts', `import { b } from '../cli/b.ts'`, /nothing imports cli\//],
  [
    'explain importing more than decisions',
    'src/explain/a.ts',
    `import { b } from '../sidecars/attacher/reconcile-attach.ts'`,
    /only the next-\*-step\.ts/,
  ],
  [
    'the page of the console importing values',
    'src/console/page/a.ts',
    `import { b } from '../b.ts'`,
    /page\/ imports only types/,
  ],
  [
    'a case of check importing the cluster',
    'src/check/cases/a.ts',
    `import { b } from '../cluster/b.ts'`,
    /only cli\/ imports src\/check\/cluster/,
  ],
  [
    'a case of check importing Kubernetes',
    'src/check/cases/a.ts',
    `import { b } from '../../api/b.ts'`,
    /check\/ must not import api\//,
  ],
  [
    'a folder that has no place in the list',
    'src/misc/a.ts',
    `import { b } from '../base/b.ts'`,
    /no place in the direction/,
  ],
  ['source importing a script', 'src/csi/a.ts', `import { b } from '../../scripts/b.ts'`, /not part of the program/],
  [
    'code in a door',
    'src/csi/index.ts',
    `export { a } from './a.ts'\nexport const b = 1`,
    /index\.ts:2: an index\.ts names/,
  ],
  ['an import in a door', 'src/csi/index.ts', `import { a } from './a.ts'`, /only named re-exports/],
  ['export * in a door', 'src/csi/index.ts', `export * from './a.ts'`, /names what it re-exports/],
  ['a local export list in a door', 'src/csi/index.ts', `export { a }`, /only named re-exports/],
]
for (const [behaviour, path, text, problem] of refused) {
  test(`the import check refuses ${behaviour}`, () => {
    const problems = problemsOf({ [path]: text })
    deepEqual(problems.length, 1, problems.join('\n'))
    match(problems[0] ?? '', problem)
  })
}

const accepted: [behaviour: string, path: string, text: string][] = [
  [
    'imports up the list',
    'src/sidecars/attacher/a.ts',
    `import { b } from '../../kube/b.ts'\nimport { c } from '../../csi/c.ts'\nimport { d } from './d.ts'`,
  ],
  ['what siblings share in the folder above them', 'src/controllers/x/a.ts', `import { b } from '../shared.ts'`],
  [
    'explain importing a decision',
    'src/explain/a.ts',
    `import { nextAttachStep } from '../sidecars/attacher/next-attach-step.ts'`,
  ],
  ['the part of check that drives a cluster', 'src/check/cluster/a.ts', `import { b } from '../../cluster/b.ts'`],
  ['the page of the console importing types', 'src/console/page/a.ts', `import type { B } from '../b.ts'`],
  ['a test looking the other way', 'src/kube/a.test.ts', `import { b } from '../apiserver/b.ts'`],
  [
    'a shared suite looking the other way',
    'src/kube/testing/describe-api.ts',
    `import { test } from 'node:test'\nimport { b } from '../apiserver/b.ts'`,
  ],
  [
    'a door of named re-exports',
    'src/csi/index.ts',
    `// The door.\nexport { a, type B } from './a.ts'\nexport type { C } from './c.ts'\n`,
  ],
  [
    'an import in a comment or in a text',
    'src/base/a.ts',
    `// import { b } from '../api/b.ts'\nconst c = \`import d from '../api/d.ts'\``,
  ],
]
for (const [behaviour, path, text] of accepted) {
  test(`the import check accepts ${behaviour}`, () => deepEqual(problemsOf({ [path]: text }), []))
}

test('the import check refuses shipped code that imports test support, wherever it lies', () => {
  const problems = problemsOf({
    'src/csi/a.ts': `import { b } from './testing/start-driver.ts'\nimport { c } from './describe-errno.ts'`,
    'src/csi/b.ts': `import type { D } from '../testing/life.ts'`,
    'src/csi/testing/start-driver.ts': `export const b = 1`,
    'src/csi/describe-errno.ts': `export const c = 1`,
    'src/testing/life.ts': `export type D = 1`,
  })
  deepEqual(problems, [
    'src/csi/a.ts:1: imports src/csi/testing/start-driver.ts, which is for tests',
    'src/csi/b.ts:1: imports src/testing/life.ts, which is for tests',
  ])
})

test('the import check finds a cycle between files, types included', () => {
  const problems = problemsOf({
    'src/base/a.ts': `import { b } from './b.ts'`,
    'src/base/b.ts': `import type { C } from './c.ts'`,
    'src/base/c.ts': `import { a } from './a.ts'`,
    'src/base/d.ts': `import { a } from './a.ts'`,
  })
  deepEqual(problems, ['import cycle: src/base/a.ts → src/base/b.ts → src/base/c.ts → src/base/a.ts'])
})

test('two ways to one file are no cycle', () => {
  const problems = problemsOf({
    'src/base/a.ts': `import { b } from './b.ts'\nimport { c } from './c.ts'`,
    'src/base/b.ts': `import { d } from './d.ts'`,
    'src/base/c.ts': `import { d } from './d.ts'`,
    'src/base/d.ts': '',
  })
  deepEqual(problems, [])
})

test('imports are found with their kind and line', () => {
  const source = `import type { A } from './a.ts'\nimport 'b'\nexport { c } from './c.ts'\nawait import('d')\nconst from = 'e'`
  deepEqual(findImports(tokenize(source)), [
    { specifier: './a.ts', typeOnly: true, line: 1 },
    { specifier: 'b', typeOnly: false, line: 2 },
    { specifier: './c.ts', typeOnly: false, line: 3 },
    { specifier: 'd', typeOnly: false, line: 4 },
  ])
})
