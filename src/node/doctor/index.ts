export type { DoctorFacts } from './doctor-facts.ts'
export { findNodeProblems } from './find-node-problems.ts'
export { formatDiagnosis } from './format-diagnosis.ts'
export { readDoctorFacts } from './read-doctor-facts.ts'
