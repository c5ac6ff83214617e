export { defaultAdmissionPlugins } from './default-admission-plugins.ts'
export { findDefaultClass } from './default-storage-class.ts'
export { refuseLargeObject } from './object-limits.ts'
