import type {
  CustomResourceDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from '../../../api/kinds/custom-resource-definition.ts'
import type { KubeObject, ObjectMeta } from '../../../api/object.ts'
import type { ResourceType } from '../../../api/resource-type.ts'

/** An object of a kind that a test defines. */
export type Gadget = KubeObject & {
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
}

export const gadgets = (version = 'v1', more: Partial<ResourceType<Gadget>> = {}): ResourceType<Gadget> => ({
  group: 'example.com',
  version,
  kind: 'Gadget',
  plural: 'gadgets',
  namespaced: true,
  ...more,
})

export const gadget = (
  name: string,
  spec: Record<string, unknown> = {},
  metadata: ObjectMeta = {},
  version = 'v1',
): Gadget => ({
  apiVersion: `example.com/${version}`,
  kind: 'Gadget',
  metadata: { namespace: 'default', name, ...metadata },
  spec,
})

/** A version whose spec has these properties. */
export const versionOf = (
  properties: Record<string, JSONSchemaProps> = {},
  more: Partial<CustomResourceDefinitionVersion> = {},
): CustomResourceDefinitionVersion => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties },
        status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
  ...more,
})

export const gadgetCrd = (
  spec: Partial<CustomResourceDefinitionSpec> = {},
  plural = 'gadgets',
): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural, kind: 'Gadget' },
    versions: [versionOf({ size: { type: 'integer' } })],
    ...spec,
  },
})
