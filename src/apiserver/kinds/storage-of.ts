import type { ResourceType } from '../../api/resource-type.ts'

/** Where objects of a type are kept: its group and plural name, or the latter alone for the core group. */
export const storageOf = ({ group, plural }: Pick<ResourceType, 'group' | 'plural'>): string => (group === '' ? plural : `${group}/${plural}`)
