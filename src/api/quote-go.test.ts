import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quoteGo } from './quote-go.ts'

const cases: [behaviour: string, text: string, quoted: string][] = [
  ['leaves what can be printed', 'Grüße 世界 ✓ 🙂', '"Grüße 世界 ✓ 🙂"'],
  ['escapes quotes and backslashes', 'a"b\\', '"a\\"b\\\\"'],
  ['has short escapes', '\u0007\b\t\n\v\f\r', '"\\a\\b\\t\\n\\v\\f\\r"'],
  ['writes other control characters with two digits', '\u0000\u001b\u007f', '"\\x00\\x1b\\x7f"'],
  ['writes invisible characters by number', '\u0080\u200b\u{E0001}', '"\\u0080\\u200b\\U000e0001"'],
  ['knows one kind of space', ' \u00a0', '" \\u00a0"'],
]
for (const [behaviour, text, quoted] of cases) test(behaviour, () => assert.equal(quoteGo(text), quoted))
