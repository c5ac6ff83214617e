import type { ResourceType } from '../resource-type.ts'
import type { CustomResourceDefinition } from './generated/apiextensions-v1.ts'

export type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
  ValidationRule,
} from './generated/apiextensions-v1.ts'

export const CUSTOM_RESOURCE_DEFINITIONS: ResourceType<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
}
