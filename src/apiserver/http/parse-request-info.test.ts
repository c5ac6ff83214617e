import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRequestInfo } from './parse-request-info.ts'
import { parseTarget } from './parse-target.ts'

const summary = (method: string, target: string): string => {
  const info = parseRequestInfo(method, parseTarget(target))
  if (!info.isResource) return `path ${info.verb} ${info.path}`
  const { verb, group, version, resource, namespace, name, subresource } = info
  return `${verb || '?'} ${group}/${version} ${resource}${subresource && `/${subresource}`} ns=${namespace} name=${name}`
}

const cases: [request: string, reading: string][] = [
  ['GET /', 'path get /'],
  ['GET /api', 'path get /api'],
  ['GET /api/v1', 'path get /api/v1'],
  ['GET /apis/apps/v1', 'path get /apis/apps/v1'],
  ['HEAD /healthz', 'path head /healthz'],
  ['GET /api/v1/pods', 'list /v1 pods ns= name='],
  ['GET /api/v1/namespaces/a/pods', 'list /v1 pods ns=a name='],
  ['GET /api/v1/namespaces/a/pods?watch=true', 'watch /v1 pods ns=a name='],
  ['GET /api/v1/namespaces/a/pods?watch=1', 'watch /v1 pods ns=a name='],
  ['GET /api/v1/namespaces/a/pods?watch', 'watch /v1 pods ns=a name='],
  ['GET /api/v1/namespaces/a/pods?watch=0', 'list /v1 pods ns=a name='],
  ['GET /api/v1/namespaces/a/pods?watch=False', 'list /v1 pods ns=a name='],
  ['GET /api/v1/namespaces/a/pods/p?watch=true', 'get /v1 pods ns=a name=p'],
  ['HEAD /api/v1/namespaces/a/pods/p', 'get /v1 pods ns=a name=p'],
  ['GET /api/v1/namespaces/a/pods/p/log', 'get /v1 pods/log ns=a name=p'],
  ['POST /api/v1/namespaces/a/pods', 'create /v1 pods ns=a name='],
  ['POST /api/v1/namespaces/a/pods/p/eviction', 'create /v1 pods/eviction ns=a name=p'],
  ['PUT /api/v1/namespaces/a/pods/p/status', 'update /v1 pods/status ns=a name=p'],
  ['PATCH /apis/apps/v1/namespaces/a/statefulsets/s/scale', 'patch apps/v1 statefulsets/scale ns=a name=s'],
  ['DELETE /api/v1/namespaces/a/pods/p', 'delete /v1 pods ns=a name=p'],
  ['DELETE /api/v1/namespaces/a/pods', 'deletecollection /v1 pods ns=a name='],
  ['OPTIONS /api/v1/namespaces/a/pods', '? /v1 pods ns=a name='],
  ['GET /api/v1/namespaces', 'list /v1 namespaces ns= name='],
  ['GET /api/v1/namespaces/a', 'get /v1 namespaces ns=a name=a'],
  ['PUT /api/v1/namespaces/a/status', 'update /v1 namespaces/status ns=a name=a'],
  ['PUT /api/v1/namespaces/a/finalize', 'update /v1 namespaces/finalize ns=a name=a'],
  ['GET /apis/storage.k8s.io/v1/csinodes/n', 'get storage.k8s.io/v1 csinodes ns= name=n'],
  ['GET /api/v1/watch/pods', 'watch /v1 pods ns= name='],
  ['GET /api/v1/watch/namespaces/a/pods/p', 'watch /v1 pods ns=a name=p'],
  ['GET /api/v1/watch/namespaces/a', 'watch /v1 namespaces ns=a name=a'],
  ['POST /api/v1/watch/pods', '? /v1 pods ns= name='],
  ['GET /api/v1/pods?fieldSelector=metadata.name%3Dp', 'list /v1 pods ns= name=p'],
  ['GET /api/v1/pods?watch=1&fieldSelector=spec.nodeName%3Dn,metadata.name%3D%3Dp', 'watch /v1 pods ns= name=p'],
  ['GET /api/v1/pods?fieldSelector=metadata.name!%3Dp', 'list /v1 pods ns= name='],
  ['GET /api/v1/pods?fieldSelector=metadata.name%3Da%2Fb', 'list /v1 pods ns= name='],
  ['GET /api/v1/pods?fieldSelector=nonsense', 'list /v1 pods ns= name='],
]
for (const [request, reading] of cases) {
  const [method = '', target = ''] = request.split(' ')
  test(`reads ${request} as ${reading}`, () => assert.equal(summary(method, target), reading))
}

test('tells a name in the path from one that a selector demands', () => {
  const isNamed = (target: string): boolean | undefined => {
    const info = parseRequestInfo('GET', parseTarget(target))
    return info.isResource ? info.isNamed : undefined
  }
  assert.equal(isNamed('/api/v1/watch/namespaces/a/pods/p'), true)
  assert.equal(isNamed('/api/v1/pods?fieldSelector=metadata.name%3Dp'), false)
})

test('notices a path that goes on', () => {
  const info = parseRequestInfo('GET', parseTarget('/api/v1/namespaces/a/pods/p/proxy/more'))
  assert.ok(info.isResource && info.hasMore)
})
