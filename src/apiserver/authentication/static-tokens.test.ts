import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { parseStaticTokens, TokenFileError } from './static-tokens.ts'

test('a line gives its token a user, a uid and groups', () => {
  const tokens = parseStaticTokens('t1,alice,1,"dev,ops"\n\nt2, bob ,2\r\nt3,"Carol ""C""",,single\n')
  deepEqual(tokens.find('t1'), { name: 'alice', uid: '1', groups: ['dev', 'ops'] })
  deepEqual(tokens.find('t2'), { name: 'bob', uid: '2', groups: [] })
  deepEqual(tokens.find('t3'), { name: 'Carol "C"', groups: ['single'] })
})

test('nothing but a whole token is found', () => {
  const tokens = parseStaticTokens('token,alice,1')
  for (const other of ['', 'toke', 'token1', 'Token', ' token']) equal(tokens.find(other), undefined)
  equal(parseStaticTokens('').find(''), undefined)
})

test('every line that is wrong is named, and why', () => {
  const text = [
    'good,alice,1',
    'short,user',
    ',empty,1',
    'x,,1',
    'open,"alice,1',
    'good,twice,2',
    'many,u,1,a,b',
    'in"side,u,1',
  ].join('\n')
  throws(
    () => parseStaticTokens(text),
    (error) => {
      equal(error instanceof TokenFileError, true)
      deepEqual(
        (error as Error).message
          .split('\n')
          .slice(1)
          .map((line) => line.trim()),
        [
          'line 2: has 2 columns; token, user and uid are needed',
          'line 3: the token is empty',
          'line 4: the user is empty',
          'line 5: a quote is open, or stands inside a field',
          'line 6: the token stands in an earlier line too',
          'line 7: has 5 columns; put groups in quotes: "group1,group2"',
          'line 8: a quote is open, or stands inside a field',
        ],
      )
      return true
    },
  )
})

test('a complaint never shows a token', () => {
  throws(
    () => parseStaticTokens('s3cret,alice'),
    (error) => !(error as Error).message.includes('s3cret'),
  )
})
