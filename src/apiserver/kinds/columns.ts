import type { ObjectMeta } from '../../api/object.ts'
import type { Column } from '../core/kind-definition.ts'
import { formatAge } from './human-duration.ts'
import type { Loose } from './loose.ts'

/** A column whose cell is computed from an object of a known type. */
export type TypedColumn<T> = Omit<Column, 'cell'> & { cell(object: Loose<T>, nowMs: number): unknown }

type WithMetadata = { readonly metadata: ObjectMeta }

export const NAME: TypedColumn<WithMetadata> = {
  name: 'Name',
  type: 'string',
  format: 'name',
  cell: (object) => object.metadata?.name ?? '',
}

/** Ages are text, so that the server's clock decides, not the client's. */
export const AGE: TypedColumn<WithMetadata> = {
  name: 'Age',
  type: 'string',
  cell: (object, nowMs) => formatAge(object.metadata?.creationTimestamp, nowMs),
}

/** For kinds whose table only shows the creation time, as a timestamp. */
export const CREATED_AT: TypedColumn<WithMetadata> = {
  name: 'Created At',
  type: 'date',
  cell: (object) => object.metadata?.creationTimestamp ?? '',
}

export const text = <T>(name: string, cell: TypedColumn<T>['cell']): TypedColumn<T> => ({ name, type: 'string', cell })

/** Shown with `-o wide` only. */
export const wide = <T>(name: string, cell: TypedColumn<T>['cell']): TypedColumn<T> => ({
  name,
  type: 'string',
  priority: 1,
  cell,
})

export const integer = <T>(name: string, cell: TypedColumn<T>['cell']): TypedColumn<T> => ({
  name,
  type: 'integer',
  cell,
})

export const boolean = <T>(name: string, cell: TypedColumn<T>['cell']): TypedColumn<T> => ({
  name,
  type: 'boolean',
  cell,
})
