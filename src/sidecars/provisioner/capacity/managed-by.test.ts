import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { managedBy } from './publisher.ts'

const node = (length: number): string => `node${'a'.repeat(length - 4)}`

const cases: [behaviour: string, nodeName: string | undefined, value: string][] = [
  ['one instance for the cluster has one name', undefined, 'external-provisioner'],
  ['an instance on a node adds its name', 'node01', 'external-provisioner-node01'],
  ['63 characters fit', node(42), `external-provisioner-${node(42)}`],
  ['with one more our own name is cut', node(43), `external-p-53f40b57-${node(43)}`],
  ['down to one letter', node(52), `e-53f40b57-${node(52)}`],
  ['then the node becomes a hash', node(53), 'external-provisioner-a3607ff1'],
  ['however long it is', node(67), 'external-provisioner-df38e37f'],
]
for (const [behaviour, nodeName, value] of cases)
  test(`the owner's label: ${behaviour}`, () => equal(managedBy(nodeName), value))
