import type { Api } from '../../api/api.ts'

/** The same API, which records a line for each write except events: `patch volumeattachments/status a1`. */
export function recordWrites(api: Api, writes: string[]): Api {
  const note = (verb: string, plural: string, name: string | undefined, subresource?: string): void => {
    if (plural !== 'events') writes.push(`${verb} ${plural}${subresource ? `/${subresource}` : ''} ${name ?? ''}`)
  }
  return {
    ...api,
    create: (type, object, options) => (
      note('create', type.plural, object.metadata.name),
      api.create(type, object, options)
    ),
    update: (type, object, options) => (
      note('update', type.plural, object.metadata.name, options?.subresource),
      api.update(type, object, options)
    ),
    patch: (type, ref, patch, options) => (
      note('patch', type.plural, ref.name, options?.subresource),
      api.patch(type, ref, patch, options)
    ),
    delete: (type, ref, options) => (note('delete', type.plural, ref.name), api.delete(type, ref, options)),
  }
}
