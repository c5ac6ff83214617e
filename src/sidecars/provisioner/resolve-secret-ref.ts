import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { validateDnsLabel, validateDnsSubdomain } from '../../api/names.ts'
import type { ObjectMeta, ObjectRef } from '../../api/object.ts'
import { ok, refuse } from './decision.ts'
import type { Decision } from './decision.ts'
import { expandTemplate } from './expand-template.ts'
import { RESERVED_PREFIX } from './reserved-keys.ts'

/** What a class can name a secret for. `provisioner` is for making and deleting; the others are noted on the volume. */
export type SecretPurpose =
  | 'provisioner'
  | 'controllerPublish'
  | 'nodeStage'
  | 'nodePublish'
  | 'controllerExpand'
  | 'nodeExpand'
  | 'controllerModify'

export type SecretRef = Required<ObjectRef>

/** Whom the templates speak of. For deletion the claim may be gone: then its annotations are left out, and templates with them fail. */
export type TemplateSubject = {
  readonly volumeName: string
  readonly claim: { readonly metadata: Pick<ObjectMeta, 'name' | 'namespace' | 'annotations'> }
}

type Parameters = Readonly<Record<string, string>>
type KeyPair = { readonly name: string; readonly namespace: string }

/** For every purpose that has no secret of its own. */
const FALLBACK: readonly KeyPair[] = [keysOf('secret')]

/** The keys of each purpose: today's, and the ones from before. */
const KEYS: Readonly<Record<SecretPurpose, readonly KeyPair[]>> = {
  provisioner: [keysOf('provisioner-secret'), oldKeysOf('csiProvisionerSecret')],
  controllerPublish: [keysOf('controller-publish-secret'), oldKeysOf('csiControllerPublishSecret')],
  nodeStage: [keysOf('node-stage-secret'), oldKeysOf('csiNodeStageSecret')],
  nodePublish: [keysOf('node-publish-secret'), oldKeysOf('csiNodePublishSecret')],
  controllerExpand: [keysOf('controller-expand-secret')],
  nodeExpand: [keysOf('node-expand-secret')],
  controllerModify: [keysOf('controller-modify-secret')],
}

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

/** The secret that a class names for a purpose, with its templates filled in; undefined when it names none. */
export function resolveSecretRef(
  purpose: SecretPurpose,
  parameters: Parameters,
  subject: TemplateSubject,
): Decision<SecretRef | undefined> {
  const own = findTemplates(purpose, KEYS[purpose], parameters)
  if (own.kind !== 'ok') return own
  const templates = own.value ? own : findTemplates(purpose, FALLBACK, parameters)
  if (templates.kind !== 'ok' || !templates.value) return templates.kind === 'ok' ? ok(undefined) : templates
  return fillIn(purpose, templates.value, subject)
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
  if (names.length > 1 || namespaces.length > 1) {
    return wrong(
      'SecretNamedTwice',
      purpose,
      { keys: [...names, ...namespaces].join(' ') },
      'Keep one key for the name and one for the namespace.',
    )
  }
  if (name === undefined || namespace === undefined) {
    return wrong(
      'SecretIncomplete',
      purpose,
      { key: name ?? namespace ?? '' },
      'Give both the name and the namespace of the secret.',
    )
  }
  const found = { name: parameters[name] ?? '', namespace: parameters[namespace] ?? '' }
  const empty = found.name === '' ? name : found.namespace === '' ? namespace : undefined
  return empty === undefined
    ? ok(found)
    : wrong('SecretKeyEmpty', purpose, { key: empty }, 'Give a value, or leave both keys out.')
}

function fillIn(purpose: SecretPurpose, templates: KeyPair, subject: TemplateSubject): Decision<SecretRef> {
  const { annotations = {}, name: claimName = '', namespace: claimNamespace = '' } = subject.claim.metadata
  // Whoever can write a claim chooses its name and annotations: the namespace must not be theirs to choose.
  const common: [string, string][] = [
    ['pv.name', subject.volumeName],
    ['pvc.namespace', claimNamespace],
  ]
  const notes = Object.entries(annotations).map(([key, value]): [string, string] => [
    `pvc.annotations['${key}']`,
    value,
  ])
  const ofName = new Map([...common, ['pvc.name', claimName], ...notes])
  const name = expandTemplate(templates.name, ofName)
  if (name.unknown.length > 0) return badTemplate(purpose, templates.name, name.unknown)
  const namespace = expandTemplate(templates.namespace, new Map(common))
  if (namespace.unknown.length > 0) return badTemplate(purpose, templates.namespace, namespace.unknown)
  const problem = validateDnsSubdomain(name.text)[0] ?? validateDnsLabel(namespace.text)[0]
  if (problem !== undefined)
    return wrong('SecretNameInvalid', purpose, { name: name.text, namespace: namespace.text, problem })
  return ok({ name: name.text, namespace: namespace.text })
}

const badTemplate = (purpose: SecretPurpose, template: string, tokens: readonly string[]) =>
  wrong(
    'SecretTemplateInvalid',
    purpose,
    { template, tokens: tokens.join(' ') },
    'Use only tokens that are known, and annotations that the claim has.',
  )

const wrong = (code: string, purpose: SecretPurpose, detail: Readonly<Record<string, string>>, cure?: string) =>
  refuse({ code, detail: { purpose, ...detail }, ...(cure === undefined ? {} : { cure }) })

/** All secrets that a class names for a claim. */
export type SecretRefs = { readonly [Purpose in SecretPurpose]?: SecretRef }

/** Resolves every purpose, or says what is wrong with the first that can't be. */
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
