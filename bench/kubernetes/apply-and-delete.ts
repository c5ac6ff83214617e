import { execFile } from 'node:child_process'
import type { ClusterStage } from '../../test/kubernetes/cluster/open-cluster-stage.ts'
import { claimWith, podWith } from '../../test/kubernetes/cluster/story-objects.ts'
import { claimRef } from '../../test/kubernetes/cluster/story-helpers.ts'
import type { Stages, StageTimes } from './follow-stages.ts'

/** kubectl apply of a claim and a pod, as a user does it; both are gone again afterwards. */
export async function applyAndDelete(stage: ClusterStage, stages: Stages, name: string): Promise<StageTimes> {
  const items = [claimWith(name, {}), podWith(name, 'sleep 10000', { claim: name })]
  const startMs = performance.now()
  await kubectlApply(stage.kubeconfig, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  const times = await stages.untilRunning(name, startMs)
  await stage.deletePod(name)
  await stage.api.delete(...claimRef(name))
  await stage.untilGone(...claimRef(name))
  return times
}

function kubectlApply(kubeconfig: string, manifest: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const args = [`--kubeconfig=${kubeconfig}`, 'apply', '--validate=false', '-f', '-']
  const child = execFile('kubectl', args, (error) => (error ? reject(error) : resolve()))
  child.stdin?.end(manifest)
  return promise
}
