import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { errorLinesOf, findUnexpected } from './control-plane-errors.ts'

const LOG = `I1118 01:40:05.000000   12 leaderelection.go:1] fine
E1118 01:40:05.000000   12 a.go:10] "failed" pod="default/web-84cd44fcbb-f6l7p" version=79
E1118 01:40:06.000000   12 a.go:10] "failed" pod="default/web-84cd44fcbb-njm7w" version=80
W1118 01:40:06.000000   12 b.go:10] a warning
E1118 01:40:07.000000   12 c.go:11] cannot reach 127.0.0.1:4242`

test('the same error about another object is the same line', () =>
  deepEqual(errorLinesOf(LOG), ['a.go:N] "failed" pod="default/web-NAME" version=N', 'c.go:N] cannot reach ADDRESS']))

test('a line that the other server causes too is no difference', () =>
  deepEqual(findUnexpected(['x', 'y', 'z'], ['x'], [{ text: 'y', because: 'known' }]), {
    unexpected: ['z'],
    accepted: [{ line: 'y', because: 'known' }],
  }))
