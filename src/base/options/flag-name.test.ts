import { deepEqual, equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { flagName, indexFlags, kebabCase } from './flag-name.ts'
import { count, duration, flag, quantity, text } from './single-options.ts'

const names: [key: string, kebab: string][] = [
  ['csiAddress', 'csi-address'],
  ['kubeApiQps', 'kube-api-qps'],
  ['v', 'v'],
  ['http2Port', 'http2-port'],
  ['enableHTTPServer', 'enable-http-server'],
  ['useTLS', 'use-tls'],
  ['already-kebab', 'already-kebab'],
]
for (const [key, kebab] of names) test(`${key} becomes ${kebab}`, () => equal(kebabCase(key), kebab))

test('the unit of the key is left out where the text carries its own', () => {
  equal(flagName('callTimeoutMs', duration('15s', 'Wait.')), 'call-timeout')
  equal(flagName('capacityBytes', quantity('1Gi', 'Size.')), 'capacity')
  equal(flagName('resync', duration('10m', 'Period.')), 'resync')
  equal(flagName('Ms', duration('10m', 'Period.')), 'ms')
  equal(flagName('delayMs', count(5, 'Delay.')), 'delay-ms')
})

test('a name given in the table counts before the key', () =>
  equal(flagName('verbosity', count(0, 'Level.', { flag: 'v' })), 'v'))

test('every name leads to its option', () => {
  const index = indexFlags({
    nodeName: text('', 'Node.', { short: 'n', aliases: ['node', 'nodename'] }),
    v: count(0, 'Level.'),
  })
  const keys = Object.fromEntries([...index].map(([name, { key }]) => [name, key]))
  deepEqual(keys, { 'node-name': 'nodeName', node: 'nodeName', nodename: 'nodeName', n: 'nodeName', v: 'v' })
})

test('a table that contradicts itself is refused', () => {
  const twice = { nodeName: text('', 'Node.'), node: text('', 'Node.', { aliases: ['node-name'] }) }
  throws(() => indexFlags(twice), /options nodeName and node share the flag node-name/)
  throws(() => indexFlags({ help: flag(false, 'Help.') }), /the flag help is reserved for help/)
  throws(() => indexFlags({ host: text('', 'Host.', { short: 'h' }) }), /the flag h is reserved for help/)
  throws(() => indexFlags({ host: text('', 'Host.', { short: 'ho' }) }), /ho is not one letter/)
  throws(() => indexFlags({ host: text('', 'Host.', { flag: '--host' }) }), /"--host" cannot be the name of a flag/)
})
