import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { KUBERNETES_TABLE } from '../../src/apiserver/schema/generated/kubernetes.ts'
import { run } from '../run.ts'
import { formatDescriptions } from './format-descriptions.ts'
import type { DescribedDefinitions } from './format-descriptions.ts'

// Types whose JSON is not their fields: the table has no definition of them.
const SPECIAL = ['api.resource.Quantity', 'apis.meta.v1.MicroTime', 'apis.meta.v1.Time', 'util.intstr.IntOrString']

/** The descriptions as the OpenAPI document of a Kubernetes release has them, for the definitions of the schema table. Needs Go only to download the release. */
export async function generateDescriptions(): Promise<string> {
  const { stdout, stderr, code } = await run('go', ['mod', 'download', '-json', `k8s.io/kubernetes@${releaseOf()}`])
  if (code !== 0) throw new Error(`go mod download ended with ${code}: ${stderr.trim() || stdout.trim()}`)
  const { Dir: folder } = JSON.parse(stdout) as { Dir: string }
  const document = readFileSync(join(folder, 'api/openapi-spec/swagger.json'), 'utf8')
  const { definitions } = JSON.parse(document) as { definitions: DescribedDefinitions }
  const names = [...KUBERNETES_TABLE.matchAll(/^(io\.k8s\.\S+)/gm)].map(([, name = '']) => name)
  const text = formatDescriptions(definitions, [...names, ...SPECIAL.map((name) => `io.k8s.apimachinery.pkg.${name}`)])
  return `${HEAD}export const DESCRIPTIONS: string = \`${text.replaceAll(/[`\\]|\$\{/g, String.raw`\$&`)}\`\n`
}

/** The release of the Go modules that the schema table comes from. */
function releaseOf(): string {
  const modules = readFileSync(join(import.meta.dirname, 'go.mod'), 'utf8')
  const [, version] = /k8s\.io\/api v0\.(\S+)/.exec(modules) ?? []
  return `v1.${version}`
}

const HEAD = `// Made by \`node scripts/kubernetes-schema/generate.ts\` from the OpenAPI document of Kubernetes. Do not edit.
// The texts are copyrighted by The Kubernetes Authors and licensed under the Apache License 2.0.

/** What Kubernetes says about the definitions of the schema table and their fields. \`read-descriptions.ts\` says what the lines mean. */
`
