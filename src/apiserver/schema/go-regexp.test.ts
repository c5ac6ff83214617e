import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { parseGoRegExp } from './go-regexp.ts'

const matched: [pattern: string, text: string, isMatch: boolean][] = [
  ['^[a-z]+$', 'abc', true],
  ['(?i)^abc$', 'ABC', true],
  ['^[[:alpha:]]+$', 'abc', true],
  ['^[[:digit:]x]+$', '1x', true],
  ['\\Aa\\z', 'a', true],
  ['\\Aa\\z', 'ba', false],
  ['^\\\\A$', '\\A', true],
  ['^a\\-b$', 'a-b', true],
  ['^(?P<name>a)$', 'a', true],
  ['^\\pL+$', 'ä', true],
  ['^.$', '💾', true],
]
for (const [pattern, text, isMatch] of matched) test(`${pattern} ${isMatch ? 'takes' : 'does not take'} ${text}`, () => equal(parseGoRegExp(pattern)?.test(text), isMatch))

for (const pattern of ['(', '[', '(?=a)', '(?!a)', '(?<=a)b', '(a)\\1', 'a**']) test(`${pattern} is none`, () => equal(parseGoRegExp(pattern), undefined))
