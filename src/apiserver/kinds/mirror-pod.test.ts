import { equal, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ApiError } from '../../api/api-error.ts'
import { isInvalid } from '../../api/api-error.ts'
import { MIRROR_POD_ANNOTATION, PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { nodeUser } from '../authorization/node-identity.ts'
import { openServerUnderTest } from '../testing/open-server-under-test.ts'

const REFUSALS = { remove: 'may not remove or update mirror pod annotation', add: 'may not add mirror pod annotation' }
const at = { namespace: 'default', name: 'p' }
const pod = (annotations?: Record<string, string>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...at, ...(annotations && { annotations }) },
  spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'app:1' }] },
})

const refusedWith = (message: string) => (error: unknown) => {
  ok(isInvalid(error), String(error))
  equal((error as ApiError).causes[0]?.field, `metadata.annotations[${MIRROR_POD_ANNOTATION}]`)
  equal((error as ApiError).causes[0]?.message, `Forbidden: ${message}`)
  return true
}

describe('the annotation of a mirror pod', () => {
  const patch = (value: string | null) =>
    ({ type: 'merge', value: { metadata: { annotations: { [MIRROR_POD_ANNOTATION]: value } } } }) as const
  for (const subresource of [undefined, 'status'] as const) {
    const through = subresource ? { subresource } : {}
    test(`can not be changed, removed or added later ${subresource ? 'by its node, through the status' : 'by anybody'}`, async () => {
      await using server = await openServerUnderTest()
      const api = subresource ? server.core.as(nodeUser('n1')) : server.api
      await server.api.create(PODS, pod({ [MIRROR_POD_ANNOTATION]: 'x' }))
      for (const value of [null, 'y'])
        await rejects(api.patch(PODS, at, patch(value), through), refusedWith(REFUSALS.remove))
      await api.patch(PODS, at, patch('x'), through)
      await server.api.delete(PODS, at, { gracePeriodSeconds: 0 })
      await server.api.create(PODS, pod())
      await rejects(api.patch(PODS, at, patch('x'), through), refusedWith(REFUSALS.add))
    })
  }
})
