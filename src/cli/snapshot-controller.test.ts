import { equal, match } from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { LEASES } from '../api/kinds/lease.ts'
import { VOLUME_SNAPSHOT_CLASSES, VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../api/kinds/volume-snapshot.ts'
import { SYSTEM_USER } from '../apiserver/core/user.ts'
import { applyManifest } from '../apiserver/testing/apply-manifest.ts'
import { startTestServer } from '../apiserver/testing/start-test-server.ts'
import { createBoundClaim } from '../sidecars/resizer/testing/resizer-under-test.ts'
import { startCommand } from './testing/cli-under-test.ts'
import { untilObject } from './testing/driver-under-test.ts'

const USER = 'system:serviceaccount:kube-system:snapshot-controller'
const DRIVER = 'test.holdfast.dev'

describe('holdfast snapshot-controller', () => {
  test('binds snapshots with the rights of the Go program, under its lease and with its metrics', async (context) => {
    const server = await startTestServer()
    context.after(() => server[Symbol.asyncDispose]())
    const api = server.server.core.as(SYSTEM_USER)
    await applyManifest(api, 'examples/snapshot-controller/rbac.yaml')
    const kubeconfig = join(server.directory, 'snapshot-controller.kubeconfig')
    await writeFile(kubeconfig, await server.kubeconfigFor(USER, ['system:authenticated']), { mode: 0o600 })
    const command = startCommand(
      context,
      [
        'snapshot-controller',
        `--kubeconfig=${kubeconfig}`,
        '--leader-election',
        '--http-endpoint=127.0.0.1:0',
        '--feature-gates=CSIVolumeGroupSnapshot=true',
        '--retry-crd-interval-max=10s',
      ],
      { env: { POD_NAMESPACE: 'kube-system' } },
    )
    await command.untilOut(/^ready controllers=snapshot$/m)
    const lease = await untilObject(
      api,
      LEASES,
      ({ metadata, spec }) => metadata.name === 'snapshot-controller-leader' && spec?.holderIdentity !== undefined,
    )
    equal(lease.metadata.namespace, 'kube-system')

    await createBoundClaim(api)
    await api.create(VOLUME_SNAPSHOT_CLASSES, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotClass',
      metadata: { name: 'snaps' },
      driver: DRIVER,
      deletionPolicy: 'Delete',
    })
    await api.create(VOLUME_SNAPSHOTS, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: { namespace: 'default', name: 's1' },
      spec: { source: { persistentVolumeClaimName: 'c1' }, volumeSnapshotClassName: 'snaps' },
    })
    // In place of the driver's snapshotter.
    const content = await untilObject(api, VOLUME_SNAPSHOT_CONTENTS, ({ spec }) => spec.driver === DRIVER)
    const status = { snapshotHandle: 'h1', readyToUse: true, creationTime: 1_893_456_000_000, restoreSize: 5 }
    await api.patch(
      VOLUME_SNAPSHOT_CONTENTS,
      { name: content.metadata.name ?? '' },
      { type: 'merge', value: { status } },
      { subresource: 'status' },
    )
    await untilObject(api, VOLUME_SNAPSHOTS, (snapshot) => snapshot.status?.readyToUse === true)
    const [, port] = /serving metrics and health.*?(\d{4,5})/.exec(command.err()) ?? []
    const read = async (path: string): Promise<string> => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    const page = await read('/metrics')
    match(
      page,
      /snapshot_controller_operation_total_seconds_count\{driver_name="test\.holdfast\.dev",operation_name="CreateSnapshotAndReady",snapshot_type="dynamic",operation_status="success"\} 1/,
    )
    match(page, /^snapshot_controller_operations_in_flight 0$/m)
    equal(await read('/healthz/leader-election'), 'ok')
    equal(await command.stop(), 0)
  })
})
