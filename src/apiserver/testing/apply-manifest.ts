import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { Api } from '../../api/api.ts'
import { findResourceType } from '../../api/kinds/all-resource-types.ts'
import type { KubeObject } from '../../api/object.ts'
import type { TestCore } from './open-test-core.ts'
import { SIDECAR_USER } from './shipped-identity.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** The objects of a manifest that ships with us: `examples/sidecar/rbac.yaml`. */
export const readManifest = (path: string): KubeObject[] =>
  parseAllDocuments(readFileSync(join(ROOT, path), 'utf8')).map((document) => document.toJS() as KubeObject)

/** Creates the objects of a manifest as it ships, and fails on any field that the server does not know. */
export async function applyManifest(api: Api, path: string): Promise<void> {
  for (const object of readManifest(path)) {
    const type = findResourceType(object)
    if (!type) throw new Error(`${object.apiVersion} ${object.kind} is not known`)
    await api.create(type, object, { fieldValidation: 'Strict' })
  }
}

/** For a sidecar under test: it is the account of `examples/sidecar/`, and may do what that folder's manifests allow. */
export const asShippedSidecar = (...manifests: readonly string[]) => ({
  before: async ({ api }: TestCore): Promise<void> => {
    for (const manifest of ['rbac.yaml', ...manifests]) await applyManifest(api, `examples/sidecar/${manifest}`)
  },
  apiOf: ({ server }: TestCore): Api => server.core.as(SIDECAR_USER),
})
