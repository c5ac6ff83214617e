import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Api } from '../../src/api/api.ts'
import { CSI_NODES } from '../../src/api/kinds/csi-node.ts'
import { STORAGE_CLASSES } from '../../src/api/kinds/storage-class.ts'
import { VOLUME_SNAPSHOT_CLASSES } from '../../src/api/kinds/volume-snapshot.ts'
import { createSilentLogger, createSystemClock, createSystemRandom } from '../../src/base/index.ts'
import { createUntilObject } from '../../src/cluster/until-object.ts'
import { grantSidecars, sidecarUser } from '../../test/kubernetes/sidecar-rbac.ts'
import { connectAdmin } from '../../test/kubernetes/sidecar-stage.ts'
import { startAuditedHoldfast, startAuditedKubernetes } from '../../test/kubernetes/start-audited-server.ts'
import type { AuditedServer } from '../../test/kubernetes/start-audited-server.ts'
import { startLogged } from '../../test/kubernetes/start-logged.ts'
import { installSnapshots } from '../../test/kubernetes/story-stage.ts'
import { csiNodes, DRIVER, snapshotClass, storageClass } from './objects.ts'
import { ACCOUNTS } from './subjects.ts'

/** The API server and the driver that all subjects work with, one after the other. */
export type BenchStage = {
  readonly server: AuditedServer
  /** Of the administrator. */
  readonly api: Api
  /** Of the driver. */
  readonly socket: string
  readonly directory: string
  close(): Promise<void>
}

const APISERVER_FLAGS = [
  // Protection of objects in use would need a controller that lifts it.
  '--disable-admission-plugins=ServiceAccount,StorageObjectInUseProtection',
  // A write to the log for each request would slow the server.
  '--audit-log-mode=batch',
  '--audit-log-batch-max-wait=500ms',
  '--audit-log-batch-throttle-enable=false',
]

export async function openBenchStage(kind: 'kubernetes' | 'holdfast'): Promise<BenchStage> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  const socket = join(directory, 'csi.sock')
  const users = Object.fromEntries(ACCOUNTS.map((account) => [account, sidecarUser(account)]))
  const server = await (kind === 'kubernetes'
    ? startAuditedKubernetes({ users, apiserverFlags: APISERVER_FLAGS })
    : startAuditedHoldfast({ users, durable: true }))
  const driver = startLogged(
    process.execPath,
    [join(import.meta.dirname, 'null-driver.ts'), `unix://${socket}`, DRIVER, 'changes'],
    join(directory, 'driver.log'),
  )
  await driver.ready
  const { api, close: disconnect } = await connectAdmin(server)
  // Ours has the kinds of snapshots from the start.
  if (kind === 'kubernetes') {
    const [clock, random, log] = [createSystemClock(), createSystemRandom(), createSilentLogger()]
    await installSnapshots(api, createUntilObject({ api, clock, random, log }))
  }
  await grantSidecars(api, {
    'csi-provisioner': ['csi-provisioner', 'csi-sidecar'],
    'csi-attacher': ['csi-attacher', 'csi-sidecar'],
    'csi-resizer': ['csi-resizer', 'csi-sidecar'],
    'csi-snapshotter': ['csi-snapshotter', 'csi-sidecar'],
    'snapshot-controller': ['snapshot-controller'],
  })
  await api.create(STORAGE_CLASSES, storageClass)
  await api.create(VOLUME_SNAPSHOT_CLASSES, snapshotClass)
  for (const node of csiNodes) await api.create(CSI_NODES, node)
  return {
    server,
    api,
    socket,
    directory,
    close: async () => {
      disconnect()
      await driver.stop()
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
