import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { podOf } from '../../testing/objects.ts'
import { loadOf } from './node-entry.ts'
import { clusterOf, nodeOf } from './testing/describe-scheduler.ts'

// The least load is counted from changes; the plain way is to look at all nodes.
test('the least load is that of the least loaded node, after any changes', () => {
  const names = fc.constantFrom('n0', 'n1', 'n2')
  const act = fc.oneof(
    fc.record({ what: fc.constantFrom('add', 'drop', 'look'), node: names }),
    fc.record({ what: fc.constant('pod'), node: fc.option(names, { nil: undefined }), pod: fc.nat(4) }),
  )
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      const { nodes, pods, nodeTable } = clusterOf()
      const check = (): void =>
        equal(nodeTable.leastLoad(), nodeTable.all.length === 0 ? 0 : Math.min(...nodeTable.all.map(loadOf)))
      let version = 1
      const newer = <T extends { metadata: object }>(object: T): T => ({
        ...object,
        metadata: { ...object.metadata, resourceVersion: String(version++) },
      })
      for (const each of acts) {
        if ('pod' in each) {
          const name = `p${each.pod}`
          const nodeName = each.node
          pods.set(`default/${name}`, nodeName === undefined ? undefined : newer(podOf(name, { spec: { nodeName } })))
        } else if (each.what === 'look') check()
        else nodes.set(each.node, each.what === 'add' ? newer(nodeOf(each.node)) : undefined)
      }
      check()
    }),
  )
})
