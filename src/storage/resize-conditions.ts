/** The conditions of a claim that tell of its expansion. All of them go when the expansion is complete. */
export const RESIZE_CONDITIONS: readonly string[] = [
  'FileSystemResizePending',
  'Resizing',
  'ControllerResizeError',
  'NodeResizeError',
]
