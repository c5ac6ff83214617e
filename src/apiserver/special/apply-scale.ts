import type { Patch } from '../../api/api.ts'
import { applyFields } from '../apply/apply-fields.ts'
import { MEMBER, setOf } from '../apply/field-set.ts'
import type { Manager } from '../apply/managed-fields.ts'
import { formatManagers } from '../apply/managed-fields.ts'
import { readApplied, readManagers } from '../core/apply-object.ts'
import { metaOf } from '../core/drafts.ts'
import type { Draft } from '../core/kind-definition.ts'
import { applyConflict } from '../core/refusals.ts'
import type { ServerParts } from '../core/server-parts.ts'
import { rulesOf, writerOf } from '../core/track-managers.ts'
import type { WriteRequest } from '../core/write-request.ts'
import { findSchema } from '../schema/find-schema.ts'
import { valueAt, withValue } from './member-path.ts'

type ApplyPatch = Extract<Patch, { type: 'apply' }>

/** An applied Scale, as a change of the object that it scales. */
export type AppliedScale = {
  /** The Scale that results from an object, with the preconditions of the configuration. Throws a conflict. */
  next(current: Draft): { metadata: object; spec: { replicas: number } }
  /** The owners of the object's fields afterwards. */
  managers(): object[]
}

/** A server-side apply of a Scale: its only field, the number of replicas, is owned in the object at `path`. */
export function readAppliedScale(
  parts: ServerParts,
  request: WriteRequest,
  { value, force = false }: ApplyPatch,
  path: readonly string[],
): AppliedScale {
  const applied = readApplied(SCALE, request, value)
  const replicas = valueAt(applied, ['spec', 'replicas'])
  const configuration = typeof replicas === 'number' ? withValue({}, path, replicas) : {}
  let managers: readonly Manager[] = []
  return {
    next(current) {
      const result = applyFields(rulesOf(parts, request), {
        live: current,
        applied: configuration,
        managers: readManagers(current),
        writer: writerOf(request),
        force,
      })
      if (result.kind === 'conflict')
        throw applyConflict(result.conflicts.map(({ manager }) => ({ manager: asSeenHere(manager), fields: REPLICAS })))
      ;({ managers } = result)
      return { metadata: metaOf(applied), spec: { replicas: Number(valueAt(result.object, path) ?? 0) } }
    },
    managers: () => formatManagers(managers),
  }
}

// A conflict names the field of the Scale and its version, wherever the object has the number.
const REPLICAS = setOf(false, [['f:spec', setOf(false, [['f:replicas', MEMBER]])]])
const asSeenHere = (manager: Manager): Manager => ({ ...manager, apiVersion: 'autoscaling/v1' })

/** A Scale, which has no storage of its own. */
export const SCALE = {
  type: { group: 'autoscaling', version: 'v1', kind: 'Scale', plural: '', namespaced: true },
  get schema() {
    const schema = findSchema('autoscaling', 'v1', 'Scale')
    if (!schema) throw new Error('there is no schema of Scale')
    return schema
  },
}
