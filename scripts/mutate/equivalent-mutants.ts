/** A mutant that behaves as the original does, so that no test can notice it. */
export type EquivalentMutant = {
  readonly file: string
  /** The changed line or lines, as `npm run mutate` prints them after `+`. How the lines are broken does not matter. */
  readonly mutated: string
  readonly reason: string
}

export const EQUIVALENT_MUTANTS: readonly EquivalentMutant[] = [
  {
    file: 'src/controllers/attach-detach/next-attachment-step.ts',
    mutated: 'const { create, nowMs = 1 } = held ?? {}',
    reason: 'Without held there is no create either, and the function returns before it looks at the time.',
  },
  {
    file: 'src/controllers/attach-detach/next-attachment-step.ts',
    mutated:
      "function awaitDetached({ seen: { uniqueName = 'mutated' }, held }: AttachmentView, { spec, status }: VolumeAttachment): AttachmentStep {",
    reason: 'Neither text is the name of a volume, so both parse to nothing.',
  },
  {
    file: 'src/controllers/attach-detach/next-attachment-step.ts',
    mutated: 'if (true && isReported(node, uniqueName)) return wait(REASONS.StillReportedAttached(nodeName))',
    reason: 'No node reports a volume without a name.',
  },
  {
    file: 'src/controllers/attach-detach/next-attachment-step.ts',
    mutated:
      "return wait(reason, { warning: tellPods(attachFailedText(volume.volumeName, reason.message ?? 'mutated')) })",
    reason: 'This reason always has a message.',
  },
  {
    file: 'src/controllers/attach-detach/next-node-status-step.ts',
    mutated: "const names = added.map(({ seen }) => seen.uniqueName ?? 'mutated').sort()",
    reason: 'Only views with a unique name are added.',
  },
  {
    file: 'src/controllers/attach-detach/next-node-status-step.ts',
    mutated: "const { uniqueName = 'mutated' } = view.seen",
    reason: 'A view without a unique name is withdrawn, so the fallback is never added.',
  },
  {
    file: 'src/controllers/attach-detach/next-node-status-step.ts',
    mutated: 'if (!node || false || !isOwn(view)) return false',
    reason: 'isOwn is false for a view without a unique name.',
  },
  {
    file: 'src/controllers/binder/next-claim-step.ts',
    mutated: "const { volumeName = 'mutated' } = claim.spec",
    reason: 'The function is called only for a claim that names a volume.',
  },
  {
    file: 'src/controllers/binder/next-claim-step.ts',
    mutated: [
      "if (claimRef && !isVolumeBoundToClaim(volume, claim)) return lost('ClaimMisbound', REASONS.ClaimMisbound(volumeName, claimRef))",
      "if (!volume) return lost('ClaimLost', REASONS.VolumeLost(volumeName))",
    ].join('\n'),
    reason: 'Without a volume there is no claimRef, so the two conditions exclude each other.',
  },
  {
    file: 'src/controllers/binder/next-claim-step.ts',
    mutated: [
      "if (isDelayedBinding(storageClass) && selectedNodeOf(claim) === '') return waitForPod(className, waitingPods, held)",
      "if (!storageClass) return withEvent('Warning', 'ProvisioningFailed', REASONS.StorageClassMissing(className))",
    ].join('\n'),
    reason: 'isDelayedBinding is false without a class, so the two conditions exclude each other.',
  },
  {
    file: 'src/controllers/binder/next-volume-step.ts',
    mutated: [
      "if (volumeName === '') {",
      '// The class of a reserved volume is not compared.',
      'const misfit = findMisfit(claim, volume, { ignoresClass: true })',
      "if (!misfit) return { kind: 'wait', reason: REASONS.BindingUnderWay(claimRef) }",
      "return { kind: 'wait', reason: REASONS.ClaimMismatch(volume.metadata.name ?? '', claim, misfit), notice: { type: 'Warning', event: 'VolumeMismatch' }, tellClaim: claim }",
      '}',
      "if (volumeName === volume.metadata.name) return bring(volume, 'Bound', REASONS.Bound(volumeName))",
    ].join('\n'),
    reason: 'No volume has an empty name, so the two conditions exclude each other.',
  },
  {
    file: 'src/controllers/ephemeral/next-ephemeral-step.ts',
    mutated: 'const present = claims.findLast(({ metadata }) => metadata.name === claimName)',
    reason: 'Names are unique within a namespace.',
  },
  {
    file: 'src/controllers/registry/next-driver-step.ts',
    mutated:
      "return isImmutable || false ? { kind: 'remove', mirror: csiDriver } : { kind: 'update', original, mirror: csiDriver, patch }",
    reason: 'Without a patch the mirror differs in what is immutable; otherwise the function has returned.',
  },
  {
    file: 'src/controllers/scheduler/next-placement-step.ts',
    mutated:
      'const isCommon = true && verdicts.every(({ obstacles }) => obstacles[0]?.message === first.message && obstacles[0]?.code === first.code)',
    reason: 'Each node has a verdict with at least one obstacle here.',
  },
  {
    file: 'src/controllers/scheduler/next-placement-step.ts',
    mutated: 'const missing = matches.filter(({ claim, volume }) => volume.spec.claimRef?.uid === undefined || false)',
    reason: 'fitVolumes matches only volumes that are free or already belong to the claim.',
  },
  {
    file: 'src/controllers/scheduler/next-placement-step.ts',
    mutated: 'const { startAt = 0, nowMs = 1, refusal, enough } = held ?? {}',
    reason: 'Without held there is no refusal that the time is compared with.',
  },
  {
    file: 'src/controllers/scheduler/next-placement-step.ts',
    mutated:
      'if (false) throw new Error(`node ${node.name} was chosen, but the volumes of ${plan.record.key} do not fit there`)',
    reason:
      'A node is chosen only if the volumes fit there: the check is for the compiler and against future mistakes.',
  },
  {
    file: 'src/controllers/scheduler/next-placement-step.ts',
    mutated: 'if (fit.obstacles.length > 0) throw new Error(``)',
    reason:
      'A node is chosen only if the volumes fit there: the check is for the compiler and against future mistakes.',
  },
  {
    file: 'src/node/registration/next-publication-step.ts',
    mutated: "return { ...rest, csiDrivers: entries.toSorted((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 2)) }",
    reason: 'Only the sign counts.',
  },
  {
    file: 'src/node/registration/next-publication-step.ts',
    mutated: "return { ...rest, csiDrivers: entries.toSorted((a, b) => ((a.name ?? '') < (b.name ?? '') ? -2 : 1)) }",
    reason: 'Only the sign counts.',
  },
  {
    file: 'src/node/registration/next-publication-step.ts',
    mutated: "return { ...rest, csiDrivers: entries.toSorted((a, b) => ((a.name ?? '') <= (b.name ?? '') ? -1 : 1)) }",
    reason: 'Both lists are sorted by the same rule before they are compared, so any consistent order will do.',
  },
  {
    file: 'src/node/registration/next-publication-step.ts',
    mutated: "return { ...rest, csiDrivers: entries.toSorted((a, b) => ((a.name ?? '') >= (b.name ?? '') ? -1 : 1)) }",
    reason: 'Both lists are sorted by the same rule before they are compared, so any consistent order will do.',
  },
  {
    file: 'src/node/registration/next-publication-step.ts',
    mutated: 'const wanted = entries.findLast(({ name }) => name === entry.name)',
    reason: 'A driver has one entry.',
  },
  {
    file: 'src/node/report/next-report-step.ts',
    mutated:
      'conditions === (present.conditions ?? NONE) && isSameAmount(present.capacity ?? {}, capacity) && isEqualJson(present.nodeInfo, nodeInfo) && isEqualJson(present.addresses ?? [], addresses)',
    reason: 'The facts of an agent are never empty: an absent value differs in both cases.',
  },
  {
    file: 'src/node/report/next-report-step.ts',
    mutated:
      'conditions === (present.conditions) && isSameAmount(present.capacity ?? {}, capacity) && isEqualJson(present.nodeInfo ?? {}, nodeInfo) && isEqualJson(present.addresses ?? [], addresses)',
    reason: 'The conditions of an agent are never empty, so they never equal the empty list.',
  },
  {
    file: 'src/node/report/next-report-step.ts',
    mutated: 'const dueInMs = false ? 0 : view.writtenAtMs + view.heartbeatMs - nowMs',
    reason: 'NaN is not greater than 0 either.',
  },
  {
    file: 'src/node/report/next-report-step.ts',
    mutated:
      "names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && compareQuantities(one[name] ?? '', other[name] ?? '0') === 0)",
    reason: 'The name is one of its keys.',
  },
  {
    file: 'src/node/report/next-report-step.ts',
    mutated:
      "names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && compareQuantities(one[name] ?? '0', other[name] ?? '') === 0)",
    reason: 'hasOwn was asked before.',
  },
  {
    file: 'src/node/volumes/next-device-step.ts',
    mutated: 'const isListed = node.status?.volumesAttached?.some((volume) => volume.name === uniqueName)',
    reason: 'undefined and false are both negated.',
  },
  {
    file: 'src/node/volumes/next-device-step.ts',
    mutated: 'if (false) return wait(REASONS.Staged)',
    reason: 'The function is called only with held.',
  },
  {
    file: 'src/node/volumes/next-device-step.ts',
    mutated: 'if (canExpand && volumePath !== undefined && true && expandedToBytes < required) {',
    reason: 'Nothing is less than undefined.',
  },
  {
    file: 'src/node/volumes/next-pod-step.ts',
    mutated: 'const retryInMs = retryAtMs - (held?.nowMs ?? 1)',
    reason: 'Without held nothing is waited for: the difference is not positive in both cases.',
  },
  {
    file: 'src/node/volumes/next-pod-step.ts',
    mutated: "const { retryAtMs = 0, detail = 'mutated' } = held?.patience.get(name) ?? {}",
    reason: 'A time that is still to come is that of an existing failure.',
  },
  {
    file: 'src/sidecars/attacher/next-attach-step.ts',
    mutated: 'const isAttached = attachment.status?.attached',
    reason: 'undefined and false are both only tested for truth.',
  },
  {
    file: 'src/sidecars/attacher/next-attach-step.ts',
    mutated: 'const { failure, hasDrifted = false, nowMs = 1, busy, secret } = held ?? {}',
    reason: 'Without held there is no failure that the time is compared with.',
  },
  {
    file: 'src/sidecars/attacher/next-attach-step.ts',
    mutated: 'const { failure, hasDrifted = true, nowMs = 0, busy, secret } = held ?? {}',
    reason: 'Without held there is no failure that a drift could override.',
  },
  {
    file: 'src/sidecars/attacher/next-attach-step.ts',
    mutated:
      "problem && !source.persistentVolumeName ? problem : REASONS.VolumeHandleUnknown(source.persistentVolumeName ?? 'mutated'),",
    reason: 'The reason is used only with the name of a volume.',
  },
  {
    file: 'src/sidecars/attacher/next-attach-step.ts',
    mutated:
      "true && !source.persistentVolumeName ? problem : REASONS.VolumeHandleUnknown(source.persistentVolumeName ?? ''),",
    reason: 'Without a handle and without the name of a volume there is always a problem.',
  },
  {
    file: 'src/sidecars/attacher/next-attach-step.ts',
    mutated: 'const retryInMs = (failure?.retryAtMs ?? 1) - nowMs',
    reason: 'Without a failure the time is not used.',
  },
  {
    file: 'src/sidecars/cluster-registrar/next-registration-step.ts',
    mutated: 'const differing = members.filter((member) => (has[member] ?? undefined) !== (wants[member]))',
    reason: 'What is wanted is never null.',
  },
  {
    file: 'src/sidecars/cluster-registrar/next-registration-step.ts',
    mutated: 'const inTheWay = alphaDrivers.findLast(({ metadata }) => metadata.name === alphaDriver.metadata.name)',
    reason: 'Names are unique.',
  },
  {
    file: 'src/sidecars/provisioner/capacity/next-capacity-step.ts',
    mutated: 'const [surplus] = pair || false ? others : [kept]',
    reason: 'Without kept both lists are empty.',
  },
  {
    file: 'src/sidecars/provisioner/capacity/next-capacity-step.ts',
    mutated: "const compareText = (one = '', other = ''): number => (one < other ? -1 : one > other ? 2 : 0)",
    reason: 'Only the sign counts.',
  },
  {
    file: 'src/sidecars/provisioner/capacity/next-capacity-step.ts',
    mutated: "const compareText = (one = '', other = ''): number => (one < other ? -2 : one > other ? 1 : 0)",
    reason: 'Only the sign counts.',
  },
  {
    file: 'src/sidecars/provisioner/capacity/next-capacity-step.ts',
    mutated:
      'const owners = true && !isOwned(object, owner) ? [...ownerReferences.filter(({ controller }) => !controller), owner] : ownerReferences',
    reason: 'isOwned is true without an owner.',
  },
  {
    file: 'src/sidecars/provisioner/capacity/next-capacity-step.ts',
    mutated: "if (!room || (true && askInMs <= 0)) return { kind: 'ask', pair }",
    reason: 'undefined is not less than or equal to anything.',
  },
  {
    file: 'src/sidecars/provisioner/contend/next-contention-step.ts',
    mutated: 'const most = false ? undefined : smaller(answer.available, answer.largestVolume)',
    reason: 'An answer that is unknown has no numbers, so the result is undefined as well.',
  },
  {
    file: 'src/sidecars/provisioner/contend/next-contention-step.ts',
    mutated: 'const smaller = (one: bigint, other = one): bigint => (other <= one ? other : one)',
    reason: 'Equal numbers are the same number.',
  },
  {
    file: 'src/sidecars/provisioner/contend/next-contention-step.ts',
    mutated:
      "if (true && most < requested) return { kind: 'leave-claim', reason: REASONS.NotEnoughRoom(nodeName, requested, most) }",
    reason: 'undefined is not less than anything.',
  },
  {
    file: 'src/sidecars/provisioner/next-delete-step.ts',
    mutated: "const metadata = { name: claimRef.name ?? '', namespace: claimRef.namespace ?? 'mutated' }",
    reason: 'Stored objects always have it; the fallback is for the compiler.',
  },
  {
    file: 'src/sidecars/provisioner/next-delete-step.ts',
    mutated: "const metadata = { name: claimRef.name ?? 'mutated', namespace: claimRef.namespace ?? '' }",
    reason: 'Stored objects always have it; the fallback is for the compiler.',
  },
  {
    file: 'src/sidecars/provisioner/next-delete-step.ts',
    mutated: "const { deletionTimestamp, uid = '', finalizers = ['mutated'] } = volume.metadata",
    reason: 'A leaving object without finalizers does not exist.',
  },
  {
    file: 'src/sidecars/provisioner/next-provision-step.ts',
    mutated: 'const isAttached = view.held?.facts.controller.has(Capability.PUBLISH_UNPUBLISH_VOLUME) ?? true',
    reason: 'An attempt is part of held.',
  },
  {
    file: 'src/sidecars/provisioner/next-provision-step.ts',
    mutated: 'const stored = read.volume === undefined ? view.seen.volume : (read.volume)',
    reason: 'null and undefined are both only tested for truth.',
  },
  {
    file: 'src/sidecars/provisioner/next-provision-step.ts',
    mutated: "REASONS.VolumeOfAnother(name, spec.csi?.volumeHandle ?? 'mutated')",
    reason: 'The volume was found by its handle.',
  },
  {
    file: 'src/sidecars/provisioner/next-provision-step.ts',
    mutated: [
      "if (stored && isLeaving(stored)) return { kind: 'doubt', plan, reason: leavingReason(stored) }",
      '// The volume of a PersistentVolume that is leaving is being deleted, and may be the one that the driver returned.',
      "if (stored && isSameVolume(stored, ours)) return { kind: 'complete', volume: stored }",
    ].join('\n'),
    reason: 'isSameVolume is false for a volume that is leaving, so the two conditions exclude each other.',
  },
  {
    file: 'src/sidecars/provisioner/next-provision-step.ts',
    mutated:
      "if (true && infeasible && held.nowMs < infeasible.untilMs && infeasible.classUid === judged.class.metadata.uid) return { kind: 'wait', reason: REASONS.RequestInfeasible, retryInMs: infeasible.untilMs - held.nowMs }",
    reason: 'infeasible is part of held.',
  },
  {
    file: 'src/sidecars/provisioner/sources/next-source-step.ts',
    mutated: "const [kind, namespace = '', name = 'mutated'] = key.split('/')",
    reason: 'Keys are made by sourceKeyOf and findSourceKey and have three parts.',
  },
  {
    file: 'src/sidecars/provisioner/sources/next-source-step.ts',
    mutated: "const [kind, namespace = 'mutated', name = ''] = key.split('/')",
    reason: 'Keys are made by sourceKeyOf and findSourceKey and have three parts.',
  },
  {
    file: 'src/sidecars/provisioner/sources/next-source-step.ts',
    mutated: "const finalizers = (source.metadata.finalizers ?? ['mutated']).filter((name) => name !== finalizer)",
    reason: 'The source has our finalizer at this point.',
  },
  {
    file: 'src/sidecars/provisioner/sources/next-source-step.ts',
    mutated: "return source && `${source.kind}/${namespace ?? 'mutated'}/${source.name}`",
    reason: 'Stored objects always have it; the fallback is for the compiler.',
  },
  {
    file: 'src/sidecars/provisioner/sources/next-source-step.ts',
    mutated: 'return source && `${source.kind}/${namespace}/${source.name}`',
    reason: 'Stored objects always have it; the fallback is for the compiler.',
  },
]
