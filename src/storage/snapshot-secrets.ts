import { validateDnsLabel, validateDnsSubdomain } from '../api/names.ts'
import { quoteGo } from '../api/quote-go.ts'
import { expandTemplate } from './expand-template.ts'

type Parameters = Readonly<Record<string, string>>
type SecretRef = { readonly namespace: string; readonly name: string }

const PREFIX = 'csi.storage.k8s.io/'

/** The purposes of secrets in a snapshot class, with the word used in messages. */
const PURPOSES = {
  snapshotter: 'Snapshotter',
  'snapshotter-list': 'SnapshotterList',
  'group-snapshotter': 'GroupSnapshotter',
  'group-snapshotter-get': 'GroupSnapshotterGet',
} as const

export type SnapshotSecretPurpose = keyof typeof PURPOSES

const nameKey = (purpose: string): string => `${PREFIX}${purpose}-secret-name`
const namespaceKey = (purpose: string): string => `${PREFIX}${purpose}-secret-namespace`
const SECRET_KEYS: ReadonlySet<string> = new Set(
  Object.keys(PURPOSES).flatMap((purpose) => [nameKey(purpose), namespaceKey(purpose)]),
)

/** The objects that the templates of a class refer to: `volumesnapshot` for a class of single snapshots, `volumegroupsnapshot` for groups. */
export type SnapshotTemplateSubject = {
  readonly word: 'volumesnapshot' | 'volumegroupsnapshot'
  readonly contentName: string
  /** Absent if templates may only refer to the content. */
  readonly snapshot?: SecretRef
}

export type SnapshotSecret =
  | { readonly kind: 'none' }
  | { readonly kind: 'named'; readonly ref: SecretRef }
  | { readonly kind: 'problem'; readonly message: string }

/** The secret that a snapshot class names for a purpose, with its templates expanded. */
export function resolveSnapshotSecret(
  purpose: SnapshotSecretPurpose,
  parameters: Parameters,
  { word, contentName, snapshot }: SnapshotTemplateSubject,
): SnapshotSecret {
  const name = parameters[nameKey(purpose)]
  const namespace = parameters[namespaceKey(purpose)]
  const title = PURPOSES[purpose]
  if (name === undefined && namespace === undefined) return { kind: 'none' }
  if (name === undefined || namespace === undefined)
    return problem(`either name and namespace for ${title} secrets specified, Both must be specified`)
  if (name === '' || namespace === '')
    return problem(`${title} secrets specified in parameters but value of either namespace or name is empty`)
  // The user who takes a snapshot chooses its name, and must not be able to choose the namespace of the secret with it.
  const ofNamespace = new Map([[`${word}content.name`, contentName]])
  if (snapshot) ofNamespace.set(`${word}.namespace`, snapshot.namespace)
  const ofName = new Map(ofNamespace)
  if (snapshot) ofName.set(`${word}.name`, snapshot.name)
  const filledNamespace = fillIn(namespace, ofNamespace, validateDnsLabel, 'namespace')
  if (filledNamespace.kind === 'problem') return filledNamespace
  const filledName = fillIn(name, ofName, validateDnsSubdomain, 'secret')
  if (filledName.kind === 'problem') return filledName
  return { kind: 'named', ref: { name: filledName.text, namespace: filledNamespace.text } }
}

type Filled =
  | { readonly kind: 'filled'; readonly text: string }
  | { readonly kind: 'problem'; readonly message: string }

function fillIn(
  template: string,
  values: ReadonlyMap<string, string>,
  validate: (text: string) => readonly string[],
  what: 'namespace' | 'secret',
): Filled {
  const { text, unknown } = expandTemplate(template, values)
  if (unknown.length > 0)
    return problem(
      `error resolving value ${quoteGo(template)}: invalid tokens: [${unknown.toSorted().map(quoteGo).join(' ')}]`,
    )
  if (validate(text).length === 0) return { kind: 'filled', text }
  return problem(
    text === template
      ? `${quoteGo(template)} is not a valid ${what} name`
      : `${quoteGo(template)} resolved to ${quoteGo(text)} which is not a valid ${what} name`,
  )
}

const problem = (message: string): { kind: 'problem'; message: string } => ({ kind: 'problem', message })

/** The parameters of a class that are for the driver. An unknown reserved key is more likely a mistake than a parameter. */
export function driverParametersOf(
  parameters: Parameters,
): { readonly kind: 'ok'; readonly parameters: Parameters } | { readonly kind: 'problem'; readonly message: string } {
  const own: Record<string, string> = {}
  for (const [key, value] of Object.entries(parameters)) {
    if (!key.startsWith(PREFIX)) own[key] = value
    else if (!SECRET_KEYS.has(key))
      return problem(`found unknown parameter key "${key}" with reserved namespace ${PREFIX}`)
  }
  return { kind: 'ok', parameters: own }
}
