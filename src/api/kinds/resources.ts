import type { Quantity } from './values.ts'

export type { ResourceRequirements } from './generated/core-v1.ts'
export type { IntOrString, Quantity } from './values.ts'

/** Amounts by resource name: `storage`, `cpu`, `attachable-volumes-csi-…`. */
export type ResourceList = Readonly<Record<string, Quantity>>
