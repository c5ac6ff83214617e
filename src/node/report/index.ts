export { DEFAULT_REPORT, startNodeReport } from './start-node-report.ts'
export type { NodeReportConfig, NodeReportParts, RunningNodeReport } from './start-node-report.ts'
export { describeNode } from './node-description.ts'
export type { DescribeOptions, NodeDescription } from './node-description.ts'
