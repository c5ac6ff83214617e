import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { makeDirectories } from '../../base/host/index.ts'
import type { Host } from '../../base/host/index.ts'
import type { VolumeCapability } from '../../csi/generated/csi/v1/csi.ts'
import { volumeOfClaim } from '../../testing/objects.ts'
import { bindVolume, createPod, deletePod, openVolumes } from './testing/describe-volumes.ts'
import type { VolumesUnderTest } from './testing/describe-volumes.ts'

const withSeLinux = (host: Host): Host => ({
  ...host,
  mounts: {
    ...host.mounts,
    list: async (filter) =>
      filter && 'target' in filter && filter.target === '/sys/fs/selinux'
        ? [{ target: filter.target, root: '/', fsType: 'selinuxfs', source: 'selinuxfs', readOnly: false }]
        : host.mounts.list(filter),
  },
})

async function openLabelled(
  context: TestContext,
  hostOf: (host: Host) => Host = withSeLinux,
): Promise<VolumesUnderTest> {
  const csiDriver = { attachRequired: false, seLinuxMount: true }
  const node = await openVolumes(context, { csiDriver, hostOf, start: false })
  const { files } = node.machine
  await makeDirectories(files, '/usr/share/containers/selinux')
  const contexts = new TextEncoder().encode('file = "system_u:object_r:container_file_t:s0"\n')
  await files.writeFile('/usr/share/containers/selinux/contexts', contexts)
  await node.start()
  await bindVolume(node.api, 'a', { spec: { accessModes: ['ReadWriteOncePod'], mountOptions: ['noatime'] } })
  return node
}

const podAt = (node: VolumesUnderTest, name: string, level: string) =>
  createPod(node.api, name, {
    volumes: [volumeOfClaim('a', 'data')],
    spec: { securityContext: { seLinuxOptions: { level } } },
  })
const flagsOf = (request: { volumeCapability?: VolumeCapability | undefined } | undefined) =>
  request?.volumeCapability?.accessType?.$case === 'mount' ? request.volumeCapability.accessType.value.mountFlags : []
const labelled = (level: string) => ['noatime', `context="system_u:object_r:container_file_t:${level}"`]

test('a volume of one pod is staged and published with its SELinux label, which its files on the disk name too', async (context) => {
  const node = await openLabelled(context)
  await podAt(node, 'one', 's0:c1,c2')
  await node.settled()
  equal((await node.pod('one'))?.status?.phase, 'Running')
  deepEqual(flagsOf(node.ledger.stageRequests[0]), labelled('s0:c1,c2'))
  deepEqual(flagsOf(node.ledger.publishRequests[0]), labelled('s0:c1,c2'))
  const data = node.tree().filter((path) => path.endsWith('vol_data.json'))
  equal(data.length, 2)
  for (const path of data)
    match(
      new TextDecoder().decode(await node.machine.files.readFile(path)),
      /"seLinuxMountContext":"system_u:object_r:container_file_t:s0:c1,c2"/,
    )
})

test('the next pod with another label has the volume unstaged and staged again, also after a restart', async (context) => {
  const node = await openLabelled(context)
  for (const [index, level] of ['s0:c1', 's0:c2'].entries()) {
    const before = node.ledger.calls.length
    await podAt(node, `first-${index}`, level)
    await node.settled()
    await podAt(node, `next-${index}`, 's0:c9')
    await node.settled()
    equal((await node.pod(`next-${index}`))?.status?.phase, 'Pending')
    if (index === 1) await node.stop()
    await deletePod(node.api, `first-${index}`)
    if (index === 1) await node.start()
    await node.advance(200_000)
    equal((await node.pod(`next-${index}`))?.status?.phase, 'Running')
    deepEqual(flagsOf(node.ledger.stageRequests.at(-1)), labelled('s0:c9'))
    deepEqual(node.ledger.calls.slice(before), [
      'stage h-a',
      'publish h-a',
      'unpublish h-a',
      'unstage h-a',
      'stage h-a',
      'publish h-a',
    ])
    await deletePod(node.api, `next-${index}`)
    await node.settled()
  }
})

test('on a machine without SELinux nothing is done about labels', async (context) => {
  const node = await openLabelled(context, (host) => host)
  await podAt(node, 'one', 's0:c1,c2')
  await node.settled()
  deepEqual(flagsOf(node.ledger.stageRequests[0]), ['noatime'])
})

test('a pod whose containers want different labels is refused, and told which', async (context) => {
  const node = await openLabelled(context)
  const container = (level: string) => ({
    name: level.replace(':', '-'),
    image: 'none',
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
    securityContext: { seLinuxOptions: { level } },
  })
  await createPod(node.api, 'two', {
    volumes: [volumeOfClaim('a', 'data')],
    spec: { containers: [container('s0:c1'), container('s0:c2')] },
  })
  await node.settled()
  deepEqual(node.ledger.calls, [])
  match(
    String(await node.events()),
    /FailedMount: .*multiple SELinux labels found: system_u:object_r:container_file_t:s0:c1,system_u:object_r:container_file_t:s0:c2\. Set the same/,
  )
})
