import { deepEqual } from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from './run.ts'
import { tokenize } from './tokenize.ts'

const texts = (source: string): string[] =>
  tokenize(source).map(({ kind, text }) => (kind === 'word' || kind === 'punctuation' ? text : `${kind}:${text}`))

const cases: [behaviour: string, source: string, tokens: string[]][] = [
  ['drops comments', 'a // b\n/* c\nd */ e', ['a', 'e']],
  [
    'keeps strings whole, with the quotes and slashes in them',
    `f('it\\'s // no', "'")`,
    ['f', '(', `string:it\\'s // no`, ',', `string:'`, ')'],
  ],
  [
    'tells the code inside a template from its text',
    '`now ${Date.now()} {} then`',
    ['template:now ', '${', 'Date', '.', 'now', '(', ')', '}', 'template: {} then'],
  ],
  [
    'follows templates within templates and braces within them',
    '`a${f({ b: `c${d}` })}e`',
    [
      'template:a',
      '${',
      'f',
      '(',
      '{',
      'b',
      ':',
      'template:c',
      '${',
      'd',
      '}',
      'template:',
      '}',
      ')',
      '}',
      'template:e',
    ],
  ],
  [
    'takes a slash after an operator for a regular expression',
    `x = /['"\\/[/]]/g; y`,
    ['x', '=', `regex:/['"\\/[/]]/g`, ';', 'y'],
  ],
  ['takes a slash after a value for a division', 'a / b / c', ['a', '/', 'b', '/', 'c']],
  ['takes a slash after return for a regular expression', `return /'/`, ['return', `regex:/'/`]],
  ['keeps optional chaining as one token', 'a?.b', ['a', '?.', 'b']],
]
for (const [behaviour, source, tokens] of cases)
  test(`the tokenizer ${behaviour}`, () => deepEqual(texts(source), tokens))

test('the tokenizer counts lines through comments, templates and strings', () => {
  const lines = tokenize('a\n/*\n*/ b `\n${c}\n` d')
    .filter(({ kind }) => kind === 'word')
    .map(({ text, line }) => [text, line])
  deepEqual(lines, [
    ['a', 1],
    ['b', 3],
    ['c', 4],
    ['d', 5],
  ])
})

test('the tokenizer balances the brackets of every script in this folder', () => {
  const open: Record<string, string> = { ')': '(', ']': '[', '}': '{' }
  for (const file of readdirSync(join(ROOT, 'scripts')).filter((name) => name.endsWith('.ts'))) {
    const stack: string[] = []
    for (const { kind, text } of tokenize(readFileSync(join(ROOT, 'scripts', file), 'utf8'))) {
      if (kind !== 'punctuation') continue
      if ('([{'.includes(text) || text === '${') stack.push(text === '${' ? '{' : text)
      else if (text in open) deepEqual([file, stack.pop()], [file, open[text]])
    }
    deepEqual([file, stack], [file, []])
  }
})
