import type { Reason } from '../../api/reason.ts'

/** What a look at a node found. Nothing in it comes from the API server. */
export type DoctorFacts = {
  /** The directory of the kubelet. */
  readonly rootDir: string
  readonly rootDirFrom: 'flag' | 'process' | 'guess'
  /** Of the kubelet, if a process is visible. */
  readonly kubeletPid?: number
  /** Whether ROOT/plugins_registry exists. */
  readonly hasRegistry: boolean
  /** The sockets in it. */
  readonly registrations: readonly Registration[]
  /** Registrations that answer in the directories that other kubelets use. */
  readonly elsewhere: readonly Registration[]
  /** Drivers that answer below ROOT/plugins. */
  readonly drivers: readonly AnsweringDriver[]
  readonly seLinux: {
    readonly isEnforcing: boolean
    /** Of the last hour, oldest first. */
    readonly denials: readonly Denial[]
  }
}

/** A socket with its SELinux context, if that is known. */
type LabelledSocket = { readonly path: string; readonly label?: string }

/** What a registration socket says, and the driver that it names. */
export type Registration = LabelledSocket & {
  /** `CSIPlugin`; plugins of other types are none of our business. Absent if it does not answer. */
  readonly type?: string
  readonly driverName?: string
  /** The socket of the driver. */
  readonly endpoint?: LabelledSocket
  /** Why the kubelet cannot register it. */
  readonly failure?: Reason
}

export type AnsweringDriver = { readonly path: string; readonly driverName: string }

/** An access that SELinux refused. */
export type Denial = {
  /** `connectto`, `write`. */
  readonly permission: string
  /** The program. */
  readonly command: string
  /** The file or its path, as the program sees it. */
  readonly target: string
  /** The context of the program. */
  readonly source: string
  /** The context of the target. */
  readonly label: string
}
