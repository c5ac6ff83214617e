import { equal, match, ok } from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { startTestServer } from './start-test-server.ts'
import type { TestServer } from './start-test-server.ts'

/** The minor version of a kubectl; undefined if there is none. */
function findMinor(program: string): number | undefined {
  const { status, stdout } = spawnSync(program, ['version', '--client', '-o', 'json'], { encoding: 'utf8' })
  if (status !== 0) return undefined
  const { clientVersion } = JSON.parse(stdout) as { clientVersion: { gitVersion: string } }
  return Number(/^v1\.(\d+)/.exec(clientVersion.gitVersion)?.[1] ?? Number.NaN)
}

const run = promisify(execFile)

const CLASS =
  'apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\nprovisioner: hostpath.holdfast.dev\n'
const claim = (size: string): string => `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  storageClassName: fast
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: ${size}}}
`
const STATEFUL_SET = `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec:
  serviceName: web
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
`

/** What people do with kubectl, with one version of it: the one on the PATH, or any other program. */
export function describeKubectl(program = 'kubectl'): void {
  const minor = findMinor(program)
  const title = program === 'kubectl' ? program : `kubectl 1.${minor}`
  describe(title, { skip: minor === undefined ? `there is no ${program}` : false }, () =>
    describeCommands(program, minor ?? 0),
  )
}

function describeCommands(program: string, minor: number): void {
  // Missing features of an old client are not the fault of the server.
  const since = (first: number): { skip: string | false } => ({
    skip: minor >= first ? false : `kubectl 1.${minor} has no such command, 1.${first} has`,
  })
  let server: TestServer
  const environment = (): NodeJS.ProcessEnv => ({
    ...process.env,
    KUBECONFIG: server.kubeconfigPath,
    HOME: server.directory,
  })
  const kubectl = async (...words: string[]): Promise<string> =>
    (await run(program, words, { env: environment() })).stdout
  const failing = async (...words: string[]): Promise<string> => {
    const result = await run(program, words, { env: environment() }).then(
      ({ stdout }) => ({ stdout }),
      (error: { code?: number; stderr: string }) => error,
    )
    ok('stderr' in result, `kubectl ${words.join(' ')} should fail`)
    return result.stderr
  }
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(server.directory, name)
    await writeFile(path, text)
    return path
  }
  before(async () => {
    server = await startTestServer()
  })
  after(() => server[Symbol.asyncDispose]())

  test('apply --server-side takes over from apply, keeps owners, and names conflicts', async () => {
    const settings = (data: string): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: ${data}\n`
    const path = await file('settings.yaml', settings('{first: "1", second: "2"}'))
    await kubectl('apply', '-f', path)
    match(await kubectl('apply', '--server-side', '-f', path), /settings serverside-applied/)
    await file('settings.yaml', settings('{first: "9"}'))
    match(await kubectl('apply', '--server-side', '-f', path), /settings serverside-applied/)
    // Older ones do not tell the server that they owned the fields before.
    const left = minor >= 26 ? '{"first":"9"}' : '{"first":"9","second":"2"}'
    equal(await kubectl('get', 'configmap', 'settings', '-o', 'jsonpath={.data}'), left)
    match(await kubectl('apply', '-f', path), /settings (configured|unchanged)/)

    await kubectl('patch', 'configmap', 'settings', '--patch={"data":{"first":"7"}}')
    match(
      await failing('apply', '--server-side', '-f', path),
      /Apply failed with 1 conflict: conflict with "kubectl-patch".*: \.data\.first/,
    )
    match(await kubectl('apply', '--server-side', '--force-conflicts', '-f', path), /settings serverside-applied/)
    equal(await kubectl('get', 'configmap', 'settings', '-o', 'jsonpath={.data.first}'), '9')
  })

  test('apply creates, leaves unchanged, changes', async () => {
    match(await kubectl('apply', '-f', await file('class.yaml', CLASS)), /fast created/)
    match(await kubectl('apply', '-f', await file('claim.yaml', claim('1Gi'))), /data created/)
    match(await kubectl('apply', '-f', await file('claim.yaml', claim('1Gi'))), /data unchanged/)
    match(
      await kubectl(
        'apply',
        '--dry-run=server',
        '-f',
        await file('labels.yaml', claim('1Gi').replace('name: data', 'name: data, labels: {a: b}')),
      ),
      /data configured \(server dry run\)/,
    )
    equal(await kubectl('get', 'pvc', 'data', '-o', 'jsonpath={.metadata.labels}'), '')
  })

  test('H42: apply of an attachment with the source of a pod’s volume, and once more', async () => {
    const manifest = `apiVersion: storage.k8s.io/v1
kind: VolumeAttachment
metadata: {name: of-pod, annotations: {csi.holdfast.dev/pod-namespace: shop}}
spec:
  attacher: csi.example.com
  nodeName: node-1
  source:
    volumeSource:
      csi: {driver: csi.example.com, volumeHandle: disk-7, nodePublishSecretRef: {name: pass}}
`
    const path = await file('of-pod.yaml', manifest)
    match(await kubectl('apply', '-f', path), /of-pod created/)
    await kubectl('apply', '-f', path)
    equal(
      await kubectl(
        'get',
        'volumeattachment',
        'of-pod',
        '-o',
        'jsonpath={.spec.source.inlineVolumeSpec.csi.nodePublishSecretRef.namespace}{.spec.source.volumeSource}',
      ),
      'shop',
    )
    await kubectl('delete', 'volumeattachment', 'of-pod')
  })

  test('apply of a field that does not exist is refused', async () => {
    const wrong = claim('1Gi').replace('storageClassName', 'storageClasName')
    match(
      await failing('apply', '-f', await file('wrong.yaml', wrong.replace('name: data', 'name: wrong'))),
      /unknown field "(spec\.)?storageClasName"/,
    )
  })

  test('get shows the columns of the kind', async () => {
    match(
      await kubectl('get', 'pvc'),
      /^NAME +STATUS +VOLUME +CAPACITY +ACCESS MODES +STORAGECLASS +VOLUMEATTRIBUTESCLASS +AGE\ndata +Pending +fast +<unset> +\d+s\n$/,
    )
    match(await kubectl('get', 'sc', '-o', 'wide'), /fast +hostpath.holdfast.dev +Delete +Immediate +false/)
    match(await kubectl('get', 'pvc', '-A', '--sort-by=.metadata.name'), /default +data/)
    equal(await kubectl('get', 'pvc', 'data', '-o', 'name'), 'persistentvolumeclaim/data\n')
  })

  test('get -w shows a change', async () => {
    const watcher = spawn(program, ['get', 'pvc', 'data', '-w', '-o', 'jsonpath={.metadata.labels.seen}{"\\n"}'], {
      env: environment(),
    })
    try {
      let seen = ''
      const changed = new Promise<void>((resolve, reject) => {
        watcher.stdout.setEncoding('utf8').on('data', (text: string) => {
          seen += text
          if (seen.includes('first\n')) resolve()
        })
        watcher.once('exit', () => reject(new Error(`kubectl get -w ended: ${seen}`)))
      })
      // The watch is surely open only once the first line has arrived.
      await new Promise<void>((resolve) => watcher.stdout.once('data', () => resolve()))
      await kubectl('label', 'pvc', 'data', 'seen=first')
      await changed
    } finally {
      watcher.removeAllListeners('exit')
      watcher.kill()
    }
  })

  test('describe, label, annotate and patch', async () => {
    match(await kubectl('describe', 'pvc', 'data'), /Finalizers: +\[kubernetes.io\/pvc-protection\]/)
    await kubectl('label', 'pvc', 'data', 'team=storage')
    await kubectl('annotate', 'pvc', 'data', 'note=one')
    await kubectl('patch', 'pvc', 'data', '-p', '{"metadata":{"annotations":{"note":"two"}}}')
    await kubectl('patch', 'pvc', 'data', '--type=json', '-p', '[{"op":"remove","path":"/metadata/labels/team"}]')
    await kubectl('patch', 'pvc', 'data', '--type=merge', '-p', '{"metadata":{"annotations":{"other":"three"}}}')
    equal(
      await kubectl(
        'get',
        'pvc',
        'data',
        '-o',
        'jsonpath={.metadata.labels.team}{.metadata.annotations.note}{.metadata.annotations.other}',
      ),
      'twothree',
    )
    match(
      await failing('patch', 'pvc', 'data', '-p', '{"spec":{"accessModes":["ReadWriteMany"]}}'),
      /spec is immutable after creation/,
    )
  })

  test('diff tells what apply would change', async () => {
    const path = await file('diff.yaml', claim('1Gi').replace('name: data', 'name: data, labels: {different: "yes"}'))
    const result = await run(program, ['diff', '-f', path], { env: environment() }).catch(
      (error: { code: number; stdout: string }) => error,
    )
    match(result.stdout, /\+ +different: "yes"/)
  })

  test('explain, api-resources and api-versions', async () => {
    match(
      await kubectl('explain', 'pvc.spec'),
      /storageClassName is the name of the StorageClass required by the claim/,
    )
    match(await kubectl('explain', 'csidriver.spec.tokenRequests'), /audience is the intended audience of the token/)
    match(await kubectl('explain', 'statefulset'), /StatefulSet represents a set of pods with consistent identities/)
    match(
      await kubectl('api-resources', '--api-group=storage.k8s.io'),
      /volumeattachments +storage.k8s.io\/v1 +false +VolumeAttachment/,
    )
    match(await kubectl('api-versions'), /^storage.k8s.io\/v1$/m)
  })

  test('create of the simple kinds', async () => {
    await kubectl('create', 'namespace', 'team')
    await kubectl('create', 'configmap', 'settings', '--from-literal=a=b', '-n', 'team')
    await kubectl('create', 'secret', 'generic', 'password', '--from-literal=a=b', '-n', 'team')
    await kubectl('create', 'serviceaccount', 'robot', '-n', 'team')
    equal(await kubectl('get', 'secret', 'password', '-n', 'team', '-o', 'jsonpath={.data.a}'), 'Yg==')
    match(await failing('create', 'namespace', 'team'), /namespaces "team" already exists/)
  })

  test('auth can-i', async () => {
    equal(await kubectl('auth', 'can-i', 'create', 'pods'), 'yes\n')
    equal(
      (
        await run(program, ['auth', 'can-i', 'create', 'pods', '--as=nobody'], { env: environment() }).catch(
          (error: { stdout: string }) => error,
        )
      ).stdout,
      'no\n',
    )
  })

  test('auth whoami', since(28), async () => {
    match(await kubectl('auth', 'whoami'), /Username +admin/)
  })

  test('create token', since(24), async () => {
    const token = (await kubectl('create', 'token', 'robot', '-n', 'team', '--duration=10m')).trim()
    equal(token.split('.').length, 3)
    const asRobot = (...words: string[]) =>
      run(program, ['--server', server.address, '--insecure-skip-tls-verify', '--token', token, ...words], {
        env: { ...process.env, KUBECONFIG: '/dev/null', HOME: server.directory },
      })
    await asRobot('get', 'pods').then(
      () => ok(false, 'a robot without a role sees no pods'),
      (error: { stderr: string }) =>
        match(
          error.stderr,
          /User "system:serviceaccount:team:robot" cannot list resource "pods" in API group "" in the namespace "default"/,
        ),
    )
  })

  test('roles give rights', async () => {
    await kubectl('create', 'role', 'reader', '--verb=get,list', '--resource=pods', '-n', 'team')
    await kubectl('create', 'rolebinding', 'reader', '--role=reader', '--serviceaccount=team:robot', '-n', 'team')
    equal(
      await kubectl('auth', 'can-i', 'list', 'pods', '-n', 'team', '--as=system:serviceaccount:team:robot'),
      'yes\n',
    )
  })

  test('scale and rollout', async () => {
    await kubectl('apply', '-f', await file('web.yaml', STATEFUL_SET))
    match(await kubectl('scale', 'statefulset', 'web', '--replicas=3'), /web scaled/)
    equal(await kubectl('get', 'statefulset', 'web', '-o', 'jsonpath={.spec.replicas}'), '3')
  })

  test('events', async () => {
    await kubectl(
      'create',
      '-f',
      await file(
        'event.yaml',
        'apiVersion: v1\nkind: Event\nmetadata: {name: said, namespace: default}\ninvolvedObject: {kind: PersistentVolumeClaim, name: data, namespace: default}\nreason: Tested\nmessage: all is well\ntype: Normal\n',
      ),
    )
    match(await kubectl('get', 'events'), /Tested/)
  })

  test('the events command', since(26), async () => {
    match(await kubectl('events'), /Normal +Tested +PersistentVolumeClaim\/data +all is well/)
  })

  test('wait for a value', since(23), async () => {
    await kubectl('wait', '--for=jsonpath={.status.phase}=Active', 'namespace/team', '--timeout=10s')
  })

  test('wait and delete', async () => {
    await kubectl('delete', 'pvc', 'data', '--wait=false')
    match(await kubectl('get', 'pvc', 'data'), /data +Terminating/)
    const gone = kubectl('wait', '--for=delete', 'pvc/data', '--timeout=10s')
    await kubectl('patch', 'pvc', 'data', '--type=merge', '-p', '{"metadata":{"finalizers":null}}')
    // Started too late, it finds nothing to wait for: old ones call that an error, 1.20 in words of its own.
    await gone.catch(({ stderr }: { stderr: string }) => match(stderr, /not found|no matching resources found/))
    await kubectl('delete', 'namespace', 'team', '--timeout=20s')
    match(await failing('get', 'namespace', 'team'), /namespaces "team" not found/)
    match(await kubectl('delete', 'sc', '--all'), /"fast" deleted/)
  })

  test('custom resources work as soon as their definition is established', async () => {
    const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {plural: widgets, kind: Widget, shortNames: [wd]}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, required: [size], properties: {size: {type: integer, minimum: 1}}}}}}
      additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
`
    await kubectl('apply', '-f', await file('crd.yaml', definition))
    await kubectl('wait', '--for=condition=Established', 'crd/widgets.example.com', '--timeout=10s')
    const widget = (size: string): string =>
      `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec: {size: ${size}}\n`
    await kubectl('apply', '-f', await file('widget.yaml', widget('3')))
    match(await kubectl('get', 'wd'), /^NAME +SIZE\none +3\n$/)
    match(
      await failing('apply', '-f', await file('bad-widget.yaml', widget('0'))),
      /spec.size in body should be greater than or equal to 1/,
    )
    await kubectl('delete', 'crd', 'widgets.example.com', '--timeout=20s')
    match(
      await failing('get', 'widgets'),
      /the server (doesn't have a resource type "widgets"|could not find the requested resource)/,
    )
  })
}
