/*
 * What one request may cost, in units of CEL's own cost model. A unit takes up to 50 ns on the only thread of the server, so these
 * are what keeps one request below 100 ms for everybody else. docs/design/cel.md has the measurements.
 */

/** What one expression may cost: the limit of Kubernetes. */
export const RULE_BUDGET = 1_000_000

/** What all checks and rules of one object may cost together. Kubernetes gives 10,000,000, which is a second of one of its threads. */
export const OBJECT_BUDGET = 1_200_000

/** What a CustomResourceDefinition may cost when it is stored: its patterns are compiled, its defaults checked. */
export const DEFINITION_BUDGET = 2_000_000

/** To compile a regular expression costs as much for each of its instructions. */
export const UNITS_TO_COMPILE = 150

/** To read and compile a rule costs as much for each of its characters. */
export const UNITS_TO_READ_RULE = 8
