import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { ApiError } from '../api/api-error.ts'
import type { Api } from '../api/api.ts'
import type { KubeObject } from '../api/object.ts'
import { CSI_NODE_INFOS } from '../compat/alpha-csi-node-info.ts'
import { recordWrites } from '../kube/testing/record-writes.ts'
import { attachmentName } from '../storage/attachment-name.ts'
import { loadCase, readCorpus } from './testing/describe-corpus.ts'
import type { CorpusCase } from './testing/describe-corpus.ts'
import { explain } from './explain.ts'
import type { Explanation } from './explanation.ts'
import { formatExplanation } from './format-explanation.ts'
import { parseTarget } from './parse-target.ts'

const corpus = readCorpus()
const caseOf = (name: string): CorpusCase => corpus.find((each) => each.name === name) ?? fail(name)
const fail = (name: string): never => {
  throw new Error(`the corpus has no ${name}`)
}

async function ask(api: Api, words: string): Promise<Explanation> {
  const target = parseTarget(words)
  ok(typeof target === 'object', words)
  const answer = await explain(target, { api, namespace: 'default', signal: new AbortController().signal })
  return answer.kind === 'explained' ? answer.explanation : fail(`answer: ${answer.kind}`)
}

const load = async (context: TestContext, name: string): Promise<Api> =>
  (await loadCase(context, caseOf(name).objects)).api

/** Who may not read these kinds. */
function withoutRights(api: Api, ...plurals: string[]): Api {
  const refuse = (plural: string): void => {
    if (plurals.includes(plural)) throw new ApiError('Forbidden', `${plural} is forbidden`)
  }
  return {
    ...api,
    get: async (type, ref, options) => {
      refuse(type.plural)
      return api.get(type, ref, options)
    },
    list: async (type, options) => {
      refuse(type.plural)
      return api.list(type, options)
    },
  }
}

test('a driver that only the older CSINodeInfo names is registered', async (context) => {
  const api = await load(context, 'driver not registered')
  match((await ask(api, 'pod/web')).sentence, /not found in the list of registered CSI drivers/)
  await api.create(CSI_NODE_INFOS, {
    apiVersion: 'csi.storage.k8s.io/v1alpha1',
    kind: 'CSINodeInfo',
    metadata: { name: 'n1' },
    csiDrivers: [{ driver: 'csi.example.com', nodeID: 'id-1', topologyKeys: [] }],
  })
  doesNotMatch((await ask(api, 'pod/web')).sentence, /registered CSI drivers/)
})

describe('what is ready', () => {
  const healthy: [question: string, of: string, sentence: string][] = [
    ['pod/web-1', 'multi attach', 'Pod web-1 is running, and its volumes are mounted.'],
    ['pvc/data', 'multi attach', 'Claim data is bound to volume pv-1.'],
    ['pv/pv-1', 'multi attach', 'Volume pv-1 is bound to claim default/data.'],
    [
      `va/${attachmentName({ driver: 'csi.example.com', volumeHandle: 'vol-1', nodeName: 'n1' })}`,
      'multi attach',
      'The attachment of volume pv-1 to node n1 is ready (attached).',
    ],
    ['pv/pv-1', 'wrong access mode', 'Volume pv-1 is available and is not bound to a claim.'],
  ]
  for (const [question, name, sentence] of healthy) {
    test(`${question.slice(0, 12)} of "${name}" says so`, async (context) => {
      const explanation = await ask(await load(context, name), question)
      equal(explanation.sentence, sentence)
      ok(explanation.isReady)
      equal(explanation.cause, undefined)
    })
  }
})

describe('the answer', () => {
  test('is read only', async (context) => {
    const writes: string[] = []
    for (const name of ['multi attach', 'selected node gone', 'missing provisioner secret'])
      await ask(recordWrites(await load(context, name), writes), caseOf(name).ask)
    deepEqual(writes, [])
  })

  test('has the chain as an indented list, then events and nothing else', async (context) => {
    const text = formatExplanation(await ask(await load(context, 'provisioning fails'), 'pod/web'))
    const [sentence, blank, ...rest] = text.split('\n')
    equal(sentence, caseOf('provisioning fails').answer)
    equal(blank, '')
    match(rest[0] ?? '', /^Pod\/default\/web +Pending +waiting for claim data$/)
    match(rest[1] ?? '', /^ {2}PersistentVolumeClaim\/default\/data +Pending +failed to provision volume: rpc error: /)
    match(
      rest.slice(2).join('\n'),
      /^\nEvents, newest first:\n {2}2030-01-01T00:05:00Z {2}Warning {2}ProvisioningFailed {2}PersistentVolumeClaim\/default\/data \(3 times\): [^\n]+\n$/,
    )
  })

  test('has the reason of the controllers as data', async (context) => {
    const { cause, chain } = await ask(await load(context, 'missing class'), 'pod/web')
    equal(cause?.code, 'StorageClassMissing')
    deepEqual(cause?.waitsFor, {
      kind: 'object',
      apiVersion: 'storage.k8s.io/v1',
      kindName: 'StorageClass',
      name: 'fast',
    })
    deepEqual(
      chain.dependsOn.map(({ object: { kind, namespace, name }, status }) => [kind, namespace, name, status]),
      [['PersistentVolumeClaim', 'default', 'data', 'waits']],
    )
  })

  test('keeps what others wrote from moving the cursor', async (context) => {
    const [objects, api] = [caseOf('provisioning fails').objects, 'pod/web']
    const nasty = objects.map((object) =>
      object.kind === 'Event' ? { ...object, message: 'no\n\u001B[2Jroom' } : object,
    )
    const text = formatExplanation(await ask((await loadCase(context, nasty)).api, api))
    ok(!text.includes('\u001B'), text)
    match(text, /provisioner csi\.example\.com: no \[2Jroom\./)
  })
})

describe('events', () => {
  test('are told once for the same words, and not about a former object of that name', async (context) => {
    const { objects } = caseOf('provisioning fails')
    const event = objects.find(({ kind }) => kind === 'Event') ?? fail('event')
    const again = { ...event, metadata: { name: 'data.2' }, lastTimestamp: '2030-01-01T00:06:00Z' }
    const former = {
      ...event,
      metadata: { name: 'data.3' },
      involvedObject: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: 'default',
        name: 'data',
        uid: 'another',
      },
      message: 'long ago',
    }
    const { events } = await ask((await loadCase(context, [...objects, again, former])).api, 'pvc/data')
    deepEqual(
      events.map(({ count, lastTime }) => [count, lastTime]),
      [[6, '2030-01-01T00:06:00Z']],
    )
  })
})

describe('a bound claim', () => {
  test('that is being expanded is waiting only when it is asked about itself', async (context) => {
    const api = await load(context, 'growth waits for the node')
    const [claim, pod] = [await ask(api, 'pvc/data'), await ask(api, 'pod/web')]
    equal(claim.cause?.code, 'NodeResizePending')
    ok(pod.isReady, pod.sentence)
  })

  test('has the decision of the resizer as its cause', async (context) => {
    const causes: [name: string, code: string][] = [
      ['growth not done', 'ExternalExpanding'],
      ['growth infeasible', 'ExpansionInfeasible'],
      ['growth fails', 'RetryingExpansion'],
      ['growth of a volume in use', 'VolumeInUse'],
      ['growth without its secret', 'SecretMissing'],
      ['attributes class missing', 'VolumeAttributesClassMissing'],
      ['attributes infeasible', 'ModifyInfeasible'],
      ['attributes of another driver', 'VolumeAttributesClassOfOther'],
    ]
    for (const [name, code] of causes) equal((await ask(await load(context, name), 'pvc/data')).cause?.code, code, name)
  })

  test('is not blamed for the error of an expansion before', async (context) => {
    const { objects } = caseOf('growth fails')
    const cases: [began: string | undefined, code: string][] = [
      ['2030-01-01T00:04:00Z', 'RetryingExpansion'],
      ['2030-01-01T00:06:00Z', 'ExternalExpanding'],
      // It has not begun.
      [undefined, 'ExternalExpanding'],
    ]
    for (const [lastTransitionTime, code] of cases) {
      const conditions = lastTransitionTime ? [{ type: 'Resizing', status: 'True', lastTransitionTime }] : []
      const { api } = await loadCase(
        context,
        objects.map((object) =>
          object.kind === 'PersistentVolumeClaim' ? { ...object, status: { ...object.status, conditions } } : object,
        ),
      )
      equal((await ask(api, 'pvc/data')).cause?.code, code, lastTransitionTime)
    }
  })

  test('names its volume even to a user who may not read volumes', async (context) => {
    const api = withoutRights(await load(context, 'multi attach'), 'persistentvolumes')
    equal((await ask(api, 'pvc/data')).sentence, 'Claim data is bound to volume pv-1.')
  })

  test('whose pods are gone is not said to be in use any more', async (context) => {
    const { objects } = caseOf('growth of a volume in use')
    const { api } = await loadCase(
      context,
      objects.filter(({ kind }) => kind !== 'Pod'),
    )
    equal((await ask(api, 'pvc/data')).cause?.code, 'RetryingExpansion')
  })
})

describe('a user who may not read everything', () => {
  test('without nodes is told about the claims, and what was not seen', async (context) => {
    const { sentence, unseen } = await ask(
      withoutRights(await load(context, 'missing class'), 'nodes', 'csinodes'),
      'pod/web',
    )
    equal(sentence, caseOf('missing class').answer)
    deepEqual(unseen, ['csinodes.storage.k8s.io: you may not list them', 'nodes: you may not list them'])
  })

  test('without classes is told what was last said about the claim', async (context) => {
    const api = withoutRights(await load(context, 'provisioning fails'), 'storageclasses', 'persistentvolumes')
    match(
      (await ask(api, 'pvc/data')).sentence,
      /^Claim data is Pending: the last reported error is: failed to provision volume: .* the pool is full\.$/,
    )
  })

  test('is never told that something is missing which may not be read', async (context) => {
    const api = withoutRights(await load(context, 'missing class'), 'storageclasses')
    equal(
      (await ask(api, 'pvc/data')).sentence,
      'Claim data is waiting for StorageClass fast: you are not allowed to read it. Ask again with an account that is allowed to.',
    )
  })

  test('is not told that a VolumeAttributesClass is missing which may not be read', async (context) => {
    const api = withoutRights(await load(context, 'attributes class missing'), 'volumeattributesclasses')
    match(
      (await ask(api, 'pvc/data')).sentence,
      /^Claim data is waiting for VolumeAttributesClass gold: you are not allowed to read it\./,
    )
  })

  test('without secrets is told about everything else', async (context) => {
    const { sentence, unseen } = await ask(
      withoutRights(await load(context, 'missing provisioner secret'), 'secrets'),
      'pvc/data',
    )
    match(
      sentence,
      /^Claim data is waiting for a volume to be created either by the external provisioner 'csi\.example\.com' or manually/,
    )
    deepEqual(unseen, ['Secret/storage/creds: you may not get secrets'])
  })

  test('without events gets the chain alone', async (context) => {
    const { sentence, events, unseen } = await ask(
      withoutRights(await load(context, 'driver not registered'), 'events'),
      'pod/web',
    )
    equal(sentence, caseOf('driver not registered').answer)
    deepEqual([events, unseen], [[], ['events in default: you may not list them']])
  })

  test('every question has an answer, whatever single kind is hidden', async (context) => {
    const kinds = [
      'nodes',
      'csinodes',
      'csidrivers',
      'persistentvolumes',
      'storageclasses',
      'volumeattachments',
      'events',
      'secrets',
      'persistentvolumeclaims',
      'pods',
      'volumeattributesclasses',
    ]
    for (const name of [
      'multi attach',
      'node gone',
      'selected node gone',
      'attach limit',
      'token refused',
      'snapshot not ready',
      'growth of a volume in use',
      'growth without its secret',
      'attributes infeasible',
    ]) {
      const api = await load(context, name)
      for (const kind of kinds) {
        const target = parseTarget(caseOf(name).ask)
        ok(typeof target === 'object')
        const answer = await explain(target, {
          api: withoutRights(api, kind),
          namespace: 'default',
          signal: new AbortController().signal,
        })
        if (answer.kind === 'explained') ok(answer.explanation.sentence.endsWith('.'), `${name} without ${kind}`)
      }
    }
  })
})

/** As if one object were not there. */
function without(api: Api, { kind, metadata: { name } }: KubeObject): Api {
  return {
    ...api,
    get: (type, ref, options) =>
      type.kind === kind && ref.name === name
        ? Promise.reject(new ApiError('NotFound', 'gone'))
        : api.get(type, ref, options),
    list: async (type, options) => {
      const page = await api.list(type, options)
      return type.kind === kind ? { ...page, items: page.items.filter(({ metadata }) => metadata.name !== name) } : page
    },
  }
}

describe('clusters that nobody thought of', () => {
  for (const { name, ask: question, objects } of corpus) {
    test(`"${name}" has an answer whichever single object is gone`, async (context) => {
      const { api } = await loadCase(context, objects)
      for (const object of objects) {
        const target = parseTarget(question)
        ok(typeof target === 'object')
        const answer = await explain(target, {
          api: without(api, object),
          namespace: 'default',
          signal: new AbortController().signal,
        })
        if (answer.kind !== 'explained') continue
        const { isReady, cause, sentence } = answer.explanation
        match(sentence, /^[A-Z][^\n]+\.$/)
        equal(cause === undefined, isReady, `without ${object.kind} ${object.metadata.name}: ${sentence}`)
      }
    })
  }
})
