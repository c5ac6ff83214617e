export { openHostpath } from './hostpath.ts'
export type { Hostpath, HostpathNode, HostpathParts } from './hostpath.ts'
export { createHostpathDriver, DEFAULT_DRIVER_NAME } from './driver.ts'
export type { HostpathDriverOptions } from './driver.ts'
