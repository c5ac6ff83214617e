import type { RawClient } from './raw-client.ts'

const ROUNDS = 30
const PATH = '/api/v1/namespaces/default/configmaps'

/** Sends small requests of all kinds, so that code is loaded and compiled before anything is measured. */
export async function warmUp(client: RawClient): Promise<void> {
  const data = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key-${index}`, `value-${index}`]))
  for (let round = 0; round < ROUNDS; round++) {
    const name = `warm-up-${round}`
    const object = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data })
    const send = async (method: string, path: string, type: string, body: string): Promise<void> => {
      const { status, text } = await client.ask({ method, path, headers: { 'content-type': type }, body })
      if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${text}`)
    }
    await send('POST', PATH, 'application/json', object)
    await send(
      'PUT',
      `${PATH}/${name}`,
      'application/yaml',
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata:\n${Object.keys(data)
        .map((key) => `  ${key}: "1"\n`)
        .join('')}`,
    )
    await send(
      'PATCH',
      `${PATH}/${name}`,
      'application/json-patch+json',
      '[{"op":"copy","from":"/data","path":"/data"},{"op":"add","path":"/data/a","value":"b"}]',
    )
    await send('PATCH', `${PATH}/${name}`, 'application/merge-patch+json', '{"data":{"c":"d"}}')
    await send(
      'PATCH',
      `${PATH}/${name}`,
      'application/strategic-merge-patch+json',
      '{"metadata":{"finalizers":[]},"data":{"e":"f"}}',
    )
    await client.ask({ path: PATH })
    await client.ask({ path: PATH, headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } })
  }
}
