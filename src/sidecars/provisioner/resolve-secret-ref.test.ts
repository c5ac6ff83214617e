import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { RESERVED_SECRET_KEYS, resolveSecretRef, resolveSecretRefs } from './resolve-secret-ref.ts'
import type { SecretPurpose } from './resolve-secret-ref.ts'
import type { SecretRef } from '../../storage/secret-reason.ts'
import { REASONS } from './reasons.ts'
import { testClaim } from './testing/objects.ts'

type Parameters = Record<string, string>
const P = 'csi.storage.k8s.io/'
const claim = testClaim({}, { annotations: { 'team.example.com/secret': 'blue', shout: 'UPPER' } })
const subject = { volumeName: 'pvc-1', claim }
const named = (name: string, namespace = 'vault', key = 'provisioner-secret'): Parameters => ({
  [`${P}${key}-name`]: name,
  [`${P}${key}-namespace`]: namespace,
})

const resolved: [behaviour: string, purpose: SecretPurpose, parameters: Parameters, ref: SecretRef | undefined][] = [
  ['no keys, no secret', 'provisioner', { other: 'x' }, undefined],
  ["H48: today's keys name the secret", 'provisioner', named('s'), { name: 's', namespace: 'vault' }],
  [
    'S3-172: csiProvisionerSecretName and csiProvisionerSecretNamespace name the secret',
    'provisioner',
    { csiProvisionerSecretName: 's', csiProvisionerSecretNamespace: 'vault' },
    { name: 's', namespace: 'vault' },
  ],
  [
    'H48: the old keys of controller publish',
    'controllerPublish',
    { csiControllerPublishSecretName: 's', csiControllerPublishSecretNamespace: 'n' },
    { name: 's', namespace: 'n' },
  ],
  [
    'H48: the old keys of node stage',
    'nodeStage',
    { csiNodeStageSecretName: 's', csiNodeStageSecretNamespace: 'n' },
    { name: 's', namespace: 'n' },
  ],
  [
    'H48: the old keys of node publish',
    'nodePublish',
    { csiNodePublishSecretName: 's', csiNodePublishSecretNamespace: 'n' },
    { name: 's', namespace: 'n' },
  ],
  [
    'expansion has no old keys',
    'controllerExpand',
    { csiControllerExpandSecretName: 's', csiControllerExpandSecretNamespace: 'n' },
    undefined,
  ],
  [
    'the name may have the old key and the namespace the new one',
    'provisioner',
    { csiProvisionerSecretName: 's', [`${P}provisioner-secret-namespace`]: 'n' },
    { name: 's', namespace: 'n' },
  ],
  [
    'the default serves a purpose without its own',
    'nodeExpand',
    named('d', 'n', 'secret'),
    { name: 'd', namespace: 'n' },
  ],
  [
    'its own secret counts more than the default',
    'provisioner',
    { ...named('d', 'n', 'secret'), ...named('s') },
    { name: 's', namespace: 'vault' },
  ],
  ['the keys of one purpose say nothing of another', 'nodeStage', named('s'), undefined],
  [
    'a name takes every token',
    'provisioner',
    named('${pv.name}.${pvc.namespace}.${pvc.name}'),
    { name: 'pvc-1.shop.data', namespace: 'vault' },
  ],
  [
    'a name takes annotations of the claim',
    'nodeStage',
    named("x-${pvc.annotations['team.example.com/secret']}", 'n', 'node-stage-secret'),
    { name: 'x-blue', namespace: 'n' },
  ],
  [
    'a namespace takes the volume and the namespace of the claim',
    'provisioner',
    named('s', '${pvc.namespace}-${pv.name}'),
    { name: 's', namespace: 'shop-pvc-1' },
  ],
]
for (const [behaviour, purpose, parameters, ref] of resolved) {
  test(behaviour, () => deepEqual(resolveSecretRef(purpose, parameters, subject), { kind: 'ok', value: ref }))
}

const refused: [behaviour: string, parameters: Parameters, code: string][] = [
  [
    'S3-172: both families for one secret are refused',
    { ...named('s'), csiProvisionerSecretName: 's' },
    'SecretNamedTwice',
  ],
  ['two namespaces are refused', { ...named('s'), csiProvisionerSecretNamespace: 'n' }, 'SecretNamedTwice'],
  ['H48: a name without a namespace is refused', { [`${P}provisioner-secret-name`]: 's' }, 'SecretIncomplete'],
  ['a namespace without a name is refused', { csiProvisionerSecretNamespace: 's' }, 'SecretIncomplete'],
  [
    'half of a secret is not made whole by the default',
    { ...named('d', 'n', 'secret'), csiProvisionerSecretName: 's' },
    'SecretIncomplete',
  ],
  ['half of a default is refused', { [`${P}secret-name`]: 's' }, 'SecretIncomplete'],
  ['an empty name is refused', named(''), 'SecretKeyEmpty'],
  ['an empty namespace is refused', named('s', ''), 'SecretKeyEmpty'],
  ['an unknown token is refused', named('${pvc.uid}'), 'SecretTemplateInvalid'],
  [
    'an annotation that the claim does not have is refused',
    named("${pvc.annotations['none']}"),
    'SecretTemplateInvalid',
  ],
  ['the name of the claim must not choose the namespace', named('s', '${pvc.name}'), 'SecretTemplateInvalid'],
  [
    'an annotation must not choose the namespace',
    named('s', "${pvc.annotations['team.example.com/secret']}"),
    'SecretTemplateInvalid',
  ],
  ['a name that can not be one is refused', named("${pvc.annotations['shout']}"), 'SecretNameInvalid'],
  ['a namespace has no dots', named('s', 'a.b'), 'SecretNameInvalid'],
]
for (const [behaviour, parameters, code] of refused) {
  test(behaviour, () => {
    const decision = resolveSecretRef('provisioner', parameters, subject)
    equal(decision.kind === 'refuse' && decision.reason.code, code)
  })
}

test('says which token is wrong and for which secret', () => {
  const decision = resolveSecretRef('provisioner', named('${a}-${b}'), subject)
  deepEqual(decision, {
    kind: 'refuse',
    reason: REASONS.SecretTemplateInvalid('provisioner', '${a}-${b}', ['a', 'b']),
  })
})
test('says what to do about it', () => {
  const decision = resolveSecretRef('provisioner', { csiProvisionerSecretName: 's' }, subject)
  equal(decision.kind === 'refuse' && decision.reason.cure, 'Set both keys in the StorageClass.')
})
test('S3-167: the secrets of all purposes are resolved at once', () => {
  const decision = resolveSecretRefs(
    { ...named('d', 'n', 'secret'), ...named('e', 'm', 'node-expand-secret') },
    'pvc-1',
    claim,
  )
  const d = { name: 'd', namespace: 'n' }
  const purposes = {
    provisioner: d,
    controllerPublish: d,
    nodeStage: d,
    nodePublish: d,
    controllerExpand: d,
    nodeExpand: { name: 'e', namespace: 'm' },
    controllerModify: d,
  }
  deepEqual(decision, { kind: 'ok', value: purposes })
})
test('one wrong secret refuses all', () => {
  equal(resolveSecretRefs({ [`${P}node-expand-secret-name`]: 's' }, 'pvc-1', claim).kind, 'refuse')
})
test('for a claim that is gone, templates with annotations can not be filled in', () => {
  const gone = { volumeName: 'pvc-1', claim: { metadata: { name: 'data', namespace: 'shop' } } }
  equal(resolveSecretRef('provisioner', named("${pvc.annotations['team.example.com/secret']}"), gone).kind, 'refuse')
  deepEqual(resolveSecretRef('provisioner', named('${pvc.name}'), gone), {
    kind: 'ok',
    value: { name: 'data', namespace: 'vault' },
  })
})
test('the reserved keys are two for each purpose and the default, and no old ones', () => {
  equal(RESERVED_SECRET_KEYS.length, 16)
  equal(
    RESERVED_SECRET_KEYS.every((key) => key.startsWith(P)),
    true,
  )
})
