import type { Difference } from './compare-replies.ts'

/** A difference from Kubernetes that is meant, or not worth its cost. An entry that no response needs fails the test. */
export type AcceptedDifference = {
  /** Which responses differ, and how. docs/api-differences.md lists it with the reason. */
  readonly what: string
  readonly reason: string
  matches(title: string, difference: Difference): boolean
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
const MESSAGE = /^body\.(?:message|details\.causes\.\d+\.message)$/
const codesOf = ({ at, ours, theirs }: Difference): string =>
  at === 'code' ? `${textOf(ours).slice(0, 3)}/${textOf(theirs).slice(0, 3)}` : ''

/** Whether both messages are the same once this is removed from both. */
const isSameWithout = (pattern: RegExp, { at, ours, theirs }: Difference): boolean =>
  MESSAGE.test(at) && textOf(ours).replaceAll(pattern, '') === textOf(theirs).replaceAll(pattern, '')

const isDecodingError = (value: unknown): boolean => / cannot be handled as a /.test(textOf(value))

export const ACCEPTED_DIFFERENCES: readonly AcceptedDifference[] = [
  {
    what: '`metadata.managedFields` of objects that were never applied: absent',
    reason: 'Fields are tracked from the first apply on: an object that nobody applies costs nothing.',
    matches: (_title, { at, ours }) => /(?:^|\.)managedFields$/.test(at) && ours === undefined,
  },
  {
    what: 'the manager of fields that were set before the first apply: `before-first-apply`',
    reason: 'The same as in Kubernetes for objects that were created without tracking.',
    matches: (title, { at, ours, theirs }) =>
      /apply/.test(title) &&
      ((/managedFields\.\d+\./.test(at) && !title.startsWith('apply new')) ||
        textOf(ours).includes('before-first-apply') ||
        (codesOf({ at, ours, theirs }) === '200/409' && textOf(theirs).includes('"differential"'))),
  },
  {
    what: 'errors about changed immutable fields: without the differences after the message',
    reason: 'The message is the same. The differences are in the form of Go values.',
    matches: (_title, difference) =>
      isSameWithout(/\\n@@[^]*$|\n@@[^]*$/g, difference) || /\n@@/.test(textOf(difference.theirs)),
  },
  {
    what: 'values in error messages: with the names of the JSON fields',
    reason: 'Kubernetes prints its internal Go structs.',
    matches: (_title, difference) =>
      isSameWithout(/(?:Invalid|Unsupported|Duplicate) value: .*?(?=: [a-z])/g, difference),
  },
  {
    what: 'bodies that cannot be decoded: the message names the field, and Go types by their JSON type',
    reason: 'Code and reason are the same, and the field is easier to find.',
    matches: (_title, { at, ours, theirs }) =>
      at === 'body.message' && isDecodingError(ours) && isDecodingError(theirs),
  },
  {
    what: 'patches with an undecodable result: without the patched object in the message',
    reason: 'The object may hold secrets.',
    matches: (_title, { at, ours }) => MESSAGE.test(at) && /\(patched object\)/.test(textOf(ours)),
  },
  {
    what: 'applied configurations, and strategic patches, that do not fit the schema: 400 instead of 500',
    reason: 'The client made the mistake, not the server.',
    matches: (_title, difference) => /^4\d\d\/500/.test(codesOf(difference)),
  },
  {
    what: 'items of lists: with `apiVersion` and `kind`',
    reason: 'The stored text is sent as it is, for lists and watches alike.',
    matches: (_title, { at, theirs }) => /^body\.items\.\d+\.(?:apiVersion|kind)$/.test(at) && theirs === undefined,
  },
  {
    what: 'columns of tables: without descriptions',
    reason: 'kubectl shows only names.',
    matches: (_title, { at }) => /columnDefinitions\.\d+\.description$/.test(at),
  },
  {
    what: 'lists of custom resources: without an empty `metadata.continue`',
    reason: 'Clients treat an absent token and an empty one alike, and lists of built-in kinds have none either.',
    matches: (_title, { at, ours }) => at === 'body.metadata.continue' && ours === undefined,
  },
  {
    what: 'query parameters that cannot be parsed: the message names the parameter, or says what is wrong with the token',
    reason: 'Code and reason are the same. Kubernetes shows the error of a Go function.',
    matches: (title, { at }) => at === 'body.message' && /^list (?:limit=x|timeoutSeconds=x|continue=)/.test(title),
  },
  {
    what: 'pods: without the priority of Priority',
    reason: 'This admission plugin is not part of the server.',
    matches: (_title, { at, ours }) => ours === undefined && /spec\.(?:preemptionPolicy|priority)$/.test(at),
  },
  {
    what: 'nodes: without the taint `node.kubernetes.io/not-ready` of TaintNodesByCondition',
    reason:
      'The server also works without a controller that would remove the taint. The scheduler reads the Ready condition.',
    matches: (_title, { at, theirs }) => /spec\.taints(?:\.\d+)?$/.test(at) && /not-ready/.test(textOf(theirs)),
  },
  {
    what: 'pods and pod templates: rules and warnings about ports, probes and environment of containers are not checked',
    reason: 'The server is made for clusters without containers.',
    matches: (title, difference) =>
      /Pod|StatefulSet/.test(title) &&
      (difference.at.startsWith('warning') ||
        difference.at.endsWith('imagePullPolicy') ||
        (/^20[01]\/422/.test(codesOf(difference)) &&
          /ports|[pP]robe|env|affinity|topologyKey|lifecycle|resources|fieldRef/.test(textOf(difference.theirs)))),
  },
  {
    what: 'services: other addresses, one IP family, other messages about an address, a repeated port is shown whole, and selectors are not checked',
    reason: 'The server has one range of IPv4 addresses. Nothing in a cluster of Holdfast forwards traffic.',
    matches: (title, { at, ours, theirs }) =>
      / Service(?: |$)/.test(title) &&
      (/spec\.(?:clusterIPs?|ipFamil)/.test(at) ||
        /clusterIP|ipFamil|IP address|spec\.selector|may not change once set|Duplicate value/.test(
          `${textOf(ours)}${textOf(theirs)}`,
        )),
  },
  {
    what: 'CustomResourceDefinitions: `status` is complete in the response to the creation',
    reason: 'Names are accepted in the same step, so that the kind can be used immediately.',
    matches: (title, { at }) =>
      /^(?:store|create) CustomResourceDefinition/.test(title) && at.startsWith('body.status.'),
  },
  {
    what: 'CustomResourceDefinitions: errors name `spec.versions[0].schema` instead of `spec.validation`',
    reason: 'The path in the submitted object. Kubernetes names a field of its internal version.',
    matches: (_title, difference) =>
      isSameWithout(/spec\.(?:validation|versions\[\d+\]\.schema)\./g, difference) ||
      (/^body\.details\.causes\.\d+\.field$/.test(difference.at) &&
        textOf(difference.theirs).startsWith('spec.validation.')),
  },
  {
    what: 'CustomResourceDefinitions, custom resources, ClusterRoles and StatefulSets: further or other validation messages',
    reason: 'Not compared in detail: the messages of these kinds follow Kubernetes less closely.',
    matches: (title, { at }) =>
      /CustomResourceDefinition|Widget|ClusterRole|StatefulSet/.test(title) && MESSAGE.test(at),
  },
  {
    what: 'CustomResourceDefinitions: unknown fields inside a schema are reported, and before other errors; no warnings with errors, or about formats',
    reason: 'A misspelled keyword of a schema would have no effect. Kubernetes drops it without a word.',
    matches: (title, { at, ours, theirs }) =>
      title.includes(' CustomResourceDefinition ') &&
      /^(?:code|warning)/.test(at) &&
      /unknown field|unrecognized format|additionalProperties|cannot unmarshal|not declared in schema/.test(
        `${textOf(ours)}${textOf(theirs)}`,
      ),
  },
  {
    what: 'CSIStorageCapacity: columns `StorageClassName` and `Capacity` instead of `Created At`',
    reason: 'They are what people want to know about these objects.',
    matches: (title, { at }) =>
      /^table.* CSIStorageCapacity$/.test(title) && /^body\.(?:columnDefinitions|rows)\./.test(at),
  },
  {
    what: 'applied configurations with values that cannot be decoded, or null, and conflicts: 400 or 422 before 409 or 200',
    reason: 'The configuration is decoded before it is compared.',
    matches: (title, difference) =>
      title.startsWith('apply') && /^4(?:00|22)\/(?:409|422|20[01])/.test(codesOf(difference)),
  },
  {
    what: 'JSON patches of `stringData` of a Secret: 422',
    reason:
      'The field is never stored: there is nothing to replace. Kubernetes accepts `replace` of a missing member here.',
    matches: (title, { at }) => title.startsWith('json patch Secret stringData') && /^(?:code|body)/.test(at),
  },
  {
    what: 'merge patches of custom resources: null inside a list is kept, and a change that is pruned does not count for `generation`',
    reason: 'RFC 7386 does not look into lists. A pruned change is none.',
    matches: (title, { at }) =>
      title.startsWith('merge patch Widget') && /^body\.(?:spec\.any\.|metadata\.generation)/.test(at),
  },
  {
    what: 'strategic patches of list items without their merge key: 400',
    reason: 'Kubernetes rejects some of them, and merges others into an arbitrary item.',
    matches: (title, difference) =>
      title.startsWith('strategic') && /does not contain declared merge key/.test(textOf(difference.ours)),
  },
  {
    what: 'custom resources: null in an applied configuration is dropped; StatefulSets: two claim templates of one name are rejected',
    reason:
      'In an apply, null says no more than an absent field. The two templates would create two volumes of one name.',
    matches: (title, { at }) =>
      at === 'code' &&
      (/^apply new Widget .* null$/.test(title) || /StatefulSet spec\.volumeClaimTemplates with its first/.test(title)),
  },
  {
    what: 'error responses: without warnings',
    reason: 'The error is shown in their place.',
    matches: (_title, { at, ours }) => /^warning\.\d+$/.test(at) && ours === undefined,
  },
  {
    what: 'CustomResourceDefinitions: repeated short names and categories are kept in `status.acceptedNames`; errors in patches have no details',
    reason: 'They are what was requested.',
    matches: (title, { at }) =>
      title.includes(' CustomResourceDefinition ') &&
      /^body\.(?:status\.acceptedNames|details|metadata\.managedFields)/.test(at),
  },
  {
    what: '`details` of an error whose message differs: in the same way',
    reason: 'Each cause is a part of the message.',
    matches: (_title, { at }) => /^body\.details\.(?:causes|kind|name)/.test(at),
  },
  {
    what: 'applied objects: `time` stays in an entry whose fields another manager took over; empty sets and lists differ in `.`',
    reason: 'Neither is read by anything that decides about ownership.',
    matches: (_title, { at }) => /managedFields\.\d+\.(?:time$|fieldsV1\..*(?:\.\.|f:secrets)$)/.test(at),
  },
  {
    what: 'watches: the DELETED event of an object whose last finalizer was removed shows it without the finalizer; cells of bookmarks are empty',
    reason: 'The update that removes the finalizer is the last state of the object. A bookmark is no object.',
    matches: (title, { at }) => title === 'watch' && /metadata\.finalizers$|rows\.0\.cells\.\d+$/.test(at),
  },
]
