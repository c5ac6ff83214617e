import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { autoscalerFromV1, autoscalerToV1 } from './autoscaler-v1.ts'

const CPU = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } }
const PODS = { type: 'Pods', pods: { metric: { name: 'packets' } } }
const stored = {
  metadata: { name: 'a', annotations: { own: 'kept' } },
  spec: { maxReplicas: 3, metrics: [CPU, PODS], behavior: { scaleUp: {} } },
  status: { desiredReplicas: 2, conditions: [{ type: 'AbleToScale' }] },
}

test('version 1 has one target', () => {
  const shown = autoscalerToV1(stored) as { spec: object; metadata: { annotations: Record<string, string> } }
  deepEqual(shown.spec, { maxReplicas: 3, targetCPUUtilizationPercentage: 70 })
  equal(shown.metadata.annotations['autoscaling.alpha.kubernetes.io/metrics'], JSON.stringify([PODS]))
})

test('nothing is lost in version 1', () => deepEqual(autoscalerFromV1(autoscalerToV1(stored)), stored))

test('a new one of version 1 has its target as a metric', () =>
  deepEqual(
    autoscalerFromV1({ metadata: { name: 'a' }, spec: { maxReplicas: 3, targetCPUUtilizationPercentage: 70 } }),
    {
      metadata: { name: 'a' },
      spec: { maxReplicas: 3, metrics: [CPU] },
      status: {},
    },
  ))

test('an annotation that is no JSON is dropped', () => {
  const annotations = { 'autoscaling.alpha.kubernetes.io/metrics': '{' }
  deepEqual(autoscalerFromV1({ metadata: { annotations }, spec: {} })['spec'], {})
})
