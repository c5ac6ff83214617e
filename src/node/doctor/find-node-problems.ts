import type { Reason } from '../../api/reason.ts'
import type { DoctorFacts, Registration } from './doctor-facts.ts'
import { REASONS } from './reasons.ts'

/** Why CSI drivers, or only one of them, cannot be registered on a node, the most general reason first. Empty: all is well. */
export function findNodeProblems(facts: DoctorFacts, driverName?: string): Reason[] {
  const { rootDir, hasRegistry, registrations, elsewhere, drivers, seLinux } = facts
  const isMeant = (name: string | undefined): boolean => driverName === undefined || name === driverName
  // A registration that does not answer does not say whose it is: it may be that of any driver.
  const isAbout = (each: Registration): boolean => each.driverName === undefined || isMeant(each.driverName)
  const ours = registrations.filter(({ type = 'CSIPlugin' }) => type === 'CSIPlugin').filter(isAbout)
  const offered = new Set(ours.map((each) => each.driverName))
  const misplaced = elsewhere.filter((each) => isMeant(each.driverName) && !offered.has(each.driverName))
  const unoffered = drivers.filter((each) => isMeant(each.driverName) && !offered.has(each.driverName))
  const problems = [
    ...(hasRegistry ? [] : [REASONS.KubeletDirectoryMissing(rootDir)]),
    ...misplaced.map(({ driverName: name = '', path }) => REASONS.RegisteredElsewhere(name, path, rootDir)),
    ...seLinux.denials.map(REASONS.SELinuxDenied),
    ...ours.flatMap(({ failure }) => failure ?? []),
    ...unoffered.map(({ driverName: name, path }) => REASONS.DriverNotOffered(name, path, rootDir)),
    ...(seLinux.isEnforcing ? findLabels(ours, rootDir) : []),
  ]
  if (problems.length > 0) return problems
  if (ours.length === 0 && driverName === undefined) return [REASONS.NothingRegistered(rootDir)]
  return driverName !== undefined && !offered.has(driverName) ? [REASONS.DriverNotOnNode(driverName, rootDir)] : []
}

/** The types that policies for containers give to what containers and the kubelet share. */
const TYPE_OF_CONTAINERS = /^(?:container|svirt|kubelet|spc|k3s|rke2)\w*_t$/

/** Sockets whose label is not one for containers. A label that is not known is not reported. */
const findLabels = (registrations: readonly Registration[], rootDir: string): Reason[] =>
  registrations
    .flatMap(({ path, label, endpoint }) => [{ path, label }, ...(endpoint ? [endpoint] : [])])
    .flatMap(({ path, label }) => {
      const [, , type] = label?.split(':') ?? []
      return label === undefined || type === undefined || TYPE_OF_CONTAINERS.test(type)
        ? []
        : [REASONS.SELinuxLabelUnusual(path, label, rootDir)]
    })
