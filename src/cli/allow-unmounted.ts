import { flag } from '../base/options/index.ts'

/** Of every command that runs a node agent. */
export const allowUnmounted = flag(
  false,
  'Accept a NodePublishVolume that returns OK without mounting anything, as mock drivers do. By default the pod waits and gets an event.',
)
