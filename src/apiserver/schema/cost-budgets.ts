/*
 * What one request may cost, in units of CEL's own cost model. A unit takes up to 50 ns on the only thread of the server, so these
 * are what keeps one request below 100 ms for everybody else. docs/design/cel.md has the measurements.
 */

/** The budget of one expression: the limit of Kubernetes. */
export const RULE_BUDGET = 1_000_000

/** The budget of all checks and rules of one object together. Kubernetes allows 10,000,000, which is one second of one of its threads. */
export const OBJECT_BUDGET = 1_200_000

/** The budget for storing a CustomResourceDefinition: its patterns are compiled and its defaults checked. */
export const DEFINITION_BUDGET = 2_000_000

/** The cost of compiling a regular expression, per instruction. */
export const UNITS_TO_COMPILE = 150

/** The cost of parsing and compiling a rule, per character. */
export const UNITS_TO_READ_RULE = 8
