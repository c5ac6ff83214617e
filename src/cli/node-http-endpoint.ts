import { text } from '../base/options/index.ts'

/** The same for every command that runs nodes. */
export const nodeHttpEndpoint = text(
  '',
  'Address for volume metrics, /stats/summary and /healthz of the nodes, for example 127.0.0.1:10255. Empty: none.',
)
