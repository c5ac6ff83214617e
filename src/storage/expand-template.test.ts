import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { expandTemplate } from './expand-template.ts'

const values = new Map([
  ['pv.name', 'v1'],
  ['x', 'X'],
  ["pvc.annotations['a/b']", 'note'],
])

const cases: [behaviour: string, template: string, text: string, unknown?: string[]][] = [
  ['text without tokens stays', 'plain', 'plain'],
  ['a token in braces is replaced', 'a-${pv.name}-b', 'a-v1-b'],
  ['a token without braces ends where its letters end', '$x-$x.y', 'X-X.y'],
  ['without braces a dot is no part of the token', '$pv.name', '.name', ['pv']],
  ['a token may have quotes and slashes', "${pvc.annotations['a/b']}", 'note'],
  ['what is unknown is listed and left out', '${a}-${pv.name}-${b}', '-v1-', ['a', 'b']],
  ['a token ends at the first closing brace', '${a}}', '}', ['a']],
  ['a dash after the sign is a token', 'a$-b', 'ab', ['-']],
  ['a sign before a dot stays', 'a$.b', 'a$.b'],
  ['a sign at the end stays', 'a$', 'a$'],
  ['nothing in braces is dropped', 'a${}b', 'ab'],
  ['a brace that never closes is dropped', 'a${b', 'ab'],
  ['special signs are tokens of their own', '$$x ${#} $1a ${1a}', 'x  a ', ['$', '#', '1', '1a']],
]
for (const [behaviour, template, text, unknown = []] of cases) {
  test(behaviour, () => deepEqual(expandTemplate(template, values), { text, unknown }))
}

test('text without a sign is never changed', () => {
  fc.assert(
    fc.property(
      fc.string().filter((text) => !text.includes('$')),
      (text) => equal(expandTemplate(text, values).text, text),
    ),
  )
})
test('what a value holds is not expanded', () =>
  equal(expandTemplate('${a}', new Map([['a', '${b}$c']])).text, '${b}$c'))
