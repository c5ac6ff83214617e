import { test } from 'node:test'
import { readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'
import { setTimeout as sleep } from 'node:timers/promises'
import { openClusterDirectory, startUp } from '/work/main/src/cluster/zz-describe-up-tmp.ts'
import { findResourceType } from '/work/main/src/api/kinds/all-resource-types.ts'
test('race', { timeout: 200_000 }, async (context) => {
  const directory = await openClusterDirectory(context)
  const up = await startUp(directory, '--log-level=debug', '--nodes=3', '--zones=a,b,c')
  const objects = parseAllDocuments(readFileSync('/work/main/examples/pod-info.yaml', 'utf8')).map((d) => d.toJS() as any).map((o) => (o.kind === 'CSIDriver' ? o : { ...o, metadata: { namespace: 'default', ...o.metadata } }))
  for (let round = 0; round < 60; round++) {
    for (const o of objects) await up.api.create(findResourceType(o)!, o)
    await sleep((round * 7) % 200)
    for (const o of objects) await up.api.delete(findResourceType(o)!, { name: o.metadata.name, ...(o.metadata.namespace ? { namespace: 'default' } : {}) })
    const ok = await Promise.race([up.until(({ claims, volumes, pods, attachments }) => [...claims, ...volumes, ...pods, ...attachments].length === 0).then(() => true), sleep(10_000).then(() => false)])
    if (!ok) {
      const seen = await up.until(() => true)
      console.log('STUCK round', round, 'delay', (round * 7) % 200, seen.attachments.map((a: any) => [a.metadata.name, a.status]), seen.pods.length)
      for (const n of (await up.api.list(findResourceType({ apiVersion: 'v1', kind: 'Node' } as any)!)).items as any[]) console.log(n.metadata.name, n.status.volumesInUse, n.status.volumesAttached)
      const fs = await import('node:fs')
      break
    }
  }
})
