import { deepEqual, match } from 'node:assert/strict'
import { test } from 'node:test'
import { createSimulatedHost, makeDirectories } from '../../base/host/index.ts'
import { createSeededRandom } from '../../base/random.ts'
import { formatLeaks } from './format-leaks.ts'
import { findNodeLeaks } from './node-leaks.ts'
import type { ClusterSide } from './read-cluster-side.ts'

const EMPTY: ClusterSide = {
  driverName: 'csi.example.com',
  attachments: [],
  claims: [],
  volumes: [],
  pods: [],
  csiNodes: [],
  nodes: [],
  snapshots: [],
  contents: [],
  snapshotClasses: [],
  groups: [],
  groupContents: [],
  classes: [],
  capacities: [],
}

test('a mount without a pod names the process that keeps it busy', async () => {
  const host = createSimulatedHost({ random: createSeededRandom(1), nowMs: () => 0 })
  const path = '/kubelet/pods/uid-1/volumes/kubernetes.io~csi/pv-1'
  for (const each of ['/volume', `${path}/mount`, '/proc/7/fd', '/proc/8']) await makeDirectories(host.files, each)
  await host.mounts.bind('/volume', `${path}/mount`, { readOnly: false })
  await host.files.makeSymlink(`${path}/mount/private.log`, '/proc/7/fd/3')
  await host.files.makeSymlink('/', '/proc/8/cwd')
  await host.files.writeFile('/proc/7/comm', new TextEncoder().encode('backup\n'))
  const leaks = await findNodeLeaks({ host, nodeName: 'n1', rootDir: '/kubelet' }, EMPTY)
  deepEqual(leaks, [{ kind: 'mount-without-pod', node: 'n1', path, usedBy: ['process 7 (backup, open file)'] }])
  const side = { volumes: new Map(), snapshots: new Map(), listsNodes: true }
  match(formatLeaks('csi.example.com', leaks, side), /pv-1 {2}used by process 7 \(backup, open file\)\n/)
})
