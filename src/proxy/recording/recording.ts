import type { Code } from '../../csi/index.ts'

export type Json = Readonly<Record<string, unknown>>

/** The first line of a recording. */
export type RecordingHeader = {
  readonly recording: 'holdfast'
  readonly version: 1
  /** Whether the values of secrets are in the recording. */
  readonly secrets: 'hidden' | 'kept'
  readonly startedAt: string
}

/** An answer. Messages are as `printableMessage` writes them. */
export type RecordedReply = {
  /** `none`: the call ended without a gRPC status. */
  readonly code: Code | 'none'
  readonly message?: string
  /** Of a successful call. */
  readonly response?: Json
  /** Of a stream. */
  readonly responses?: readonly Json[]
  /** Of a method that is not CSI's, or of a message that cannot be read: the gRPC body in base64. Only with secrets. */
  readonly body?: string
}

/** One call: one line of a recording, written when the call has ended. */
export type RecordedCall = {
  /** Counts calls by their start. */
  readonly call: number
  /** The path of the method, for example `/csi.v1.Controller/CreateVolume`. */
  readonly rpc: string
  /** Since the start of the recording. */
  readonly startedMs: number
  readonly tookMs: number
  /** Starts and ends of calls are numbered together: two calls overlap if the second begins before the first ends. */
  readonly begins: number
  readonly ends: number
  readonly request?: Json
  /** As in `RecordedReply`. */
  readonly requestBody?: string
  /** What the driver answered. Absent if a fault kept the call from the driver. */
  readonly reply?: RecordedReply
  /** The fault that the proxy applied, and what the caller saw of it if that differs. */
  readonly fault?: { readonly label: string; readonly reply?: RecordedReply }
}
