/** The conditions of a claim about its expansion. All of them are removed when the expansion is complete. */
export const RESIZE_CONDITIONS: readonly string[] = [
  'FileSystemResizePending',
  'Resizing',
  'ControllerResizeError',
  'NodeResizeError',
]
