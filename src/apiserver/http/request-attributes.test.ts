import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { ResourceAttributes } from '../core/request.ts'
import { parseRequestInfo } from './parse-request-info.ts'
import { parseTarget } from './parse-target.ts'
import { resourceAttributes } from './request-attributes.ts'

const user = { name: 'u', groups: [] }

function attributesOf(method: string, path: string): ResourceAttributes {
  const target = parseTarget(path)
  const info = parseRequestInfo(method, target)
  if (!info.isResource) throw new Error(`${path} is no resource`)
  return resourceAttributes(info, target.query, user)
}

test('a right to watch within a namespace is none to watch the namespace itself', () => {
  equal(attributesOf('GET', '/api/v1/watch/namespaces/a').namespace, '')
  equal(attributesOf('GET', '/api/v1/watch/namespaces/a/pods').namespace, 'a')
  equal(attributesOf('GET', '/api/v1/namespaces/a').namespace, 'a')
})

test('selectors are given for what they select, and the name of a collection to delete is left empty', () => {
  const query = '?fieldSelector=metadata.name%3Dx&labelSelector=l'
  const selected = (method: string, path: string): unknown => {
    const { name, fieldSelector, labelSelector } = attributesOf(method, `${path}${query}`)
    return [name, fieldSelector, labelSelector]
  }
  const pods = '/api/v1/namespaces/a/pods'
  deepEqual(selected('GET', pods), ['x', 'metadata.name=x', 'l'])
  deepEqual(selected('DELETE', pods), ['', 'metadata.name=x', 'l'])
  deepEqual(selected('DELETE', `${pods}/p`), ['p', undefined, undefined])
})
