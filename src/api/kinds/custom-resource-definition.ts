import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'
import type { ObservedCondition } from './condition.ts'

/** Named `PLURAL.GROUP`. */
export type CustomResourceDefinition = {
  readonly apiVersion: 'apiextensions.k8s.io/v1'
  readonly kind: 'CustomResourceDefinition'
  readonly metadata: ObjectMeta
  readonly spec: CustomResourceDefinitionSpec
  readonly status?: CustomResourceDefinitionStatus
}

export const CUSTOM_RESOURCE_DEFINITIONS: ResourceType<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
}

export type CustomResourceDefinitionSpec = {
  readonly group: string
  readonly names: CustomResourceDefinitionNames
  readonly scope: 'Cluster' | 'Namespaced'
  /** Exactly one has `storage`. */
  readonly versions: readonly CustomResourceDefinitionVersion[]
  readonly conversion?: { readonly strategy: 'None' | 'Webhook' }
  readonly preserveUnknownFields?: boolean
}

export type CustomResourceDefinitionNames = {
  readonly plural: string
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly kind: string
  readonly listKind?: string
  readonly categories?: readonly string[]
}

export type CustomResourceDefinitionVersion = {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  readonly schema?: { readonly openAPIV3Schema?: JSONSchemaProps }
  readonly subresources?: {
    readonly status?: Readonly<Record<string, never>>
    readonly scale?: {
      readonly specReplicasPath: string
      readonly statusReplicasPath: string
      readonly labelSelectorPath?: string
    }
  }
  readonly additionalPrinterColumns?: readonly CustomResourceColumnDefinition[]
  readonly selectableFields?: readonly { readonly jsonPath: string }[]
}

export type CustomResourceColumnDefinition = {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  /** Above 0 only the wide output shows it. */
  readonly priority?: number
  readonly jsonPath: string
}

/** The part of JSON schema that the API server knows. */
export type JSONSchemaProps = {
  readonly description?: string
  readonly title?: string
  readonly type?: string
  readonly format?: string
  readonly default?: unknown
  readonly maximum?: number
  readonly exclusiveMaximum?: boolean
  readonly minimum?: number
  readonly exclusiveMinimum?: boolean
  readonly multipleOf?: number
  readonly maxLength?: number
  readonly minLength?: number
  readonly pattern?: string
  readonly maxItems?: number
  readonly minItems?: number
  readonly uniqueItems?: boolean
  readonly maxProperties?: number
  readonly minProperties?: number
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly items?: JSONSchemaProps
  readonly properties?: Readonly<Record<string, JSONSchemaProps>>
  readonly additionalProperties?: JSONSchemaProps | boolean
  readonly allOf?: readonly JSONSchemaProps[]
  readonly oneOf?: readonly JSONSchemaProps[]
  readonly anyOf?: readonly JSONSchemaProps[]
  readonly not?: JSONSchemaProps
  readonly nullable?: boolean
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: 'granular' | 'atomic'
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
}

/** A rule in CEL; one that names `oldSelf` is asked on updates only. */
export type ValidationRule = {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

export type CustomResourceDefinitionStatus = {
  readonly conditions?: readonly ObservedCondition[] | null
  readonly acceptedNames?: CustomResourceDefinitionNames
  readonly storedVersions?: readonly string[] | null
  readonly observedGeneration?: number
}
