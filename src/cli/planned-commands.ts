/** Commands that are not there yet, with what they are going to be: asking for one says so instead of "unknown". */
export const PLANNED_COMMANDS: Readonly<Record<string, string>> = {
  'csi-resizer': 'the external resizer',
  'csi-snapshotter': 'the external snapshotter',
  'snapshot-controller': 'the snapshot controller',
  check: 'is this driver right?',
}
