import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
  ValidationRule,
} from '../../api/kinds/custom-resource-definition.ts'

// The snapshot API of the external snapshotter: names, versions, types, rules and their messages.

export const text: JSONSchemaProps = { type: 'string' }
export const flag: JSONSchemaProps = { type: 'boolean' }
export const date: JSONSchemaProps = { type: 'string', format: 'date-time' }
export const int64: JSONSchemaProps = { type: 'integer', format: 'int64' }
export const texts: JSONSchemaProps = { type: 'array', items: text }
export const textMap: JSONSchemaProps = { type: 'object', additionalProperties: text }
export const policy: JSONSchemaProps = { type: 'string', enum: ['Delete', 'Retain'] }
export const bytes: JSONSchemaProps = { ...int64, minimum: 0 }
export const error: JSONSchemaProps = { type: 'object', properties: { time: date, message: text } }
export const quantity: JSONSchemaProps = {
  'x-kubernetes-int-or-string': true,
  pattern:
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
}

export const rule = (expression: string, message: string): ValidationRule => ({ rule: expression, message })
export const immutable = (what: string): ValidationRule => rule('self == oldSelf', `${what} is immutable`)
export const onceSet = (what: string): ValidationRule => rule('self == oldSelf', `${what} is immutable once set`)
export const object = (
  properties: Record<string, JSONSchemaProps>,
  more: Partial<JSONSchemaProps> = {},
): JSONSchemaProps => ({
  type: 'object',
  properties,
  ...more,
})
export const withRules = (schema: JSONSchemaProps, ...rules: ValidationRule[]): JSONSchemaProps => ({
  ...schema,
  'x-kubernetes-validations': rules,
})
export const nonEmpty = (what: string): JSONSchemaProps =>
  withRules(text, rule('size(self) > 0', `${what} must not be the empty string when set`))

// Exactly one of two members, which is immutable.
export const exactlyOne = (first: string, second: string, named = [first, second] as const): ValidationRule[] => [
  rule(`!has(oldSelf.${first}) || has(self.${first})`, `${first} is required once set`),
  rule(`!has(oldSelf.${second}) || has(self.${second})`, `${second} is required once set`),
  rule(
    `(has(self.${named[0]}) && !has(self.${named[1]})) || (!has(self.${named[0]}) && has(self.${named[1]}))`,
    `exactly one of ${named.join(' and ')} must be set`,
  ),
]

export const reference = (path: string, ...rules: ValidationRule[]): JSONSchemaProps =>
  withRules(
    object(
      { apiVersion: text, kind: text, namespace: text, name: text, uid: text, resourceVersion: text, fieldPath: text },
      { 'x-kubernetes-map-type': 'atomic' },
    ),
    rule('has(self.name) && has(self.__namespace__)', `both ${path}.name and ${path}.namespace must be set`),
    ...rules,
  )

export const selector: JSONSchemaProps = object(
  {
    matchLabels: textMap,
    matchExpressions: {
      type: 'array',
      items: object(
        { key: text, operator: text, values: { ...texts, 'x-kubernetes-list-type': 'atomic' } },
        { required: ['key', 'operator'] },
      ),
      'x-kubernetes-list-type': 'atomic',
    },
  },
  { 'x-kubernetes-map-type': 'atomic' },
)

export const column = (name: string, type: string, jsonPath: string): CustomResourceColumnDefinition => ({
  name,
  type,
  jsonPath,
})
export const AGE = column('Age', 'date', '.metadata.creationTimestamp')

type Definition = {
  group: string
  scope: 'Cluster' | 'Namespaced'
  names: CustomResourceDefinitionNames
  versions: readonly Pick<CustomResourceDefinitionVersion, 'name' | 'storage' | 'deprecated'>[]
} & Pick<CustomResourceDefinitionVersion, 'additionalPrinterColumns' | 'subresources'> & {
    /** The schema of v1 and v1beta2, which are the same; v1beta1 has fewer rules. */
    schema(version: string): JSONSchemaProps
    approval: string
  }

export function define({
  group,
  scope,
  names,
  versions,
  schema,
  approval,
  ...version
}: Definition): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${group}`, annotations: { 'api-approved.kubernetes.io': approval } },
    spec: {
      group,
      scope,
      names: { ...names, listKind: `${names.kind}List` },
      versions: versions.map((each) => ({
        ...each,
        served: true,
        schema: { openAPIV3Schema: schema(each.name) },
        ...version,
      })),
    },
  }
}

export const STATUS = { subresources: { status: {} } } as const
