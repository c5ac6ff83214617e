/** What is wrong with a driver, as its sidecars see it. They report it in events about its CSIDriver. */
export type DriverProblem =
  | { readonly kind: 'not-listening'; readonly socket: string }
  | { readonly kind: 'not-ready'; readonly detail: string }
  /** It answers the questions who it is and what it can do with an error, or with something invalid. */
  | { readonly kind: 'unusable'; readonly detail: string }
  | { readonly kind: 'renamed'; readonly now: string }
  | { readonly kind: 'no-answer'; readonly call: string; readonly forMs: number }
  /** `role` is the sidecar that has nothing to do, `why` what the driver lacks: `does not announce CREATE_DELETE_VOLUME`. */
  | { readonly kind: 'cannot'; readonly role: keyof typeof WITHOUT; readonly why: string }

/** The reason of the event that ends every problem but a missing capability. */
export const DRIVER_WELL = 'DriverConnected'

const EVENT_REASONS = {
  'not-listening': 'DriverNotListening',
  'not-ready': 'DriverNotReady',
  unusable: 'DriverUnusable',
  renamed: 'DriverRenamed',
  'no-answer': 'DriverNotAnswering',
  cannot: 'CapabilityMissing',
} as const satisfies Readonly<Record<DriverProblem['kind'], string>>

export type DriverEventReason = (typeof EVENT_REASONS)[DriverProblem['kind']]

/** While a problem lasts, its event is repeated this often. One that was not repeated for longer is over. */
export const REPEAT_PROBLEM_MS = 300_000

export const isDriverEventReason = (text: string): text is DriverEventReason =>
  Object.values<string>(EVENT_REASONS).includes(text)

export type DriverNotice = {
  readonly type: 'Normal' | 'Warning'
  readonly reason: DriverEventReason
  readonly message: string
}

/** The event for a problem. */
export const noticeOf = (driver: string, problem: DriverProblem): DriverNotice => ({
  // A driver need not have every capability: only an object that needs it makes a problem of that.
  type: problem.kind === 'cannot' ? 'Normal' : 'Warning',
  reason: EVENT_REASONS[problem.kind],
  message: messageOf(driver, problem),
})

function messageOf(driver: string, problem: DriverProblem): string {
  switch (problem.kind) {
    case 'not-listening':
      return `driver ${driver} is not listening on ${problem.socket}`
    case 'not-ready':
      return `driver ${driver} is not ready: ${problem.detail}`
    case 'unusable':
      return `driver ${driver} cannot be used: ${problem.detail}`
    case 'renamed':
      return `the driver that was ${driver} now has the name ${problem.now}`
    case 'no-answer':
      return `driver ${driver} has not answered ${problem.call} for ${Math.round(problem.forMs / 1000)} s`
    case 'cannot':
      return `driver ${driver} ${problem.why}, so its ${problem.role} ${WITHOUT[problem.role]}`
  }
}

// Nothing is ever waiting for the other sidecars.
const WITHOUT = {
  provisioner: 'creates no volumes',
  resizer: 'neither expands nor modifies volumes',
  snapshotter: 'takes no snapshots',
} as const

export const isAwaited = (role: string): role is keyof typeof WITHOUT => role in WITHOUT

/** What to do about it. */
export const DRIVER_CURES: Readonly<Record<DriverEventReason, string>> = {
  DriverNotListening: 'Start the driver, or see in its log why it ended. The sidecars continue as soon as it is back.',
  DriverNotReady: 'Check the log of the driver: its Probe says that it is not ready yet.',
  DriverUnusable: 'Fix the driver, or see in its log why it fails. The sidecars ask again automatically.',
  DriverRenamed: 'Start the driver under its former name, or use the new name in classes and volumes.',
  DriverNotAnswering: 'The driver has had the call all this time: check whether it hangs.',
  CapabilityMissing: 'Use a driver that announces it, or announce it in ControllerGetCapabilities.',
}

/** The sidecar that a message about a missing capability is about. */
export const roleIn = (message: string): string | undefined => /, so its (\S+) /.exec(message)?.[1]
