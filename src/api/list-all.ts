import type { Api, ListOptions } from './api.ts'
import type { KubeObject } from './object.ts'
import type { ResourceType } from './resource-type.ts'

const PAGE = 500

/** Every object of a kind, read page by page as the caller goes on. */
export async function* listAll<T extends KubeObject>(
  api: Api,
  type: ResourceType<T>,
  options: Omit<ListOptions, 'limit' | 'continueToken'> = {},
): AsyncGenerator<T, void> {
  let continueToken: string | undefined
  do {
    const page = await api.list(type, { ...options, limit: PAGE, ...(continueToken ? { continueToken } : {}) })
    yield* page.items
    continueToken = page.continueToken
  } while (continueToken)
}

/** The same, when all of them are needed at once. */
export async function collectAll<T extends KubeObject>(
  api: Api,
  type: ResourceType<T>,
  options: Omit<ListOptions, 'limit' | 'continueToken'> = {},
): Promise<T[]> {
  const items: T[] = []
  for await (const item of listAll(api, type, options)) items.push(item)
  return items
}
