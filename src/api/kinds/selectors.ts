export type {
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  TopologySelectorTerm,
} from './generated/core-v1.ts'
export type { LabelSelector, LabelSelectorRequirement } from './generated/meta-v1.ts'
