import { join } from 'node:path'
import { readText, writeText } from '../look-at-path.ts'
import type { ClusterContext } from './cluster-case.ts'
import { createClaim, createPod, pathOf, untilRunning } from './cluster-steps.ts'
import type { PodOptions } from './cluster-steps.ts'

const FILE = 'holdfast-check'
const TEXT = 'written by the first pod'

/** A claim, and a running pod that has written to it. */
export async function startWriter(
  context: ClusterContext,
  pod: string,
  claim: string,
  options: PodOptions = {},
): Promise<void> {
  await createClaim(context, claim)
  await createPod(context, pod, [claim], options)
  await untilRunning(context, pod)
  const { host } = context.check
  const file = join(await pathOf(context, pod, claim), FILE)
  await writeText(host, file, TEXT)
  await host.files.sync(file)
}

/** Fails the case unless a running pod finds what the writer wrote. */
export async function expectData(context: ClusterContext, pod: string, claim: string): Promise<void> {
  const found = await readText(context.check.host, join(await pathOf(context, pod, claim), FILE))
  const expected = `pod ${pod} finds the data that was written to the volume before`
  context.check.expect(found === TEXT, expected, found === undefined ? 'no file' : 'other data')
}
