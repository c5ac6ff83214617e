import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { makeDirectories } from '../../base/host/index.ts'
import { explain } from '../../explain/index.ts'
import { createOn } from '../../testing/objects.ts'
import { bindVolume, createPod, openVolumes } from './testing/describe-volumes.ts'

const group = { spec: { securityContext: { fsGroup: 4321 } } }
const CONTENT = '/content/h-a'

async function openWithFiles(context: Parameters<typeof openVolumes>[0], count: number) {
  const node = await openVolumes(context)
  await makeDirectories(node.machine.files, CONTENT)
  for (let index = 0; index < count; index++)
    await node.machine.files.writeFile(`${CONTENT}/file-${index}`, new Uint8Array())
  await bindVolume(node.api, 'a', { source: { fsType: 'ext4' } })
  return node
}

test('an ownership change that takes long is told as the kubelet does, and the pod runs in the end', async (context) => {
  const node = await openWithFiles(context, 12)
  const { machine, clock } = node
  machine.beforeStep = (operation, path) =>
    operation === 'findStat' && path.includes('/file-') ? clock.advance(10_000) : undefined
  const pod = await createPod(node.api, 'a', group)
  await node.settled()
  equal((await node.pod('a'))?.status?.phase, 'Running')
  const place = `${pod.metadata.uid}/volumes/kubernetes.io~csi/a/mount`
  deepEqual(
    (await node.events()).filter((event) => event.startsWith('VolumePermissionChangeInProgress')),
    [
      `VolumePermissionChangeInProgress: Setting volume ownership for ${place} is taking longer than expected, consider using OnRootMismatch - https://kubernetes.io/docs/tasks/configure-pod-container/security-context/#configure-volume-permission-and-ownership-change-policy-for-pods`,
      `VolumePermissionChangeInProgress: Setting volume ownership for ${place}, processed 9 files.`,
    ],
  )
})

test('why says that files change owner, and a new pod with OnRootMismatch, as it advises, does not wait for it', async (context) => {
  const node = await openWithFiles(context, 12)
  const { machine, clock, api } = node
  await createOn(api, CSI_NODES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name: 'node-1' },
    spec: { drivers: [{ name: 'ledger.example.com', nodeID: 'node-1', topologyKeys: null }] },
  })
  const sentences = new Set<string>()
  machine.beforeStep = async (operation, path) => {
    if (operation !== 'findStat' || !path.includes('/file-')) return
    await clock.advance(10_000)
    const answer = await explain(
      { kind: 'Pod', name: 'a' },
      { api, namespace: 'default', signal: new AbortController().signal },
    )
    if (answer.kind === 'explained') sentences.add(answer.explanation.sentence)
  }
  await createPod(api, 'a', group)
  await node.settled()
  match(
    [...sentences].at(-1) ?? '',
    /Setting volume ownership for .*, processed 9 files\. The pod starts when every file belongs to its fsGroup\. To skip this at the next mount, set spec\.securityContext\.fsGroupChangePolicy to OnRootMismatch in a new pod\.$/,
  )
  await api.delete(PODS, { namespace: 'default', name: 'a' })
  await node.settled()
  const startMs = clock.nowMs()
  const spec = { securityContext: { fsGroup: 4321, fsGroupChangePolicy: 'OnRootMismatch' } } as const
  await createPod(api, 'a', { spec })
  await node.settled()
  equal((await node.pod('a'))?.status?.phase, 'Running')
  ok(clock.nowMs() - startMs < 10_000, 'no file was looked at')
})

test('a pod that is deleted while its files change owner is unmounted at once', async (context) => {
  const node = await openWithFiles(context, 12)
  const { machine, api } = node
  machine.beforeStep = async (operation, path) => {
    if (operation !== 'setOwner' || !path.endsWith('file-2')) return
    await api.delete(PODS, { namespace: 'default', name: 'a' })
    // The watch has to tell it.
    for (let turns = 0; turns < 20; turns++) await node.clock.advance(0)
  }
  await createPod(api, 'a', group)
  await node.settled()
  equal(await node.pod('a'), undefined)
  deepEqual(node.ledger.calls, ['stage h-a', 'publish h-a', 'unpublish h-a', 'unstage h-a'])
  const changed = machine.snapshotTree().filter(({ path }) => path.startsWith(`${CONTENT}/`))
  equal(changed.filter(({ mode }) => mode === 0o660).length, 5)
  equal((await machine.files.findStat(CONTENT))?.gid, 0)
  match(node.logged.join(''), /the change of ownership was interrupted/)
  deepEqual(
    (await node.events()).filter((event) => event.startsWith('FailedMount')),
    [],
  )
})

test('a file that may not be changed does not keep the pod from running', async (context) => {
  const node = await openWithFiles(context, 2)
  const { files } = node.machine
  const real = { ...files }
  Object.assign(files, {
    setOwner: (path: string, uid: number, gid: number) =>
      path.endsWith('file-1') ? Promise.reject(new Error('refused')) : real.setOwner(path, uid, gid),
  })
  await createPod(node.api, 'a', group)
  await node.settled()
  equal((await node.pod('a'))?.status?.phase, 'Running')
  equal((await files.findStat(`${CONTENT}/file-0`))?.gid, 4321)
})
