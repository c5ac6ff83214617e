import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../api/kinds/pod.ts'
import { openClusterDirectory, startUp } from '../cluster/testing/describe-up.ts'
import { applyYaml } from '../kube/client/apply-yaml.ts'
import { startCommand } from './testing/cli-under-test.ts'
import { startCollector } from './testing/otlp-collector.ts'
import type { ReceivedSpan } from './testing/otlp-collector.ts'

const LIMIT = { timeout: 120_000 }
const EXAMPLE = join(import.meta.dirname, '../../examples/claim.yaml')
const INTERNAL = 1
const SERVER = 2
const CLIENT = 3

/** `provisioner create > CreateVolume > hostpath.holdfast.dev CreateVolume`, for every span that has no child. */
function pathsOf(spans: readonly ReceivedSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const pathOf = (span: ReceivedSpan): string => {
    const parent = byId.get(span.parentSpanId)
    const name = span.kind === CLIENT ? span.name : `${span.service} ${span.name}`
    return parent ? `${pathOf(parent)} > ${name}` : name
  }
  const parents = new Set(spans.map(({ parentSpanId }) => parentSpanId))
  return spans.filter(({ spanId }) => !parents.has(spanId)).map(pathOf)
}

describe('the spans that holdfast up sends to a collector', () => {
  test('are one trace for the whole life of a claim with a pod', LIMIT, async (context) => {
    const collector = await startCollector(context)
    const up = await startUp(await openClusterDirectory(context), `--otlp-endpoint=${collector.endpoint}`)
    await applyYaml(up.api, await readFile(EXAMPLE, 'utf8'))
    const { claims } = await up.until(({ pods }) => pods.some(({ status }) => status?.phase === 'Running'))
    await up.api.delete(PODS, { namespace: 'default', name: 'web' })
    await up.api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name: 'data' })
    await up.until(({ volumes, attachments }) => volumes.length === 0 && attachments.length === 0)
    equal(await up.stop(), 0)

    const spans = collector.spans()
    equal([...new Set(collector.requests())].join(), 'POST /v1/traces application/x-protobuf')
    const uid = claims[0]?.metadata.uid ?? ''
    deepEqual([...new Set(spans.map(({ traceId }) => traceId))], [uid.replaceAll('-', '')])
    equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length)

    const paths = pathsOf(spans)
    const expected = [
      'scheduler reserve > patch PersistentVolumeClaim',
      'binder mark-for-provisioner > patch PersistentVolumeClaim',
      'provisioner create > CreateVolume > hostpath.holdfast.dev CreateVolume',
      'provisioner store > create PersistentVolume',
      'binder complete-claim > patch PersistentVolumeClaim',
      'scheduler place > createSubresource Pod',
      'attach-detach create > create VolumeAttachment',
      'attacher publish > ControllerPublishVolume > hostpath.holdfast.dev ControllerPublishVolume',
      'attacher publish > patch VolumeAttachment',
      'node-1 stage > NodeStageVolume > hostpath.holdfast.dev NodeStageVolume',
      'node-1 publish > NodePublishVolume > hostpath.holdfast.dev NodePublishVolume',
      'node-1 report-running > patch Pod',
      'node-1 unpublish > NodeUnpublishVolume > hostpath.holdfast.dev NodeUnpublishVolume',
      'node-1 unstage > NodeUnstageVolume > hostpath.holdfast.dev NodeUnstageVolume',
      'attach-detach delete > delete VolumeAttachment',
      'attacher unpublish > ControllerUnpublishVolume > hostpath.holdfast.dev ControllerUnpublishVolume',
      'provisioner delete-volume > DeleteVolume > hostpath.holdfast.dev DeleteVolume',
    ]
    for (const path of expected) ok(paths.includes(path), `${path} is missing in\n${paths.join('\n')}`)

    const byId = new Map(spans.map((span) => [span.spanId, span]))
    for (const span of spans) {
      const parent = byId.get(span.parentSpanId)
      ok(span.endNs >= span.startNs)
      // Every step has no parent; every call has one, in which it starts.
      equal(parent === undefined, span.kind === INTERNAL, `${span.service} ${span.name}`)
      if (!parent) continue
      ok(span.startNs >= parent.startNs, `${span.name} starts before ${parent.name}`)
      equal(parent.kind, span.kind === SERVER ? CLIENT : INTERNAL)
    }
  })

  test('do not keep it from stopping if the collector refuses them, which is logged once', LIMIT, async (context) => {
    const collector = await startCollector(context, { status: 400 })
    const up = await startUp(await openClusterDirectory(context), `--otlp-endpoint=${collector.endpoint}`)
    await applyYaml(up.api, await readFile(EXAMPLE, 'utf8'))
    await up.until(({ pods }) => pods.some(({ status }) => status?.phase === 'Running'))
    equal(await up.stop(), 0)
    const warnings = up.errors().match(/spans are not accepted by the collector/g) ?? []
    equal(warnings.length, 1, up.errors())
  })

  test('need an address that can be one', async (context) => {
    const command = startCommand(context, ['up', '--otlp-endpoint=localhost:4318'])
    equal(await command.ended, 2)
    match(command.err(), /--otlp-endpoint: "localhost:4318" is not a URL such as http:\/\/127.0.0.1:4318/)
  })
})
