/** Planned commands with a description. Running one reports that it is not available yet instead of "unknown command". */
export const PLANNED_COMMANDS: Readonly<Record<string, string>> = {
  check: 'conformance tests for CSI drivers',
}
