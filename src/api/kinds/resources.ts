/** A quantity as it is written: `1Gi`, `500m`. See `quantity.ts` for what can be done with it. */
export type Quantity = string

/** Amounts by resource name: `storage`, `cpu`, `attachable-volumes-csi-…`. */
export type ResourceList = Readonly<Record<string, Quantity>>

export type ResourceRequirements = { readonly limits?: ResourceList; readonly requests?: ResourceList }

/** A port or a limit that may be given by number, or by name or percentage. */
export type IntOrString = number | string
