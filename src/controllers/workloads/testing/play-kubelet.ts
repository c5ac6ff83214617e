import type { Api } from '../../../api/api.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import { formatTimestamp } from '../../../api/timestamps.ts'

// What a kubelet does to pods, for tests of controllers that wait for it.

const refOf = (name: string) => ({ namespace: 'default', name })

/** The pod is running on a node, and ready since this time. */
export async function makeReady(
  api: Api,
  name: string,
  { sinceMs = 0, status = 'True', node = 'n1' } = {},
): Promise<void> {
  const { spec } = await api.get(PODS, refOf(name))
  if (spec.nodeName === undefined) {
    const target = { apiVersion: 'v1', kind: 'Node', name: node }
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: refOf(name), target }
    await api.createSubresource(PODS, refOf(name), 'binding', binding)
  }
  const conditions = [{ type: 'Ready', status, lastTransitionTime: formatTimestamp(sinceMs) }]
  const value = { status: { phase: 'Running', conditions } }
  await api.patch(PODS, refOf(name), { type: 'merge', value }, { subresource: 'status' })
}

/** The pod's containers have ended. */
export async function endPod(api: Api, name: string, phase: 'Failed' | 'Succeeded'): Promise<void> {
  await api.patch(PODS, refOf(name), { type: 'merge', value: { status: { phase } } }, { subresource: 'status' })
}

/** The pod is gone, as after its grace period. */
export async function removePod(api: Api, name: string): Promise<void> {
  await api.delete(PODS, refOf(name), { gracePeriodSeconds: 0 })
}
