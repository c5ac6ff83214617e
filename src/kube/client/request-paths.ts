import { ApiError } from '../../api/api-error.ts'
import type { DeleteOptions, ListOptions, WatchOptions, WriteOptions } from '../../api/api.ts'
import type { ObjectRef } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'

export function collectionPath(type: ResourceType, namespace: string | undefined): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`
  return type.namespaced && namespace
    ? `${root}/namespaces/${encodeURIComponent(namespace)}/${type.plural}`
    : `${root}/${type.plural}`
}

export function pathOf(type: ResourceType, { namespace, name }: ObjectRef, subresource?: string): string {
  if (name === '') throw new ApiError('BadRequest', `a name is needed to ask for one of ${type.plural}`)
  return `${collectionPath(type, namespace)}/${encodeURIComponent(name)}${subresource ? `/${subresource}` : ''}`
}

export function queryOf(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(values))
    if (value !== undefined && value !== '') query.set(key, String(value))
  return query.size > 0 ? `?${query.toString()}` : ''
}

const selectorsOf = ({ labelSelector, fieldSelector }: { labelSelector?: string; fieldSelector?: string }) => ({
  labelSelector,
  fieldSelector,
})

export const listQuery = (options: ListOptions): string => {
  const { resourceVersion, resourceVersionMatch, limit, continueToken } = options
  return queryOf({ ...selectorsOf(options), resourceVersion, resourceVersionMatch, limit, continue: continueToken })
}

export const watchQuery = (options: WatchOptions): string => {
  const { resourceVersion, resourceVersionMatch, allowBookmarks, sendInitialEvents, timeoutSeconds } = options
  return queryOf({
    watch: true,
    ...selectorsOf(options),
    resourceVersion,
    resourceVersionMatch,
    allowWatchBookmarks: allowBookmarks,
    sendInitialEvents,
    timeoutSeconds,
  })
}

export const writeQuery = ({
  dryRun,
  fieldManager,
  fieldValidation,
  force,
}: WriteOptions & { force?: boolean }): string =>
  queryOf({ dryRun: dryRun ? 'All' : undefined, fieldManager, fieldValidation, force: force ? 'true' : undefined })

export function deleteBody({ gracePeriodSeconds, preconditions, propagationPolicy, dryRun }: DeleteOptions): object {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    gracePeriodSeconds,
    preconditions,
    propagationPolicy,
    ...(dryRun ? { dryRun: ['All'] } : {}),
  }
}
