import { formatReason } from '../../api/reason.ts'
import type { Reason } from '../../api/reason.ts'
import type { DoctorFacts, Registration } from './doctor-facts.ts'

/** For people: where was looked, what each socket says, and the problems. */
export function formatDiagnosis(facts: DoctorFacts, problems: readonly Reason[]): string {
  const { rootDir, registrations, seLinux } = facts
  const lines = [
    `Kubelet directory: ${rootDir} (${formatOrigin(facts)})`,
    ...(seLinux.isEnforcing ? ['SELinux: enforcing'] : []),
    ...registrations.map(formatRegistration),
  ]
  const ending =
    problems.length === 0
      ? ['Every CSI driver on this node can be registered.']
      : problems.map((problem, index) => `${index + 1}. ${capitalize(formatReason(problem))}`)
  return [...lines, '', ...ending, ''].join('\n')
}

function formatOrigin({ rootDirFrom, kubeletPid }: DoctorFacts): string {
  if (rootDirFrom === 'flag') return 'from --kubelet-dir'
  return rootDirFrom === 'process'
    ? `of process ${kubeletPid}`
    : 'assumed: no process of a kubelet is visible. Name the directory with --kubelet-dir if it is another one'
}

const formatRegistration = ({ path, type, driverName, failure }: Registration): string =>
  `  ${path}  ${driverName ?? 'no answer'}${type !== undefined && type !== 'CSIPlugin' ? ` (${type})` : ''}  ${failure ? failure.code : 'ok'}`

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
