import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { validateDnsLabel, validateDnsSubdomain } from '../../api/names.ts'
import type { ObjectMeta } from '../../api/object.ts'
import { expandTemplate } from '../../storage/expand-template.ts'
import type { SecretRef } from '../../storage/secret-reason.ts'
import { RESERVED_PREFIX } from './names.ts'
import { ok, REASONS, refuse } from './reasons.ts'
import type { Decision } from './reasons.ts'

/** The objects that the templates refer to. On deletion the claim may be gone: then its annotations are absent, and templates with them fail. */
export type TemplateSubject = {
  readonly volumeName: string
  readonly claim: { readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'annotations'> }
}

type Parameters = Readonly<Record<string, string>>
type KeyPair = { readonly name: string; readonly namespace: string }

/** For every purpose without a specific secret. */
const FALLBACK: readonly KeyPair[] = [keysOf('secret')]

/** The keys of each purpose, current and old. `provisioner` is for creating and deleting; the others are recorded on the volume. */
const KEYS = {
  provisioner: [keysOf('provisioner-secret'), oldKeysOf('csiProvisionerSecret')],
  controllerPublish: [keysOf('controller-publish-secret'), oldKeysOf('csiControllerPublishSecret')],
  nodeStage: [keysOf('node-stage-secret'), oldKeysOf('csiNodeStageSecret')],
  nodePublish: [keysOf('node-publish-secret'), oldKeysOf('csiNodePublishSecret')],
  controllerExpand: [keysOf('controller-expand-secret')],
  nodeExpand: [keysOf('node-expand-secret')],
  controllerModify: [keysOf('controller-modify-secret')],
} satisfies Readonly<Record<string, readonly KeyPair[]>>

export type SecretPurpose = keyof typeof KEYS

function keysOf(name: string): KeyPair {
  return { name: `${RESERVED_PREFIX}${name}-name`, namespace: `${RESERVED_PREFIX}${name}-namespace` }
}
function oldKeysOf(name: string): KeyPair {
  return { name: `${name}Name`, namespace: `${name}Namespace` }
}

/** All keys below the reserved prefix that name a secret. */
export const RESERVED_SECRET_KEYS: readonly string[] = [FALLBACK, ...Object.values(KEYS)]
  .flat()
  .flatMap(({ name, namespace }) => [name, namespace])
  .filter((key) => key.startsWith(RESERVED_PREFIX))

/** The secret that a class names for a purpose, with its templates expanded; undefined if it names none. */
export function resolveSecretRef(
  purpose: SecretPurpose,
  parameters: Parameters,
  subject: TemplateSubject,
): Decision<SecretRef | undefined> {
  for (const pairs of [KEYS[purpose], FALLBACK]) {
    const templates = findTemplates(purpose, pairs, parameters)
    if (templates.kind !== 'ok') return templates
    if (templates.value) return fillIn(purpose, templates.value, subject)
  }
  return ok(undefined)
}

function findTemplates(
  purpose: SecretPurpose,
  pairs: readonly KeyPair[],
  parameters: Parameters,
): Decision<KeyPair | undefined> {
  const given = (key: string): boolean => Object.hasOwn(parameters, key)
  const names = pairs.map(({ name }) => name).filter(given)
  const namespaces = pairs.map(({ namespace }) => namespace).filter(given)
  const [name, namespace] = [names[0], namespaces[0]]
  if (name === undefined && namespace === undefined) return ok(undefined)
  if (names.length > 1 || namespaces.length > 1)
    return refuse(REASONS.SecretNamedTwice(purpose, [...names, ...namespaces]))
  if (name === undefined || namespace === undefined)
    return refuse(REASONS.SecretIncomplete(purpose, name ?? namespace ?? ''))
  const found = { name: parameters[name] ?? '', namespace: parameters[namespace] ?? '' }
  const empty = found.name === '' ? name : found.namespace === '' ? namespace : undefined
  return empty === undefined ? ok(found) : refuse(REASONS.SecretKeyEmpty(purpose, empty))
}

function fillIn(purpose: SecretPurpose, templates: KeyPair, subject: TemplateSubject): Decision<SecretRef> {
  const { annotations = {}, name: claimName = '', namespace: claimNamespace = '' } = subject.claim.metadata
  // Users who create a claim choose its name and annotations: they must not choose the namespace.
  const ofNamespace = new Map([
    ['pv.name', subject.volumeName],
    ['pvc.namespace', claimNamespace],
  ])
  const ofName = new Map([...ofNamespace, ['pvc.name', claimName]])
  for (const [key, value] of Object.entries(annotations)) ofName.set(`pvc.annotations['${key}']`, value)
  const ref = { name: '', namespace: '' }
  for (const [member, values] of [
    ['name', ofName],
    ['namespace', ofNamespace],
  ] as const) {
    const { text, unknown } = expandTemplate(templates[member], values)
    if (unknown.length > 0) return refuse(REASONS.SecretTemplateInvalid(purpose, templates[member], unknown))
    ref[member] = text
  }
  const problem = validateDnsSubdomain(ref.name)[0] ?? validateDnsLabel(ref.namespace)[0]
  return problem === undefined ? ok(ref) : refuse(REASONS.SecretNameInvalid(purpose, ref, problem))
}

/** All secrets that a class names for a claim. */
export type SecretRefs = { readonly [Purpose in SecretPurpose]?: SecretRef }

/** Resolves every purpose, or reports the first problem. */
export function resolveSecretRefs(
  parameters: Parameters,
  volumeName: string,
  claim: PersistentVolumeClaim,
): Decision<SecretRefs> {
  const refs: Partial<Record<SecretPurpose, SecretRef>> = {}
  for (const purpose of Object.keys(KEYS) as SecretPurpose[]) {
    const ref = resolveSecretRef(purpose, parameters, { volumeName, claim })
    if (ref.kind !== 'ok') return ref
    if (ref.value) refs[purpose] = ref.value
  }
  return ok(refs)
}
