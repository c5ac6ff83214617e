import type { RawClient, RawReply } from '../../../src/apiserver/testing/raw-client.ts'
import type { ComparedRequest } from './compared-request.ts'

/** Sends the requests to one server, one after the other. */
export interface Player {
  play(request: ComparedRequest): Promise<RawReply>
}

type Known = { readonly uid: string; readonly resourceVersion: string; readonly continue: string }

export function createPlayer(client: RawClient): Player {
  const known = new Map<string, Known>()
  const learn = async (path: string): Promise<Known> => {
    const present = known.get(path)
    if (present) return present
    const { text } = await client.ask({ path })
    const { metadata = {} } = JSON.parse(text) as { metadata?: Partial<Known> }
    const found = { uid: '', resourceVersion: '1', continue: '', ...metadata }
    known.set(path, found)
    return found
  }
  const fill = async (text: string): Promise<string> => {
    const names = [...text.matchAll(/(?:RV|UID|CONTINUE)_OF\(([^)]*)\)/g)].map(([, path = '']) => path)
    for (const path of names) await learn(path)
    return text.replaceAll(/(RV|UID|CONTINUE)_OF\(([^)]*)\)/g, (_all, what: string, path: string) => {
      const { uid = '', resourceVersion = '', continue: token = '' } = known.get(path) ?? {}
      return what === 'RV' ? resourceVersion : what === 'UID' ? uid : token
    })
  }
  return {
    play: async ({ method, path, headers = {}, body }) =>
      client.ask({
        method,
        path: await fill(path),
        headers: { 'user-agent': 'differential/1', accept: 'application/json', ...headers },
        ...(body === undefined ? {} : { body: await fill(body) }),
      }),
  }
}
