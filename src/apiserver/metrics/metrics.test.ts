import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { openRawClient } from '../testing/raw-client.ts'
import { startTestServer } from '../testing/start-test-server.ts'
import { formatMetrics } from './format-metrics.ts'

test('labels are escaped as Prometheus wants them', () =>
  equal(
    formatMetrics([{ name: 'm', help: 'Help.', type: 'gauge', samples: [{ labels: { a: '"\\\n' }, value: 1 }] }]),
    '# HELP m Help.\n# TYPE m gauge\nm{a="\\"\\\\\\n"} 1\n',
  ))

test('/metrics counts requests, watches, queues and objects with the names of kube-apiserver', async () => {
  await using server = await startTestServer()
  const admin = await openRawClient(server, { user: 'admin', groups: ['system:masters'] })
  const ann = await openRawClient(server, { user: 'ann', groups: [] })
  const create = (name: string, query = '') =>
    admin.ask({
      method: 'POST',
      path: `/api/v1/namespaces/default/configmaps${query}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }),
    })
  await create('one')
  await create('one')
  await create('two', '?dryRun=All')
  for (let index = 0; index < 20; index++) await admin.ask({ path: `/apis/made.up/v1/things-${index}` })
  equal((await ann.ask({ path: '/metrics' })).status, 403)
  const { status, headers, text } = await admin.ask({ path: '/metrics' })
  deepEqual([status, headers['content-type']], [200, 'text/plain; version=0.0.4; charset=utf-8'])
  const post =
    'verb="POST",group="",version="v1",resource="configmaps",subresource="",scope="namespace",component="apiserver"'
  ok(text.includes(`apiserver_request_total{${post},dry_run="",code="201"} `), text.slice(0, 3000))
  ok(text.includes(`apiserver_request_total{${post},dry_run="",code="409"} 1\n`))
  ok(text.includes(`apiserver_request_total{${post},dry_run="All",code="201"} 1\n`))
  ok(text.includes(`apiserver_request_duration_seconds_bucket{${post},dry_run="",le="+Inf"}`))
  match(text, /^apiserver_current_inflight_requests\{request_kind="readOnly"\} 1$/m)
  match(
    text,
    /^apiserver_flowcontrol_rejected_requests_total\{priority_level="global-default",.*reason="queue-full"\} 0$/m,
  )
  match(text, /^apiserver_storage_objects\{resource="namespaces"\} 4$/m)
  match(text, /^holdfast_apiserver_revision \d+$/m)
  equal(text.includes('things-'), false, 'names that clients made up are not labels')
  for (const line of text.trimEnd().split('\n'))
    match(line, /^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{.*\})? [\d.e+-]+)$/)
  admin.close()
  ann.close()
})
