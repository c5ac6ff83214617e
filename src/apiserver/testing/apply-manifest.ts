import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { Api } from '../../api/api.ts'
import type { KubeObject } from '../../api/object.ts'
import { applyYaml } from '../../kube/client/apply-yaml.ts'
import type { TestCore } from './open-test-core.ts'
import { SIDECAR_USER } from './shipped-identity.ts'

const ROOT = join(import.meta.dirname, '../../..')

const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** The objects of a manifest that ships with us: `examples/sidecar/rbac.yaml`. */
export const readManifest = (path: string): KubeObject[] =>
  parseAllDocuments(readText(path)).map((document) => document.toJS() as KubeObject)

/** Applies a manifest as it ships, and fails on any field that the server does not know. */
export async function applyManifest(api: Api, path: string): Promise<void> {
  await applyYaml(api, readText(path), { fieldValidation: 'Strict' })
}

/** For a sidecar under test: it is the account of `examples/sidecar/`, and may do what that folder's manifests allow. */
export const asShippedSidecar = (...manifests: readonly string[]) => ({
  before: async ({ api }: TestCore): Promise<void> => {
    for (const manifest of ['rbac.yaml', ...manifests]) await applyManifest(api, `examples/sidecar/${manifest}`)
  },
  apiOf: ({ server }: TestCore): Api => server.core.as(SIDECAR_USER),
})
