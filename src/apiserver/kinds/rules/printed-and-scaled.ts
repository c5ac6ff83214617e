import type { CustomResourceDefinitionVersion } from '../../../api/kinds/custom-resource-definition.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import type { Loose } from '../loose.ts'
import { invalid, required } from './problems.ts'

type Version = Loose<CustomResourceDefinitionVersion>

const COLUMN_TYPES = 'must be one of boolean,date,integer,number,string'
const FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'name', 'password']

/** The columns of a version of a custom resource. */
export function columnProblems(field: string, columns: Version['additionalPrinterColumns']): FieldProblem[] {
  return (columns ?? []).flatMap(({ name, type, format, jsonPath }, index) => {
    const at = `${field}[${index}]`
    return [
      ...(name ? [] : [required(`${at}.name`)]),
      ...(type ? [] : [required(`${at}.type`, COLUMN_TYPES)]),
      ...(type && !/^(?:boolean|date|integer|number|string)$/.test(type)
        ? [invalid(`${at}.type`, type, COLUMN_TYPES)]
        : []),
      ...(format && !FORMATS.includes(format)
        ? [invalid(`${at}.format`, format, `must be one of ${FORMATS.join(',')}`)]
        : []),
      // Upstream spells the field like this.
      ...(jsonPath ? simplePathProblems(`${at}.JSONPath`, jsonPath) : [required(`${at}.JSONPath`)]),
    ]
  })
}

/** Where the `scale` subresource of a version finds its numbers. */
export function scaleProblems(field: string, scale: NonNullable<Version['subresources']>['scale']): FieldProblem[] {
  if (!scale) return []
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale
  return [
    ...(specReplicasPath
      ? pathBelow(`${field}.specReplicasPath`, specReplicasPath, ['.spec.'], 'should be a json path under .spec')
      : [required(`${field}.specReplicasPath`)]),
    ...(statusReplicasPath
      ? pathBelow(
          `${field}.statusReplicasPath`,
          statusReplicasPath,
          ['.status.'],
          'should be a json path under .status',
        )
      : [required(`${field}.statusReplicasPath`)]),
    ...(labelSelectorPath
      ? pathBelow(
          `${field}.labelSelectorPath`,
          labelSelectorPath,
          ['.spec.', '.status.'],
          'should be a json path under either .spec or .status',
        )
      : []),
  ]
}

function pathBelow(field: string, path: string, roots: readonly string[], detail: string): FieldProblem[] {
  const problems = simplePathProblems(field, path)
  if (problems.length > 0) return problems
  return roots.some((root) => path.startsWith(root)) ? [] : [invalid(field, path, detail)]
}

const simplePathProblems = (field: string, path: string): FieldProblem[] =>
  path.startsWith('.') ? [] : [invalid(field, path, 'must be a simple json path starting with .')]
