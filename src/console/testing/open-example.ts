import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { parseAllDocuments } from 'yaml'
import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Clock } from '../../base/clock.ts'
import { traceIdOf } from '../../base/tracing/index.ts'
import type { Span } from '../../base/tracing/index.ts'
import { CSI_RPCS } from '../../csi/rpc.ts'
import { loadCase } from '../../explain/testing/describe-corpus.ts'
import { attachmentName } from '../../storage/attachment-name.ts'
import { uniqueVolumeName } from '../../storage/unique-volume-name.ts'
import { createCallLog } from '../call-log.ts'
import type { CallLog } from '../call-log.ts'
import type { FoundLeak } from '../leak-table.ts'
import { createSpanLog } from '../span-log.ts'
import type { SpanLog } from '../span-log.ts'
import type { RunningConsole } from '../start-console.ts'
import { openConsole } from './open-console.ts'

const DRIVER = 'csi.example.com'
const CLAIM = { namespace: 'default', name: 'data' }

/** When the pictures are taken. The objects were created five minutes before. */
export const EXAMPLE_NOW_MS = Date.UTC(2030, 0, 1, 0, 5)

export type ExampleConsole = RunningConsole & { readonly api: Api; readonly calls: CallLog }

/** A console of `example-cluster.yaml`, with the same names, times, calls and leaks in each run. */
export async function openExample(context: TestContext): Promise<ExampleConsole> {
  const text = readFileSync(new URL('example-cluster.yaml', import.meta.url), 'utf8')
  const documents = parseAllDocuments(text).map((document) => document.toJS() as KubeObject)
  const { api, clock } = await loadCase(context, documents)
  await clock.advance(5 * 60_000)
  const calls = exampleCalls(clock)
  const claim = await api.get(PERSISTENT_VOLUME_CLAIMS, CLAIM)
  const pod = await api.get(PODS, { namespace: 'default', name: 'db' })
  const spans = exampleSpans(claim.metadata.uid ?? '', pod.metadata.uid ?? '')
  const findLeaks = (): Promise<FoundLeak[]> => Promise.resolve(LEAKS)
  const running = await openConsole(context, withUsage(api), { calls, spans, findLeaks })
  return { ...running, api, calls }
}

/** The node of the running pod says how full its volume is. */
const withUsage = (api: Api): Api => ({
  ...api,
  get: ((type, ref, options) =>
    options?.subresource === 'proxy/stats/summary'
      ? Promise.resolve({ pods: [{ volume: ref.name === 'node-1' ? [USAGE] : [] }] })
      : api.get(type, ref, options)) as Api['get'],
})

const USAGE = {
  pvcRef: CLAIM,
  ...{ capacityBytes: 10 * 2 ** 30, usedBytes: 8.4 * 2 ** 30, availableBytes: 1.6 * 2 ** 30 },
  ...{ inodes: 655_360, inodesUsed: 81_920, time: '2030-01-01T00:04:30Z' },
}

const LEAKS: FoundLeak[] = [
  { driver: DRIVER, kind: 'volume-without-object', handle: 'vol-7f3a', sizeBytes: 20 * 2 ** 30 },
  { driver: DRIVER, kind: 'attached-without-object', handle: 'vol-old', node: 'node-1' },
]

function exampleCalls(clock: Clock): CallLog {
  const calls = createCallLog(clock)
  const observe = calls.observe('sidecars', DRIVER)
  const call = (key: string, tookMs: number, more: object = {}): void => {
    const rpc = CSI_RPCS.get(key)
    if (!rpc) throw new Error(`there is no call ${key}`)
    observe({ rpc, request: {}, response: undefined, code: 'OK', error: undefined, tookMs, ...more })
  }
  const announced = [1, 2, 3, 5].map((type) => ({ type: { $case: 'rpc', value: { type } } }))
  call('controllerGetCapabilities', 1.2, { response: { capabilities: announced } })
  call('createVolume', 412, { request: { name: 'pvc-data' }, response: { volume: { volumeId: 'vol-data' } } })
  call('controllerPublishVolume', 1830, { request: { volumeId: 'vol-data' } })
  call('createVolume', 95, { code: 'RESOURCE_EXHAUSTED', error: new Error('the pool has no space left') })
  return calls
}

/** The life of the volume of the claim: two and a half seconds, most of them for attaching it. */
function exampleSpans(claimUid: string, podUid: string): SpanLog {
  const log = createSpanLog()
  const traceId = traceIdOf(claimUid)
  const startMs = Date.UTC(2030, 0, 1)
  let count = 0
  const step = (part: string, name: string, from: number, to: number, key: string, call?: [string, number, number]) => {
    const spanId = String(++count).padStart(16, '0')
    const attributes = { 'holdfast.key': key, ...(call?.[0].includes(' ') ? { 'k8s.verb': 'patch' } : {}) }
    const common = { traceId, part, attributes }
    const times = (begin: number, end: number) => ({ startMs: startMs + begin, endMs: startMs + end })
    log.add({ ...common, spanId, parentSpanId: undefined, kind: 'step', name, ...times(from, to) } as Span)
    if (!call) return
    const [method, begin, end] = call
    const callId = String(++count).padStart(16, '0')
    log.add({
      ...common,
      spanId: callId,
      parentSpanId: spanId,
      kind: 'client',
      name: method,
      ...times(begin, end),
    } as Span)
  }
  const attachment = attachmentName({ driver: DRIVER, volumeHandle: 'vol-data', nodeName: 'node-1' })
  step('scheduler', 'reserve', 5, 26, 'default/db')
  step('provisioner', 'store', 30, 460, 'default/data', ['CreateVolume', 40, 452])
  step('binder', 'mark-claim-bound', 465, 490, 'default/data', ['patch PersistentVolumeClaim', 470, 488])
  step('scheduler', 'place', 495, 510, 'default/db')
  step('attach-detach', 'create', 512, 530, attachment)
  step('attacher', 'publish', 534, 2370, attachment, ['ControllerPublishVolume', 535, 2365])
  const device = uniqueVolumeName(DRIVER, 'vol-data')
  step('node-1', 'stage', 2375, 2431, device, ['NodeStageVolume', 2378, 2430])
  step('node-1', 'publish', 2433, 2482, `${podUid}/pvc-data`, ['NodePublishVolume', 2440, 2480])
  step('node-1', 'report-running', 2484, 2490, podUid)
  return log
}
