import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../scripts/run.ts'

/** The releases of Kubernetes that tests run on. The modules under peers/ are those of the newest one. */
export const KUBERNETES_RELEASES = { '1.33': '1.33.13', '1.34': '1.34.4', '1.35': '1.35.4', '1.36': '1.36.4' } as const
export type KubernetesMinor = keyof typeof KUBERNETES_RELEASES
export const NEWEST: KubernetesMinor = '1.36'
/** `npm run test:kubernetes -- --kubernetes=1.34` sets it. */
export const RELEASE_VARIABLE = 'HOLDFAST_KUBERNETES'

export function parseMinor(text: string): KubernetesMinor {
  const known = Object.keys(KUBERNETES_RELEASES) as KubernetesMinor[]
  const found = known.find((minor) => minor === text)
  if (!found) throw new Error(`Kubernetes ${JSON.stringify(text)} is none of ${known.join(', ')}`)
  return found
}

/** The release that this process tests with. */
export const chosenMinor = (): KubernetesMinor => parseMinor(process.env[RELEASE_VARIABLE] || NEWEST)

/** Why a test of something that began with a later release has to be skipped, or false. */
export function skipBefore(
  first: KubernetesMinor,
  what: string,
  chosen: KubernetesMinor = chosenMinor(),
): string | false {
  const known = Object.keys(KUBERNETES_RELEASES)
  return known.indexOf(chosen) < known.indexOf(first) ? `${what}: from Kubernetes ${first} on` : false
}

/** What the linker tells a program about its release; without it /version answers with a placeholder. */
export function releaseVariables(minor: KubernetesMinor): Record<string, string> {
  const version = KUBERNETES_RELEASES[minor]
  const values = { gitVersion: `v${version}`, gitMajor: '1', gitMinor: minor.slice(2), gitTreeState: 'clean' }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`k8s.io/component-base/version.${name}`, value]),
  )
}

/** Writes a Go module from which programs of that release are built. Returns its folder. */
export async function writeReleaseModule(minor: KubernetesMinor, cache: string): Promise<string> {
  const version = KUBERNETES_RELEASES[minor]
  const folder = join(cache, `kubernetes-${version}`)
  mkdirSync(folder, { recursive: true })
  const module = `k8s.io/kubernetes@v${version}`
  const { code, stdout, stderr } = await run('go', ['mod', 'download', '-json', module], { cwd: folder })
  if (code !== 0) throw new Error(`downloading ${module} failed\n${stdout}${stderr}`)
  const { GoMod } = JSON.parse(stdout) as { GoMod: string }
  writeFileSync(join(folder, 'go.mod'), formatReleaseModule(readFileSync(GoMod, 'utf8'), version))
  return folder
}

/** A module that requires this release of Kubernetes: what its own go.mod takes from staging/ is published apart, under the same numbers. */
export function formatReleaseModule(goMod: string, version: string): string {
  const staged = [...goMod.matchAll(/^\s*(\S+) => \.\/staging\/src\//gm)].map(([, name]) => name)
  const go = /^go (\S+)$/m.exec(goMod)?.[1]
  if (staged.length === 0 || go === undefined) throw new Error(`the go.mod of Kubernetes ${version} has another form`)
  const stagingVersion = `v0.${version.slice(version.indexOf('.') + 1)}`
  return [
    'module holdfast.invalid/peers/kubernetes',
    '',
    `go ${go}`,
    '',
    // The defaults of the Go version that this release was made with.
    `godebug default=go${go.split('.').slice(0, 2).join('.')}`,
    '',
    'replace (',
    ...staged.map((name) => `\t${name} => ${name} ${stagingVersion}`),
    ')',
    '',
    `require k8s.io/kubernetes v${version}`,
    '',
  ].join('\n')
}
