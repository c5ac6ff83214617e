import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { makeDirectories } from '../../base/host/index.ts'
import { attach, bindVolume, createPod, nameInUse, openVolumes, ROOT } from './testing/describe-volumes.ts'
import type { VolumesUnderTest } from './testing/describe-volumes.ts'
import { DRIVER } from './testing/ledger-driver.ts'
import { formatVolumeData, parseVolumeData } from './volume-files.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const filesOf = (node: VolumesUnderTest, part: 'pods' | 'plugins'): string[] =>
  node.tree().filter((path) => path.startsWith(`${ROOT}/${part}/`) && path.endsWith('vol_data.json'))
const leftOf = (node: VolumesUnderTest): string[] =>
  node.tree().filter((path) => path.startsWith(`${ROOT}/pods/`) || /[0-9a-f]{64}/.test(path))

/** One mounted volume, and then no agent. */
async function openStopped(
  context: Parameters<typeof openVolumes>[0],
  options: Parameters<typeof openVolumes>[1] = {},
): Promise<VolumesUnderTest & { uid: string }> {
  const node = await openVolumes(context, options)
  await bindVolume(node.api, 'a')
  const { metadata } = await createPod(node.api, 'a')
  if (options.csiDriver?.attachRequired) await attach(node.api, 'a')
  await node.settled()
  equal((await node.pod('a'))?.status?.phase, 'Running')
  await node.stop()
  node.ledger.calls.length = 0
  return { ...node, uid: metadata.uid ?? '' }
}
const forceDelete = (node: VolumesUnderTest): Promise<unknown> =>
  node.api.delete(PODS, { namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 })

test('what is still wanted after a restart is staged and published again in its place, and nothing else is written', async (context) => {
  const node = await openStopped(context)
  node.writes.length = 0
  await node.start()
  deepEqual(node.ledger.calls, ['stage h-a', 'publish h-a'])
  deepEqual(node.writes, [])
  await node.advance(600_000)
  deepEqual(node.writes, [])
  deepEqual(node.ledger.calls, ['stage h-a', 'publish h-a'])
})

test('nothing is undone, and nothing is said to be free, before all pods of the node are known', async (context) => {
  let isHidden = false
  const hide = (): Promise<never> => Promise.reject(new ApiError('ServiceUnavailable', 'not yet'))
  const apiOf = (api: Api): Api => ({
    ...api,
    list: (type, options) => (isHidden && type.plural === 'pods' ? hide() : api.list(type, options)),
    watch: (type, options) => {
      if (isHidden && type.plural === 'pods') throw new ApiError('ServiceUnavailable', 'not yet')
      return api.watch(type, options)
    },
  })
  const node = await openStopped(context, { csiDriver: { attachRequired: true }, apiOf })
  await forceDelete(node)
  isHidden = true
  await node.start()
  await node.advance(600_000)
  deepEqual(node.ledger.calls, [])
  deepEqual(await node.inUse(), [nameInUse('a')])
  isHidden = false
  await node.advance(60_000)
  deepEqual(node.ledger.calls, ['unpublish h-a', 'unstage h-a'])
  deepEqual(leftOf(node), [])
  deepEqual(await node.inUse(), [])
})

for (const [name, text] of [
  ['empty', ''],
  ['half', '{"driverName":"led'],
  ['another type', '[1]'],
] as const) {
  test(`a torn file of a pod's mount (${name}) is made up for by the file of the volume`, async (context) => {
    const node = await openStopped(context)
    for (const path of filesOf(node, 'pods')) await node.machine.files.writeFile(path, bytes(text))
    await forceDelete(node)
    await node.start()
    deepEqual(node.ledger.calls, ['unpublish h-a', 'unstage h-a'])
    deepEqual(leftOf(node), [])
  })

  test(`a torn file of a volume (${name}) is made up for by that of its pod`, async (context) => {
    const node = await openStopped(context)
    for (const path of filesOf(node, 'plugins')) await node.machine.files.writeFile(path, bytes(text))
    await forceDelete(node)
    await node.start()
    deepEqual(node.ledger.calls, ['unpublish h-a', 'unstage h-a'])
    deepEqual(leftOf(node), [])
  })
}

test('with both files torn, what the node said to use names the volume', async (context) => {
  const node = await openStopped(context, { csiDriver: { attachRequired: true } })
  for (const path of [...filesOf(node, 'plugins'), ...filesOf(node, 'pods')])
    await node.machine.files.writeFile(path, bytes(''))
  await forceDelete(node)
  await node.start()
  deepEqual(node.ledger.calls, ['unpublish h-a', 'unstage h-a'])
  deepEqual(leftOf(node), [])
  deepEqual(await node.inUse(), [])
})

test('a torn file of a pod that lives is written again', async (context) => {
  const node = await openStopped(context)
  const [path = ''] = filesOf(node, 'pods')
  const before = await node.machine.files.readFile(path)
  await node.machine.files.writeFile(path, bytes('{'))
  await node.start()
  deepEqual(node.ledger.calls, ['stage h-a', 'publish h-a'])
  deepEqual(await node.machine.files.readFile(path), before)
})

test('I8: what nothing explains is left alone, told, and keeps what was used in use', async (context) => {
  const node = await openStopped(context, { csiDriver: { attachRequired: true } })
  const { files, mounts } = node.machine
  const stranger = `${ROOT}/pods/stranger/volumes/kubernetes.io~csi/x`
  await makeDirectories(files, `${stranger}/mount`)
  await makeDirectories(files, '/content/precious')
  await files.writeFile('/content/precious/data', bytes('keep'))
  await mounts.bind('/content/precious', `${stranger}/mount`, { readOnly: false })
  await forceDelete(node)
  await node.start()
  await node.advance(300_000)
  deepEqual(node.ledger.calls, ['unpublish h-a', 'unstage h-a'])
  equal(
    (await mounts.list()).some(({ target }) => target === `${stranger}/mount`),
    true,
  )
  equal(new TextDecoder().decode(await files.readFile('/content/precious/data')), 'keep')
  deepEqual(await node.inUse(), [nameInUse('a')])
  match(String(await node.events()), /VolumesNotExplained/)
})

test('an empty directory of a pod that is gone is swept away', async (context) => {
  const node = await openVolumes(context, { start: false })
  await makeDirectories(node.machine.files, `${ROOT}/pods/gone/volumes/kubernetes.io~csi/x`)
  await makeDirectories(node.machine.files, `${ROOT}/plugins/kubernetes.io/csi/${DRIVER}/${'0'.repeat(64)}/globalmount`)
  await node.start()
  deepEqual(leftOf(node), [])
  deepEqual(node.ledger.calls, [])
})

test('the files of an agent before us are understood: no key of ours is needed, and unknown ones are ignored', async (context) => {
  const node = await openVolumes(context, { start: false })
  const { files, mounts } = node.machine
  const directory = `${ROOT}/pods/old/volumes/kubernetes.io~csi/pv-1`
  await makeDirectories(files, `${directory}/mount`)
  await makeDirectories(files, '/content/h-x')
  await files.writeFile(
    `${directory}/vol_data.json`,
    bytes(
      `{"attachmentID":"csi-1","driverName":"${DRIVER}","nodeName":"node-1","seLinuxMountContext":"","specVolID":"pv-1","volumeHandle":"h-x","volumeLifecycleMode":"Persistent"}\n`,
    ),
  )
  await mounts.bind('/content/h-x', `${directory}/mount`, { readOnly: false })
  await node.start()
  deepEqual(node.ledger.calls, ['unpublish h-x', 'unstage h-x'])
  deepEqual(leftOf(node), [])
})

test('a block volume of an earlier life is given back, also when its pod has lost its directory', async (context) => {
  const node = await openVolumes(context)
  await bindVolume(node.api, 'a', { spec: { volumeMode: 'Block' } })
  const { metadata } = await createPod(node.api, 'a', { asDevice: true })
  await node.settled()
  await node.stop()
  node.ledger.calls.length = 0
  await node.machine.files.removeFile(`${ROOT}/pods/${metadata.uid}/volumeDevices/kubernetes.io~csi/a`)
  await forceDelete(node)
  await node.start()
  deepEqual(node.ledger.calls, ['unpublish h-a', 'unstage h-a'])
  equal(
    node.tree().some((path) => path.includes(`volumeDevices/a`)),
    false,
  )
})

test('directories of a block volume that was undone before the power was lost, or not begun, are removed', async (context) => {
  const node = await openVolumes(context, { start: false })
  const devices = `${ROOT}/plugins/kubernetes.io/csi/volumeDevices`
  const leftovers = ['undone/data', 'undone/dev', 'publish/undone', 'staging/begun', 'publish/begun']
  for (const path of leftovers) await makeDirectories(node.machine.files, `${devices}/${path}`)
  await makeDirectories(node.machine.files, `${devices}/torn/data`)
  await node.machine.files.writeFile(`${devices}/torn/data/vol_data.json`, bytes('{'))
  await node.start()
  deepEqual(
    node
      .tree()
      .filter((path) => path.startsWith(`${devices}/`))
      .map((path) => path.slice(devices.length + 1)),
    ['publish', 'staging', 'torn', 'torn/data', 'torn/data/vol_data.json'],
  )
})

test('no space for the file: no call is made, and nothing is left of the try', async (context) => {
  const node = await openVolumes(context)
  const { machine, api, ledger } = node
  await bindVolume(api, 'a')
  machine.setCapacity(0n)
  await createPod(api, 'a')
  await node.settled()
  deepEqual(ledger.calls, [])
  match(String(await node.events()), /ENOSPC/)
  machine.setCapacity(1n << 40n)
  await node.advance(1000)
  equal((await node.pod('a'))?.status?.phase, 'Running')
})

test('what a file says is taken only whole', () => {
  const data = { driverName: 'd', volumeHandle: 'h', specVolID: 'v', volumeLifecycleMode: 'Ephemeral' } as const
  deepEqual(parseVolumeData(formatVolumeData(data)), data)
  equal(
    formatVolumeData(data),
    '{"driverName":"d","specVolID":"v","volumeHandle":"h","volumeLifecycleMode":"Ephemeral"}\n',
  )
  for (const text of ['', '{', '[]', 'null', '"a"', '{"driverName":"d"}', '{"driverName":"d","volumeHandle":7}'])
    equal(parseVolumeData(text), undefined)
  ok(parseVolumeData('{"driverName":"d","volumeHandle":"h","more":true}'))
})
