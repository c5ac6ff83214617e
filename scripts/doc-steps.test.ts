import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { findUnseenLine, parseDocSteps } from './doc-steps.ts'

const PAGE = `# Page

\`\`\`ts
run('nothing')
\`\`\`

## First

\`\`\`sh
# terminal 2
one --flag   # why
two \\
  three
# terminal 1: Ctrl-C
\`\`\`

\`\`\`
only output
\`\`\`

## Second

\`\`\`
$ get
NAME  AGE
a     3s

$ quiet
\`\`\`
`

test('the commands of a page are found in their order, with their terminals and with what they show', () => {
  deepEqual(parseDocSteps(PAGE), [
    { kind: 'run', section: 'First', terminal: '2', command: 'one --flag   # why', shown: undefined },
    { kind: 'run', section: 'First', terminal: '2', command: 'two \\\n  three', shown: undefined },
    { kind: 'interrupt', section: 'First', terminal: '1' },
    { kind: 'run', section: 'Second', terminal: undefined, command: 'get', shown: 'NAME  AGE\na     3s\n' },
    { kind: 'run', section: 'Second', terminal: undefined, command: 'quiet', shown: '' },
  ])
})

const outputs: [behaviour: string, shown: string, output: string, unseen: string | undefined][] = [
  [
    'ages, ports and widths of columns do not count',
    'NAME  AGE\na  3s\nat 127.0.0.1:1 in 3 ms',
    'NAME    AGE\na       12m4s\n\nat 127.0.0.1:22 in 44 ms\n',
    undefined,
  ],
  [
    'a name made of chance is as good as another',
    'pvc-e15bf2d1-4ccf-48a8-bfea-db3801339284',
    'pvc-0015bf2d-4ccf-48a8-bfea-db3801339284',
    undefined,
  ],
  ['a wrong word is found', 'a Bound', 'a Pending', 'a Bound'],
  ['a line that is missing is found', 'a\nb', 'a', 'b'],
  ['a line too many is found', 'a', 'a\nb', 'b (this was not shown)'],
  ['lines may be left out where the page says so', 'a\n…\nd', 'a\nb\nc\nd', undefined],
  ['lines may be left out at the end where the page says so', 'a\n…', 'a\nb', undefined],
  ['the order counts', '…\nb\n…\na', 'a\nb', 'a'],
  ['words may be left out where the page says so', 'a … c', 'a b c', undefined],
  ['only whole lines count', 'a…', 'ba', 'a…'],
]
for (const [behaviour, shown, output, unseen] of outputs)
  test(`shown output: ${behaviour}`, () => equal(findUnseenLine(shown, output), unseen))
