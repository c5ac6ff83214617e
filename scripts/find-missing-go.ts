import { run } from './run.ts'

const NEEDED_GO: readonly [major: number, minor: number] = [1, 26]

/** Why the programs of Kubernetes cannot be built on this machine, or undefined. */
export async function findMissingGo(): Promise<string | undefined> {
  const needed = `Go ${NEEDED_GO.join('.')} or newer`
  const { code, stdout } = await run('go', ['env', 'GOVERSION'])
  if (code !== 0) return `it needs ${needed} on the PATH, and there is none`
  const [, major = 0, minor = 0] = /^go(\d+)\.(\d+)/.exec(stdout)?.map(Number) ?? []
  return major * 1000 + minor >= NEEDED_GO[0] * 1000 + NEEDED_GO[1]
    ? undefined
    : `it needs ${needed}, this is ${stdout.trim()}`
}
