import type { KubeObject, ObjectRef } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { keyOf, storageOf } from '../core/stored-object.ts'
import type { StateView } from '../core/stored-object.ts'

/** The object with that name. Objects in a type's storage were decoded and validated as that type, so the cast is safe. */
export const findObject = <T extends KubeObject>(
  view: StateView,
  type: ResourceType<T>,
  { namespace, name }: ObjectRef,
): T | undefined =>
  view.find(storageOf(type), keyOf(type.namespaced ? namespace : undefined, name))?.object as T | undefined

/** All objects of a type, sorted by key. */
export const listObjects = <T extends KubeObject>(view: StateView, type: ResourceType<T>): T[] =>
  view.list(storageOf(type)).map(({ object }) => object as T)
