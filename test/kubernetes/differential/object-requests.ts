import { VALID_CUSTOM_OBJECT, VALID_OBJECTS } from '../../../src/apiserver/testing/valid-objects.ts'
import type { ValidObject } from '../../../src/apiserver/testing/valid-objects.ts'
import type { Random } from '../../../src/base/random.ts'
import { pick, randomChange, withValue } from './change-object.ts'
import type { Change } from './change-object.ts'
import { JSON_BODY, pathOf } from './compared-request.ts'
import type { ComparedRequest } from './compared-request.ts'

const OBJECTS: readonly ValidObject[] = [...VALID_OBJECTS, VALID_CUSTOM_OBJECT]
const isCustom = (object: ValidObject): boolean => object.apiVersion === 'example.com/v1'

/** Creates every valid object, so that the other requests find them. */
export const creations = (): ComparedRequest[] =>
  OBJECTS.map((object) => ({
    title: `store ${object.kind} ${object.metadata.name}`,
    method: 'POST',
    path: pathOf(object).collection,
    headers: JSON_BODY,
    body: JSON.stringify(object),
  }))

/** A request that changes nothing, with an object of which one thing is changed. */
export function randomWrite(random: Random): ComparedRequest {
  const object = pick(random, OBJECTS)
  const change = randomChange(object, random)
  const makers = [dryCreate, dryCreate, dryUpdate, dryPatch, dryPatch, dryApply]
  return pick(random, makers)(object, change, random)
}

const FIELD_VALIDATIONS = ['', '&fieldValidation=Strict', '&fieldValidation=Ignore']

function dryCreate(object: ValidObject, change: Change, random: Random): ComparedRequest {
  const named = { ...object, metadata: { ...object.metadata, name: newName(object) } }
  return {
    title: `create ${object.kind} ${change.what}`,
    method: 'POST',
    path: `${pathOf(object).collection}?dryRun=All${pick(random, FIELD_VALIDATIONS)}`,
    headers: JSON_BODY,
    body: JSON.stringify(withValue(named, change.path, change.value)),
  }
}

// A few kinds take only one name.
const newName = ({ kind, metadata }: ValidObject): string =>
  kind === 'CustomResourceDefinition' ? (metadata.name ?? '') : `new-${kind.toLowerCase()}`

function dryUpdate(object: ValidObject, change: Change, random: Random): ComparedRequest {
  const path = pathOf(object).object
  const metadata = { ...object.metadata, resourceVersion: `RV_OF(${path})`, uid: `UID_OF(${path})` }
  return {
    title: `update ${object.kind} ${change.what}`,
    method: 'PUT',
    path: `${path}?dryRun=All${pick(random, FIELD_VALIDATIONS)}`,
    headers: JSON_BODY,
    body: JSON.stringify(withValue({ ...object, metadata }, change.path, change.value)),
  }
}

function dryPatch(object: ValidObject, change: Change, random: Random): ComparedRequest {
  const pointer = change.path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  const json = [
    change.value === undefined
      ? { op: 'remove', path: pointer }
      : { op: 'replace', path: pointer, value: change.value },
  ]
  const merge = change.path.reduceRight<unknown>(
    (value, step) => (typeof step === 'number' ? [value] : { [step]: value ?? null }),
    change.value ?? null,
  )
  const types = ['json', 'merge', ...(isCustom(object) ? [] : ['strategic-merge'])]
  const type = pick(random, types)
  return {
    title: `${type} patch ${object.kind} ${change.what}`,
    method: 'PATCH',
    path: `${pathOf(object).object}?dryRun=All${pick(random, FIELD_VALIDATIONS)}`,
    headers: { 'content-type': `application/${type}-patch+json` },
    body: JSON.stringify(type === 'json' ? json : merge),
  }
}

function dryApply(object: ValidObject, change: Change, random: Random): ComparedRequest {
  const { finalizers: _none, ...metadata } = object.metadata
  const isNew = random.below(2) === 0
  const named = { ...object, metadata: { ...metadata, name: isNew ? newName(object) : (metadata.name ?? '') } }
  return {
    title: `apply ${isNew ? 'new ' : ''}${object.kind} ${change.what}`,
    method: 'PATCH',
    path: `${pathOf(named).object}?dryRun=All&fieldManager=test${pick(random, ['', '&force=true'])}`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify(withValue(named, change.path, change.value)),
  }
}
